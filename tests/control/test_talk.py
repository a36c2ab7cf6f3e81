"""Talking to a flow through the control plane."""

import sqlite3

import pytest

from dryline.flow.sessions.engines import engine_of

CLINIC = """say("Oak Clinic.")
loop:
    res = talk("Ask how to help.", True)
until "caller wants to book an appointment":
    who = res.ask("For when?", {"day": "Friday"})
    extract("booking", who)
    say(f"See you on {who['day']}.")
until "caller wants a human":
    transfer("+15550100")
"""


def said(session):
    return [event["text"] for event in session["events"] if event["type"] == "said" and event["by"] == "say"]


def of(session, type):
    return [event for event in session["events"] if event["type"] == type]


@pytest.fixture
def begin(control):
    def begin(status=201, query=None, **body):
        answer = control.post("/talk", body, query_string=query)
        assert answer.status_code == status, answer.text
        return answer.json

    return begin


@pytest.fixture
def turn(control):
    def turn(session, status=200, **body):
        answer = control.post(f"/talk/{session['id']}", body)
        assert answer.status_code == status, answer.text
        return answer.json

    return turn


def test_a_turn_has_the_condition_that_was_taken_and_the_reason(begin, turn):
    session = turn(begin(code=CLINIC), say="I want to book an appointment for Monday")
    (taken,) = of(session, "taken")
    assert (taken["condition"], taken["line"], taken["by"]) == ("caller wants to book an appointment", 4, "built-in")
    assert taken["why"] and taken["sure"] > 0.5
    assert (session["extracted"], said(session)) == ({"booking": {"day": "Monday"}}, ["See you on Monday."])
    assert session["ended"] == "end of the flow"


def test_a_condition_can_be_chosen_by_its_text_or_number(begin, turn):
    for choice in ("caller wants a human", "1", 1):
        session = turn(begin(code=CLINIC), choose=choice)
        assert of(session, "transferred")[0]["number"] == "+15550100"
        assert session["ended"] == "transfer"


ADDRESS = """
address = {}
loop:
    res = talk("Ask for the street and the city.", True)
until "caller gives an address":
    found = res.ask("What is the address?", {"street": "1 Elm St", "city": "Austin"})
    address.update({name: value for name, value in found.items() if value})
    missing = [name for name in ("street", "city") if name not in address]
    if missing:
        return f"Ask for the {missing[0]}."
    extract("address", address)
"""


def test_the_answers_of_a_turn_replace_a_models(begin, turn):
    session = begin(code=ADDRESS)
    session = turn(session, choose=0, say="in Bern", answers={"street": None, "city": "Bern"})
    assert of(session, "heard")[0]["text"] == "in Bern"
    assert of(session, "asked")[0]["how"] == {"street": "the test", "city": "the test"}
    assert of(session, "said")[-1]["text"] == "Could you tell me the street?"
    session = turn(session, choose=0, answers=[{"street": "2 Oak St", "city": None}])
    assert session["extracted"] == {"address": {"street": "2 Oak St", "city": "Bern"}}


def test_an_answer_can_be_named_by_its_question_and_answers_can_hold_for_all_turns(begin, turn):
    code = """loop:
    res = talk("Help.", True)
until "a":
    extract("text", res.ask("What happened?"))
    extract("found", res.ask("Who?", {"name": "", "age": 3}))
"""
    session = turn(
        begin(code=code, answers={"name": "Jo"}), choose=0, answers={"What happened?": "It broke.", "age": 5}
    )
    assert session["extracted"] == {"text": "It broke.", "found": {"name": "Jo", "age": 5}}


@pytest.mark.parametrize("answers", [{"streat": "2 Oak St"}, [{}, {}]])
def test_answers_that_no_question_asked_for_are_refused_and_the_turn_does_not_count(begin, turn, answers):
    session = begin(code=ADDRESS)
    answer = turn(session, 400, choose=0, answers=answers)
    assert "It asked for: street, city." in answer["error"]
    assert turn(session, choose=0, answers={"street": "2 Oak St", "city": "Bern"})["turns"] == 2


TOOL = """tool = {"name": "meet", "description": "user sets a meeting", "parameters": {"type": "object",
    "properties": {"date": {"type": "string"}, "room": {"type": "string"}}, "required": ["date"]}}
loop:
    talk("Help.", False)
until tool as meeting:
    say(f"Meeting on {meeting['date']}.")
until "user leaves":
    pass
"""


def test_a_chosen_tool_gets_the_arguments_of_the_test_or_those_that_were_said(begin, turn):
    assert said(turn(begin(code=TOOL), choose=0, arguments={"date": "Friday"})) == ["Meeting on Friday."]
    assert said(turn(begin(code=TOOL), choose=0, say="let us meet on Monday")) == ["Meeting on Monday."]
    assert turn(begin(code=TOOL), choose=0)["failure"] is None
    assert "Only a tool has arguments" in turn(begin(code=TOOL), 400, choose=1, arguments={"date": "x"})["error"]
    assert turn(begin(code=TOOL), 400, say="x", arguments={"date": "x"})["details"][0]["path"] == "arguments"


