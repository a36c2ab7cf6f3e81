"""Simulated calls run their deployment's flow: its words, its extractions and its traces are in their logs."""

import itertools
import json
import re
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack

import pytest

from dryline.tests.simulator.conftest import BRANCHES, FLOW, VARIABLES, said
from dryline.world import real_time

# The conditions are open all the time: what is still missing is asked for, and a caller could leave at any turn.
ONE_LOOP = """\
name, day, question = None, None, "How can I help you?"
while question:
    loop:
        res = talk(question, True)
    until "caller wants to book an appointment":
        pass
    until "caller gives their name":
        name = res.ask("What is the caller's full name?", "Ada Park")
    until "caller names a day":
        day = res.ask("Which day?", "Thursday")
    until "caller needs nothing else":
        question = None
    if question and not name:
        question = "May I have your first and last name, please?"
    elif question and not day:
        question = "Which day would suit you best?"
    elif question:
        extract("appointment", {"name": name, "day": day})
        question = "It is noted. Is there anything else I can do for you?"
say("Goodbye.")
"""


@pytest.fixture
def booked(line, simulate):
    """Return calls in which an appointment is booked."""
    return simulate(line, 6, branch="caller confirms the day")


def first_conditions(logs, taken):
    """Return the first condition of each call that took one, the most usual first."""
    return [one for one, _ in Counter(taken(log)[0] for log in logs if taken(log)).most_common()]


def test_shares_make_a_condition_more_or_less_usual(line, simulate, taken):
    book, cancel, human = (
        "caller wants to book an appointment",
        "caller wants to cancel the visit",
        "caller asks for a human",
    )
    firsts = first_conditions(simulate(line, 40, shares={book: 0.01, cancel: 100, human: 0}), taken)
    assert firsts[0] == cancel and human not in firsts
    assert len(first_conditions(simulate(line, 40, shares=dict.fromkeys(BRANCHES, 0)), taken)) > 2


def test_a_caller_gives_the_values_that_the_agent_asks_for_before_leaving(make_line, simulate, taken):
    wish, name, day, nothing_else = (
        "caller wants to book an appointment",
        "caller gives their name",
        "caller names a day",
        "caller needs nothing else",
    )
    for log in simulate(make_line(ONE_LOOP), 6, branch=wish):
        assert taken(log) == [wish, name, day, nothing_else]
        assert log["extractionsData"]["appointment"]["day"] in said(log, "user")[2]


def test_no_call_is_about_a_value_that_the_agent_asks_for_in_a_matter(make_line, simulate, taken):
    line = make_line(ONE_LOOP)
    assert first_conditions(simulate(line, 30, outcome="completed"), taken) == ["caller wants to book an appointment"]
    day = "caller names a day"
    assert day in first_conditions(simulate(line, 30, outcome="completed", shares={day: 1}), taken)


def test_a_call_is_about_a_value_where_no_matter_before_it_goes_on(make_line, simulate, taken):
    code = """loop:
    res = talk("Ask for the order number.", True)
until "caller asks for a person":
    transfer("+15035550177")
until "caller gives their order number":
    say("Thank you.")
"""
    assert "caller gives their order number" in first_conditions(simulate(make_line(code), 30, follow="flow"), taken)


def test_a_call_can_be_about_what_a_caller_tells(make_line, simulate, taken):
    code = """loop:
    res = talk("Ask how you can help.", True)
until "caller wants an appointment":
    say("You are booked.")
until "caller tells that the dog has died":
    say("I am sorry.")
"""
    assert len(first_conditions(simulate(make_line(code), 20, outcome="completed"), taken)) == 2


def test_a_yes_or_no_that_no_caller_says_is_missing(make_line, simulate):
    code = """loop:
    res = talk("Ask how you can help.", True)
until "caller wants an appointment":
    visit = res.ask("Which day, and are they insured?", {"day": "Monday", "insured": True})
    if visit["insured"] is None:
        say("Please bring your insurance card.")
    extract("insured", visit["insured"])
"""
    logs = simulate(make_line(code), 30, branch="caller wants an appointment")
    assert {log["extractionsData"]["insured"] for log in logs} == {None}


