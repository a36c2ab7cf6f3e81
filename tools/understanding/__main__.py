"""`make understanding`: train the encoder, fit the decision, print the figures, and write the data file."""

import argparse
from pathlib import Path

from dryline.tools.understanding import corpus, data_file, measure, train


def main() -> None:
    """Run the steps that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", action="store_true", help="fit the decision alone: for other dialogues or features")
    parser.add_argument("--measure", action="store_true", help="print the figures, and change nothing")
    parser.add_argument("--kept-apart", action="store_true", help="print the figures of the half that is kept apart")
    parser.add_argument("--cases", type=Path, help="a file of further menus to measure")
    arguments = parser.parse_args()
    if arguments.measure or arguments.fit:
        fitted = measure.report(arguments.kept_apart, arguments.cases)
        if arguments.fit:
            data_file.write_fitted(fitted)
        return
    intents = corpus.read_intents()
    names, rows = train.train(intents, corpus.read_synonyms())
    vectors = train.intent_vectors(intents, names, rows)
    data_file.write(names, rows, vectors, {})
    data_file.write(names, rows, vectors, measure.report(arguments.kept_apart, arguments.cases))


if __name__ == "__main__":
    main()