def test_responses_of_other_servers_can_be_given(begin, turn):
    code = """import requests
loop:
    talk("Help.", False)
until "a":
    for path in ("slots?day=1", "slots", "slots", "book", "gone"):
        try:
            answer = requests.get("https://shop.example/" + path, timeout=2)
            print(answer.status_code, answer.text)
        except Exception as fault:
            print(type(fault).__name__)
"""
    http = [
        {"url": "https://shop.example/slots", "json": {"free": 2}, "times": 2},
        {"url": "https://shop.example/slots", "status": 503, "text": "later"},
        {"url": "https://shop.example/b*", "method": "GET", "error": "timeout"},
        {"url": "https://shop.example/gone", "method": "POST"},
    ]
    session = turn(begin(code=code, http=http), choose=0)
    printed = [event["text"] for event in of(session, "printed")]
    assert printed == ['200 {"free":2}', '200 {"free":2}', "503 later", "TimeoutError", "OSError"]


@pytest.mark.parametrize("http", [[{}], [{"url": "x", "error": "fire"}], [{"url": "x", "colour": "red"}], {}])
def test_a_response_with_a_mistake_is_refused(begin, http):
    assert begin(400, code=CLINIC, http=http)["details"][0]["path"].startswith("http")


def test_a_condition_that_is_not_open_is_refused_by_name(begin, turn):
    answer = turn(begin(code=CLINIC), 400, choose="caller sings")
    assert [detail["path"] for detail in answer["details"]] == ["choose"]
    assert "caller wants a human" in answer["error"]


def test_a_turn_after_the_end_is_a_conflict(begin, turn):
    session = turn(begin(code=CLINIC), choose="1")
    assert "has ended" in turn(session, 409, say="Hello?")["error"]


@pytest.mark.parametrize("body", [{}, {"say": "a", "choose": "b"}, {"say": 1}, {"say": "a" * 20_001}])
def test_a_turn_is_words_or_a_condition(begin, turn, body):
    turn(begin(code=CLINIC), 400, **body)


@pytest.mark.parametrize("body", [{}, {"code": "x", "flowId": "y"}, {"code": "x", "channel": "fax"}, {"code": 1}])
def test_a_conversation_is_with_one_flow(begin, body):
    begin(400, **body)


def test_code_that_cannot_run_is_refused_with_its_line(begin, make_flow):
    bad = 'say("Hi")\nuntil "x":\n    say("no loop")\n'
    assert begin(400, code=bad)["details"][0]["path"] == "code"
    answer = begin(400, flowId=make_flow(code=bad)["id"])
    assert answer["details"][0]["path"] == "flowId"
    assert answer["details"][0]["message"].startswith("Line 2, column 1")


def test_a_conversation_is_read_with_all_that_happened(control, begin, turn):
    first = begin(code=CLINIC)
    second = turn(first, choose="1")
    read = control.get(f"/talk/{first['id']}").json
    assert read["events"] == first["events"] + second["events"]
    assert {**read, "events": None} == {**second, "events": None}


def test_a_flow_has_its_variables_with_a_deployments_parameters_over_them(api, begin, make_flow, make_voice_deployment):
    flow = make_flow(code="print(variables)", variables={"city": "Rome", "tone": "warm"})
    line = make_voice_deployment(flow)
    api.post(f"/workers/{flow['workerId']}/deployments/{line['id']}/params", {"name": "city", "value": "Oslo"})

    def variables(**body):
        return of(begin(**body), "printed")[0]["text"]

    assert variables(flowId=flow["id"]) == "{'city': 'Rome', 'tone': 'warm'}"
    assert variables(deploymentId=line["id"]) == "{'city': 'Oslo', 'tone': 'warm'}"
    assert variables(deploymentId=line["id"], variables={"tone": "dry"}) == "{'city': 'Oslo', 'tone': 'dry'}"


@pytest.mark.parametrize(
    ("options", "has_caller"), [({}, True), ({"state": {"name": "Ann"}}, True), ({"channel": "chat"}, False)]
)
def test_a_conversation_has_the_number_of_a_caller_unless_it_is_a_chat(begin, options, has_caller):
    assert ("Caller" in begin(code=CLINIC, **options)["state"]) == has_caller


def test_calls_can_be_transferred_on_voice_only(begin, api, make_flow):
    flow = make_flow(code='transfer("+15550100")')
    assert begin(flowId=flow["id"])["ended"] == "transfer"
    chat = api.post(f"/workers/{flow['workerId']}/deployments/chat", {"name": "Chat", "flowId": flow["id"]}).json
    assert begin(deploymentId=chat["id"])["failure"]["exception"] == "NameError"


