"""Options of simulated conversations that follow a flow, and the reasons to follow a script instead."""

import pytest

from dryline.models.voice_logs import OUTCOMES
from dryline.tests.simulator.conftest import BRANCHES, FLOW, said


def why(steps_of, log):
    (step,) = steps_of(log, "script")
    return step["why"]


LOOP = 'loop:\n    talk("Hi", True)\nuntil "x":\n    pass\n'


def in_a_flow(log):
    return "step" in str(log["sessionLogData"]) and not any(
        step["step"] == "script" for step in log["sessionLogData"]["trace"]
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("# nothing yet\n", "The flow is empty."),
        ('loop:\n    talk("Hi", True)\n', "The flow's loops have no conditions that a caller could meet."),
        (f"{LOOP}x = = 1\n", "The flow cannot run. Line 5, column 5: Expected an expression."),
        (f"class A(Exception):\n    pass\n{LOOP}", "The flow cannot run. Line 1, column 1: The sandbox does not"),
        (f"import uuid\n{LOOP}", "The flow cannot run here. Line 1: The sandbox has no module 'uuid'."),
    ],
)
def test_a_flow_that_cannot_be_followed_gives_way_to_a_script_that_says_why(
    make_line, simulate, steps_of, code, reason
):
    (log,) = simulate(make_line(code), 1, outcome="completed")
    assert why(steps_of, log).startswith(reason)
    assert said(log)[0] != "Hi"


def test_simulated_calls_take_answers_and_responses_of_other_servers(make_line, simulate):
    code = """import requests
loop:
    res = talk("What would you like to order?", True)
until "caller orders something":
    order = res.ask("What do they order?", {"item": "tea", "note": ""})
    price = requests.get(f"https://shop.example/prices/{order['item']}").json()
    extract("order", {"item": order["item"], "price": price["total"]})
"""
    http = [{"url": "https://shop.example/prices/*", "json": {"total": 7}}]
    for log in simulate(make_line(code), 5, outcome="completed", follow="flow", answers={"item": "cake"}, http=http):
        assert log["extractionsData"] == {"order": {"item": "cake", "price": 7}}
        assert "cake" in log["transcription"].lower()


def test_a_flow_that_cannot_be_followed_is_refused_with_the_reason(make_line, refused):
    assert refused(make_line("# nothing yet\n"), follow="flow") == ("follow", "The flow is empty.")


@pytest.mark.parametrize(
    ("branch", "conditions"),
    [
        (["  Caller asks  for a HUMAN"], ["caller asks for a human"]),
        (["caller wants to book an appointment", "caller wants another day", "caller confirms the day"], None),
    ],
)
def test_several_conditions_are_taken_in_their_order_whatever_their_case(line, simulate, taken, branch, conditions):
    for log in simulate(line, 4, branch=branch):
        assert taken(log) == (conditions or branch)


def test_an_unknown_branch_is_refused_with_the_nearest_conditions(line, refused):
    member, message = refused(line, branch="caller wants to book a table")
    assert member == "branch"
    assert "no condition 'caller wants to book a table'" in message
    assert "The nearest: 'caller wants to book an appointment';" in message


@pytest.mark.parametrize(
    ("options", "member"),
    [
        ({"follow": "script"}, "branch"),
        *(({"outcome": each}, "outcome") for each in ("voicemail", "no-answer", "busy")),
    ],
)
def test_an_impossible_branch_is_refused(line, refused, options, member):
    assert refused(line, branch="caller asks for a human", **options)[0] == member


@pytest.mark.parametrize("outcome", ["completed", "transferred", "failed"])
def test_an_outcome_chooses_among_the_branches_that_lead_to_it(line, simulate, outcome):
    for log in simulate(line, 10, outcome=outcome, direction="inbound"):
        assert (log["status"], in_a_flow(log)) == (outcome, True)
        assert said(log)[0] == "Welcome to Oak Clinic."


def test_a_flow_that_never_transfers_gives_way_to_a_script_for_a_transfer(make_line, simulate, steps_of, refused):
    line = make_line(FLOW.replace('transfer(variables["desk"])', "pass"))
    for log in simulate(line, 3, outcome="transferred"):
        assert log["status"] == "transferred" and log["transferData"]
        assert why(steps_of, log) == "No branch of the flow transfers."
    assert refused(line, follow="flow", outcome="transferred") == ("outcome", "No branch of the flow transfers.")


def test_a_mixture_has_every_branch_and_outcome_and_some_users_hang_up_in_the_middle(line, simulate, taken):
    logs = simulate(line, 240)
    assert {condition for log in logs for condition in taken(log)} >= BRANCHES
    assert {log["status"] for log in logs} == set(OUTCOMES)
    left = [log for log in logs if log["data"]["disconnection_reason"] == "user_hangup" and said(log)]
    assert left
    for log in left:
        assert log["status"] == "completed"
        assert log["data"]["call_analysis"]["call_successful"] is False
        assert log["data"]["call_analysis"]["call_summary"].endswith("They hung up.")
        assert "caller confirms the day" not in taken(log)
        assert "You are booked." not in said(log)


def test_a_voicemail_is_a_scripts_unless_the_flow_has_a_condition_for_it(make_line, simulate, steps_of, taken):
    (log,) = simulate(make_line(), 1, outcome="voicemail")
    assert why(steps_of, log) == "No branch of the flow meets a voicemail."
    code = FLOW.replace(
        'until "caller asks for a human":',
        'until "voicemail detected":\n    say("Call us.")\nuntil "caller asks for a human":',
    )
    line = make_line(code)
    for log in simulate(line, 3, outcome="voicemail"):
        assert (log["status"], log["data"]["disconnection_reason"]) == ("voicemail", "voicemail_reached")
        assert taken(log) == ["voicemail detected"]
        assert "voicemail" in said(log, "user")[0] or "leave a message" in said(log, "user")[0]
        assert "Call us." in said(log)
    met = [condition for log in simulate(line, 20, outcome="completed") for condition in taken(log)]
    assert "voicemail detected" not in met
    assert {log["status"] for log in simulate(line, 12, branch="voicemail detected")} == {"voicemail"}


def test_a_deployments_own_message_for_voicemails_goes_before_the_flow(make_line, simulate, steps_of):
    line = make_line(externalConfig={"voicemailMessage": "Please call {us} back."})
    for log in simulate(line, 2, outcome="voicemail", direction="outbound"):
        assert why(steps_of, log) == "The deployment has a message of its own for voicemails."
        assert said(log) == ["Please call {us} back."]
