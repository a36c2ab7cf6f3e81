"""The state document: ids and links. Contract: state.md, rules 2 and 3."""

import re
from pathlib import Path

import pytest

from dryline.state.collections import COLLECTIONS
from dryline.state.parsing import row_schemas
from dryline.tests.contract.two_teams import NORTH, SOUTH, document, id_of
from dryline.tests.control.documents import faults, of_north

ROW_SCHEMAS = row_schemas()

# Those of the members that a document has: a queued call of Voice V1 stands there as a row of its campaign.
LINKS = [
    (name, column, targets, needed)
    for name, about in COLLECTIONS.items()
    for links, needed in ((about.required_links, True), (about.optional_links, False))
    for column, targets in links.items()
    if column in ROW_SCHEMAS[name].names.values()
]


LINK = re.compile(r"`(\w+(?:Id|Ids|_id))`")


def wire(name, column):
    return next(key for key, value in ROW_SCHEMAS[name].names.items() if value == column)


# The contract says that nobody checks these, that they are ids of the row itself, or that they follow another link.
NO_LINKS = {
    *(("outboundCampaigns", "workerId"), ("smsLogs", "deploymentId"), ("whatsappLogs", "deploymentId")),
    *(("llmLogs", "callId"), ("llmLogs", "sessionId"), ("echoSuites", "scorecardIds")),
    *(("chatDeployments", "chatAgentId"), ("chatEmbedDeployments", "embedId")),
}


def test_every_link_that_the_contract_names_is_checked():
    text = Path(__file__).parent.parent.joinpath("contract", "state.md").read_text()
    linking_members = set()
    checked = {(name, wire(name, column)) for name, column, *_ in LINKS} | NO_LINKS
    for names, keys in re.findall(r"^\| ([\w, ]+) \| [^|]+ \| ([^|]+) \|", text, re.MULTILINE):
        linking = {key for clause in re.split("[;,]", keys) if "its id" not in clause for key in LINK.findall(clause)}
        for name in names.split(", "):
            linking_members |= {(name, key) for key in linking - {"teamId"}}
    assert len(linking_members) > 50 and linking_members <= checked


def test_an_id_stands_once_in_its_collection(control):
    for name in ROW_SCHEMAS:
        sent = of_north()
        sent[name] *= 2
        path = next(iter(faults(control.put("/state", sent))))
        assert path.startswith(f"{name}[1]")


@pytest.mark.parametrize(
    ("name", "other"),
    [("voiceDeployments", "chatEmbedDeployments"), ("voiceLogs", "smsLogs"), ("chatLogs", "voiceLogs")],
)
def test_deployments_share_their_ids_and_so_do_logs(control, name, other):
    sent = of_north()
    extra = {**sent[other][0], "id": sent[name][0]["id"]}
    extra.pop("embedId", None)
    sent[other].append(extra)
    assert len(faults(control.put("/state", sent))) == 1


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("tags", "label"),
        ("phoneNumbers", "phoneNumber"),
        ("flowVersions", "versionNumber"),
        ("chatDeployments", "chatAgentId"),
        ("chatEmbedDeployments", "embedId"),
        ("folders", "name"),
        ("deploymentParameters", "name"),
        ("teamDefaultChecks", "teamId"),
    ],
)
def test_unique_members_of_the_api_are_unique_here(control, name, member):
    sent = of_north()
    sent[name].append({**sent[name][0], "id": "another"})
    assert list(faults(control.put("/state", sent))) == [f"{name}[1].{member}"]


def test_new_ids_are_never_those_that_came_in(control, api, make_worker):
    made = make_worker()["id"]
    state = control.get("/state").json
    control.post("/reset")  # with a seed the ids begin again
    control.put("/state", state)
    assert make_worker()["id"] != made
    assert len(api.get("/workers").json) == 2


# Links


each_link = pytest.mark.parametrize(("name", "column", "targets", "needed"), LINKS, ids=lambda value: str(value))


@each_link
def test_a_persons_link_to_nothing_is_refused_with_the_nearest(control, name, column, targets, needed):
    sent = of_north()
    near = sent[targets[0]][0]["id"]
    member = wire(name, column)
    sent[name][0][member] = [f"{near}x"] if column.endswith("_ids") else f"{near}x"
    message = faults(control.put("/state", sent))[f"{name}[0].{member}"]
    assert f"{near}x; did you mean {near}?" in message


@each_link
def test_links_to_nothing_of_another_version_are_kept_unless_needed(control, name, column, targets, needed):
    sent = of_north() | {"writtenBy": "dryline 0.1.0"}
    sent[name][0][wire(name, column)] = gone = ["gone"] if column.endswith("_ids") else "gone"
    assert control.put("/state", sent).status_code == (422 if needed else 204)
    if not needed:
        assert control.get("/state").json[name][0][wire(name, column)] == gone


@pytest.mark.parametrize(("deployment_id", "status"), [("gone", 204), (None, 422)])
def test_a_lenient_document_may_have_links_to_nothing_that_are_not_needed(control, deployment_id, status):
    sent = of_north()
    sent["voiceLogs"][0] |= {"deploymentId": deployment_id} if deployment_id else {"workerId": "gone"}
    assert control.put("/state?lenient=true", sent).status_code == status


@each_link
def test_a_link_to_another_teams_row_is_refused(control, name, column, targets, needed):
    sent = document()
    other = id_of(SOUTH, targets[0])
    member = wire(name, column)
    if name == "deploymentDefaultChecks":  # whose link is its id: the other team's row has it already
        del sent[name][1:]
    row = sent[name][0]
    row[member] = [other] if column.endswith("_ids") else other
    row["teamId"] = id_of(NORTH, "teams")
    assert set(faults(control.put("/state", sent))) <= {f"{name}[0].{member}", f"{name}[0].teamId"}


def test_a_teamid_has_to_agree_with_the_parents(control):
    sent = document()
    sent["flows"][0]["teamId"] = id_of(SOUTH, "teams")
    assert list(faults(control.put("/state", sent))) == ["flows[0].teamId"]
