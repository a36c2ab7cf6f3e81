"""Deployments of every channel: rows that are deleted with them, and rows that they are deleted with."""

import pytest

from dryline.tests.test_deployments_lookup import NEW

SIMULATED = {"voice": "calls", "chat": "chats", "chat-embed": "chats"}


def rows_that_name(app, *ids):
    """Return the table and column of every cell in the database that holds one of these ids.

    But for the record of what webhooks were sent, which tells what was and stays.
    """
    cells = []
    with app.world.active():
        db = app.world.db
        for table in sorted(set(db.get_tables()) - {"webhook_delivery"}):
            for column in db.get_columns(table):
                marks = ", ".join("?" * len(ids))
                sql = f'SELECT COUNT(*) FROM "{table}" WHERE "{column.name}" IN ({marks})'
                if db.execute_sql(sql, ids).fetchone()[0]:
                    cells.append((table, column.name))
    return cells


@pytest.fixture
def flow(api, make_flow):
    """Return a flow with a committed version."""
    flow = make_flow()
    path = f"/workers/{flow['workerId']}/flows/{flow['id']}/versions"
    return flow | {"versionId": api.post(path, {"commitMessage": "One"}).json["id"]}


@pytest.fixture
def make(api, control, flow):
    """Create a deployment of a channel with everything that can hang on one."""

    def make(channel):
        base = f"/workers/{flow['workerId']}/deployments"
        body = {**NEW[channel], "flowId": flow["id"]}
        if channel.startswith("chat"):
            body["flowVersionId"] = flow["versionId"]
        made = api.post(f"{base}/{channel}", body).json
        one = f"{base}/{made['id']}"
        answers = [
            api.post(f"{one}/params", {"name": "greeting", "value": "Hi"}),
            api.put(f"{one}/default-checks", {"enabled": False}),
        ]
        if channel == "voice":
            webhook = {"url": "http://127.0.0.1:9/", "fields": "summary"}
            answers.append(api.post(f"{one}/voice/customWebhooks", webhook))
        if channel in SIMULATED:
            body = {"workerId": flow["workerId"], "deploymentId": made["id"], "count": 3}
            answers.append(control.post(f"/simulate/{SIMULATED[channel]}", body))
        assert [answer.text for answer in answers if answer.status_code not in (200, 201)] == []
        return made

    return make


@pytest.mark.parametrize("channel", NEW)
def test_a_deleted_deployment_takes_everything_with_it(app, api, make, channel):
    gone, stays = make(channel), make(channel)
    remaining = rows_that_name(app, stays["id"])
    assert {"deployment", "deployment_parameter"} < {table for table, _ in rows_that_name(app, gone["id"])}
    path = f"/workers/{gone['workerId']}/deployments/{channel}/{gone['id']}"
    assert api.delete(path).status_code == 204
    assert rows_that_name(app, gone["id"]) == []
    assert rows_that_name(app, stays["id"]) == remaining


def test_a_deleted_worker_takes_its_flows_and_deployments_with_it(app, api, make, make_voice_deployment, flow):
    other = make_voice_deployment()
    ids = [flow["workerId"], flow["id"], flow["versionId"], *(make(channel)["id"] for channel in NEW)]
    assert api.delete(f"/workers/{flow['workerId']}").status_code == 204
    assert rows_that_name(app, *ids) == []
    assert api.get(f"/deployments/{other['id']}").status_code == 200


def test_a_deleted_flow_takes_its_versions_and_leaves_what_was_made_of_it(app, api, make, flow):
    made = [make(channel) for channel in NEW]
    before = {one["id"]: api.get(f"/deployments/{one['id']}").json for one in made}
    assert api.delete(f"/workers/{flow['workerId']}/flows/{flow['id']}").status_code == 204
    assert rows_that_name(app, flow["versionId"]) == []
    for id, deployment in before.items():
        expected = deployment | ({"flowVersionId": None} if "flowVersionId" in deployment else {})
        assert api.get(f"/deployments/{id}").json == expected


def test_a_deployment_whose_flow_is_gone_can_be_changed_and_given_another(api, make, flow, make_flow):
    made = make("chat")
    path = f"/workers/{flow['workerId']}/deployments/chat/{made['id']}"
    api.delete(f"/workers/{flow['workerId']}/flows/{flow['id']}")
    assert api.patch(path, {"name": "New"}).json["name"] == "New"
    assert api.patch(path, {"flowId": flow["id"]}).status_code == 404
    other = make_flow(flow["workerId"])
    assert api.patch(path, {"flowId": other["id"]}).json["flowId"] == other["id"]
