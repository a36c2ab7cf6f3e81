"""Strangers' own words to the shipped flows. The test asserts figures, never single sentences."""

import re

from dryline.tools import campaign, clinic, demo_content, trouble
from dryline.tools.understanding import strangers

BUSINESSES = (*demo_content.BUSINESSES, demo_content.QUAYSIDE, clinic.HOSPITAL, campaign.GARAGE, trouble.PARCELS)
PROGRAMS = [*(one.program for one in BUSINESSES), demo_content.REMINDER, clinic.WEBSITE]


def share(heard, name):
    """Return the percentage of utterances that are `name`."""
    return 100 * sum(getattr(each, name) for each in heard) / len(heard)


def test_strangers_are_understood():
    """A phrase that is made for one of these sentences spoils the measure."""
    heard = list(strangers.play({program.name: program for program in PROGRAMS}))
    right = {kind: share([each for each in heard if each.kind == kind], "is_right") for kind in strangers.KINDS}
    assert right["openings"] >= 85 and right["ways out"] >= 90, right
    assert share(heard, "is_nonsense") <= 3


def test_no_sentence_of_an_agent_comes_from_a_condition():
    """Two hundred utterances of strangers, of all lines, to each flow."""
    spoken = list(strangers.agent_sentences({program.name: program for program in PROGRAMS}, utterances=200))
    assert len(spoken) > 2_000
    for conditions, sentence in spoken:
        assert not re.search(r"[{}]|\bcallers?\b", sentence), sentence
        assert not [text for text in conditions if text in sentence.lower()], sentence
