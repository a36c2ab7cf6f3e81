"""The examples of docs/recipes.md beside other tools, and the report of a test whose request such a tool has kept."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "docs/recipes.md").read_text().partition("## Beside other tools")[2]
EXAMPLES = dict(re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', PAGE, re.DOTALL))
CODE = {name.removesuffix(".py"): text for name, text in EXAMPLES.items() if name.endswith(".py")}


@pytest.fixture
def run(pytester):
    """Return a function that runs the tests of a text in a process of its own."""

    def run(code, *arguments):
        pytester.makepyfile(test_example=code)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    return run


@pytest.mark.parametrize("allow_hosts", [False, True])
@pytest.mark.parametrize("name", CODE)
def test_an_example_passes(pytester, run, name, allow_hosts):
    if allow_hosts:
        pytester.makepyprojecttoml(EXAMPLES["pyproject.toml"])
    run(CODE[name]).assert_outcomes(passed=1)


LET_PASS = {
    "test_respx": ('        mock.route(host="127.0.0.1").pass_through()\n', "respx"),
    "test_pytest_httpx": (
        '@pytest.mark.httpx_mock(should_mock=lambda request: request.url.host != "127.0.0.1")\n',
        "pytest-httpx",
    ),
    "test_responses": ("    responses.add_passthru(dryline.url)\n", "responses"),
}


@pytest.mark.parametrize("name", LET_PASS)
def test_the_report_names_the_tool_that_has_kept_a_request(run, name):
    line, tool = LET_PASS[name]
    assert line in CODE[name]
    result = run(CODE[name].replace(line, ""))
    assert f"{tool} kept a request of this test from dryline: see Beside other tools" in result.stdout.str()


def test_the_report_names_pytest_socket(run):
    code = """
        from brainbase_labs import BrainbaseLabs

        def test_it(dryline, socket_disabled):
            assert BrainbaseLabs(max_retries=0).workers.list() == []
    """
    assert "pytest-socket kept a request of this test from dryline:" in run(code).stdout.str()


@pytest.mark.parametrize("failure", ["assert dryline.requests() == 1", "httpx.get('https://other.example.test/')"])
def test_another_failure_names_no_tool(run, failure):
    code = f"""
        import httpx

        def test_it(dryline, respx_mock):
            {failure}
    """
    assert "kept a request" not in run(code).stdout.str()
