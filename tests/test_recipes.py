"""The programs of docs/recipes.md do what the page says, as they stand there: in this process, on one server."""

import csv
import json
import re
import subprocess
from pathlib import Path

import pytest

from dryline.testing import DrylineServer

PAGE = (Path(__file__).parent.parent / "docs/recipes.md").read_text()
# Those whose names begin with test_ are for pytest; test_beside_other_tools.py runs the most.
RECIPES = dict(re.findall(r'```python title="(?!test_)([^"]+)"\n(.*?)```', PAGE, re.DOTALL))


@pytest.fixture(scope="module")
def server():
    with DrylineServer(seed=7) as server:
        yield server


@pytest.fixture
def run(server, monkeypatch, tmp_path, capsys):
    """Return a function that runs a recipe on a clean world and returns the lines that it prints."""
    server.reset()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    def run(title):
        names = {"__name__": "__main__"}
        exec(compile(RECIPES[title], title, "exec"), names)
        if "client" in names:
            names["client"].close()
        return capsys.readouterr().out.splitlines()

    return run


def test_from_nothing_to_a_call(run):
    lines = run("first_call.py")
    assert len(lines) == 5 and not any("+14155550100" in line for line in lines)
    assert any(line.startswith("completed +1") and "'booking': {'day': " in line for line in lines)


def test_paging_by_cursor_reads_every_call(run, server):
    server.simulate_calls(230, direction="inbound", llm_logs=False)
    (line,) = run("paging.py")
    assert line.endswith(" 230")


def test_a_nightly_export_has_the_numbers_as_they_are(run, server, tmp_path):
    server.simulate_calls(3)
    assert run("nightly.py") == ["3 calls"]
    with (tmp_path / "calls.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["fromNumber"][:2] for row in rows] == ["+1"] * 3
    assert list(rows[0]) == ["id", "startTime", "status", "duration", "fromNumber", "toNumber"]


def test_a_webhook_receiver_gets_start_and_end(run):
    lines = run("receiver.py")
    assert sorted(line.split()[0] for line in lines) == ["ended", "started"]
    assert len({line.split()[1] for line in lines}) == 1


def test_the_webhook_receiver_reads_no_header_that_only_dryline_sends():
    _, _, program = PAGE.partition('title="receiver.py"')
    program, _, _ = program.partition("\n```")
    assert "Receiver" in program
    assert "X-Dryline" not in program


def test_a_campaign_calls_its_rows_once_it_runs(run):
    status, *calls = run("campaign.py")
    assert status == "COMPLETED"
    assert sorted(line.split()[0] for line in calls) == ["row-0", "row-1", "row-2", "row-3"]


@pytest.mark.parametrize(
    ("path", "key", "status", "message"),
    [
        ("/api/workers", None, 401, "The x-api-key header is missing."),
        ("/api/workers", "another", 401, "The API key is not valid."),
        ("/api/api/workers", "dryline-local-key", 404, "No such path: GET /api/api/workers"),
        ("/api/workers/worker_0", "dryline-local-key", 404, "Worker worker_0 not found."),
    ],
)
def test_a_refusal_is_as_the_page_has_it(app, path, key, status, message):
    answer = app.test_client().get(path, headers={"x-api-key": key} if key else {})
    assert answer.status_code == status
    assert answer.json["error"].startswith(message)
    assert f"| {status} `{message}` |" in PAGE


def test_the_curl_example_gets_the_printed_answer(server):
    server.reset()
    command = re.search(r"```sh\n(curl .*?)```", PAGE, re.DOTALL)[1].replace("http://127.0.0.1:4010", server.url)
    answer = json.loads(subprocess.run(["sh", "-euc", command], capture_output=True, check=True).stdout)
    printed = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])
    assert list(answer) == list(printed)
    assert {**answer, **{name: printed[name] for name in ("id", "createdAt", "updatedAt", "teamId")}} == printed


def test_every_recipe_is_run():
    run = Path(__file__).read_text()
    assert [title for title in RECIPES if f'run("{title}")' not in run] == []


def test_a_test_of_webhooks(run_pytest):
    (code,) = re.findall(r'```python title="test_webhooks.py"\n(.*?)```', PAGE, re.DOTALL)
    run_pytest(code).assert_outcomes(passed=1)