def test_a_deployment_runs_the_version_that_it_is_pinned_to(api, begin, make_flow):
    flow = make_flow(code='say("one")')
    path = f"/workers/{flow['workerId']}"
    version = api.post(f"{path}/flows/{flow['id']}/versions", {"commitMessage": "One"}).json
    api.patch(f"{path}/flows/{flow['id']}", {"code": 'say("two")'})
    body = {"name": "Chat", "flowId": flow["id"], "flowVersionId": version["id"]}
    chat = api.post(f"{path}/deployments/chat", body).json
    assert said(begin(deploymentId=chat["id"])) == ["one"]
    assert said(begin(flowId=flow["id"])) == ["two"]


def test_an_unknown_flow_deployment_or_conversation_is_not_found(begin, turn, control):
    assert begin(404, flowId="flow_none")["error"].startswith("flowId:")
    begin(404, deploymentId="deploy_none")
    turn({"id": "talk_none"}, 404, say="Hello?")
    assert control.get("/talk/talk_none").status_code == control.delete("/talk/talk_none").status_code == 404


def test_a_conversation_is_forgotten_on_request_and_by_a_reset(control, begin):
    one, other = begin(code=CLINIC), begin(code=CLINIC)
    assert control.delete(f"/talk/{one['id']}").status_code == 204
    assert [control.get(f"/talk/{session['id']}").status_code for session in (one, other)] == [404, 200]
    control.post("/reset", {})
    assert control.get(f"/talk/{other['id']}").status_code == 404


def test_a_conversation_belongs_to_its_flows_team(control, begin, other_api, make_flow):
    theirs = make_flow(api=other_api, code=CLINIC)
    session = begin(flowId=theirs["id"])
    mine = control.get("/teams").json[0]["id"]
    begin(404, query={"team": mine}, flowId=theirs["id"])
    assert control.get(f"/talk/{session['id']}", query_string={"team": mine}).status_code == 404
    other = next(team["id"] for team in control.get("/teams").json if team["id"] != mine)
    assert control.post(f"/reset?team={mine}", {}).status_code == 204
    assert control.get(f"/talk/{session['id']}", query_string={"team": other}).status_code == 200
    assert control.post(f"/reset?team={other}", {}).status_code == 204
    assert control.get(f"/talk/{session['id']}").status_code == 404


def test_a_conversation_goes_with_its_worker_and_outlives_its_flow(api, control, begin, turn, make_flow):
    flow = make_flow(code=CLINIC)
    session = begin(flowId=flow["id"])
    api.delete(f"/workers/{flow['workerId']}/flows/{flow['id']}")
    assert turn(session, choose="1")["ended"] == "transfer"
    api.delete(f"/workers/{flow['workerId']}")
    assert control.get(f"/talk/{session['id']}").status_code == 404


def test_a_conversation_goes_on_after_a_restart(restart):
    _, control = restart()
    session = control.post("/talk", {"code": CLINIC}).json
    _, control = restart()
    assert control.post(f"/talk/{session['id']}", {"say": "I want a human"}).json["ended"] == "transfer"


def test_the_state_document_neither_gives_nor_takes_conversations(control, begin):
    """The engine's bytes are trusted because nothing but the world's own database ever held them."""
    session = begin(code=CLINIC)
    document = control.get("/state").json
    assert session["id"] not in str(document)
    document["talkSessions"] = [{"id": "talk_1", "dump": "AAAA"}]
    assert control.put("/state", document).status_code == 422
    del document["talkSessions"]
    assert control.put("/state", document).status_code == 204
    assert control.get(f"/talk/{session['id']}").status_code == 404


def test_a_value_that_nobody_said_is_null_or_invented_on_request(begin, turn):
    none, invented = (turn(begin(code=CLINIC, **options), choose="0") for options in ({}, {"unsaid": "made-up"}))
    assert none["extracted"] == {"booking": {"day": None}}
    assert of(none, "asked")[0]["how"] == {"day": "not said"}
    assert invented["extracted"]["booking"]["day"] in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
    assert of(invented, "asked")[0]["how"] == {"day": "made up"}
    begin(400, code=CLINIC, unsaid="perhaps")


def test_of_two_turns_at_once_one_is_refused(app, control, begin, turn):
    session = begin(code=CLINIC)

    class Slow:
        """While the first turn is judged, a second one is taken."""

        def choose(self, talk, said):
            engine.model = built_in
            turn(session, choose="1")
            return built_in.choose(talk, said)

        def __getattr__(self, name):
            return getattr(built_in, name)

    engine = engine_of(app.world)
    built_in, engine.model = engine.model, Slow()
    assert "one turn at a time" in turn(session, 409, say="I want to book an appointment")["error"]
    assert control.get(f"/talk/{session['id']}").json["ended"] == "transfer"


def test_bytes_of_another_version_are_a_conflict(app, begin, turn):
    session = begin(code=CLINIC)
    with sqlite3.connect(app.world.directory / "dryline.sqlite3") as db:
        db.execute("UPDATE talk_session SET dump = x'00'")
    db.close()
    assert "This is no session" in turn(session, 409, say="Hello?")["error"]
