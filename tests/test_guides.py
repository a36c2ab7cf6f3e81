"""Every example of the guides is run as it is written."""

import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import yaml
from click.testing import CliRunner

from dryline.commands import cli
from dryline.settings import Settings
from dryline.testing import DrylineServer
from dryline.tools import helper_reference

ROOT = Path(__file__).parent.parent
BIN = str(Path(sys.executable).parent)
ENVIRONMENT = {**os.environ, "PATH": BIN + os.pathsep + os.environ["PATH"]}


def examples(guide):
    """Return the titled blocks of a guide: title -> code."""
    text = (ROOT / guide).read_text()
    return dict(re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', text, re.DOTALL))


TESTING = examples("docs/testing.md")


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_pytest_examples(run_pytest, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    titles = {title for title in TESTING if title.startswith("test_") and "unittest" not in title}
    for title in titles:
        (tmp_path / title).write_text(TESTING[title].replace("path/to/venv/bin/dryline", f"{BIN}/dryline"))
    out = run_pytest("", "-rA", tmp_path).stdout.str()
    assert set(re.findall(r"^(?:PASSED|SKIPPED \[1\]) (\w+\.py):", out, re.MULTILINE)) == titles


def test_the_reference_of_the_helpers_is_made_from_the_code():
    page = helper_reference.PAGE.read_text()
    part = page.partition(helper_reference.BEGINNING)[2].partition(helper_reference.END)[0]
    assert part == helper_reference.reference(), "Run python -m dryline.tools.helper_reference"


def test_the_unittest_example(tmp_path):
    (tmp_path / "test_with_unittest.py").write_text(TESTING["test_with_unittest.py"])
    done = subprocess.run(
        [sys.executable, "test_with_unittest.py"], cwd=tmp_path, capture_output=True, text=True, env=ENVIRONMENT
    )
    assert done.stderr.endswith("OK\n"), done.stderr


def test_the_node_example(tmp_path):
    (tmp_path / "orders.test.mjs").write_text(TESTING["orders.test.mjs"])
    out = run(tmp_path, "node", "--test", "--test-reporter=tap", "orders.test.mjs")
    assert re.search(r"# pass 1\b", out), out


def test_the_shell_example(tmp_path):
    (tmp_path / "orders.sh").write_text(TESTING["orders.sh"])
    assert run(tmp_path, "sh", "orders.sh").endswith('{"count":1}')


@pytest.fixture
def help_text():
    return CliRunner().invoke(cli, ["serve", "--help"]).output


def test_the_compose_file_names_settings_that_exist(help_text):
    services = yaml.safe_load(TESTING["compose.yaml"])["services"]
    assert all(name in help_text for name in services["dryline"]["environment"])


CONTROL_PLANE = (ROOT / "docs/control-plane.md").read_text()
CONTROL_EXAMPLES = re.findall(
    r"^## ([^\n]+)\n(?:(?!^## ).)*?^```sh\n(.*?)^```", CONTROL_PLANE, re.DOTALL | re.MULTILINE
)


@pytest.fixture(scope="module")
def control_server():
    with DrylineServer() as server:
        yield server


@pytest.fixture
def control_ids(control_server, monkeypatch):
    """Return a world with a row for each id that the examples name in a variable."""
    server = control_server
    server.reset()
    server.settings(export_mode="manual")
    workers = server.client().workers
    worker = workers.create(name="Front desk", description=None, status=None)
    flow = workers.flows.create(worker.id, name="Main", label="", code=examples("docs/flows.md")["clinic.based"])
    line = workers.deployments.voice.create(worker.id, name="Line", phone_number="+14155550100", flow_id=flow.id)
    webhook = {"worker_id": worker.id, "url": f"{server.url}/inbox/calls", "fields": "summary"}
    workers.deployments.voice.custom_webhooks.create(line.id, **webhook)
    (log,) = server.simulate_calls(deployment_id=line.id)
    window = {"startDate": "2020-01-01T00:00:00Z", "endDate": "2020-03-01T00:00:00Z", "format": "CSV"}
    key = {"x-api-key": server.api_key}
    ids = {
        "WORKER_ID": worker.id,
        "FLOW_ID": flow.id,
        "DEPLOYMENT_ID": line.id,
        "LOG_ID": log,
        "TALK_ID": server.plane("POST", "/talk", {"flowId": flow.id})["id"],
        "TEAM_ID": server.plane("GET", "/teams")[0]["id"],
        "EXPORT_ID": httpx.post(f"{server.url}/api/team/exports", json=window, headers=key).json()["id"],
    }
    for name, value in ids.items():
        monkeypatch.setitem(ENVIRONMENT, name, value)


@pytest.mark.parametrize(("heading", "code"), CONTROL_EXAMPLES, ids=[heading for heading, _ in CONTROL_EXAMPLES])
def test_the_examples_of_the_control_plane(control_server, control_ids, tmp_path, heading, code):
    variables = re.search(r"^plane=.*\njson=.*\n", CONTROL_PLANE, re.MULTILINE)[0]
    script = (variables + code).replace("http://127.0.0.1:4010", control_server.url).replace("curl ", "curl -sf ")
    run(tmp_path, "sh", "-euc", script)


def test_each_group_of_the_control_plane_has_an_example():
    groups = re.findall(r"^\| \[([^]]+)\]\(#", CONTROL_PLANE, re.MULTILINE)
    assert [heading for heading, _ in CONTROL_EXAMPLES] == groups


def test_the_control_plane_page_names_every_route(module_app):
    document = module_app.openapi.document()
    named = set(re.findall(r"[ `](/[\w{}./-]+)`", CONTROL_PLANE.partition("## Who may use it")[0]))
    routes = {
        re.sub(r"\{\w+\}", "{}", path.removeprefix("/_dryline")) for path in document["paths"] if "/_dryline" in path
    }
    assert {re.sub(r"\{\w+\}", "{}", path) for path in named} - {"/_dryline", "/inbox/{}"} == routes


def test_pull_copies_a_service_into_a_document_that_loads(tmp_path):
    first, second = examples_in_shell("docs/pull-and-drift.md")
    with DrylineServer(scenario="clinic") as service:
        first, second = (
            code.replace("https://service.example.com", service.url).replace("KEY", "dryline-local-key --rate 0")
            for code in (first.splitlines()[0], second)
        )
        run(tmp_path, "sh", "-euc", first)
        assert "0 deviations" in run(tmp_path, "sh", "-euc", second)
    with DrylineServer(scenario=str(tmp_path / "world.json")) as copy:
        assert [worker["name"] for worker in copy.state()["workers"]] == ["Elm Street Animal Hospital"]


def examples_in_shell(guide):
    """Return the blocks of a guide for a shell, in their order."""
    return re.findall(r"^```sh[^\n]*\n(.*?)^```", (ROOT / guide).read_text(), re.DOTALL | re.MULTILINE)


def test_the_state_example_can_be_loaded():
    document = json.loads(re.search(r"```json\n(.*?)```", CONTROL_PLANE, re.DOTALL)[1])
    with DrylineServer() as server:
        server.load(document)
        server.api_key = "my-key"
        assert [worker.name for worker in server.client().workers.list()] == ["Front desk"]


README = (ROOT / "README.md").read_text()


def block(language, part):
    """Return the README's block in this language that contains `part`."""
    blocks = re.findall(r"```(\w+)[^\n]*\n(.*?)```", README, re.DOTALL)
    return next(code for kind, code in blocks if kind == language and part in code)


@pytest.fixture(scope="module")
def demo():
    with DrylineServer(scenario="demo") as server:
        yield server


def test_the_readmes_client_lists_the_demos_workers(demo, tmp_path):
    exports = block("sh", "BRAINBASE_LABS_BASE_URL").splitlines()[1].replace("http://127.0.0.1:4010", demo.url)
    (tmp_path / "a.py").write_text(block("python", "client.workers.list()"))
    assert run(tmp_path, "sh", "-euc", f"{exports}\n{sys.executable} a.py").count("worker_") == 4


def test_the_readmes_pytest_example_passes(run_pytest, tmp_path):
    for name, code in examples("README.md").items():
        (tmp_path / name).write_text(code)
    run_pytest("", tmp_path).assert_outcomes(passed=1)


def test_the_readmes_control_commands_work(demo, tmp_path):
    run(tmp_path, "sh", "-euc", block("sh", "/_dryline/reset").replace("http://127.0.0.1:4010", demo.url))
    assert json.loads((tmp_path / "world.json").read_text())["version"] == 1


SETTINGS = re.findall(r"^\| `(--[\w-]+)` \| (\S+) \|", (ROOT / "docs/settings.md").read_text(), re.MULTILINE)


def test_the_settings_page_has_every_flag_and_its_variable(help_text):
    flags = {*re.findall(r"^\s+(--[\w-]+)", help_text, re.MULTILINE)}
    assert {flag for flag, _ in SETTINGS} == flags - {"--ready-file"}
    for flag, _ in SETTINGS:
        assert "DRYLINE_" + flag.removeprefix("--").replace("-", "_").upper() in help_text


def test_the_settings_page_has_the_defaults():
    defaults = {field.name: field.default for field in dataclasses.fields(Settings)}
    for flag, default in SETTINGS:
        name = flag.removeprefix("--").replace("-", "_")
        value = defaults[name if name in defaults else f"{name}s"]
        if isinstance(value, tuple):
            value = next(iter(value), None)
        assert default == {None: "none", False: "off"}.get(value, f"`{value}`"), flag


PAGES = sorted(str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_file_leads_there(page):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text())
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def anchors(page):
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(
        r"^#+ (.*)", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_heading_leads_there(page):
    links = re.findall(r"\]\(([^)#:]*)#([^)]+)\)", (ROOT / page).read_text())
    path = ROOT / page
    assert [link for link in links if link[1] not in anchors(path.parent / link[0] if link[0] else path)] == []
