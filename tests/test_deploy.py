"""The files in deploy/ are valid and use settings that exist. test_cluster.py runs nginx with them."""

import re
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from dryline.commands.serve import serve
from dryline.settings import Settings

DEPLOY = Path(__file__).parent.parent / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SETTINGS = {option.envvar for option in serve.params if option.envvar}
OBJECTS = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))
NODES = set(re.findall(r"upstream (\S+) { server \1:4010;", (DEPLOY / "nginx.conf").read_text()))


@pytest.mark.parametrize("object", OBJECTS, ids=lambda each: f"{each['kind']}-{each['metadata']['name']}")
def test_every_object_of_kubernetes_is_valid(object):
    kubernetes_validate.validate(object, "1.31", strict=True)


def test_compose_and_kubernetes_have_the_nodes_of_nginx():
    pods = OBJECTS[0]
    assert {f"{pods['metadata']['name']}-{number}" for number in range(pods["spec"]["replicas"])} == NODES
    assert {each["metadata"]["name"] for each in OBJECTS if each["kind"] == "Service"} >= NODES
    assert {name for name, service in COMPOSE["services"].items() if service["image"] == "dryline"} == NODES
    for node in NODES:
        Settings(node=node)
        environment = COMPOSE["services"][node]["environment"]
        assert environment["DRYLINE_NODE"] == node and environment["DRYLINE_PUBLIC_URL"].endswith(f"/{node}")


def test_every_variable_of_a_node_is_a_setting():
    named = {each["name"] for each in OBJECTS[0]["spec"]["template"]["spec"]["containers"][0]["env"]} - {"START_KEY"}
    for node in NODES:
        named |= set(COMPOSE["services"][node]["environment"])
    assert named <= SETTINGS
