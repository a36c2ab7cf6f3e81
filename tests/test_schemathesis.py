"""Generated requests against the served document: no fault of ours, and no answer that the document does not describe.

Repeats from run to run. Operations get valid requests about rows that exist, and broken ones. What they have taken can
be loaded again.
"""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from dryline.models import webhook_search
from dryline.tests.contract import OPERATIONS, by_id, parameters
from dryline.tests.contract.two_teams import KEYS, NORTH, REFERENCES, document, id_of, path_ids
from dryline.world import request_search

EXAMPLES = {GenerationMode.POSITIVE: 2, GenerationMode.NEGATIVE: 1}
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
FEW = settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def app(module_app):
    """Return a stand-in in which both teams are and the clock stands still."""
    client = module_app.test_client()
    assert client.put("/_dryline/state", json=document()).status_code == 204
    client.put("/_dryline/clock", json={"now": "2026-03-02T12:00:00Z", "frozen": True})
    client.post("/_dryline/snapshots", json={"name": "start"})
    return module_app


@pytest.fixture(scope="module")
def schema(app):
    return schemathesis.openapi.from_wsgi("/openapi.json", app)


@pytest.fixture(scope="module")
def start(app):
    return app.test_client().get("/_dryline/state").data


@pytest.fixture
def filled(app, start, monkeypatch):
    """Return the stand-in to its start after a test that changed it. Nobody waits for what does not come."""
    wait_for_requests = request_search.wait
    monkeypatch.setattr(
        request_search, "wait", lambda world, criteria, count, within_s: wait_for_requests(world, criteria, count, 0)
    )
    wait_for_webhooks = webhook_search.wait
    monkeypatch.setattr(webhook_search, "wait", lambda criteria, count, within_s: wait_for_webhooks(criteria, count, 0))
    yield
    client = app.test_client()
    state = client.get("/_dryline/state").data
    if state != start:
        answer = client.put("/_dryline/state", data=state, content_type="application/json")
        assert answer.status_code == 204, answer.text
        assert client.post("/_dryline/snapshots/start/restore").status_code == 204


def probe(operation, own, mode=GenerationMode.POSITIVE):
    """Call an operation of the document with generated requests; look at every answer.

    The ids in the path are `own`. Valid requests refer to rows that are there.
    """
    headers = {"x-api-key": KEYS[NORTH]}

    @given(case=operation.as_strategy(mode, headers=headers, path_parameters=own))
    @settings(FEW, max_examples=EXAMPLES[mode])
    def check(case):
        if mode is GenerationMode.POSITIVE:
            refer_to_own(case.body)
        answer = case.call(headers=headers)
        case.validate_response(answer, checks=CHECKS)
        assert str(answer.status_code) in operation.definition.raw["responses"], answer.text

    check()


def refer_to_own(body):
    """Let the references in a body lead to rows that are there."""
    for name in REFERENCES.keys() & (body if isinstance(body, dict) else {}):
        id = id_of(NORTH, REFERENCES[name])
        if isinstance(body[name], list):
            body[name] = [id for _ in body[name]]
        elif isinstance(body[name], str):
            body[name] = id


@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("operation", OPERATIONS, ids=by_id)
def test_an_operation_of_the_contract_answers_as_described(filled, schema, operation, mode):
    path = operation["path"]
    own = dict(zip(parameters(path), path_ids(path, NORTH), strict=True))
    documented = schema[path][operation["method"]]
    if mode is GenerationMode.POSITIVE or len(documented.body) or len(documented.query):
        probe(documented, own, mode)


# The client of schemathesis does not close the answer with a snapshot's file.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <_io.FileIO:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("mode", GenerationMode)
def test_the_rest_of_the_document_answers_as_described(filled, schema, app, mode):
    contract = {(operation["path"], operation["method"]) for operation in OPERATIONS}
    faults = {}
    for path, verbs in app.openapi.document()["paths"].items():
        for verb in verbs.keys() - {"parameters"}:
            operation = schema[path][verb.upper()]
            can_be_broken = len(operation.body) or len(operation.query)
            if (path, verb.upper()) in contract or (mode is GenerationMode.NEGATIVE and not can_be_broken):
                continue
            try:
                probe(operation, {}, mode)
            except (AssertionError, ExceptionGroup) as error:
                faults[f"{verb} {path}"] = f"{error} {getattr(error, 'exceptions', '')}"
    assert faults == {}
