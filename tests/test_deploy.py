"""The files in deploy/ are valid and use settings that exist. test_cluster.py runs nginx with them."""

import re
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from dryline.commands.serve import serve
from dryline.settings import Settings

DEPLOY = Path(__file__).parent.parent / "deploy"
KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
NGINX = (DEPLOY / "nginx" / "dryline.conf").read_text()
SETTINGS = {option.envvar for option in serve.params if option.envvar}
OBJECTS = [object for path in KUBERNETES for object in yaml.safe_load_all(path.read_text())]


def of_kind(kind, name="dryline"):
    return next(each for each in OBJECTS if (each["kind"], each["metadata"]["name"]) == (kind, name))


@pytest.mark.parametrize("object", OBJECTS, ids=lambda each: f"{each['kind']}-{each['metadata']['name']}")
def test_every_object_of_kubernetes_is_valid(object):
    kubernetes_validate.validate(object, "1.31", strict=True)


def test_a_pods_name_may_be_a_nodes():
    claimed = of_kind("StatefulSet")
    for number in range(claimed["spec"]["replicas"]):
        Settings(node=f"{claimed['metadata']['name']}-{number}")


def test_the_headless_service_is_the_pods():
    claimed, service = of_kind("StatefulSet"), of_kind("Service")
    assert claimed["spec"]["serviceName"] == service["metadata"]["name"]
    assert service["spec"]["clusterIP"] == "None"
    for selected in (service["spec"]["selector"], of_kind("PodDisruptionBudget")["spec"]["selector"]["matchLabels"]):
        assert selected.items() <= claimed["spec"]["template"]["metadata"]["labels"].items()


def test_every_variable_of_a_node_is_a_setting():
    pod = of_kind("StatefulSet")["spec"]["template"]["spec"]["containers"][0]
    named = {each["name"] for each in pod["env"]} - {"START_KEY"}
    for service in COMPOSE["services"].values():
        if service["image"] == "dryline":
            named |= set(service.get("environment", ()))
    assert named and named <= SETTINGS


def test_nginx_knows_every_node_of_compose_in_each_of_its_three_places():
    nodes = {name.removeprefix("node-") for name in COMPOSE["services"] if name.startswith("node-")}
    upstreams = (DEPLOY / "nginx" / "upstreams.conf").read_text()
    assert nodes == {"a", "b", "c"} == set(re.findall(r"upstream (\S+) \{ server node-\1:4010;", upstreams))
    assert nodes == {of for prefix, of in re.findall(r"~\^dl_(\S+)_ (\S+);", NGINX) if prefix == of}
    assert nodes == set(re.search(r"<dryline_path>([^)]+)\)", NGINX)[1].split("|"))


def test_every_node_of_compose_has_its_own_volume_restored_and_copied_by_litestream():
    services = COMPOSE["services"]
    copied = yaml.safe_load((DEPLOY / "litestream.yml").read_text())["dbs"][0]
    assert copied["path"] == "/data/dryline.sqlite3" and copied["replica"]["type"] == "s3"
    for node in ("a", "b", "c"):
        assert services[f"node-{node}"]["environment"]["DRYLINE_NODE"] == node
        assert services[f"node-{node}"]["environment"]["DRYLINE_PUBLIC_URL"].endswith(f"/{node}")
        for part in ("node", "restore", "litestream"):
            assert f"{node}:/data" in services[f"{part}-{node}"]["volumes"]
        for part in ("restore", "litestream"):
            assert services[f"{part}-{node}"]["environment"]["DRYLINE_NODE"] == node
