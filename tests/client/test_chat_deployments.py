"""Chat and chat widget deployments."""

import json

import brainbase_labs
import pytest

EXTRACTIONS = {"topic": {"type": "string", "description": "topic of the call", "required": True}}
CRITERIA = [
    {
        "title": "Manners",
        "description": "How it was said",
        "items": [{"title": "Greeted", "description": "Said hello", "type": "SCORE", "threshold": 0.5}],
    }
]


def test_a_chat_from_creation_to_deletion(client, api, worker, flow):
    made = client.workers.deployments.chat.create(
        worker,
        name="Desk",
        flow_id=flow,
        allowed_users=["ada@example.com"],
        welcome_message="Hello.",
        llm_model="gpt-4o",
        model_config={"tone": "kind"},
        extractions=EXTRACTIONS,
        success_criteria=CRITERIA,
    )
    assert json.loads(made.allowed_users) == ["ada@example.com"]
    assert made.to_dict()["llmModel"] == "gpt-4o"
    assert client.workers.deployments.chat.retrieve_agent(made.chat_agent_id, worker_id=worker).id == made.id
    path = f"/workers/{worker}/deployments/chat/{made.id}"
    assert (api.get(path).json["extractions"], api.get(path).json["successCriteria"]) == (EXTRACTIONS, CRITERIA)

    client.workers.deployments.chat.update(
        made.id,
        worker_id=worker,
        name="Other desk",
        flow_id=flow,
        allowed_users=[],
        welcome_message="Welcome.",
        llm_model="gpt-4o-mini",
        model_config={"tone": "brisk"},
        extractions={},
        success_criteria=[],
    )
    (changed,) = client.workers.deployments.chat.list(worker)
    assert changed.id == client.workers.deployments.chat.retrieve(made.id, worker_id=worker).id
    assert (changed.welcome_message, changed.allowed_users) == ("Welcome.", "[]")
    assert (api.get(path).json["modelConfig"], api.get(path).json["extractions"]) == ({"tone": "brisk"}, {})

    client.workers.deployments.chat.delete(made.id, worker_id=worker)
    with pytest.raises(brainbase_labs.NotFoundError):
        client.workers.deployments.chat.retrieve(made.id, worker_id=worker)


def test_a_widget_from_creation_to_deletion(client, worker, flow):
    made = client.workers.deployments.chat.embed.create(
        worker,
        name="Widget",
        flow_id=flow,
        welcome_message="Hello.",
        agent_name="Ada",
        agent_logo_url="https://example.com/ada.png",
        primary_color="#112233",
        styling={"radius": "4px"},
    )
    assert (made.agent_name, made.styling) == ("Ada", {"radius": "4px"})
    assert client.workers.deployments.chat.embed.retrieve_by_embed(made.embed_id).id == made.id

    client.workers.deployments.chat.embed.update(
        made.id,
        worker_id=worker,
        name="Other widget",
        flow_id=flow,
        welcome_message="Welcome.",
        agent_name="Grace",
        agent_logo_url="https://example.com/grace.png",
        primary_color="#445566",
        styling={"radius": "0"},
    )
    (changed,) = client.workers.deployments.chat.embed.list(worker)
    assert (changed.agent_name, changed.primary_color, changed.styling) == ("Grace", "#445566", {"radius": "0"})
    assert client.workers.deployments.chat.embed.retrieve(made.id, worker_id=worker).welcome_message == "Welcome."

    client.workers.deployments.chat.embed.delete(made.id, worker_id=worker)
    with pytest.raises(brainbase_labs.NotFoundError):
        client.workers.deployments.chat.embed.retrieve_by_embed(made.embed_id)
