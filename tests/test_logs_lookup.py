"""Logs of any channel, by id."""

import pytest

from dryline.models.chat_embed_logs import ChatEmbedLog
from dryline.models.chat_logs import ChatLog
from dryline.models.message_logs import SmsLog, WhatsappLog
from dryline.models.voice_logs import VoiceLog

EACH_CHANNEL = pytest.mark.parametrize(
    ("model", "segment"),
    [(VoiceLog, "voice"), (ChatLog, "chat"), (ChatEmbedLog, "chat-embed"), (SmsLog, "sms"), (WhatsappLog, "whatsapp")],
    ids=lambda value: value if isinstance(value, str) else "",
)


@EACH_CHANNEL
def test_a_log_is_the_one_that_its_channel_shows(api, make_worker, add_log, model, segment):
    worker = make_worker()
    id = add_log(model, worker, messages={"messages": []})
    log = api.get(f"/logs/{id}").json
    assert log == api.get(f"/workers/{worker['id']}/deploymentLogs/{segment}/{id}").json
    assert (log["type"], log["workerId"], log["messages"]) == (model.kind, worker["id"], {"messages": []})
