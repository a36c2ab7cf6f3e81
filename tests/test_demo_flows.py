"""The flows of the shipped scenarios: each version is sound, and the newest ends well wherever a caller leads it."""

from __future__ import annotations

from random import Random

import pytest

from dryline.engine import Engine
from dryline.engine.branch_discovery import uses_missing_answer
from dryline.engine.web import no_network
from dryline.flow_sessions.demo_services import with_demo_services
from dryline.tools import campaign, clinic, demo_content

BUSINESSES = (*demo_content.BUSINESSES, demo_content.QUAYSIDE, clinic.HOSPITAL, campaign.GARAGE)
PROGRAMS = [one.program for one in BUSINESSES] + [demo_content.REMINDER]
LINES = [(one.program, one.line) for one in BUSINESSES] + [(demo_content.REMINDER, demo_content.REMINDER_LINE)]


@pytest.fixture(scope="module")
def engine():
    with Engine(fetch=with_demo_services(no_network)) as engine:
        yield engine


@pytest.fixture(scope="module")
def converse(engine):
    """Run one conversation on each branch of the newest version; return conditions, sessions and events."""
    runs = {}

    def run(program):
        if program.name not in runs:
            flow = engine.program(program.versions[-1].code)
            state = {"name": "Ada Park", "day": "Friday", "time": "10:15 AM", "car": "van", "Caller": "+14155550123"}
            options = {"variables": program.variables, "state": state}
            runs[program.name] = results = []
            for branch in engine.explore(flow, **options):
                caller = engine.caller(flow, branch, Random(1))
                session = engine.open(flow, model=caller, seed=1, **options)
                results.append((branch.condition, session, session.play(caller)))
        return runs[program.name]

    return run


@pytest.mark.parametrize("version", [version for program in PROGRAMS for version in program.versions], ids=str)
def test_every_version_is_a_sound_program(engine, version):
    assert engine.check(version.code) == []


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_callers_reach_every_condition_of_the_newest_version(engine, converse, program):
    reached = {condition.text for condition, _, _ in converse(program)}
    assert reached == {condition.text for condition in engine.program(program.versions[-1].code).conditions}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_newest_version_ends_well_and_speaks_of_nothing_that_it_does_not_know(converse, program):
    for condition, session, events in converse(program):
        assert session.failure is None and session.ended, condition.text
        assert not uses_missing_answer(events), condition.text


@pytest.mark.parametrize(("program", "line"), LINES, ids=lambda each: getattr(each, "name", ""))
def test_a_flow_extracts_what_its_line_defines(converse, program, line):
    extracted = {key for _, session, _ in converse(program) for key in session.extracted}
    assert set(line.get("extractions", {})) <= extracted
