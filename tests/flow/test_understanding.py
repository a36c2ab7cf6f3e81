"""The built-in model's decisions: figures, never single sentences."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, product

import pytest
import snowballstemmer

from dryline.flow.model.encoder import load, stems
from dryline.flow.model.understanding import Context, understand
from dryline.tools.understanding import fit

MENU = ["caller wants a human", "caller asks for prices", "caller gives a day"]


@pytest.fixture(scope="module")
def outcomes():
    others = fit.examples_of(fit.menus_of_others(kept_apart=False))
    dialogues = fit.examples_of(fit.read_menus(), first=1 + others[-1].menu)
    return others[-1].menu, fit.cross_validate([*others, *dialogues])


def test_decisions_on_menus_of_authors_who_did_not_know_the_phrases_are_good(outcomes):
    """A phrase or a feature that is made for one of these sentences spoils the measure."""
    last_of_others, all_outcomes = outcomes
    of_others = [each for each in all_outcomes if each.example.menu <= last_of_others]
    figures = fit.figures(of_others, load().fitted["least share"])
    assert figures.right >= 68 and figures.wrong <= 4 and figures.left_alone >= 90, figures


def test_sure_decisions_are_right(outcomes):
    count, right = fit.calibration(outcomes[1])
    assert count >= 400 and right >= 95


def test_the_data_file_has_the_weights_that_fit_the_dialogues(outcomes):
    """A change of a feature, or of the dialogues, needs `make understanding`."""
    weights = fit.fit([each.example for each in outcomes[1]])
    assert weights == pytest.approx(load().fitted["weights"], abs=0.05)
    assert fit.least_share_of(outcomes[1]) == pytest.approx(load().fitted["least share"], abs=0.01)


def test_a_start_reads_nothing_of_the_model():
    code = "import sys, dryline.app, dryline.flow.phrases as phrases, dryline.flow.model.encoder as encoder\n"
    code += "for read in (encoder.load, phrases.load): assert not read.cache_info().currsize"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def eager_threads():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_threads_read_texts_at_the_same_time(eager_threads):
    words = [f"{''.join(letters)}ations" for letters in product("bdfglmnprst", "aeiou", "bdfglmnprst")]
    with ThreadPoolExecutor(8) as pool:
        assert [*chain(*pool.map(stems, words))] == snowballstemmer.stemmer("english").stemWords(words)


def test_a_decision_says_why_and_how_sure():
    decision = understand(MENU, "could you put me through to somebody?", Context("How can I help you?", ""))
    assert decision.index == 0 and 0.5 < decision.sure < 1
    assert decision.why.startswith('Of the 3 conditions this one fits best: it is close to "')


@pytest.mark.parametrize(("said", "conditions"), [("", MENU), ("!?", MENU), ("anything", []), ("hello", ["", "  "])])
def test_nothing_to_decide_takes_nothing(said, conditions):
    assert understand(conditions, said, Context("", "")).index is None


def test_a_value_that_was_asked_for_meets_the_condition_that_returned():
    context = Context("When did you move?", "Help.", returned=0)
    conditions = ["caller has moved", "caller wants a human"]
    assert understand(conditions, "on the third of May", context).index == 0
    assert understand(conditions, "elephants", context).index is None