def test_a_caller_names_a_day_in_the_past_for_what_has_happened(make_line, simulate):
    code = """loop:
    res = talk("Ask what happened.", True)
until "caller reports an accident":
    loop:
        when = talk("Ask when it happened.", True)
    until "caller says when it happened":
        extract("date", when.ask("When did it happen?", {"date": "2026-01-05"})["date"])
"""
    for log in simulate(make_line(code), 10, branch="caller says when it happened"):
        assert log["extractionsData"]["date"] < log["startTime"][:10]
        assert not any(re.search("would be|works|How about|please", text) for text in said(log, "user")[1:])


def test_the_agent_says_the_flows_words_and_ends_the_call_with_the_flow(booked):
    for log in booked:
        words = said(log)
        assert words[:2] == ["Welcome to Oak Clinic.", "What do you need?"]
        assert words[-1] == "You are booked."
        assert (log["status"], log["data"]["disconnection_reason"]) == ("completed", "agent_hangup")
        assert log["data"]["call_analysis"]["call_summary"].startswith("The caller wants to book an appointment")


def test_the_summary_that_a_flow_extracts_is_the_calls(line, simulate):
    for log in simulate(line, 2, branch="caller wants to cancel the visit"):
        assert log["data"]["call_analysis"]["call_summary"] == log["extractionsData"]["summary"]


def test_callers_differ_say_the_extracted_values_and_never_recite_a_condition(booked):
    for log in booked:
        first, *_ = said(log, "user")
        assert log["extractionsData"]["booking"]["name"] in first
        assert not any("the caller" in text.lower() or "confirm the day" in text.lower() for text in said(log, "user"))
    assert len({log["extractionsData"]["booking"]["name"] for log in booked}) > 3


def test_transfer_makes_the_record_with_its_number(line, simulate, taken):
    for log in simulate(line, 4, branch="caller asks for a human"):
        assert log["status"] == "transferred"
        assert log["data"]["disconnection_reason"] == "call_transfer"
        assert {event["toNumber"] for event in log["transferData"]["transferEvents"]} == {"+15035550177"}
        assert said(log)[-1] == "One moment."
        assert taken(log)[-1] == "caller asks for a human"


def test_the_trace_has_each_decision_and_what_is_printed(booked, session_of):
    for log in booked:
        trace = session_of(log)["trace"]
        customer = log["fromNumber"] if log["direction"] == "inbound" else log["toNumber"]
        (ask,) = (step for step in trace if step["step"] == "ask")
        (printed,) = (step for step in trace if step["step"] == "print")
        decided = next(step for step in trace if step["step"] == "until")
        assert (decided["line"], decided["why"], decided["by"]) == (6, "It is what the caller is after.", "caller")
        assert (ask["line"], ask["value"]) == (7, log["extractionsData"]["booking"])
        assert printed["text"] == f"booked for {customer}"
        times = [step["at"] for step in trace]
        assert times == sorted(times) and times[-1] <= log["duration"]
        assert log["sessionLogData"]["trace"] == trace


