"""Chat deployments."""

import pytest


@pytest.fixture
def make(api, make_flow):
    """Create a chat deployment."""

    def make(flow=None, **body):
        flow = flow or make_flow()
        body = {"name": "Chat", "flowId": flow["id"], **body}
        answer = api.post(f"/workers/{flow['workerId']}/deployments/chat", body)
        assert answer.status_code == 201, answer.text
        return answer.json

    return make


def path_of(deployment):
    return f"/workers/{deployment['workerId']}/deployments/chat/{deployment['id']}"


def commit(api, flow):
    path = f"/workers/{flow['workerId']}/flows/{flow['id']}/versions"
    return api.post(path, {"commitMessage": "Done"}).json


def test_a_new_deployment_has_an_agent_id_and_the_rest_empty(make):
    made = make()
    assert made["chatAgentId"].startswith("chatagent_")
    assert (made["type"], made["allowedUsers"], made["modelConfig"]) == ("Chat", "[]", {})
    assert made["llmModel"] is made["welcomeMessage"] is made["flowVersionId"] is made["extractions"] is None


def test_a_deployment_is_found_by_its_agent_id_below_its_worker(api, other_api, make, make_worker):
    made = make()
    path = f"/workers/{made['workerId']}/deployments/chat/agent"
    assert api.get(f"{path}/{made['chatAgentId']}").json == made
    assert api.get(f"{path}/{made['id']}").status_code == 404
    other = f"/workers/{make_worker()['id']}/deployments/chat/agent"
    assert api.get(f"{other}/{made['chatAgentId']}").status_code == 404
    assert other_api.get(f"{path}/{made['chatAgentId']}").status_code == 404


def test_another_flow_takes_the_version_away(api, make, make_flow):
    flow = make_flow()
    made = make(flow, flowVersionId=commit(api, flow)["id"])
    same = api.patch(path_of(made), {"flowId": flow["id"]}).json
    assert same["flowVersionId"] == made["flowVersionId"]
    changed = api.patch(path_of(made), {"flowId": make_flow(flow["workerId"])["id"]}).json
    assert changed["flowVersionId"] is None
