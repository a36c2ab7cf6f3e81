"""The back ends that the flows of the shipped scenarios ask: they answer without a network."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest

from dryline.tools.making import path

ASK = """
import requests
response = requests.{method}({url!r}, json={body!r}, timeout=5)
say(str(response.status_code))
say(response.text)
"""


@pytest.fixture
def ask(control):
    """Send a request from a flow; return the status and the JSON document."""

    def send(url, method="get", **body):
        talk = control.post("/talk", json={"code": ASK.format(method=method, url=url, body=body)}).get_json()
        status, text = [event["text"] for event in talk["events"] if event["type"] == "said"]
        return int(status), json.loads(text)

    return send


def test_other_hosts_below_example_are_not_reached(control):
    code = ASK.format(method="get", url="https://calendar.another.example/free", body=None)
    events = control.post("/talk", json={"code": code}).get_json()["events"]
    assert "Max retries exceeded" in str(events) and not [event for event in events if event["type"] == "said"]


@pytest.mark.parametrize("scenario", ["demo", "clinic", "campaign", "trouble"])
def test_each_host_that_a_shipped_flow_names_is_answered(ask, scenario):
    flows = json.loads(path(scenario).read_text())["flows"]
    urls = {value for flow in flows for name, value in flow["variables"].items() if name.endswith("_url")}
    assert urls
    for url in urls:
        assert ask(f"{urlsplit(url).scheme}://{urlsplit(url).netloc}/nothing-there")[0] == 404
