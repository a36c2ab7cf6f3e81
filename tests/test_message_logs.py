"""Logs of SMS and WhatsApp conversations."""

import pytest

from dryline.models.message_logs import SmsLog, WhatsappLog

MODELS = {"sms": SmsLog, "whatsapp": WhatsappLog}


@pytest.fixture(params=MODELS)
def segment(request):
    """Each of the two channels, as paths name it."""
    return request.param


@pytest.fixture
def model(segment):
    return MODELS[segment]


@pytest.fixture
def worker(make_worker):
    return make_worker()


@pytest.fixture
def path(worker, segment):
    return f"/workers/{worker['id']}/deploymentLogs/{segment}"


def test_a_log_shows_what_was_written(api, worker, path, add_log, model, segment):
    id = add_log(model, worker, from_number="+1415", direction="inbound", transcription="User: Hi", status="completed")
    log = api.get(f"{path}/{id}").json
    assert (log["fromNumber"], log["direction"], log["transcription"]) == ("+1415", "inbound", "User: Hi")
    assert (log["status"], log["toNumber"], log["type"]) == ("completed", None, f"{segment.capitalize()}DeploymentLog")


def test_the_list_is_newest_first_and_comes_in_pages(api, worker, path, add_log, model):
    made = [add_log(model, worker) for _ in range(5)][::-1]
    pages = [api.get(path, query_string={"limit": 2, "page": page}).json for page in (1, 2, 3, 4)]
    assert [[log["id"] for log in page["data"]] for page in pages] == [made[:2], made[2:4], made[4:], []]
    assert pages[1]["pagination"] == {
        "page": 2, "limit": 2, "total": 5, "totalPages": 3, "hasNext": True, "hasPrev": True,
    }  # fmt: skip
    assert pages[2]["pagination"]["hasNext"] is False
    assert pages[0]["pagination"]["hasPrev"] is False


def test_a_page_far_beyond_the_end_is_empty(api, path):
    assert api.get(path, query_string={"page": 10**17}).json["data"] == []
