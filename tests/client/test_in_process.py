"""The vendor's client without a socket: the application is its transport."""

import httpx
from brainbase_labs import BrainbaseLabs

from dryline.settings import DEFAULT_API_KEY


def test_the_application_is_the_clients_transport(app):
    with (
        httpx.Client(transport=httpx.WSGITransport(app=app)) as http,
        BrainbaseLabs(
            api_key=DEFAULT_API_KEY, base_url="http://localhost", http_client=http, _strict_response_validation=True
        ) as client,
    ):
        made = client.workers.create(name="Front desk", description=None, status=None)
        assert client.workers.retrieve(made.id) == made
        assert [worker.id for worker in client.workers.list()] == [made.id]
