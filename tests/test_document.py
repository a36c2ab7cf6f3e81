"""The OpenAPI document: descriptions of operations and members, and examples from a running server."""

import json
import re

import pytest

from dryline.commands.remote.shapes import Shapes
from dryline.tools.examples.areas import walk_through
from dryline.tools.examples.walk import Walk
from dryline.web.openapi import EXAMPLES

WAY_OUT = "A new operation needs a call in tools/examples; then: python -m dryline.tools.examples"


@pytest.fixture(scope="module")
def walk():
    """All examples, called anew: each body is taken, and each answer is of a status that the document has."""
    with Walk() as walk:
        walk_through(walk)
        yield walk


@pytest.fixture(scope="module")
def document(walk):
    return walk.app.openapi.document()


@pytest.fixture(scope="module")
def operations(document):
    return [operation for path in document["paths"].values() for operation in path.values()]


def contents(operations):
    """Each JSON body and each JSON answer that is a whole one, with the operation and where in it that is."""
    for operation in operations:
        places = {status: answer for status, answer in operation["responses"].items() if "$ref" not in answer}
        places.pop("206", None)  # a part of 200's
        for where, place in {"body": operation.get("requestBody", {}), **places}.items():
            for kind, content in place.get("content", {}).items():
                if content["schema"].get("format") != "binary":
                    yield f"{operation['operationId']} {where} {kind}", content


def test_every_operation_and_parameter_says_what_it_means_and_who_may_call_it(operations):
    members = {"operationId", "summary", "description", "tags", "security"}
    assert len(operations) > 200
    assert [operation["operationId"] for operation in operations if members - operation.keys()] == []
    parameters = [(op["operationId"], one) for op in operations for one in op.get("parameters", [])]
    assert [(id, one["name"]) for id, one in parameters if not one.get("description")] == []


def test_a_title_is_one_sentence_that_stands_once_below_its_tag(operations):
    titles = [(operation["tags"][0], operation["summary"]) for operation in operations]
    assert [title for _, title in titles if ". " in title or "\n" in title] == []
    assert sorted(titles) == sorted(set(titles))


def test_every_record_and_member_says_what_it_means(document):
    silent = [
        f"{name}.{member}"
        for name, schema in document["components"]["schemas"].items()
        for member, form in schema.get("properties", {}).items()
        if not form.keys() & {"description", "$ref", "allOf", "anyOf"}
    ]
    assert silent == []
    texts = [schema.get("description", "") for schema in document["components"]["schemas"].values()]
    assert [text for text in texts if re.search(r"Contract|Assumed|\(client\)|^$|  ", text)] == []


def test_nothing_may_be_null_without_a_type(document):
    forms = []
    json.loads(json.dumps(document["components"]), object_hook=lambda form: forms.append(form) or form)
    assert [form for form in forms if form.get("nullable") is True and "type" not in form] == []


def test_no_member_of_a_body_has_a_default_that_generated_clients_would_demand(document):
    schemas = document["components"]["schemas"].items()
    members = [(name, member, form) for name, schema in schemas for member, form in schema["properties"].items()]
    assert [(name, member) for name, member, form in members if "default" in form] == []
    assert any("Default: `" in form.get("description", "") for _, _, form in members)


def test_every_body_and_answer_has_an_example_of_its_form(document, operations):
    shapes = Shapes(document)
    errors = document["components"]["responses"].items()
    examples = [*contents(operations), *((name, one["content"]["application/json"]) for name, one in errors)]
    assert len(examples) > 200
    assert [where for where, content in examples if "example" not in content] == [], WAY_OUT
    wrong = {where: list(shapes.deviations(content["schema"], content["example"])) for where, content in examples}
    assert {where: deviations for where, deviations in wrong.items() if deviations} == {}, WAY_OUT


def members(value):
    """Return the names of an object's members, or the type of another value."""
    return sorted(value) if isinstance(value, dict) else type(value).__name__


def test_the_examples_are_what_the_server_takes_and_gives_today(walk):
    examples = json.loads(EXAMPLES.read_bytes())
    errors = examples.pop("errors")
    assert {name: members(error) for name, error in errors.items()} == {n: members(e) for n, e in walk.errors.items()}
    assert {id: example.keys() for id, example in examples.items()} == {
        id: example.keys() for id, example in walk.examples.items()
    }
    for id, example in walk.examples.items():
        assert members(examples[id].get("body")) == members(example.get("body")), f"{id}. {WAY_OUT}"
        for status, answers in example.get("answers", {}).items():
            for kind, answer in answers.items():
                assert members(examples[id]["answers"][status][kind]) == members(answer), f"{id}. {WAY_OUT}"
