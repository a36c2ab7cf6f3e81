"""The engine's own endpoint, in the form of OpenAI's chat completions. Contract: based.md, 5.1."""

from concurrent.futures import ThreadPoolExecutor

import openai
import orjson
import pytest

from dryline.settings import DEFAULT_API_KEY, Settings

CLINIC = """say("Oak Clinic.")
loop:
    res = talk("Ask how to help.", False)
until "caller wants to book an appointment":
    who = res.ask("For when?", {"day": "Friday"})
    extract("booking", who)
    say("One moment.")
    say(f"See you on {who['day']}.")
until "caller wants a human":
    transfer("+15550100")
"""
KEYS = {"Authorization": f"Bearer {DEFAULT_API_KEY}", "x-brainbase-api-key": DEFAULT_API_KEY}
BOOK = "I want to book an appointment for Monday"


@pytest.fixture
def flow(make_flow):
    return make_flow(code=CLINIC)


@pytest.fixture
def ask(app):
    """Send messages of the user to a flow's worker."""

    def ask(flow, *said, session="s1", headers=None, query=None, status=200, **body):
        messages = [{"role": "user", "content": one} for one in said]
        answer = app.test_client().post(
            "/v1/chat/completions",
            query_string={"agent_id": flow["workerId"], "session_id": session, **(query or {})},
            headers={name: value for name, value in {**KEYS, **(headers or {})}.items() if value is not None},
            json={"model": "gpt-4.1", "messages": messages} | body,
        )
        assert answer.status_code == status, answer.text
        return answer

    return ask


def content(answer):
    return answer.json["choices"][0]["message"]["content"]


# The conversation


def test_a_first_message_is_consumed_by_a_talk_that_waits_for_it(ask, flow):
    answer = ask(flow, BOOK)
    assert content(answer) == "Oak Clinic.\nOne moment.\nSee you on Monday."
    assert answer.json["object"] == "chat.completion"
    assert answer.json["id"].startswith("chatcmpl-")
    assert (answer.json["model"], answer.json["choices"][0]["finish_reason"]) == ("gpt-4.1", "stop")


def test_the_same_session_id_goes_on_with_the_last_message_alone(ask, flow):
    ask(flow, "Hello")
    assert content(ask(flow, "Hello", BOOK)) == "One moment.\nSee you on Monday."
    assert content(ask(flow, BOOK, session="s2")).startswith("Oak Clinic.")


def test_the_earlier_messages_of_a_new_session_are_its_history(ask, make_flow, control):
    flow = make_flow(code='loop:\n    res = talk("Help.", False)\nuntil "caller wants a human":\n    pass\n')
    sent = [{"role": "system", "content": "Be kind."}, {"role": "assistant", "content": "Hello, Jo."}]
    ask(flow, messages=[*sent, {"role": "user", "content": "I want a human"}])
    (session,) = control.get("/state").json["sessions"]
    assert session["messages"][0] == {"role": "assistant", "content": "Hello, Jo."}
    assert session["messages"][1] == {"role": "user", "content": "I want a human"}


def test_content_may_be_a_list_of_text_parts(ask, flow):
    parts = [{"type": "text", "text": "I want to book"}, {"type": "text", "text": "an appointment for Monday"}]
    assert "See you on Monday." in content(ask(flow, messages=[{"role": "user", "content": parts}]))


def test_after_the_end_nothing_is_said_and_nothing_begins_again(ask, flow):
    ask(flow, BOOK)
    assert content(ask(flow, "Are you still there?")) == ""


def test_without_a_session_id_a_header_has_a_new_one(ask, flow):
    answer = ask(flow, "Hello", query={"session_id": ""})
    name = answer.headers["x-session-id"]
    assert content(ask(flow, BOOK, session=name)) == "One moment.\nSee you on Monday."


def test_the_initial_state_counts_in_a_sessions_first_request(ask, make_flow):
    flow = make_flow(code=CLINIC.replace('"Oak Clinic."', "variables['name']"))
    headers = {"x-initial-state": '{"variables": {"name": "Elm Clinic."}}'}
    assert content(ask(flow, "Hello", headers=headers)).startswith("Elm Clinic.")
    assert "See you" in content(ask(flow, BOOK, headers={"x-initial-state": '{"variables": {}}'}))


