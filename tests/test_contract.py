"""The served OpenAPI document against the contract, operation by operation and member by member."""

from __future__ import annotations

import pytest
from openapi_spec_validator import validate

from dryline.app import close_app, create_app
from dryline.settings import Settings
from dryline.tests.contract import OPERATIONS, by_id, example_request, fill, parameters
from dryline.tests.contract.comparison import Comparison

# Differences from the contract that are meant, and why.
LEEWAY = {
    "assignTag: 200 is not in the contract": "its note: assigning twice answers 200",
    "initTeamDefaultChecks: 200 is not in the contract": "its note: a second call answers 200",
}


@pytest.fixture(scope="module")
def app():
    """One empty stand-in for all of these tests: none of them changes it."""
    app = create_app(Settings(ephemeral=True, scenario="empty", seed=1))
    yield app
    close_app(app)


@pytest.fixture(scope="module")
def document(app):
    return app.test_client().get("/openapi.json").json


def is_served(document, operation):
    return operation["method"].lower() in document["paths"].get(operation["path"], {})


# Shrinks until it is empty; then it goes.
NOT_BUILT_YET: set[str] = set()


SERVED = [operation for operation in OPERATIONS if operation["id"] not in NOT_BUILT_YET]
each_operation = pytest.mark.parametrize("operation", SERVED, ids=by_id)


def test_what_is_not_built_yet_is_not_served(document):
    assert [op["id"] for op in OPERATIONS if op["id"] in NOT_BUILT_YET and is_served(document, op)] == []


@each_operation
def test_an_operation_is_served_as_the_contract_describes_it(document, operation):
    assert is_served(document, operation)
    assert [line for line in Comparison(document).operation(operation) if line not in LEEWAY] == []


def test_every_leeway_is_needed(document):
    lines = {line for operation in SERVED for line in Comparison(document).operation(operation)}
    assert LEEWAY.keys() - lines == set()


@each_operation
def test_an_operation_demands_the_key(app, operation):
    path = fill(operation["path"], *["nothing"] * 9)
    answer = app.test_client().open(path, method=operation["method"], **example_request(operation))
    if operation.get("auth", {}).get("kind") == "none":
        assert answer.status_code != 401
    else:
        assert answer.status_code == 401
        assert isinstance(answer.json["error"], str)


def test_the_document_is_valid_openapi(document):
    validate(document)
    assert document["openapi"] == "3.0.3"
    assert document["info"]["version"] == "1.0.3"


def test_every_operation_of_the_document_has_its_own_id_and_a_tag_that_is_described(document):
    operations = [op for path in document["paths"].values() for verb, op in path.items() if verb != "parameters"]
    ids = [operation["operationId"] for operation in operations]
    assert sorted(ids) == sorted(set(ids))
    described = [tag["name"] for tag in document["tags"]]
    assert {tag for operation in operations for tag in operation["tags"]} == set(described)
    assert len(described) == len(set(described))


def test_the_documents_tags_are_the_contracts_areas(document):
    found = {op["id"]: document["paths"][op["path"]][op["method"].lower()]["tags"] for op in SERVED}
    assert found == {operation["id"]: [operation["area"]] for operation in SERVED}


def test_the_document_asks_for_the_key_where_the_contract_does(document):
    for operation in SERVED:
        served = document["paths"][operation["path"]][operation["method"].lower()]
        schemes = [name for choice in served.get("security", []) for name in choice]
        assert ("apiKey" in schemes) == (operation.get("auth", {}).get("kind") != "none"), operation["id"]


def test_no_schema_of_the_document_is_unused(document):
    text = str(document)
    unused = [name for name in document["components"]["schemas"] if f"#/components/schemas/{name}'" not in text]
    assert unused == []


def test_a_path_parameter_is_text_and_required(document):
    for operation in SERVED:
        path = document["paths"][operation["path"]]
        found = [parameter for parameter in path.get("parameters", []) if parameter["in"] == "path"]
        assert [parameter["name"] for parameter in found] == parameters(operation["path"])
        assert all(parameter["required"] and parameter["schema"]["type"] == "string" for parameter in found)
