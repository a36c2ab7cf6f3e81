"""Strangers' own words to the shipped flows. The test asserts figures, never single sentences."""

import re

from dryline.flow import phrases
from dryline.flow.model.answers.turns import SORRY
from dryline.flow.model.kinds import KINDS
from dryline.tools import campaign, clinic, demo_content, trouble
from dryline.tools.understanding import strangers

BUSINESSES = (*demo_content.BUSINESSES, demo_content.QUAYSIDE, clinic.HOSPITAL, campaign.GARAGE, trouble.PARCELS)
PROGRAMS = [*(one.program for one in BUSINESSES), demo_content.REMINDER, clinic.WEBSITE]

FRAMES = {
    "How can I help you?",
    "What else can I do for you?",
    "Thank you, and goodbye!",
    "Would you like to talk to a person?",
    *(kind.question for kind in KINDS if kind.question),
}


def share(heard, name):
    """Return the percentage of utterances that are `name`."""
    return 100 * sum(getattr(each, name) for each in heard) / len(heard)


def test_strangers_are_understood():
    """A phrase that is made for one of these sentences spoils the measure."""
    heard = list(strangers.play({program.name: program for program in PROGRAMS}))
    right = {kind: share([each for each in heard if each.kind == kind], "is_right") for kind in strangers.KINDS}
    assert right["openings"] >= 85 and right["ways out"] >= 90, right
    assert share(heard, "is_nonsense") <= 3


def test_every_sentence_of_an_agent_is_the_flows_own_or_a_frame():
    """At least two thousand utterances in all: of strangers, of simulated callers, and of the cases of values.

    Where the flow does not `say` a sentence, the model has it from a prompt, repeats it, or says a frame.
    """
    phrases_without_slots = [said for intent in phrases.load().values() for said in intent.says if "{" not in said]
    said_of_values = [said for kind in KINDS for said, *_ in kind.CASES]
    sources = (strangers.all_said(), phrases_without_slots, said_of_values)
    spoken = list(strangers.agent_sentences({program.name: program for program in PROGRAMS}, sources, utterances=67))
    assert len(spoken) > 2_000
    said_by_flows = {sentence.text for sentence in spoken if sentence.by == "say"}
    code = "\n".join(program.versions[-1].sound_code for program in PROGRAMS)
    for sentence in spoken:
        assert not re.search(r"[{}]|\bcallers?\b", sentence.text), sentence.text
        assert not [text for text in sentence.conditions if text in sentence.text.lower()], sentence.text
        text = sentence.text.removeprefix(SORRY).strip()
        assert text in FRAMES or text in said_by_flows or text in code, sentence.text
