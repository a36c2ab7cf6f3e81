"""The pytest plugin, as a project sees it. test_packaged_project.py tries it with pytest-xdist, from a wheel."""

import re

import pytest

import dryline
from dryline.testing import DrylineServer


def output(result):
    return result.stdout.str()


def section(result):
    """Return the lines about requests that a failing test shows."""
    text = output(result).partition(" Requests to dryline at http://")[2]
    return [line for line in re.split(r"\n(?:-{9}|=)", text)[0].splitlines()[1:] if line]


WORKER_W1 = '{"version": 1, "workers": [{"id": "w1", "name": "One"}]}'
STARTS_WITH_W1 = """
    def test_it(dryline_in_process):
        assert [worker["id"] for worker in dryline_in_process.state()["workers"]] == ["w1"]
"""


def test_the_scenario_is_where_each_test_starts(run_pytest, pytester):
    pytester.path.joinpath("world.json").write_text(WORKER_W1)
    run_pytest(STARTS_WITH_W1, "--dryline-scenario", "world.json").assert_outcomes(passed=1)


def test_every_option_stands_in_the_configuration_too(run_pytest, pytester):
    # The file lies where the configuration does, not where pytest was started.
    folder = pytester.mkdir("configured")
    (folder / "world.json").write_text(WORKER_W1)
    options = "dryline_scenario = world.json\ndryline_seed = 7\ndryline_strict = true\ndryline_journal = 1\n"
    (folder / "pytest.ini").write_text(f"[pytest]\n{options}")
    code = (
        STARTS_WITH_W1
        + """
    def test_settings(dryline_in_process):
        assert dryline_in_process.settings()["strict"] is True
        assert dryline_in_process.team().id.startswith("team_1000")
    """
    )
    run_pytest(code, "-c", str(folder / "pytest.ini")).assert_outcomes(passed=2)


def test_a_mark_says_what_a_test_starts_from_and_the_nearest_counts(run_pytest, pytester):
    pytester.path.joinpath("world.json").write_text(WORKER_W1)
    code = """
        import pytest

        pytestmark = pytest.mark.dryline(scenario="world.json", strict=True, export_mode="manual")

        def test_of_the_module(dryline_in_process):
            assert [worker["id"] for worker in dryline_in_process.state()["workers"]] == ["w1"]
            live = dryline_in_process.settings()
            assert (live["strict"], live["exportMode"]) == (True, "manual")

        @pytest.mark.dryline(scenario="empty", strict=False)
        def test_of_its_own(dryline_in_process):
            assert dryline_in_process.state()["workers"] == []
            live = dryline_in_process.settings()
            assert (live["strict"], live["exportMode"]) == (False, "manual")
    """
    run_pytest(code, "--strict-markers").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ("strct=True", "@pytest.mark.dryline: got an unexpected keyword argument 'strct'"),
        ("'demo'", "@pytest.mark.dryline takes keyword arguments only."),
        ("scenario='nosuch.json'", "nosuch.json"),
        ("export_mode='by hand'", "dryline: exportMode: Must be one of"),
    ],
)
def test_a_slip_in_a_mark_is_a_line_and_no_traceback(run_pytest, values, line):
    code = f"""
        import pytest

        @pytest.mark.dryline({values})
        def test_it(dryline_in_process):
            pass
    """
    result = run_pytest(code)
    result.assert_outcomes(errors=1)
    assert line in output(result) and "Traceback" not in output(result) and "pytest_plugin.py" not in output(result)


FAILS = """
    def test_it(dryline):
        with dryline.client(max_retries=0) as client:
            client.workers.list()
            dryline.fault(path="/api/workers", status=503, body={"error": "Down."})
            client.workers.list()
"""


def test_a_test_that_fails_shows_what_was_asked_of_its_world(run_pytest):
    first, second = section(run_pytest(FAILS))
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3} GET /api/workers 200 \d+ ms", first)
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3} GET /api/workers 503 \d+ ms  Down\.  \[fault_[\w-]+\]", second)


@pytest.fixture(scope="module")
def elsewhere():
    """Yield a server that another process started."""
    with DrylineServer(scenario="demo", admin_token="secret") as server:
        yield server


