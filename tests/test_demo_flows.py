"""The flows of the demo scenario: each version is sound, and the latest shows what flows can do."""

from __future__ import annotations

from random import Random

import pytest

from dryline.engine import Engine
from dryline.simulator.industries import trades_of
from dryline.simulator.outbound_scripts import VOICEMAIL
from dryline.tools import demo_content

BUSINESSES = (*demo_content.BUSINESSES, demo_content.QUAYSIDE)


@pytest.fixture(scope="module")
def engine():
    with Engine() as engine:
        yield engine


PROGRAMS = [one.program for one in BUSINESSES] + [demo_content.REMINDER]


@pytest.mark.parametrize("version", [version for program in PROGRAMS for version in program.versions], ids=str)
def test_every_version_is_a_sound_program(engine, version):
    assert engine.check(version.code) == []


def conversations(engine, program, version):
    """One on each branch of a version, without a network: its condition, session and events."""
    flow = engine.program(version.code)
    state = {"name": "Ada Park", "day": "Friday", "time": "10:15 AM", "Caller": "+14155550123"}
    options = {"variables": program.variables, "state": state}
    for branch in engine.explore(flow, **options):
        caller = engine.caller(flow, branch, Random(1))
        session = engine.open(flow, judge=caller, seed=1, **options)
        events = session.play(caller)
        assert branch.condition.line in caller.taken
        yield branch.condition, session, events


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_latest_version_shows_what_flows_can_do(engine, program):
    seen = list(conversations(engine, program, program.versions[-1]))
    assert len(seen) >= 4
    assert {condition.line for condition, _, _ in seen} == {
        condition.line for condition in engine.program(program.versions[-1].code).conditions
    }
    assert any(len(condition.inner) for condition, _, _ in seen)  # a round within a round
    happened = {event.type for _, _, events in seen for event in events}
    assert happened >= {"asked", "extracted", "requested", "printed", "transferred"}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_latest_version_ends_well_on_every_branch_without_a_network(engine, program):
    for _, session, _ in conversations(engine, program, program.versions[-1]):
        assert session.failure is None
        assert session.ended in ("end of the flow", "transfer")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_in_earlier_versions_nothing_but_the_missing_network_ends_a_call(engine, program):
    for version in program.versions[:-1]:
        for _, session, _ in conversations(engine, program, version):
            assert session.failure is None or session.failure.exception == "OSError"


@pytest.mark.parametrize(
    ("program", "line"),
    [(one.program, one.line) for one in demo_content.BUSINESSES]
    + [(demo_content.REMINDER, demo_content.REMINDER_LINE)],
    ids=lambda value: value.name if hasattr(value, "versions") else "",
)
def test_a_flow_extracts_what_its_line_defines(engine, program, line):
    kinds = {"string": str, "number": (int, float), "boolean": bool}
    for version in program.versions:
        for _, session, _ in conversations(engine, program, version):
            for key, value in session.extracted.items():
                assert isinstance(value, kinds[line["extractions"][key]["type"]])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_scripts_of_a_trade_end_with_conditions_of_its_flow(engine, program):
    business = next(one for one in BUSINESSES if program in (one.program, demo_content.REMINDER))
    (trade,) = trades_of(business.name, business.description)
    scripts = (*trade.inbound, trade.handed_over) if program.label == "inbound" else (*trade.outbound, VOICEMAIL)
    conditions = {condition.text for condition in engine.program(program.versions[-1].code).conditions}
    assert {script.until for script in scripts} <= conditions
