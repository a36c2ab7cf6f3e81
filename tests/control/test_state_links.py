"""The state document: ids and links. Contract: state.md, rules 2 and 3."""

import re
from pathlib import Path

import pytest

from dryline.state.collections import COLLECTIONS
from dryline.state.forms import forms
from dryline.tests.contract.two_teams import NORTH, SOUTH, document, id_of
from dryline.tests.control.documents import faults, of_north

FORMS = forms()

LINKS = [
    (name, column, targets, needed)
    for name, about in COLLECTIONS.items()
    for links, needed in ((about.required_links, True), (about.optional_links, False))
    for column, targets in links.items()
]


def wire(name, column):
    return next(key for key, value in FORMS[name].names.items() if value == column)


# The links are the contract's


def links_of_the_contract():
    """By collection the linking members that state.md names, but for NO_LINKS."""
    text = Path(__file__).parent.parent.joinpath("contract", "state.md").read_text()
    table = [line.split("|")[1:4] for line in text.partition("## Collections")[2].splitlines() if line.startswith("| ")]
    members = {}
    for names, _, keys in table[1:]:
        clauses = [clause for clause in re.split("[;,]", keys) if "its id" not in clause and "unique" not in clause]
        linking = {key for clause in clauses for key in re.findall(r"`(\w+(?:Id|Ids|_id))`", clause)}
        for name in names.replace(" ", "").split(","):
            members[name] = linking - NO_LINKS.get(name, set()) - {"teamId"}
    members.pop("collection", None)
    like_voice = dict.fromkeys(("chatLogs", "chatEmbedLogs"), members["voiceLogs"])
    return members | {name: keys for name, keys in like_voice.items() if name in members}


# Of these state.md says that nobody checks them, that they are ids of the row itself, or that they follow another link.
NO_LINKS = {
    "outboundCampaigns": {"workerId"},
    "smsLogs": {"deploymentId"},
    "whatsappLogs": {"deploymentId"},
    "llmLogs": {"callId", "sessionId"},
    "echoSuites": {"scorecardIds"},
    "chatDeployments": {"chatAgentId"},
    "chatEmbedDeployments": {"embedId"},
}


@pytest.mark.parametrize(("name", "linking"), links_of_the_contract().items())
def test_every_link_that_the_contract_names_is_checked(name, linking):
    about = COLLECTIONS[name]
    checked = {wire(name, column) for column in (*about.required_links, *about.optional_links)}
    assert linking <= checked


# Ids


def test_an_id_stands_once_in_its_collection(control):
    for name in FORMS:
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


def test_rows_of_a_legacy_campaign_may_have_ids_of_another_campaigns(control):
    sent = document()
    for row in sent["voicev1CampaignData"]:
        row["id"] = "1"
    assert control.put("/state", sent).status_code == 204
    assert [row["id"] for row in control.get("/state").json["voicev1CampaignData"]] == ["1", "1"]


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


def test_any_text_is_an_id(put, api):
    id = "käse / 1?"
    put(workers=[{"id": id, "name": "W"}])
    assert [worker["id"] for worker in api.get("/workers").json] == [id]


def test_new_ids_are_never_those_that_came_in(control, api, make_worker):
    made = make_worker()["id"]
    state = control.get("/state").json
    control.post("/reset")  # with a seed the ids begin again
    control.put("/state", state)
    assert make_worker()["id"] != made
    assert len(api.get("/workers").json) == 2


# Links


@pytest.mark.parametrize(("name", "column", "targets", "needed"), LINKS, ids=lambda value: str(value))
def test_a_link_to_nothing_is_kept_where_it_is_not_needed_and_a_program_wrote_it(
    control, name, column, targets, needed
):
    sent = of_north() | {"writtenBy": "dryline 0.1.0"}
    member = wire(name, column)
    gone = ["gone"] if column.endswith("_ids") else "gone"
    sent[name][0][member] = gone
    answer = control.put("/state", sent)
    if needed:
        assert f"{name}[0].{member}" in faults(answer)
    else:
        assert answer.status_code == 204, answer.text
        assert control.get("/state").json[name][0][member] == gone


@pytest.mark.parametrize(("name", "column", "targets", "needed"), LINKS, ids=lambda value: str(value))
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


def test_the_deployment_of_a_message_log_is_any_text(control):
    sent = of_north()
    sent["smsLogs"][0]["deploymentId"] = "what was once"
    assert control.put("/state", sent).status_code == 204


def test_a_folder_is_one_of_the_same_worker(control):
    sent = of_north()
    sent["workers"].append({"id": "second", "name": "W"})
    sent["resources"][0]["workerId"] = "second"
    assert list(faults(control.put("/state", sent))) == ["resources[0].folderId"]


def test_deleting_what_a_row_of_the_document_links_to_works_afterwards(put, api, control):
    put(**{name: rows for name, rows in of_north().items() if name != "version"})
    headers = {"x-api-key": "north-key"}
    assert api.client.delete("/api/workers/north-workers", headers=headers).status_code == 204
    state = control.get("/state").json
    assert not any(state[name] for name in ("flows", "voiceLogs", "voiceDeployments", "resources", "tests"))
    assert state["phoneNumbers"][0]["workerId"] is None
