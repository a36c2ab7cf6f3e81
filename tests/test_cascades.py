"""Every deletion of the contract: what hung on the row is gone or let go of it, and nothing names it any more."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from dryline.tests.contract import OPERATIONS, fill
from dryline.tests.contract.two_teams import KEYS, NORTH, SOUTH, document, id_of, path_ids

DELETIONS = {
    operation["id"]: operation
    for operation in OPERATIONS
    if operation["method"] == "DELETE" and not operation["id"].startswith("deleteLlmLogsBy")
}

# Members that may name a deleted row, and why.
STAYS = {
    # The contract: deleting a flow leaves what was made of it and what tells that it ran.
    "deleteFlow": {
        *("outboundCampaigns", "runtimeErrors"),
        *("voiceDeployments", "voicev1Deployments", "chatDeployments", "chatEmbedDeployments", "tests", "sessions"),
        *("voiceLogs", "chatLogs", "chatEmbedLogs", "smsLogs", "whatsappLogs", "apiLogs"),
    },
    # SMS and WhatsApp deployments have no collection, so their logs' deploymentId is any text (state document).
    "deleteVoiceDeployment": {"smsLogs", "whatsappLogs"},
}
# The stand-in's own record of what it sent, to whatever there was then.
STAYS = {name: STAYS.get(name, set()) | {"webhookDeliveries"} for name in DELETIONS}
ROWS_WITHOUT_ID = {"removeTag": "workerTags", "deleteDeploymentDefaultChecks": "deploymentDefaultChecks"}


def linked(team):
    """Return the state document, with more links than its rows need: every one that the team's rows can have."""
    state = document()

    def row(collection):
        return next(row for row in state[collection] if row.get("id") == id_of(team, collection))

    def ref(collection):
        return id_of(team, collection)

    row("integrations")["workerId"] = row("phoneNumbers")["workerId"] = ref("workers")
    for channel in ("chatDeployments", "chatEmbedDeployments"):
        row(channel)["flowVersionId"] = ref("flowVersions")
    row("outboundCampaigns")["flowId"] = ref("flows")
    row("queuedCalls")["campaignId"] = ref("outboundCampaigns")
    row("runtimeErrors").update(flowId=ref("flows"), bbEngineSessionId=ref("callSession"))
    row("runtimeErrors")["metadata"] = {"logId": ref("voiceLogs")}
    row("voiceLogs").update(bbEngineSessionId=ref("callSession"), call_sid=ref("call"))
    row("chatLogs")["sessionLogData"] = {"sessionId": ref("chatSession")}
    state["sessions"] += [{"id": ref(kind), "worker_id": ref("workers")} for kind in ("callSession", "chatSession")]
    row("echoSuites")["deploymentId"] = ref("voiceDeployments")
    row("echoSuites")["scorecardIds"] = [ref("echoScorecards")]
    links = {"suiteId": "echoSuites", "agentId": "echoAgents", "deploymentId": "voiceDeployments"}
    row("echoScorecards").update({member: ref(collection) for member, collection in links.items()})
    row("echoAgents").update(
        suiteId=ref("echoSuites"), deploymentId=ref("voiceDeployments"), scorecardIds=[ref("echoScorecards")]
    )
    return state


def naming(state, id):
    """Return the collections with a row that names `id`, as a value anywhere in it."""
    return {
        name
        for name, rows in state.items()
        if isinstance(rows, list)
        for row in rows
        if row.get("id") != id and f'"{id}"' in json.dumps(row)
    }


def ids_of(state):
    return {row["id"] for rows in state.values() if isinstance(rows, list) for row in rows if "id" in row}


def of_team(state, team):
    """Return a team's rows: every id and word of them begins with the team's name."""
    return {
        name: [row for row in rows if f'"{team}' in json.dumps(row)]
        for name, rows in state.items()
        if isinstance(rows, list)
    }


class Deletion(NamedTuple):
    """One deletion: its operation, the id of the deleted row, and the state around it."""

    name: str
    id: str
    before: dict[str, Any]
    after: dict[str, Any]


@pytest.fixture(scope="module")
def client(module_app):
    client = module_app.test_client()
    client.put("/_dryline/clock", json={"now": "2026-03-02T12:00:00Z", "frozen": True})
    return client


@pytest.fixture(scope="module", params=DELETIONS)
def deletion(client, request):
    """Do a deletion in a world where all links are there."""
    answer = client.put("/_dryline/state", json=linked(NORTH))
    assert answer.status_code == 204, answer.text
    before = client.get("/_dryline/state").json
    path = DELETIONS[request.param]["path"]
    ids = path_ids(path, NORTH)
    answer = client.delete(fill(path, *ids), headers={"x-api-key": KEYS[NORTH]})
    assert answer.status_code == 204, answer.text
    return Deletion(request.param, ids[-1], before, client.get("/_dryline/state").json)


def test_nothing_names_what_was_deleted(deletion):
    gone = ids_of(deletion.before) - ids_of(deletion.after)
    if deletion.name in ROWS_WITHOUT_ID:
        collection = ROWS_WITHOUT_ID[deletion.name]
        assert len(deletion.after[collection]) == len(deletion.before[collection]) - 1
    else:
        assert deletion.id in gone
    assert {name for id in gone for name in naming(deletion.after, id)} <= STAYS[deletion.name]


def test_the_other_team_loses_nothing(deletion):
    assert of_team(deletion.after, SOUTH) == of_team(deletion.before, SOUTH)


@pytest.mark.parametrize(
    ("deletion", "expected"),
    [
        ("deleteVoiceDeployment", {"voiceLogs": 0, "sessions": 2, "runtimeErrors": 0, "llmLogs": 0}),
        ("deleteChatDeployment", {"chatLogs": 0, "sessions": 2, "runtimeErrors": 1, "llmLogs": 1}),
        ("deleteChatEmbedDeployment", {"chatEmbedLogs": 0, "sessions": 2, "runtimeErrors": 1, "llmLogs": 0}),
        ("deleteWorker", {"voiceLogs": 0, "sessions": 0, "runtimeErrors": 0, "llmLogs": 0}),
        ("deleteFlow", {"flowVersions": 0, "voiceDeployments": 1, "chatDeployments": 1, "voiceLogs": 1}),
    ],
    indirect=["deletion"],
)
def test_what_hung_on_the_deleted_row_is_gone_and_all_else_stays(deletion, expected):
    remaining = of_team(deletion.after, NORTH)
    assert {collection: len(remaining[collection]) for collection in expected} == expected
