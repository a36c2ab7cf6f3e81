"""Shapes reads a schema as the validator library does."""

import contextlib
import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from openapi_schema_validator import OAS30Validator, oas30_format_checker

from dryline.commands.remote.reader import ReadError
from dryline.commands.remote.shapes import Shapes
from dryline.tests.remote.conftest import reader

READ = {"type", "nullable", "$ref", "format", "items", "properties", "required", "enum", "minimum", "allOf", "anyOf"}
READ |= {"additionalProperties"}


@pytest.fixture(scope="module")
def document(small_server):
    return small_server.app.openapi.document()


def answers(document):
    """Yield the schema of each answer to a GET, by path."""
    for path, operations in document["paths"].items():
        if path.startswith("/api/") and "get" in operations:
            yield path, operations["get"]["responses"]["200"]["content"]["application/json"]["schema"]


def parts(document, schema, seen):
    yield schema
    name = schema.get("$ref", "").rpartition("/")[2]
    if name and name not in seen:
        seen.add(name)
        yield from parts(document, document["components"]["schemas"][name], seen)
    inner = [*schema.get("properties", {}).values(), *schema.get("allOf", []), *schema.get("anyOf", [])]
    inner += [schema[name] for name in ("items", "additionalProperties") if isinstance(schema.get(name), dict)]
    for part in inner:
        yield from parts(document, part, seen)


def test_no_answer_has_a_keyword_or_format_that_is_not_read(document):
    seen = set()
    schemas = [part for _, schema in answers(document) for part in parts(document, schema, seen)]
    assert {name for schema in schemas for name in schema} <= READ | {"description"}
    assert {schema.get("format") for schema in schemas} == {None, "date-time"}


# Held against the library: answers of a service that has one row of everything, altered in some places.

IDS = {"workerId": "workers", "flowId": "flows", "versionId": "flowVersions", "folderId": "folders", "testId": "tests"}
IDS |= {"integrationId": "integrations", "webhookId": "customWebhooks"}
IDS |= {"resourceId": "resources", "errorId": "runtimeErrors"}


def concrete(path):
    """Return the path with the ids of the rows of `of_north`."""
    kind = "voicev1" if "/voicev1/" in path else "chat" if "/chat/" in path else "voice"
    ids = {**IDS, "deploymentId": f"{kind}Deployments", "logId": f"{kind}Logs"}
    for name, collection in ids.items():
        path = path.replace(f"{{{name}}}", f"north-{collection}")
    return path


@pytest.fixture
def samples(small, document):
    """Pairs of a schema and an answer that fits it."""
    pairs = []
    for path, schema in answers(document):
        with contextlib.suppress(ReadError):
            pairs.append((schema, reader(small).get(concrete(path), countryCode="US", numberType="Local")))
    assert len(pairs) > 45
    return pairs


def places(value, at=()):
    """Yield the path of every member of a JSON value."""
    yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*at, key))


TIMES = ("yesterday", "2026-11-21T17:52:41Z", "2026-11-21 17:52:41Z")
TIMES += ("2026-02-30T00:00:00Z", "2026-W47", "20261121T1752Z")
OTHERS = some.sampled_from([None, True, 0, 1, 1.5, "x", {}, [], [1], {"id": 1}, "GONE", *TIMES])


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=some.data())
def test_an_answer_leaves_its_schema_where_the_library_says_so(samples, document, data):
    schema, answer = data.draw(some.sampled_from(samples))
    answer = [copy.deepcopy(answer)]
    for _ in range(data.draw(some.integers(0, 3))):
        at = (0, *data.draw(some.sampled_from(list(places(answer[0])))))
        parent = answer
        for key in at[:-1]:
            parent = parent[key]
        if isinstance(parent, dict) and data.draw(some.booleans()):
            del parent[at[-1]]
        else:
            parent[at[-1]] = copy.deepcopy(data.draw(OTHERS))
    whole = {"allOf": [schema], "components": document["components"]}
    library = OAS30Validator(whole, format_checker=oas30_format_checker)
    ours = [what for _, what in Shapes(document).deviations(schema, answer[0]) if what != "unknown member"]
    assert bool(ours) == (not library.is_valid(answer[0])), (ours, list(library.iter_errors(answer[0])))
