"""Runs of tests hold their conversations with the flow: it fails where it raises, or never comes to what is named."""

from types import SimpleNamespace

import pytest

from dryline.simulator import checkpoints
from dryline.jobs.runner import Runner
from dryline.storage.errors import Busy

CLINIC = """
say(f"{variables['clinic']}, good morning.")
loop:
    res = talk("Ask what we can do for them.", True)
until "caller wants an appointment":
    who = res.ask("Who is calling?", {"name": "Ada Park", "kind": "new | known"})
    extract("name", who["name"])
    loop:
        talk("Ask which day suits them.", True)
    until "caller agrees to a day":
        say("You are booked.")
    until f"caller cannot come for {variables['weeks']} weeks":
        say("We call you.")
until "caller wants a refund":
    return 1 / 0
until "caller asks for a person":
    transfer("+15550100")
until "caller wants the impossible" if False else "caller wants the hours":
    say("Nine to five.")
"""


@pytest.fixture
def start(api, control, make_flow):
    """Start a run of a test of a flow whose checkpoints are these descriptions. Returns the test's path."""

    def start(*descriptions, code=CLINIC, mode="voice", runs=3, tolerance=0):
        control.put("/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})
        flow = make_flow(code=code, variables='{"clinic": "Oak Clinic", "weeks": 3}')
        body = {
            **{"name": "Smoke", "description": "Basics", "testMode": mode, "systemPrompt": "You call."},
            "checkpoints": [
                {"name": f"{number}", "description": description, "runs": runs, "tolerance": tolerance}
                for number, description in enumerate(descriptions)
            ],
            "flowId": flow["id"],
        }
        tests = f"/workers/{flow['workerId']}/tests"
        path = f"{tests}/{api.post(tests, body).json['id']}"
        api.post(f"{path}/run")
        return path

    return start


@pytest.fixture
def run(api, advance, start):
    """Start a run, move the clock to its end, and return its results."""

    def run(*descriptions, **options):
        path = start(*descriptions, **options)
        advance(3601)
        return api.get(f"{path}/runs").json[0]["results"]

    return run


@pytest.fixture
def only(run):
    """Run one checkpoint and return its result, with the failures that are the flow's in `faults`."""

    def only(description, **options):
        (result,) = run(description, **options)
        failed = [each["explanation"] for each in result["conversations"] if not each["passed"]]
        return SimpleNamespace(**result, faults=[text for text in failed if "is random" not in text])

    return only


def test_a_conversation_says_what_the_flow_said(only):
    first = only("caller agrees to a day").conversations[0]
    lines = first["transcript"].splitlines()
    assert lines[0] == "Agent: Oak Clinic, good morning."
    assert lines[-1] == "Agent: You are booked."
    assert first["purpose"] == ["caller agrees to a day"]
    assert first["taken"] == ["caller wants an appointment", "caller agrees to a day"]
    assert first["extracted"]["name"] in first["transcript"]
    assert first["ended"] == "end of the flow"
    assert first["state"]["Caller"].startswith("+1")


def test_a_conversation_in_which_the_flow_raises_fails(only):
    result = only("caller wants a refund", tolerance=2)
    assert (result.passed, result.failed, result.status) == (0, 3, "FAILED")
    assert ".based:15:12: ZeroDivisionError: division by zero" in result.explanation
    assert all("ZeroDivisionError" in fault for fault in result.faults)


@pytest.mark.parametrize(
    ("until", "missed"),
    [
        ('"caller agrees to a day"', "caller agrees to a day"),
        ("f\"caller agrees to {'a day'}\"", "the condition of line 8"),
    ],
)
def test_a_conversation_that_never_comes_to_what_is_named_fails(only, until, missed):
    code = f"""
loop:
    talk("Ask what it is about.")
until "caller is done":
    if False:
        loop:
            talk("Ask for the day.")
        until {until}:
            pass
"""
    result = only("The caller is done, and caller agrees to a day.", code=code)
    assert result.failed == 3
    assert result.explanation == f"The flow did not reach: {missed}."


def test_otherwise_a_conversation_fails_by_chance(only):
    result = only("caller agrees to a day", runs=100)
    assert result.faults == []
    assert 0 < result.failed < 30
    assert "This result is random" in result.explanation


@pytest.mark.parametrize(
    ("description", "purpose"),
    [
        ("caller asks for a person", ["caller asks for a person"]),
        ("Given that CALLER ASKS for  a person, they are put through.", ["caller asks for a person"]),
        (
            "caller wants an appointment and caller agrees to a day",
            ["caller wants an appointment", "caller agrees to a day"],
        ),
        ("caller cannot come for 3 weeks", ["f\"caller cannot come for {variables['weeks']} weeks\""]),
        ("Books an appointment", ["caller wants an appointment"]),  # the likest
        ("Greets with the name", []),
    ],
)
def test_a_description_names_conditions(only, description, purpose):
    result = only(description)
    assert {tuple(each["purpose"]) for each in result.conversations} == {tuple(purpose)}
    assert not [fault for fault in result.faults if "did not reach" in fault]


def test_a_condition_with_many_placeholders_is_searched_in_linear_time(only):
    """Would take more than hours if all lengths of the placeholders were tried."""
    condition = f'f"caller wants {"{x} a " * 8}zzz"'
    code = f'x = 1\nloop:\n    talk("Ask.", False)\nuntil {condition}:\n    pass\nuntil "caller is done":\n    pass\n'
    result = only(f"caller is done, caller wants {'a ' * 2_400}", code=code)
    assert {tuple(each["purpose"]) for each in result.conversations} == {("caller is done",)}


@pytest.mark.parametrize(
    ("condition", "description", "is_named"),
    [
        ("{x} wants {y} rooms for {z}", "Ada wants 2 rooms for two nights", True),
        ("wants {x} rooms", f"wants {'a' * 80} rooms", True),
        ("wants {x} rooms", f"wants {'a' * 81} rooms", False),
        ("wants {x} rooms", "wants rooms", False),
        ("wants {x} rooms", "Ada wants 2 roomsful", False),
        ("wants {x} rooms", "wants a call. Then wants 2 rooms", True),
        ("{x}", "Ada", False),
    ],
)
def test_a_placeholder_of_a_condition_stands_for_some_words(only, condition, description, is_named):
    code = f'x = y = z = 2\nloop:\n    talk("Ask.", False)\nuntil f"{condition}":\n    pass\n'
    code += 'until "caller is done":\n    pass\n'
    result = only(f"caller is done, {description}", code=code, runs=1)
    named = [f'f"{condition}"'] if is_named else []
    assert result.conversations[0]["purpose"] == [*named, "caller is done"]


def test_a_test_of_chats_has_no_phone(only):
    assert "'transfer' is not defined" in only("caller asks for a person", mode="chat").faults[0]
    assert only("caller asks for a person").conversations[0]["ended"] == "transfer"


def test_code_that_cannot_run_is_judged_by_chance_and_says_so(only):
    result = only("caller is done", code='say("Hello")\nuntil "caller is done":\n    pass\n')
    assert "No conversation was run, so the result is random. The flow cannot run. Line 2, column 1: " in result.explanation
    assert ".based:2:1: error: This until has no loop before it." in result.explanation
    assert (result.passed + result.failed, result.conversations) == (3, [])


def test_a_flow_that_runs_away_ends_the_run(hurried, run):
    results = run("Anything", "Anything else", code="while True:\n    pass\n", runs=50)
    assert [(result["failed"], result["status"]) for result in results] == [(50, "FAILED")] * 2
    assert len(results[0]["conversations"]) == 3  # they stand for all
    assert "The run was given up" in results[1]["explanation"]


@pytest.mark.alone
def test_a_run_in_which_the_server_ended_three_times_has_failed(api, start, advance, monkeypatch):
    """Else a flow that stops the server would stop it again at each start."""
    begun = []

    def stop(*_):
        begun.append(1)
        raise KeyboardInterrupt  # passes every handler of a step's errors, as the end of the process does

    path = start("caller asks for a person", runs=5)
    monkeypatch.setattr(checkpoints, "run_checkpoints", stop)
    monkeypatch.setattr(Runner, "_try", try_as_if_killed)
    advance(3601)
    for _ in range(6):
        advance(1)
    (run,) = api.get(f"{path}/runs").json
    assert (run["status"], len(begun)) == ("FAILED", 3)
    assert "were begun 3 times, and each time the server ended" in run["results"][0]["explanation"]
    assert (run["results"][0]["passed"], run["results"][0]["failed"]) == (0, 5)


@pytest.mark.alone
def test_a_run_that_waited_for_workers_of_the_engine_has_not_failed(api, start, advance, monkeypatch):
    def refuse(*_):
        raise Busy("All workers are busy.")

    path = start("caller wants the hours")
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "run_checkpoints", refuse)
        for _ in range(5):
            advance(3601)
    advance(1)
    (run,) = api.get(f"{path}/runs").json
    assert "server ended" not in str(run["results"]) and run["status"] in ("PASSED", "FAILED")


def try_as_if_killed(runner, step, now):
    try:
        return step(runner.world, now)
    except KeyboardInterrupt:
        return False


def test_a_hundred_conversations_represent_all(only):
    result = only("caller wants a refund", runs=1_000_000)
    assert result.failed == 1_000_000
    assert "The result of 100 conversations is scaled to 1,000,000." in result.explanation
    assert len(result.conversations) == 20


def test_a_flow_may_ask_before_the_caller_has_said_anything(only):
    code = """
early = talk("Help.").ask("Which day?", {"day": "Monday"})
loop:
    talk("Ask which day suits them.", True)
until "caller agrees to a day":
    say("You are booked.")
"""
    assert only("caller agrees to a day", code=code).faults == []
