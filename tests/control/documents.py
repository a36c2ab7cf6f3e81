"""Documents for the tests of the state document, and how to read a refusal."""

from __future__ import annotations

from dryline.tests.contract.two_teams import document

WHEN = "2026-03-02T10:00:00.000Z"


def of_north():
    """One team, one row in every collection."""
    return {name: rows if name == "version" else rows[:1] for name, rows in document().items()}


def of_a_line():
    """Return the rows of a worker "w" with a flow "f" and a voice deployment "d"."""
    in_worker = {"name": "Main", "workerId": "w"}
    return {
        "workers": [{"id": "w", "name": "Desk"}],
        "flows": [{**in_worker, "id": "f", "code": "loop:\n    talk()\n"}],
        "voiceDeployments": [{**in_worker, "id": "d", "flowId": "f", "phoneNumber": "+14155550100"}],
    }


def faults(answer):
    """Return the messages of a refused document by path."""
    assert answer.status_code == 422, answer.text
    return {detail["path"]: detail["message"] for detail in answer.json["details"]}
