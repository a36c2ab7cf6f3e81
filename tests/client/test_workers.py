"""Workers."""

import brainbase_labs
import pytest


def test_a_worker_from_creation_to_deletion(client, api):
    made = client.workers.create(name="Front desk", description="Answers the phone", status="active")
    assert client.workers.retrieve(made.id) == made
    assert api.get(f"/workers/{made.id}").json["description"] == "Answers the phone"

    changed = client.workers.update(made.id, name="Back office", description=None, status="paused")
    assert (changed.name, changed.description, changed.status) == ("Back office", None, "paused")
    assert [worker.id for worker in client.workers.list()] == [made.id]

    assert client.workers.delete(made.id) is None
    assert client.workers.list() == []
    with pytest.raises(brainbase_labs.NotFoundError):
        client.workers.retrieve(made.id)


def test_the_clients_errors_are_those_of_the_real_service(client, url):
    with pytest.raises(brainbase_labs.BadRequestError) as caught:
        client.workers.create(name=None, description=None, status=None)
    assert caught.value.body["details"][0]["path"] == "name"
    with pytest.raises(brainbase_labs.AuthenticationError):
        client.workers.list(extra_headers={"x-api-key": "wrong"})