def test_a_server_that_runs_is_used_and_starts_each_test_from_the_scenario(run_pytest, elsewhere):
    code = f"""
        def test_it(dryline):
            assert dryline.url == "{elsewhere.url}"
            assert dryline.client().workers.list() == []
    """
    run_pytest(code, "--dryline-url", elsewhere.url, "--dryline-token", "secret").assert_outcomes(passed=1)


def test_a_server_of_another_version_is_named_at_the_end_and_fails_no_test(run_pytest, elsewhere, monkeypatch):
    monkeypatch.setattr(dryline, "__version__", "0.3.0")
    flags = ("--dryline-url", elsewhere.url, "--dryline-token", "secret", "-W", "error")
    result = run_pytest("def test_it(dryline): pass", *flags)
    result.assert_outcomes(passed=1)
    assert output(result).count("and these helpers are 0.3.0.") == 1


def test_parallel_workers_do_not_reset_a_server_that_runs(run_pytest, elsewhere):
    parallel = "def pytest_configure(config): config.workerinput = {}  # as pytest-xdist does"
    flags = ("--dryline-url", elsewhere.url, "--dryline-token", "secret")
    result = run_pytest("def test_it(dryline): pass", *flags, conftest=parallel)
    assert "Create a team for each test" in output(result)
    code = "def test_it(dryline_server): assert dryline_server.team().client().workers.list() == []"
    run_pytest(code, *flags, conftest=parallel).assert_outcomes(passed=1)


def test_a_server_that_does_not_run_is_a_line_and_no_traceback(run_pytest):
    result = run_pytest("def test_it(dryline): pass", "--dryline-url", "http://127.0.0.1:1")
    assert "No dryline answers at http://127.0.0.1:1: " in output(result) and "pytest_plugin.py" not in output(result)


USES_A_FAULT = """
    def test_it(dryline):
        dryline.fault(method="GET", path="/api/workers", status=503, {options})
        client = dryline.client(max_retries=0)
        for _ in range({requests}):
            try:
                client.workers.list()
            except Exception:
                pass
"""


@pytest.mark.parametrize(("options", "requests"), [("", 1), ("times=2", 2), ("unused_ok=True", 0)])
def test_a_test_passes_whose_faults_were_applied_or_may_be_unused(run_pytest, options, requests):
    run_pytest(USES_A_FAULT.format(options=options, requests=requests)).assert_outcomes(passed=1)


def test_a_snapshot_ends_with_the_test_that_took_it(run_pytest):
    code = """
        def test_a(dryline):
            dryline.snapshot("one")
            dryline.snapshot("two")

        def test_b(dryline):
            assert dryline.plane("GET", "/snapshots") == []
    """
    run_pytest(code).assert_outcomes(passed=2)


def test_a_failing_check_shows_the_tests_own_line_alone(run_pytest):
    code = """
        def test_it(dryline):
            dryline.verify(path="/api/workers", method="POST")
    """
    lines = output(run_pytest(code)).splitlines()
    assert not [line for line in lines if re.search(r"testing/\w+\.py:\d+", line)]


MARKED = """
    import pytest

    @pytest.mark.dryline({mark})
    def test_it({fixture}): pass
"""


@pytest.mark.parametrize(
    ("mark", "fixture", "warns"),
    [
        ("strict=True", "", True),
        ("strict=True", "dryline_server", True),
        ("strict=True", "dryline", False),
        ("strict=True", "dryline_in_process", False),
        ("isolate=False", "", False),
    ],
)
def test_a_mark_on_a_test_that_it_does_nothing_for_is_a_warning(run_pytest, mark, fixture, warns):
    result = run_pytest(MARKED.format(mark=mark, fixture=fixture), "-W", "default")
    result.assert_outcomes(passed=1)
    assert ("The mark dryline does nothing" in output(result)) == warns


def test_a_filter_that_matches_no_row_is_in_the_log(run_pytest):
    code = """
        def test_it(dryline):
            dryline.client().workers.list(extra_query={"limit": 1})
            assert False
    """
    assert section(run_pytest(code))[0].endswith("  no row matches  ignored: limit")
