"""Every example of the guides is run as it is written."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dryline.pytest_plugin import OPTIONS
from dryline.testing import DrylineServer

ROOT = Path(__file__).parent.parent
BIN = str(Path(sys.executable).parent)
ENVIRONMENT = {**os.environ, "PATH": BIN + os.pathsep + os.environ["PATH"]}


def examples(guide):
    """The titled blocks of a guide: title -> code."""
    text = (ROOT / guide).read_text()
    return dict(re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', text, re.DOTALL))


TESTING = examples("docs/testing.md")


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_pytest_examples(tmp_path):
    titles = {title for title in TESTING if title.startswith("test_") and "unittest" not in title}
    for title in titles:
        (tmp_path / title).write_text(TESTING[title].replace("path/to/venv/bin/dryline", f"{BIN}/dryline"))
    # No other plugins: those of the running pytest would take seconds to import.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENVIRONMENT, "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        out = run(tmp_path, sys.executable, "-m", "pytest", "-p", "dryline.pytest_plugin", "-rA")
    assert set(re.findall(r"^PASSED (\w+\.py)::", out, re.MULTILINE)) == titles


def test_the_guides_options_are_the_plugins():
    rows = re.findall(r"^\| `--dryline-.*", (ROOT / "docs/testing.md").read_text(), re.MULTILINE)
    for prefix in ("--dryline-", "dryline_"):
        assert re.findall(rf"`{prefix}(\w+)", "".join(rows)) == [option.name for option in OPTIONS]


def test_the_guide_names_every_helper():
    helpers = {name for name in dir(DrylineServer) if not name.startswith("_")} - {"start", "stop"}
    text = (ROOT / "docs/testing.md").read_text()
    assert {name for name in helpers if not re.search(rf"\.{name}\b", text)} == set()


def test_the_unittest_example(tmp_path):
    (tmp_path / "test_with_unittest.py").write_text(TESTING["test_with_unittest.py"])
    done = subprocess.run(
        [sys.executable, "test_with_unittest.py"], cwd=tmp_path, capture_output=True, text=True, env=ENVIRONMENT
    )
    assert done.stderr.endswith("OK\n"), done.stderr


def test_the_node_example(tmp_path):
    (tmp_path / "orders.test.mjs").write_text(TESTING["orders.test.mjs"])
    out = run(tmp_path, "node", "--test", "--test-reporter=tap", "orders.test.mjs")
    assert re.search(r"# pass 2\b", out), out


def test_the_shell_example(tmp_path):
    (tmp_path / "orders.sh").write_text(TESTING["orders.sh"])
    assert run(tmp_path, "sh", "orders.sh").endswith('{"count":1}')


def test_the_compose_file_names_settings_that_exist():
    services = yaml.safe_load(TESTING["compose.yaml"])["services"]
    help_text = run(ROOT, "dryline", "serve", "--help")
    assert all(name in help_text for name in services["dryline"]["environment"])
    assert services["tests"]["depends_on"]["dryline"]["condition"] == "service_healthy"


def test_the_workflows_commands_exist(tmp_path):
    jobs = yaml.safe_load(TESTING["workflow.yaml"])["jobs"]
    help_text = run(ROOT, "dryline", "serve", "--help")
    assert all(name in help_text for name in jobs["with-a-service"]["services"]["dryline"]["env"])
    start = next(step["run"] for step in jobs["without-a-service"]["steps"] if "dryline serve" in step.get("run", ""))
    script = start.replace("dryline serve", "dryline serve --port 0") + "cat ready.json\nkill $!\n"
    out = run(tmp_path, "sh", "-euc", script).splitlines()[-1]
    assert json.loads(out)["url"].startswith("http://127.0.0.1:")


def test_the_control_planes_examples(tmp_path):
    text = (ROOT / "docs/control-plane.md").read_text()
    with DrylineServer() as server:
        server.client().workers.create(name="Front desk", description=None, status=None)
        blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        assert len(blocks) == 4
        for code in blocks:
            out = run(
                tmp_path, "sh", "-euc", code.replace("http://127.0.0.1:4010", server.url).replace("curl", "curl -sf")
            )
            assert out
        assert server.plane("GET", "/faults")[0]["times"] == 2


def test_the_state_example_can_be_loaded():
    text = (ROOT / "docs/control-plane.md").read_text()
    document = json.loads(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])
    with DrylineServer() as server:
        server.load(document)
        server.api_key = "my-key"
        assert [worker.name for worker in server.client().workers.list()] == ["Front desk"]


class TestTheReadme:
    @pytest.fixture
    def blocks(self):
        return re.findall(r"```(\w+)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)

    @pytest.fixture
    def demo(self):
        with DrylineServer(scenario="demo") as server:
            yield server

    def block(self, blocks, language, part):
        return next(code for kind, code in blocks if kind == language and part in code)

    def here(self, code, server):
        return code.replace("http://127.0.0.1:4010", server.url)

    def test_python(self, blocks, demo, tmp_path):
        exports = self.here(self.block(blocks, "sh", "BRAINBASE_LABS_BASE_URL"), demo).splitlines()[1]
        (tmp_path / "a.py").write_text(self.block(blocks, "python", "BrainbaseLabs()"))
        assert run(tmp_path, "sh", "-euc", f"{exports}\n{sys.executable} a.py").count("worker_") == 4

    def test_curl_and_its_answer(self, blocks, demo, tmp_path):
        code = self.here(self.block(blocks, "sh", "Front desk"), demo)
        answer = json.loads(run(tmp_path, "sh", "-euc", code))
        shown = json.loads(self.block(blocks, "json", "Front desk"))
        assert list(answer) == list(shown)
        assert {**answer, **{name: shown[name] for name in ("id", "createdAt", "updatedAt", "teamId")}} == shown

    def test_node(self, blocks, demo, tmp_path):
        (tmp_path / "a.mjs").write_text(self.here(self.block(blocks, "js", "fetch"), demo))
        assert run(tmp_path, "node", "a.mjs").startswith("[")

    def test_one_export_from_end_to_end(self, blocks, demo, tmp_path):
        code = self.here(self.block(blocks, "sh", "/api/team/exports"), demo)
        demo.freeze()
        # A person types slowly; a script looks again until the job is done.
        ask = "url=$(curl"
        wait = 'until curl -s $api/api/team/exports/$id -H "$key" | grep -q COMPLETED; do sleep 0.05; done\n'
        out = run(tmp_path, "sh", "-euc", code.replace(ask, wait + ask))
        assert "startTime,status,duration,fromNumber" in out
        assert len(out.splitlines()) >= 3

    def test_state_and_clock(self, blocks, demo, tmp_path):
        run(tmp_path, "sh", "-euc", self.here(self.block(blocks, "sh", "/_dryline/reset"), demo))
        assert json.loads((tmp_path / "world.json").read_text())["version"] == 1

    def test_the_settings_table_is_the_programs(self):
        table = dict(re.findall(r"^\| `(--[\w-]+)` \| `(\w+)`", (ROOT / "README.md").read_text(), re.MULTILINE))
        help_text = run(ROOT, "dryline", "serve", "--help")
        offered = dict.fromkeys(re.findall(r"^\s+(--[\w-]+)", help_text, re.MULTILINE))
        assert {*table, "--ready-file", "--help"} == {*offered, "--help"}
        assert all(variable in help_text for variable in table.values())


PAGES = sorted(str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_file_leads_there(page):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text())
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_no_page_installs_dryline_from_an_index_which_has_no_such_package(page):
    assert re.findall(r"(?:pip|uv|pipx) (?:install|add) dryline\b|uvx dryline\b", (ROOT / page).read_text()) == []


def test_no_line_of_the_readme_for_a_shell_has_a_comment():
    # Typed into zsh, the shell of macOS, a `#` is a word like any other.
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert [line for block in blocks for line in block.splitlines() if re.search(r"(^|\s)#", line)] == []
