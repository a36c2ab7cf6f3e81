"""Parameters of a deployment."""

import pytest


@pytest.fixture
def base(make_voice_deployment):
    line = make_voice_deployment()
    return f"/workers/{line['workerId']}/deployments/{line['id']}"


@pytest.fixture
def make(api, base):
    """Create a parameter."""
    return lambda name="greeting", value="Hi", **body: api.post(
        f"{base}/params", {"name": name, "value": value, **body}
    )


@pytest.mark.parametrize("value", ["", 0, 1.5, False, [1, None], {"a_b": {"c": None}}])
def test_any_json_value_is_kept(api, base, make, value):
    assert make(value=value).json["value"] == value
    assert api.get(f"{base}/params").json[0]["value"] == value


def test_a_name_is_unique_in_the_deployment(api, base, make, make_voice_deployment):
    make()
    other = make("other").json
    assert make().status_code == 409
    assert api.patch(f"{base}/params/{other['id']}", {"name": "greeting"}).status_code == 409
    assert api.patch(f"{base}/params/{other['id']}", {"name": "other"}).status_code == 200
    line = make_voice_deployment()
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/params"
    assert api.post(path, {"name": "greeting", "value": "Hi"}).status_code == 201


def test_every_change_is_entered_in_the_history_under_the_parameters_own_name(api, base, make):
    made = make("first_words").json
    path = f"{base}/params/{made['id']}"
    for change in ({"value": "Hello"}, {"value": "Hello"}, {"description": "Words"}, {"name": "opening"}):
        assert api.patch(path, change).status_code == 200
    assert api.delete(path).status_code == 204
    entries = api.get(f"{base}/history").json["data"]
    assert {entry["changeType"] for entry in entries} == {"PARAMETERS"}
    assert [entry["changes"] for entry in reversed(entries)] == [
        {"first_words": {"from": None, "to": "Hi"}},
        {"first_words": {"from": "Hi", "to": "Hello"}},
        {"first_words.description": {"from": None, "to": "Words"}},
        {
            "first_words": {"from": "Hello", "to": None},
            "first_words.description": {"from": "Words", "to": None},
            "opening": {"from": None, "to": "Hello"},
            "opening.description": {"from": None, "to": "Words"},
        },
        {"opening": {"from": "Hello", "to": None}, "opening.description": {"from": "Words", "to": None}},
    ]
