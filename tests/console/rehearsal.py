"""Rehearsals: the numbered sentences of a document, each with a function that does what it says."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


class Rehearsal:
    """The sentences of a document's numbered lists, in their order."""

    def __init__(self, document):
        text = (ROOT / document).read_text()
        items = re.findall(r"^\d+\. (.*(?:\n {3}\S.*)*)", text, re.MULTILINE)
        self.sentences = [sentence for item in items for sentence in _split(" ".join(item.split()))]
        self._actions = []

    def does(self, sentence):
        """Register the function for the next sentence. The same sentence may stand in several places."""

        def register(action):
            self._actions.append((sentence, action))
            return action

        return register

    def play(self, *actors):
        """Do what each sentence says. A sentence without a function, or in another place, fails."""
        assert [sentence for sentence, _ in self._actions] == self.sentences
        for sentence, action in self._actions:
            try:
                action(*actors)
            except Exception as error:
                error.add_note(f"The document says: {sentence}")
                raise


def _split(text):
    return re.split(r"(?<=[.])\s+(?=[A-Z\"`])", text.replace("**", ""))