def test_the_newest_updated_flow_of_the_worker_runs_unless_one_is_named(api, advance, ask, make_flow):
    first = make_flow(code='say("first")')
    advance(1)
    make_flow(first["workerId"], code='say("second")')
    assert content(ask(first, "Hello")) == "second"
    assert content(ask(first, "Hello", session="s2", query={"flow_id": first["id"]})) == "first"
    advance(1)
    api.patch(f"/workers/{first['workerId']}/flows/{first['id']}", {"name": "Newest"})
    assert content(ask(first, "Hello", session="s3")) == "first"


# Streams


def events(answer):
    assert answer.mimetype == "text/event-stream"
    *chunks, done = [line.removeprefix(b"data: ") for line in answer.data.split(b"\n\n") if line]
    assert done == b"[DONE]"
    return [orjson.loads(chunk) for chunk in chunks]


def test_a_stream_begins_with_the_role_and_ends_with_a_reason(ask, flow):
    chunks = events(ask(flow, BOOK, stream=True))
    assert {(chunk["object"], chunk["id"]) for chunk in chunks} == {("chat.completion.chunk", chunks[0]["id"])}
    first, *middle, last = [chunk["choices"][0] for chunk in chunks]
    assert first["delta"] == {"role": "assistant", "content": ""}
    assert [choice["delta"]["content"] for choice in middle] == ["Oak Clinic.", "\nOne moment.", "\nSee you on Monday."]
    assert (last["delta"], last["finish_reason"]) == ({}, "stop")


def test_a_stream_has_its_usage_on_request(ask, flow):
    last = events(ask(flow, BOOK, stream=True, stream_options={"include_usage": True}))[-1]
    assert (last["choices"], last["usage"]["prompt_tokens"]) == ([], 10)


# Errors


def refused(answer, code):
    error = answer.json["error"]
    assert (error["code"], answer.headers["x-should-retry"]) == (code, "false")
    assert isinstance(error["type"], str)
    return error["message"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": ""},
        {"Authorization": DEFAULT_API_KEY},
        {"x-brainbase-api-key": "wrong"},
        {"x-brainbase-api-key": None, "Authorization": "Bearer eng_123"},
    ],
)
def test_a_request_without_the_keys_is_refused(ask, flow, headers):
    refused(ask(flow, "Hello", headers=headers, status=401), "invalid_api_key")


@pytest.mark.parametrize("headers", [{"Authorization": "Bearer eng_123"}, {"x-brainbase-api-key": None}])
def test_the_engines_key_can_be_any_beside_a_teams_key_and_else_has_to_be_one(ask, flow, other_api, headers):
    assert content(ask(flow, BOOK, headers=headers)).endswith("See you on Monday.")


def test_another_teams_worker_and_its_sessions_are_not_found(ask, flow, other_api):
    theirs = {"Authorization": "Bearer other-key", "x-brainbase-api-key": "other-key"}
    refused(ask(flow, "Hello", headers=theirs, status=404), "not_found")


def test_an_unknown_worker_or_flow_is_not_found(ask, flow):
    refused(ask({"workerId": "worker_none"}, "Hello", status=404), "not_found")
    refused(ask(flow, "Hello", query={"flow_id": "flow_none"}, status=404), "not_found")


def test_a_worker_without_a_flow_is_a_conflict(ask, make_worker):
    refused(ask({"workerId": make_worker()["id"]}, "Hello", status=409), "conflict")


