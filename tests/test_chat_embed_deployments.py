"""Chat widget deployments."""

import pytest


@pytest.fixture
def make(api, make_flow):
    """Create a chat widget deployment."""

    def make(flow=None, **body):
        flow = flow or make_flow()
        body = {"name": "Widget", "flowId": flow["id"], **body}
        answer = api.post(f"/workers/{flow['workerId']}/deployments/chat-embed", body)
        assert answer.status_code == 201, answer.text
        return answer.json

    return make


def path_of(deployment):
    return f"/workers/{deployment['workerId']}/deployments/chat-embed/{deployment['id']}"


def test_a_new_deployment_has_an_embed_id_and_the_rest_empty(make):
    made = make()
    assert made["embedId"].startswith("embed_")
    assert made["styling"] is made["agentLogoUrl"] is made["primaryColor"] is made["flowVersionId"] is None


def test_a_deployment_is_found_by_its_embed_id_in_the_team(api, other_api, make):
    made = make()
    path = f"/workers/deployments/chat-embed/by-embed/{made['embedId']}"
    assert api.get(path).json == made
    assert other_api.get(path).status_code == 404
    assert api.get("/workers/deployments/chat-embed/by-embed/embed_none").status_code == 404


def test_a_flow_version_must_be_one_of_the_flow(api, make, make_flow):
    flow = make_flow()
    path = f"/workers/{flow['workerId']}/flows/{flow['id']}/versions"
    version = api.post(path, {"commitMessage": "Done"}).json
    assert make(flow, flowVersionId=version["id"])["flowVersionId"] == version["id"]
    other = make_flow(flow["workerId"])
    body = {"name": "Widget", "flowId": other["id"], "flowVersionId": version["id"]}
    answer = api.post(f"/workers/{flow['workerId']}/deployments/chat-embed", body)
    assert answer.status_code == 404
    assert "flowVersionId" in answer.json["error"]
