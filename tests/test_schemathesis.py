"""Generated requests against the served document: no fault of ours, and no answer that the document does not describe.

Repeats from run to run. Each operation is called with ids that exist and ids that do not, with valid and broken bodies.
"""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings, strategies
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.contract import OPERATIONS, by_id, parameters
from dryline.tests.contract.two_teams import KEYS, NORTH, REFERENCES, document, id_of, path_ids
from dryline.traffic import request_search

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
FEW = settings(
    max_examples=4,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def app():
    """One stand-in for all of these tests, in which both teams are and the clock stands still."""
    app = create_app(Settings(ephemeral=True, scenario="empty", seed=1))
    client = app.test_client()
    assert client.put("/_dryline/state", json=document()).status_code == 204
    client.put("/_dryline/clock", json={"now": "2026-03-02T12:00:00Z", "frozen": True})
    client.post("/_dryline/snapshots", json={"name": "start"})
    yield app
    app.close()


@pytest.fixture(scope="module")
def schema(app):
    return schemathesis.openapi.from_wsgi("/openapi.json", app)


@pytest.fixture
def filled(app, monkeypatch):
    """All is as at the start; nobody waits for requests that do not come."""
    wait = request_search.wait
    monkeypatch.setattr(
        request_search, "wait", lambda log, criteria, count, within_s, ending: wait(log, criteria, count, 0, ending)
    )
    assert app.test_client().post("/_dryline/snapshots/start/restore").status_code == 204


def probe(operation, own):
    """Call an operation of the document with generated requests; look at every answer.

    Half of them are valid and name rows that are there (`own` are the ids in the path); the others may be anything.
    """
    headers = {"x-api-key": KEYS[NORTH]}
    valid = operation.as_strategy(schemathesis.GenerationMode.POSITIVE, headers=headers, path_parameters=own)
    broken = operation.as_strategy(schemathesis.GenerationMode.NEGATIVE, headers=headers, path_parameters=own)
    strange = operation.as_strategy(schemathesis.GenerationMode.POSITIVE, headers=headers)

    def look_at(case):
        answer = case.call(headers=headers)
        case.validate_response(answer, checks=CHECKS)
        assert str(answer.status_code) in operation.definition.raw["responses"], answer.text

    @given(case=valid)
    @FEW
    def check_valid(case):
        refer_to_own(case.body)
        look_at(case)

    @given(case=strategies.one_of(broken, strange))
    @FEW
    def check_others(case):
        look_at(case)

    check_valid()
    check_others()


def refer_to_own(body):
    """Let the references in a body lead to rows that are there."""
    for name in REFERENCES.keys() & (body if isinstance(body, dict) else {}):
        id = id_of(NORTH, REFERENCES[name])
        if isinstance(body[name], list):
            body[name] = [id for _ in body[name]]
        elif isinstance(body[name], str):
            body[name] = id


@pytest.mark.parametrize("operation", OPERATIONS, ids=by_id)
def test_an_operation_of_the_contract_answers_as_described(filled, schema, operation):
    path = operation["path"]
    own = dict(zip(parameters(path), path_ids(path, NORTH), strict=True))
    probe(schema[path][operation["method"]], own)


def test_the_rest_of_the_document_answers_as_described(filled, schema, app):
    contract = {(operation["path"], operation["method"]) for operation in OPERATIONS}
    faults = {}
    for path, verbs in app.openapi.document()["paths"].items():
        for verb in verbs.keys() - {"parameters"}:
            if (path, verb.upper()) not in contract:
                try:
                    probe(schema[path][verb.upper()], {})
                except (AssertionError, ExceptionGroup) as error:
                    faults[f"{verb} {path}"] = f"{error} {getattr(error, 'exceptions', '')}"
    assert faults == {}
