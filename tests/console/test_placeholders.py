"""No page shows a placeholder, a member of a program or an object in braces, outside of code and JSON."""

import re
from html import unescape

import pytest

from dryline.app import create_app
from dryline.settings import Settings

CALLS = 12  # of each scenario
_BOXES = re.compile(r"<(code|pre|script|style|textarea)\b.*?</\1>", re.DOTALL)


def text_of(html):
    """Return the text of a page without its code, its JSON and the hints in its fields."""
    return unescape(re.sub(r"<[^>]*>", " ", _BOXES.sub(" ", html)))


def pages(state):
    """Yield the pages of flows, tests and conversations of a state document, each with its query."""
    teams = {worker["id"]: {"team": worker["teamId"]} for worker in state["workers"]}
    for flow in state["flows"]:
        page, team = f"/console/workers/{flow['workerId']}/flows/{flow['id']}", teams[flow["workerId"]]
        yield page, team
        yield f"{page}/edit", team
        for version in state.get("flowVersions", []):
            if version["flowId"] == flow["id"]:
                yield page, {**team, "version": version["id"]}
    for test in state.get("tests", []):
        yield f"/console/workers/{test['workerId']}/tests/{test['id']}", teams[test["workerId"]]
    for worker, team in teams.items():
        for page in ("", "/talk", "/deployments", "/scorecards"):
            yield f"/console/workers/{worker}{page}", team
    for collection in ("voiceLogs", "chatLogs", "smsLogs", "whatsappLogs"):
        for log in state.get(collection, [])[-CALLS:]:
            yield f"/console/calls/{log['id']}", teams[log["workerId"]]
    for page in ("", "/live", "/requests", "/faults", "/requests/verify"):
        yield f"/console{page}", {}


@pytest.mark.parametrize("scenario", ["demo", "clinic", "campaign", "trouble"])
def test_no_page_of_a_scenario_shows_braces(scenario):
    app = create_app(Settings(ephemeral=True, scenario=scenario, seed=1))
    client = app.test_client()
    shown = {}
    for address, query in pages(client.get("/_dryline/state").json):
        answer = client.get(address, query_string=query)
        assert answer.status_code == 200, address
        for match in re.findall(r".{0,40}[{}].{0,40}", text_of(answer.text)):
            shown.setdefault(match.strip(), address)
    app.close()
    assert shown == {}
