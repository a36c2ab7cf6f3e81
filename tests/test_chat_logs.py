"""Logs of chats and chat widgets."""

import pytest

from dryline.models.chat_embed_logs import ChatEmbedLog
from dryline.models.chat_logs import ChatLog

EACH_KIND = pytest.mark.parametrize(
    ("model", "segment"), [(ChatLog, "chat"), (ChatEmbedLog, "chat-embed")], ids=["chat", "chat-embed"]
)


@pytest.fixture
def worker(make_worker):
    return make_worker()


def url(worker, segment, id=""):
    return f"/workers/{worker['id']}/deploymentLogs/{segment}/{id}".rstrip("/")


def test_a_chat_shows_its_user_rating_and_messages(api, worker, add_log):
    messages = {"messages": [{"role": "user", "content": "Hello"}]}
    id = add_log(ChatLog, worker, user_name="Ada", rating=5, messages=messages, message_count=1, duration=30)
    log = api.get(url(worker, "chat", id)).json
    assert (log["userName"], log["rating"], log["messages"]) == ("Ada", 5, messages)
    assert (log["messageCount"], log["duration"], log["type"]) == (1, 30, "ChatDeploymentLog")
    assert log["feedback"] is log["userEmail"] is log["endTime"] is None


def test_a_widget_visit_shows_its_session_and_whether_it_expired(api, worker, add_log):
    id = add_log(
        ChatEmbedLog, worker, expired=True, session_id="s1", origin_url="https://example.com", latency={"p": 1}
    )
    log = api.get(url(worker, "chat-embed", id)).json
    assert (log["expired"], log["sessionId"], log["originUrl"]) == (True, "s1", "https://example.com")
    assert (log["latency"], log["toolCalls"], log["type"]) == ({"p": 1}, None, "ChatEmbedDeploymentLog")


@EACH_KIND
def test_the_list_is_bare_and_newest_first(api, worker, add_log, advance, model, segment):
    made = []
    for _ in range(3):
        made.append(add_log(model, worker))
        advance(60)
    logs = api.get(url(worker, segment)).json
    assert [log["id"] for log in logs] == made[::-1]
    assert logs[0] == api.get(url(worker, segment, made[-1])).json


def test_widget_visits_can_be_narrowed_to_a_session(api, worker, add_log):
    id = add_log(ChatEmbedLog, worker, session_id="s1")
    add_log(ChatEmbedLog, worker, session_id="s2")
    assert [log["id"] for log in api.get(url(worker, "chat-embed"), query_string={"sessionId": "s1"}).json] == [id]


@EACH_KIND
def test_each_kind_of_log_has_its_own_path(api, worker, add_log, model, segment):
    other = "chat-embed" if segment == "chat" else "chat"
    id = add_log(model, worker)
    assert api.get(url(worker, other, id)).status_code == 404
    assert api.get(url(worker, other)).json == []
