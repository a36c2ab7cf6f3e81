"""A stand-in with many rows, requests of the contract's operations, and the statements that requests run."""

from __future__ import annotations

from dryline.tests.contract import example, example_request, fill
from dryline.tests.contract.two_teams import KEYS, NORTH, REFERENCES, document, id_of, path_ids, rows

NOW = "2026-03-02T12:00:00Z"


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


def plans_of(app, function):
    """Run a function and return SQLite's plan for each statement that reads or deletes rows, one step a line."""
    statements = [sql for sql in statements_of(app, function) if sql.lstrip().startswith(("SELECT", "WITH", "DELETE"))]
    with app.world.active():
        explain = app.world.db.connection().execute
        return {sql: "\n".join(row[3] for row in explain(f"EXPLAIN QUERY PLAN {sql}")) for sql in statements}


class ManyRows:
    """A stand-in with many rows."""

    def __init__(self, app):
        self._client = app.test_client()
        self._client.put("/_dryline/clock", json={"now": NOW, "frozen": True})

    def fill(self, count, *collections):
        """Fill these collections with `count` rows of the first team that have the same parents."""
        state = document()
        for collection in collections:
            row = rows(NORTH)[collection]
            state[collection] += [{**row, "id": f"{row['id']}-{number}"} for number in range(1, count)]
        answer = self._client.put("/_dryline/state", json=state)
        assert answer.status_code == 204, answer.text


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