def test_each_talk_and_ask_has_an_llm_log_with_both_hooks(booked, session_of, api):
    for log in booked:
        rows = api.get(f"/workers/{log['workerId']}/llm-logs/by-call/{log['call_sid']}").json
        hooks = [row["eventType"] for row in rows]
        trace = session_of(log)["trace"]
        assert hooks == ["beforeRequestHook", "afterRequestHook"] * (len(hooks) // 2)
        assert len(hooks) == 2 * len([step for step in trace if step["step"] in ("talk", "until", "ask")])
        requests = [row["data"]["request"]["json"] for row in rows[::2]]
        answers = [row["data"]["response"]["json"]["choices"][0] for row in rows[1::2]]
        assert requests[0]["messages"][0]["content"].startswith("You are the receptionist.")
        assert {tool["function"]["description"] for tool in requests[0]["tools"]} < BRANCHES
        assert answers[0]["message"]["content"] == said(log)[1]
        assert answers[1]["finish_reason"] == "tool_calls"
        question = next(index for index, one in enumerate(requests) if one["messages"][0]["content"].startswith("Who"))
        assert log["extractionsData"]["booking"]["name"] in answers[question]["message"]["content"]
        assert {row["data"]["decidedBy"] for row in rows} == {"caller", "built-in"}
        times = [row["createdAt"] for row in rows]
        assert times == sorted(times) and log["startTime"] <= times[0] and times[-1] <= log["endTime"]


def test_the_llm_log_of_a_tool_has_the_request_that_chose_it(make_line, simulate, api):
    tool = {
        "name": "book",
        "description": "caller wants a table",
        "parameters": {"properties": {"day": {"type": "string"}}},
    }
    line = make_line(f'loop:\n    talk("You take bookings.", True)\nuntil {tool}:\n    say("Booked.")\n')
    (log,) = simulate(line, 1, branch=str(tool))
    rows = api.get(f"/workers/{log['workerId']}/llm-logs/by-call/{log['call_sid']}").json
    answers = [row["data"]["response"]["json"]["choices"][0] for row in rows[1::2]]
    chosen = next(index for index, answer in enumerate(answers) if answer["finish_reason"] == "tool_calls")
    request = rows[2 * chosen]["data"]["request"]["json"]
    assert request["messages"][0]["content"] == "You take bookings."
    assert [one["function"]["description"] for one in request["tools"]] == ["caller wants a table"]


def test_an_exception_is_a_runtime_error_on_its_line_and_a_failed_call(line, simulate, session_of, api):
    (log,) = simulate(line, 1, branch="caller has a complaint about a bill")
    assert (log["status"], log["data"]["disconnection_reason"]) == ("failed", "error")
    (error,) = api.get(f"/workers/{line['workerId']}/runtime-errors").json
    assert (error["type"], error["error"]) == ("ValueError", "no department for bills")
    assert FLOW.splitlines()[error["lineNumber"] - 1].strip() == 'raise ValueError("no department for bills")'
    assert 'raise ValueError("no department for bills")' in error["traceback"]
    assert error["bbEngineSessionId"] == log["bbEngineSessionId"]
    session = session_of(log)
    assert (session["status"], session["error"]["line"]) == ("failed", error["lineNumber"])


def test_the_flows_state_is_in_the_session(make_line, simulate, session_of):
    code = (
        'state["visits"] = 3\nloop:\n    talk("Hi")\nuntil "caller asks":\n    state["visits"] += 1\n    end_call()\n'
    )
    (log,) = simulate(make_line(code), 1, branch="caller asks", direction="inbound")
    state = session_of(log)["state"]
    assert (state["Caller"], state["visits"]) == (log["fromNumber"], 4)


def test_a_flow_reads_the_time_of_its_call(make_line, simulate):
    code = (
        'from datetime import datetime, timezone\nloop:\n    talk("Hi")\nuntil "caller asks the time":\n'
        '    extract("now", datetime.now(timezone.utc).isoformat())\n'
    )
    times = {"startTime": "2026-01-01T00:00:00.000Z", "endTime": "2026-02-01T00:00:00.000Z"}
    for log in simulate(make_line(code, {}), 3, branch="caller asks the time", **times):
        assert log["extractionsData"]["now"][:19] == log["startTime"][:19]


@pytest.fixture
def seeded_calls(line, simulate):
    """Simulate calls with a seed and fixed times, and return all of them that does not differ from call to call."""
    own = (
        "id",
        "createdAt",
        "updatedAt",
        "bbEngineSessionId",
        "externalCallId",
        "call_sid",
        "recordingUrl",
        "transferData",
    )

    def calls(**options):
        times = {"startTime": "2026-01-01T00:00:00.000Z", "endTime": "2026-02-01T00:00:00.000Z"}
        logs = simulate(line, 20, **times, **options)
        return [{name: value for name, value in log.items() if name not in own} for log in logs]

    return calls


def test_the_same_seed_gives_the_same_calls(seeded_calls):
    first = seeded_calls()
    assert seeded_calls() == first
    assert [log["transcription"] for log in seeded_calls(seed=8)] != [log["transcription"] for log in first]


def test_a_seed_holds_while_other_programs_keep_the_machine_busy(seeded_calls):
    alone = json.dumps(seeded_calls())
    with ExitStack() as others:
        for _ in range(8):
            busy = others.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            others.callback(busy.kill)
        assert json.dumps(seeded_calls()) == alone


def test_a_seed_holds_on_a_machine_on_which_each_step_takes_seconds(seeded_calls, monkeypatch):
    usual = seeded_calls()
    seconds = itertools.count(start=real_time.monotonic(), step=3.0)
    monkeypatch.setattr("time.clock_gettime", lambda _: next(seconds))
    assert seeded_calls() == usual


@pytest.mark.alone
def test_a_flow_that_runs_away_three_times_fails_at_once_in_further_calls(hurried, make_line, simulate, api):
    code = FLOW.replace('raise ValueError("no department for bills")', "while True:\n        pass")
    line = make_line(code, VARIABLES)
    logs = simulate(line, 5, branch="caller has a complaint about a bill")
    assert [log["status"] for log in logs] == ["failed"] * 5
    assert [bool(said(log)) for log in logs] == [True] * 3 + [False] * 2
    errors = api.get(f"/workers/{line['workerId']}/runtime-errors?limit=100").json
    assert {(error["type"], error["lineNumber"]) for error in errors} == {("TimeoutError", errors[0]["lineNumber"])}
    assert len(errors) == 5


@pytest.mark.alone
def test_a_call_that_a_flow_which_ran_away_does_not_take_is_named(hurried, make_line, control):
    code = FLOW.replace('raise ValueError("no department for bills")', "while True:\n        pass")
    line = make_line(code, VARIABLES)
    branch = "caller has a complaint about a bill"
    body = {"workerId": line["workerId"], "deploymentId": line["id"], "count": 5, "branch": branch}
    answer = control.post("/simulate/calls", body).json
    assert [(each["branch"], each["taken"]) for each in answer["notTaken"]] == [(branch, None)] * 2


def test_a_flow_may_ask_before_the_caller_has_said_anything(make_line, simulate):
    code = """
res = talk("Help.")
early = res.ask("Which day?", {"day": "Monday"})
loop:
    res = talk("Ask which day suits them.", True)
until "caller names a day":
    extract("days", [early["day"], res.ask("Which day?", {"day": "Monday"})["day"]])
"""
    line = make_line(code)
    days = [log["extractionsData"]["days"] for log in simulate(line, 3, branch="caller names a day")]
    assert [(bool(early), bool(later)) for early, later in days] == [(False, True)] * 3
    logs = simulate(line, 1, branch="caller names a day", answers={"day": "Sunday"})
    assert logs[0]["extractionsData"]["days"] == ["Sunday", "Sunday"]


def test_a_condition_that_denies_something_does_not_achieve_it(make_line, simulate):
    code = 'loop:\n    talk("How can I help?", True)\nuntil "{}":\n    say("Noted.")\n    end_call()\n'
    booked = {"booked": {"type": "boolean", "description": "Whether a visit was booked"}}
    achieved = {}
    for condition in ("caller wants to book a visit", "caller does not want to book a visit"):
        line = make_line(code.format(condition), {}, extractions=booked)
        (log,) = simulate(line, 1, branch=condition)
        achieved[condition] = log["extractionsData"]["booked"]
    assert achieved == {"caller wants to book a visit": True, "caller does not want to book a visit": False}
