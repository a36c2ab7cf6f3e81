"""Voice V1 deployments, the legacy form."""

import pytest

NEW = {
    "name": "Old line",
    "phoneNumber": "+14155550100",
    "objective": "Book a table",
    "startSentence": "Hello",
    "endSentence": None,
    "voiceId": None,
    "language": "en",
    "allowedTransferNumbers": ["+14155550101"],
    "functions": None,
    "model": None,
    "resourceKeys": [],
    "wsBaseUrl": None,
    "config": {"speed": 1},
}


@pytest.fixture
def make(api, make_flow):
    """Create a legacy voice deployment."""

    def make(flow=None, **body):
        flow = flow or make_flow()
        answer = api.post(f"/workers/{flow['workerId']}/deployments/voicev1", {**NEW, "flowId": flow["id"], **body})
        assert answer.status_code == 201, answer.text
        return answer.json

    return make


def path_of(deployment):
    return f"/workers/{deployment['workerId']}/deployments/voicev1/{deployment['id']}"


def test_arrays_are_answered_as_json_text(make):
    made = make()
    assert (made["allowedTransferNumbers"], made["resourceKeys"]) == ('["+14155550101"]', "[]")


@pytest.mark.parametrize(
    ("text", "answered"),
    [('{"a": 1}', {"a": 1}), ("transfer()", {"text": "transfer()"}), ("[1]", {"text": "[1]"}), ("", None)],
)
def test_functions_come_as_text_and_are_answered_as_an_object(make, text, answered):
    assert make(functions=text)["functions"] == answered


@pytest.mark.parametrize("config", ['{"speed": 2}', {"speed": 2}])
def test_an_update_takes_config_as_text_or_object(api, make, config):
    assert api.put(path_of(make()), {"config": config}).json["config"] == {"speed": 2}


def test_another_channels_deployment_is_not_found_here(api, make, make_voice_deployment):
    line, made = make_voice_deployment(), make()
    for one, wrong in ((line, "voicev1"), (made, "voice"), (made, "chat"), (made, "chat-embed")):
        path = f"/workers/{one['workerId']}/deployments/{wrong}"
        assert api.get(path).json == []
        assert api.get(f"{path}/{one['id']}").status_code == 404
        assert api.delete(f"{path}/{one['id']}").status_code == 404
