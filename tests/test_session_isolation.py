"""A session of pytest whose clients do not reach the real service, whenever they were made."""

import os
import re
import subprocess
import sys

import pytest

from dryline.testing import DrylineServer
from dryline.tests.conftest import send

URL, KEY = "BRAINBASE_LABS_BASE_URL", "BRAINBASE_LABS_API_KEY"
SWITCH = "dryline_isolate = false in pytest's configuration, or DRYLINE_ISOLATE=0 for one run."


@pytest.fixture
def real(http_server, monkeypatch):
    """Return the requests that reach a receiver in place of the real service, whose address is in the environment."""
    requests = []

    def answer(handler):
        requests.append(handler.path)
        send(handler, 200, b"[]", **{"Content-Type": "application/json"})

    monkeypatch.setenv(URL, http_server(answer))
    monkeypatch.setenv(KEY, "real-key")
    monkeypatch.delenv("DRYLINE_ISOLATE", raising=False)
    return requests


@pytest.fixture
def run(real, run_pytest):
    return run_pytest


def output(result):
    return result.stdout.str()


def last_line(result, test):
    """Return the last line of a failing test's report."""
    report = re.split(rf"^_+ (?:ERROR at \w+ of )?{test} _+$", output(result), flags=re.MULTILINE)[1]
    return (
        re.split(r"^(?:_{3,}|={3,}|dryline kept requests of).*$", report, flags=re.MULTILINE)[0]
        .strip()
        .splitlines()[-1]
    )


CLIENT_OF_A_CONFTEST = """
    import pytest
    from brainbase_labs import BrainbaseLabs

    client = BrainbaseLabs()

    @pytest.fixture(scope="session")
    def session_client():
        return BrainbaseLabs()
"""


def test_a_client_made_before_the_fixture_works_with_its_server(run, real):
    code = """
        from functools import cache
        from brainbase_labs import BrainbaseLabs
        from conftest import client

        own = BrainbaseLabs()
        cached = cache(BrainbaseLabs)
        cached()

        def add(name, client=BrainbaseLabs()):
            return client.workers.create(name=name, description=None, status=None)

        def names(client):
            return [worker.name for worker in client.workers.list()]

        def test_one(session_client, dryline):
            add("A")
            assert [names(each) for each in (client, own, cached(), session_client, dryline.client())] == [["A"]] * 5

        def test_two(session_client, dryline):
            assert [names(each) for each in (client, own, cached(), session_client)] == [[]] * 4
            dryline.verify(path="/api/workers", times=4)
    """
    run(code, conftest=CLIENT_OF_A_CONFTEST).assert_outcomes(passed=2)
    assert real == []


def test_a_client_that_a_conftest_uses_as_it_is_imported_is_refused(run, real):
    conftest = CLIENT_OF_A_CONFTEST + "\n    client.workers.list()\n"
    result = run("def test_it(): pass", conftest=conftest)
    assert result.ret and real == []
    assert "dryline kept a request from the real service. Send it in a test with the fixture dryline." in (
        output(result) + result.stderr.str()
    )


WITHOUT_A_FIXTURE = """
    from conftest import client

    def test_before():
        client.workers.list()

    def test_with_it(dryline):
        assert client.workers.list() == []

    def test_after():
        client.workers.create(name="A", description=None, status=None)

    def test_made_later():
        from brainbase_labs import BrainbaseLabs
        BrainbaseLabs().workers.list()

    def test_caught():
        import httpx
        import os
        answer = httpx.get(os.environ["BRAINBASE_LABS_BASE_URL"] + "/any/path")
        assert answer.status_code == 421
        assert "test_caught" in answer.json()["error"]
"""
REFUSED = ("test_before", "test_after", "test_made_later")