@pytest.mark.parametrize(
    ("body", "member"),
    [
        ({"messages": [{"content": "Hello"}]}, "messages.0.role"),
        ({"messages": [{"role": "user", "content": "a" * 20_001}]}, "messages"),
        ({"stream": "yes"}, "stream"),
        ({"n": 2}, "n"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
    ],
)
def test_a_body_with_a_mistake_is_refused_with_the_member(ask, flow, body, member):
    assert refused(ask(flow, "Hello", status=400, **body), None).startswith(f"{member}: ")


@pytest.mark.parametrize("state", ["[]", "{"])
def test_an_initial_state_that_is_no_object_is_refused(ask, flow, state):
    assert "x-initial-state" in refused(ask(flow, "Hello", status=400, headers={"x-initial-state": state}), None)


def test_options_of_language_models_are_ignored_with_strict_too(control, ask, flow):
    control.put("/settings", {"strict": True})
    options = {"n": 1, "max_tokens": 1, "response_format": {"type": "text"}, "temperature": 0.5, "tools": []}
    assert content(ask(flow, BOOK, **options)).endswith("See you on Monday.")


def test_a_turn_of_a_known_session_needs_a_message_of_the_user(ask, flow):
    assert content(ask(flow, messages=[{"role": "system", "content": "Begin."}])) == "Oak Clinic."
    refused(ask(flow, messages=[{"role": "system", "content": "Go on."}], status=400), None)


def test_code_that_cannot_run_is_refused_with_its_line(ask, make_flow):
    assert "Line 1, column 1" in refused(ask(make_flow(code='until "x":\n    pass\n'), "Hello", status=400), None)


def test_a_crash_is_reported_with_the_flows_line_every_time(ask, make_flow):
    flow = make_flow(code='say("Hi")\nx = 1 / 0\n')
    error = refused(ask(flow, "Hello", status=500), "flow_failed")
    assert f"{flow['id']}.based:2:5: ZeroDivisionError" in error
    assert refused(ask(flow, "Hello", status=500), "flow_failed") == error


# Logs and sessions


def test_each_session_has_a_log_that_the_lookup_finds(api, control, ask, flow):
    ask(flow, "Hello")
    ask(flow, "Hello", BOOK)
    (stored,) = control.get("/state").json["apiLogs"]
    row = api.get(f"/logs/{stored['id']}").json
    assert (row["type"], row["workerId"], row["flowId"]) == ("ApiDeploymentLog", flow["workerId"], flow["id"])
    assert row["requestModel"] == "gpt-4.1"
    assert [one["content"] for one in row["requestMessages"]["messages"]] == ["Hello", BOOK]
    assert row["responseContent"] == "One moment.\nSee you on Monday."
    assert row["totalTokens"] == row["promptTokens"] + row["completionTokens"] == 12 + 8
    assert (row["extractionsData"], row["flowSnapshot"]) == ({"booking": {"day": "Monday"}}, CLINIC)
    spoken = [(one["role"], one["content"]) for one in row["messages"]["messages"]]
    assert spoken[0] == ("user", "Hello")
    assert spoken[-1] == ("assistant", "See you on Monday.")
    assert "taken" in [event["type"] for event in row["sessionLogData"]["trace"]]
    assert row["endTime"] is not None


# OpenAI's own client


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="empty", seed=1, port=0)


@pytest.fixture
def client(server):
    headers = {"x-brainbase-api-key": DEFAULT_API_KEY}
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=DEFAULT_API_KEY, default_headers=headers) as client:
        yield client


def create(client, flow, said, **options):
    query = {"agent_id": flow["workerId"], "session_id": "s1"}
    messages = [{"role": "user", "content": said}]
    return client.chat.completions.create(model="gpt-4.1", messages=messages, extra_query=query, **options)


def test_openais_client_talks_to_a_flow(client, flow):
    create(client, flow, "Hello")
    answer = create(client, flow, BOOK)
    assert answer.choices[0].message.content == "One moment.\nSee you on Monday."
    assert answer.usage.total_tokens == 18


def test_turns_of_one_session_wait_for_each_other(client, make_flow):
    flow = make_flow(
        code='n = 0\nloop:\n    talk("Help.", False)\nuntil "user counts":\n    n += 1\n    say(str(n))\n    return\n'
    )
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: create(client, flow, "the user counts"), range(6)))
    assert sorted(answer.choices[0].message.content for answer in answers) == ["1", "2", "3", "4", "5", "6"]


def test_openais_client_lists_the_models(client):
    assert [model.id for model in client.models.list()] == ["gpt-4.1", "gpt-4.1-mini"]
    assert client.models.retrieve("gpt-4.1").owned_by == "dryline"
    with pytest.raises(openai.NotFoundError, match="gpt-0"):
        client.models.retrieve("gpt-0")
