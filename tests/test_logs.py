"""Logs of every channel. test_voice_logs.py has the rules that only voice logs have."""

import pytest

from dryline.models.chat_logs import ChatEmbedLog, ChatLog
from dryline.models.message_logs import SmsLog, WhatsappLog
from dryline.models.voice_logs import VoiceLog

MODELS = {"voice": VoiceLog, "chat": ChatLog, "chat-embed": ChatEmbedLog, "sms": SmsLog, "whatsapp": WhatsappLog}
MESSAGES = {"messages": [{"role": "user", "content": "Hello"}]}
TEXT = {"from_number": "+1415", "direction": "inbound", "transcription": "User: Hi", "status": "completed"}
SHOWN_TEXT = {"fromNumber": "+1415", "toNumber": None, "transcription": "User: Hi", "status": "completed"}


@pytest.fixture
def get(api, worker):
    """Return a function that reads logs of a channel: one, or the list."""

    def get(segment, id="", **query):
        path = f"/workers/{worker['id']}/deploymentLogs/{segment}/{id}".rstrip("/")
        return api.get(path, query_string=query)

    return get


@pytest.mark.parametrize(
    ("segment", "columns", "members"),
    [
        (
            "chat",
            {"user_name": "Ada", "rating": 5, "messages": MESSAGES, "message_count": 1, "duration": 30},
            {"userName": "Ada", "rating": 5, "messages": MESSAGES, "messageCount": 1, "duration": 30, "feedback": None},
        ),
        (
            "chat-embed",
            {"expired": True, "session_id": "s1", "origin_url": "https://example.com", "latency": {"p": 1}},
            {"expired": True, "sessionId": "s1", "originUrl": "https://example.com", "latency": {"p": 1}},
        ),
        ("sms", TEXT, SHOWN_TEXT),
        ("whatsapp", TEXT, SHOWN_TEXT),
    ],
)
def test_a_log_shows_what_is_stored(get, worker, add_log, segment, columns, members):
    log = get(segment, add_log(MODELS[segment], worker, **columns)).json
    assert log | members == log


@pytest.mark.parametrize("segment", MODELS)
def test_a_log_has_its_channels_path_and_a_path_for_all_channels(api, get, worker, add_log, segment):
    model = MODELS[segment]
    id = add_log(model, worker, messages=MESSAGES)
    log = get(segment, id).json
    assert (log["type"], log["workerId"], log["messages"]) == (model.channel.type, worker["id"], MESSAGES)
    assert api.get(f"/logs/{id}").json == log
    for other in MODELS.keys() - {segment}:
        assert get(other, id).status_code == 404
        assert id not in get(other).text


@pytest.mark.parametrize("segment", ["chat", "chat-embed"])
def test_a_list_of_chats_is_bare_and_newest_first(get, worker, add_log, advance, segment):
    made = []
    for _ in range(3):
        made.append(add_log(MODELS[segment], worker))
        advance(60)
    logs = get(segment).json
    assert [log["id"] for log in logs] == made[::-1]
    assert logs[0] == get(segment, made[-1]).json
    own = add_log(ChatEmbedLog, worker, session_id="s1")
    assert [log["id"] for log in get("chat-embed", sessionId="s1").json] == [own]


@pytest.mark.parametrize("segment", ["sms", "whatsapp"])
def test_a_list_of_messages_is_newest_first_and_comes_in_pages(get, worker, add_log, segment):
    made = [add_log(MODELS[segment], worker) for _ in range(5)][::-1]
    pages = [get(segment, limit=2, page=page).json for page in (1, 2, 3, 4)]
    assert [[log["id"] for log in page["data"]] for page in pages] == [made[:2], made[2:4], made[4:], []]
    assert pages[1]["pagination"] == {
        "page": 2, "limit": 2, "total": 5, "totalPages": 3, "hasNext": True, "hasPrev": True,
    }  # fmt: skip
    assert pages[2]["pagination"]["hasNext"] is False
    assert pages[0]["pagination"]["hasPrev"] is False
    assert get(segment, limit=100, page=10**17).json["data"] == []