@pytest.mark.parametrize("command", [False, True])
def test_a_request_without_a_fixture_is_refused_at_once_and_the_report_ends_so(run, real, command):
    flags = ["--dryline-command", f"{sys.executable} -m dryline"] if command else []
    result = run(WITHOUT_A_FIXTURE, *flags, conftest=CLIENT_OF_A_CONFTEST)
    result.assert_outcomes(passed=2, failed=3)
    for test in REFUSED:
        id = f"{test_file(result)}::{test}"
        sentence = f"dryline kept a request of {id} from the real service. Add the fixture dryline to the test."
        assert last_line(result, test) == f"{sentence} To switch this off, set {SWITCH}"
    assert real == []


def test_file(result):
    return re.search(r"^FAILED (\w+\.py)::", output(result), re.MULTILINE)[1]


test_file.__test__ = False


def test_the_address_that_was_replaced_is_in_the_header_and_back_after_the_session(run):
    address = os.environ[URL]
    lines = output(run("def test_it(): pass")).splitlines()
    line = next(line for line in lines if line.startswith("dryline: "))
    assert (
        re.fullmatch(r"dryline: the vendor's client uses http://127\.0\.0\.1:\d+, not (\S+) \(.*\)", line)[1] == address
    )
    assert "DRYLINE_ISOLATE=0" in line and "real-key" not in "".join(lines)
    assert (os.environ[URL], os.environ[KEY]) == (address, "real-key")


USES_THE_SERVICE = """
    from conftest import client

    def test_it():
        client.workers.list()
"""


@pytest.mark.parametrize(
    ("ini", "variable", "is_isolated"),
    [
        ("", "", True),
        ("dryline_isolate = false", "", False),
        ("", "0", False),
        ("", "false", False),
        ("dryline_isolate = false", "1", True),
    ],
)
def test_isolation_is_the_default_and_can_be_switched_off(run, real, pytester, monkeypatch, ini, variable, is_isolated):
    pytester.makeini(f"[pytest]\n{ini}\n")
    monkeypatch.setenv("DRYLINE_ISOLATE", variable)
    result = run(USES_THE_SERVICE, conftest=CLIENT_OF_A_CONFTEST)
    result.assert_outcomes(**{"failed" if is_isolated else "passed": 1})
    assert bool(real) is not is_isolated
    assert ("dryline: " in output(result)) is is_isolated


def test_a_mark_lets_the_clients_that_a_test_makes_reach_the_service(run, real):
    code = """
        import os
        import pytest
        from brainbase_labs import BrainbaseLabs
        from conftest import client

        @pytest.fixture
        def own():
            return BrainbaseLabs()

        @pytest.mark.dryline(isolate=False)
        def test_end_to_end(own):
            assert own.workers.list() == BrainbaseLabs().workers.list() == []
            assert own.api_key == "real-key"

        @pytest.mark.dryline(isolate=False)
        def test_made_at_import():
            client.workers.list()

        def test_next(own):
            own.workers.list()

        @pytest.mark.dryline(isolate=False)
        class TestFixture:
            def test_it(self, dryline, own):
                assert own.workers.list() == []
                dryline.verify(path="/api/workers", times=1)
    """
    run(code, "--strict-markers", conftest=CLIENT_OF_A_CONFTEST).assert_outcomes(passed=2, failed=2)
    assert len(real) == 2


def test_the_variables_point_at_the_server_of_the_option_url(run, real):
    with DrylineServer(scenario="demo") as elsewhere:
        code = """
            from conftest import client

            def test_without_a_fixture():
                assert len(client.workers.list()) == 4
        """
        result = run(code, "--dryline-url", elsewhere.url, conftest=CLIENT_OF_A_CONFTEST)
        result.assert_outcomes(passed=1)
        assert f"the vendor's client uses {elsewhere.url}, not " in output(result)
    assert real == []


