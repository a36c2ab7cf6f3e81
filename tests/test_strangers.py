"""Strangers' own words to the shipped flows. The test asserts figures, never single sentences."""

import pytest

from dryline.tools import campaign, clinic, demo_content, trouble
from dryline.tools.understanding import strangers

BUSINESSES = (*demo_content.BUSINESSES, demo_content.QUAYSIDE, clinic.HOSPITAL, campaign.GARAGE, trouble.PARCELS)
PROGRAMS = [*(one.program for one in BUSINESSES), demo_content.REMINDER, clinic.WEBSITE]


@pytest.fixture(scope="module")
def heard():
    return list(strangers.play({program.name: program for program in PROGRAMS}))


def share(heard, kind, name):
    """Return the percentage of utterances of a kind that are `name`."""
    of_kind = [each for each in heard if each.kind == kind]
    return 100 * sum(getattr(each, name) for each in of_kind) / len(of_kind)


def test_strangers_are_understood(heard):
    """A phrase that is made for one of these sentences spoils the measure."""
    figures = {kind: (share(heard, kind, "is_right"), share(heard, kind, "is_nonsense")) for kind in strangers.KINDS}
    assert figures["openings"][0] >= 80 and figures["ways out"][0] >= 90, figures
    nonsense = 100 * sum(each.is_nonsense for each in heard) / len(heard)
    assert nonsense <= 4.5, figures


def test_each_line_hears_sixty_openings(heard):
    for flow in {each.flow for each in heard}:
        assert sum(each.flow == flow and each.kind == "openings" for each in heard) >= 60, flow
