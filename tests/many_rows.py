"""A stand-in with many rows in every collection: the requests that read it, and the statements that requests run."""

from __future__ import annotations

import re

from dryline.tests.contract import OPERATIONS, example, example_request, fill
from dryline.tests.contract.two_teams import KEYS, NORTH, REFERENCES, document, id_of, path_ids, rows

NOW = "2026-03-02T12:00:00Z"
# Members that are unique in a team or in their parent.
UNIQUE = (
    *("apiKeys", "label", "phoneNumber", "name", "elevenlabsVoiceId", "senderSid", "embedId", "chatAgentId"),
    "versionNumber",
)
ONE_OF_A_TEAM = ("teamDefaultChecks",)
STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")

_READS = [operation for operation in OPERATIONS if operation["method"] == "GET"]


def statements_of(app, function):
    """Run a function of the test's thread and return the statements it ran, with their values filled in."""
    run = []
    with app.world.active():
        connection = app.world.db.connection()
        connection.set_trace_callback(run.append)
        try:
            function()
        finally:
            connection.set_trace_callback(None)
    return run


def plan_of(app, sql):
    """Return SQLite's plan for a statement, one step a line."""
    with app.world.active():
        return "\n".join(row[3] for row in app.world.db.connection().execute(f"EXPLAIN QUERY PLAN {sql}"))


def plans_of(app, function):
    """Run a function and return SQLite's plan for each of its SELECT statements."""
    return {sql: plan_of(app, sql) for sql in statements_of(app, function) if sql.lstrip().startswith("SELECT")}


class ManyRows:
    """A stand-in that is filled again and again."""

    def __init__(self, app):
        self._app = app
        self._client = app.test_client()
        self._client.put("/_dryline/clock", json={"now": NOW, "frozen": True})

    def fill(self, count, *collections):
        """Fill these collections, or all, with `count` rows of the first team that have the same parents."""
        state = document()
        for collection, row in rows(NORTH).items():
            if collection not in ONE_OF_A_TEAM and collection in (collections or rows(NORTH)):
                state[collection] += [_copy(collection, row, number) for number in range(1, count)]
        answer = self._client.put("/_dryline/state", json=state)
        assert answer.status_code == 204, answer.text
        self._client.post("/_dryline/snapshots", json={"name": "filled"})

    def undo(self):
        """Take back what requests have changed since the world was filled."""
        assert self._client.post("/_dryline/snapshots/filled/restore").status_code == 204

    def statements(self, **request):
        """Send a request and return the statements that it runs, with their values filled in."""

        def send():
            answer = self._client.open(**request)
            assert answer.status_code < 500, answer.text

        return [sql for sql in statements_of(self._app, send) if STATEMENT.match(sql)]

    def plan(self, sql):
        """Return SQLite's plan for a statement, one step a line."""
        return plan_of(self._app, sql)

    def reads(self):
        """Return all requests that read, by a name: of the API, of the control plane, and pages of the console."""
        api = {each["id"]: request_of(each) for each in _READS}
        paths = self._client.get("/openapi.json").json["paths"]
        control = [
            path
            for path, operations in paths.items()
            if path.startswith("/_dryline") and "get" in operations and "{" not in path
        ]
        return {**api, **{path: {"path": path} for path in control}, **self._pages()}

    def filtered_reads(self):
        """Return the lists of the API with each of their query parameters, by a name."""
        return {
            f"{each['id']}?{field['name']}": request_of(each, field) for each in _READS for field in each["query"] or ()
        }

    def writes(self):
        """Return the requests of all operations of the API that are no GET, by their ids."""
        return {each["id"]: request_of(each) for each in OPERATIONS if each["method"] != "GET"}

    def _pages(self):
        """Return one page of each kind of the console, found by following links from its start page."""
        pages = {}
        waiting = [f"/console?team={id_of(NORTH, 'teams')}"]
        while waiting:
            address = waiting.pop()
            kind = re.sub(rf"{NORTH}-\w+(-\d+)?", "ID", address.partition("?")[0])
            if kind in pages or "/static/" in address:
                continue
            answer = self._client.get(address)
            if answer.status_code == 200 and answer.mimetype == "text/html":
                pages[kind] = {"path": address}
            links = re.findall(r'href="(/console[^"#]*)', answer.get_data(as_text=True))
            waiting += [link.replace("&amp;", "&") for link in links]
            waiting += [link for link in [answer.headers.get("Location", "")] if link.startswith("/console")]
        return pages


def request_of(operation, query_parameter=None):
    """Return a request of an operation of the contract, about the first row of each collection."""
    sent = example_request(operation)
    if query_parameter:
        sent.setdefault("query_string", {})[query_parameter["name"]] = example(query_parameter)
    for part in ("query_string", "json"):
        if part in sent:
            sent[part] = {name: _referring(name, value) for name, value in sent[part].items()}
    path = fill(operation["path"], *path_ids(operation["path"], NORTH))
    return {"path": path, "method": operation["method"], "headers": {"x-api-key": KEYS[NORTH]}, **sent}


def _referring(name, value):
    if name not in REFERENCES:
        return value
    id = id_of(NORTH, REFERENCES[name])
    return [id] if isinstance(value, list) else id


def _copy(collection, row, number):
    copy = {name: _changed(value, number) if name in UNIQUE else value for name, value in row.items()}
    if "id" in row:
        copy["id"] = f"{row['id']}-{number}"
    if collection == "workerTags":
        copy["tagId"] = f"{row['tagId']}-{number}"
    if collection == "deploymentDefaultChecks":
        copy["deploymentId"] = f"{row['deploymentId']}-{number}"
    if collection == "callsInProgress":
        call = row["call"]
        session = call["session"] | {"id": f"{call['session']['id']}-{number}"}
        copy["call"] = call | {"log": call["log"] | {"id": copy["id"]}, "session": session}
    return copy


def _changed(value, number):
    if isinstance(value, list):
        return [_changed(each, number) for each in value]
    if isinstance(value, int):
        return value + number
    return f"{value[:-3]}{number:03}" if value.startswith("+") else f"{value}-{number}"
