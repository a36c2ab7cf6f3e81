"""A team of a server, as its API and the servers' planes show it."""

import httpx

from dryline.tests.conftest import NEW_WORKER

# One for all: making one takes longer than most that is asked. The servers' fixture closes it.
http = httpx.Client()


class Team:
    """A team of a server, and its API wherever it is asked for."""

    def __init__(self, server):
        made = http.post(f"{server.url}/_dryline/teams", json={"name": "Harbour"}).json()
        self.id, self.key = made["id"], made["apiKey"]

    def ask(self, server, method, path, **kwargs):
        return http.request(method, server.url + path, headers={"x-api-key": self.key}, **kwargs)

    def hire(self, server, name="One", **kwargs):
        return self.ask(server, "POST", "/api/workers", json=NEW_WORKER | {"name": name}, **kwargs)

    def names(self, server):
        return [worker["name"] for worker in self.ask(server, "GET", "/api/workers").json()]

    def step(self, server, method="GET", path="", **kwargs):
        return http.request(method, f"{server.url}/_dryline/moves/{self.id}{path}", **kwargs)

    def state(self, server):
        return http.get(f"{server.url}/_dryline/state", params={"team": self.id}).json()
