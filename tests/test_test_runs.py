"""Runs of tests hold their conversations with the flow: it fails where it raises, or never comes to what is named."""

from types import SimpleNamespace

import pytest

from dryline.jobs.runner import Runner
from dryline.simulator import checkpoints
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
    """Run one checkpoint and return its result, with the explanations of its conversations that failed in `faults`."""

    def only(description, **options):
        (result,) = run(description, **options)
        faults = [each["explanation"] for each in result["conversations"] if not each["passed"]]
        return SimpleNamespace(**result, faults=faults)

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


def test_a_conversation_that_never_comes_to_what_is_named_fails(only):
    code = """
loop:
    talk("Ask what it is about.")
until "caller is done":
    if False:
        loop:
            talk("Ask for the day.")
        until "caller agrees to a day":
            pass
"""
    result = only("The caller is done, and caller agrees to a day.", code=code)
    assert (result.failed, result.status) == (3, "FAILED")
    assert result.explanation == "The flow did not reach: caller agrees to a day."


def test_a_conversation_that_comes_to_what_is_named_passes_and_says_so(only):
    result = only("caller agrees to a day", runs=100)
    assert (result.passed, result.failed, result.status) == (100, 0, "PASSED")
    assert result.explanation == "No conversation failed."
    assert {each["explanation"] for each in result.conversations} == {"The flow reached: caller agrees to a day."}


@pytest.mark.parametrize(
    ("description", "purpose"),
    [
        ("caller asks for a person", ["caller asks for a person"]),
        ("Given that CALLER ASKS for  a person, they are put through.", ["caller asks for a person"]),
        (
            "caller wants an appointment and caller agrees to a day",
            ["caller wants an appointment", "caller agrees to a day"],
        ),
    ],
)
def test_a_description_names_conditions(only, description, purpose):
    result = only(description)
    assert {tuple(each["purpose"]) for each in result.conversations} == {tuple(purpose)}
    assert result.explanation == "No conversation failed."


@pytest.mark.parametrize(
    ("description", "purpose", "note"),
    [
        (
            "Books an appointment",
            ["caller wants an appointment"],
            "; the most similar one was taken: caller wants an appointment.",
        ),
        ("Greets with the name", [], ", so the callers wanted what callers usually want."),
    ],
)
def test_a_result_says_that_its_description_names_no_condition(only, description, purpose, note):
    result = only(description, code=CLINIC.replace("return 1 / 0", "pass"))
    assert {tuple(each["purpose"]) for each in result.conversations} == {tuple(purpose)}
    assert result.explanation == f"No conversation failed. The description names no condition of the flow{note}"


@pytest.mark.parametrize(
    "condition", ["caller {refusal}", "{refusal}", "caller wants {refusal}", "{greeting} wants a room"]
)
@pytest.mark.parametrize("description", ["caller wants to book a room", "caller refuses, hello wants a room"])
def test_a_description_is_never_taken_for_a_condition_with_a_placeholder(only, condition, description):
    """A name that the flow sets while it runs may stand for anything, such as a refusal."""
    code = f"""
refusal, greeting = "does not want to give a name", "hello"
loop:
    talk("Ask.", False)
until f"{condition}":
    pass
until "caller asks for the opening hours":
    pass
"""
    purposes = [each["purpose"] for each in only(description, code=code).conversations]
    assert not [text for purpose in purposes for text in purpose if "{" in text]


def test_a_test_of_chats_has_no_phone(only):
    in_chat = only("caller asks for a person", mode="chat")
    assert "'transfer' is not defined" in in_chat.faults[0]
    assert "Caller" not in in_chat.conversations[0]["state"]
    assert only("caller asks for a person").conversations[0]["ended"] == "transfer"


def test_code_that_cannot_run_has_failed_and_says_so(only):
    result = only("caller is done", code='say("Hello")\nuntil "caller is done":\n    pass\n', tolerance=2)
    assert "No conversation was run. The flow cannot run. Line 2, column 1: " in result.explanation
    assert "This until has no loop before it." in result.explanation
    assert (result.passed, result.failed, result.status, result.conversations) == (0, 3, "FAILED", [])


def test_a_test_whose_flow_was_deleted_has_failed_and_says_so(api, advance, start):
    path = start("caller agrees to a day")
    worker_path = path.partition("/tests/")[0]
    (flow,) = api.get(f"{worker_path}/flows").json
    assert api.delete(f"{worker_path}/flows/{flow['id']}").status_code == 204
    advance(3601)
    (run,) = api.get(f"{path}/runs").json
    assert (run["status"], run["results"][0]["failed"]) == ("FAILED", 3)
    assert run["results"][0]["explanation"] == "No conversation was run. The flow was deleted."


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
    monkeypatch.setattr(Runner, "_run_step", run_step_as_if_killed)
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


def run_step_as_if_killed(runner, step, now):
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