@pytest.mark.parametrize("flags", [[], ["-o", "dryline_isolate=false"]])
def test_beside_a_world_in_process_other_clients_are_refused(run, real, flags):
    code = """
        from brainbase_labs import BrainbaseLabs
        from conftest import client

        def test_early(dryline_in_process):
            assert dryline_in_process.client().workers.list() == []
            client.workers.list()

        def test_late(dryline_in_process):
            BrainbaseLabs().workers.list()
    """
    result = run(code, *flags, conftest=CLIENT_OF_A_CONFTEST)
    is_isolated = not flags
    result.assert_outcomes(failed=1 + is_isolated, passed=1 - is_isolated)
    assert len(real) == 1 - is_isolated
    for test in ("test_early", "test_late") if is_isolated else ("test_late",):
        assert last_line(result, test).endswith(
            "Use dryline_in_process.client(), or the fixture dryline, which has an address."
        )


def test_a_fixture_that_a_test_asks_for_as_it_runs_is_answered(run):
    code = """
        import pytest
        from conftest import client

        def test_one(request):
            assert request.getfixturevalue("dryline").client().workers.list() == client.workers.list() == []

        def test_two():
            with pytest.raises(Exception, match="421"):
                client.workers.list()
    """
    run(code, conftest=CLIENT_OF_A_CONFTEST).assert_outcomes(passed=2)


def test_a_fixture_of_a_module_can_send_requests_as_it_ends(run):
    code = """
        import pytest
        from conftest import client

        @pytest.fixture(scope="module")
        def worker(dryline_server):
            worker = client.workers.create(name="A", description=None, status=None)
            yield worker
            client.workers.delete(worker.id)

        def test_with_it(worker):
            assert [each.id for each in client.workers.list()] == [worker.id]

        def test_without_it():
            pass
    """
    run(code, conftest=CLIENT_OF_A_CONFTEST).assert_outcomes(passed=2)


def test_a_session_without_requests_imports_nothing_of_the_helpers(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "import sys\n\n\ndef pytest_unconfigure():\n"
        "    print(*sorted(name for name in sys.modules if name.partition('.')[0] == 'dryline'))\n"
    )
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "dryline.pytest_plugin"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines()[-1] == "dryline dryline.pytest_plugin", done.stdout + done.stderr


# As plugins that repeat tests do: the fixtures of the session end, and are set up again.
REPEATS = """
    from _pytest.runner import runtestprotocol

    def pytest_runtest_protocol(item):
        for is_last in (False, True):
            item._initrequest()
            for report in runtestprotocol(item, nextitem=None, log=False):
                if is_last or report.failed:
                    item.ihook.pytest_runtest_logreport(report=report)
        return True
"""


@pytest.mark.parametrize("flags", [[], [f"--dryline-command={sys.executable} -m dryline"], ["-o", "dryline_isolate=0"]])
@pytest.mark.parametrize("fixture", ["dryline", "dryline_server"])
def test_the_server_of_a_session_can_start_again_at_its_port(run, real, flags, fixture):
    code = f"""
        from conftest import client

        urls = []

        def test_it({fixture}):
            assert {fixture}.client().workers.list() == []
            urls.append({fixture}.url)
            if {not flags}:
                assert client.workers.list() == [] and len(set(urls)) == 1

        def test_again({fixture}):
            assert {fixture}.client().workers.list() == []
    """
    result = run(code, *flags, conftest=REPEATS + CLIENT_OF_A_CONFTEST)
    result.assert_outcomes(passed=2)
    assert real == []


@pytest.mark.parametrize("stop", ["", "dryline.stop()"])
def test_after_the_end_of_a_server_requests_are_refused_again(run, real, stop):
    code = f"""
        import pytest
        from conftest import client

        def test_it(dryline):
            assert client.workers.list() == []
            {stop}

        def test_next():
            with pytest.raises(Exception, match="421"):
                client.workers.list()
    """
    result = run(code, conftest=REPEATS + CLIENT_OF_A_CONFTEST)
    assert "2 passed" in output(result)
    assert real == []
