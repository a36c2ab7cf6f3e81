"""The values of the plugin's options leave the configuration of pytest to the project."""

import os

import pytest

WORLD = '{"version": 1, "workers": [{"id": "w1", "name": "One"}]}'
TEST = """
def test_it(dryline_in_process):
    assert dryline_in_process.settings()["strict"] is True
"""


@pytest.fixture
def project(pytester, run_pytest, monkeypatch):
    """Go to a project that lies beside another one, and return a function that runs pytest there."""
    root = pytester.path
    files = {
        "shared/world.json": WORLD,
        "clone/pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--no-such-option'\n",
        "clone/bin/dryline": "#!/bin/sh\n",
        "project/pyproject.toml": "[tool.pytest.ini_options]\ndryline_strict = true\n",
        "project/world.json": WORLD,
        "project/tests/test_it.py": TEST,
        "project/tests/world.json": WORLD,
        "project/part/pytest.ini": "[pytest]\n",
        "project/part/world.json": WORLD,
        "project/package/pyproject.toml": "[project]\nname = 'package'\n",
        "project/package/check.py": TEST,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(root / "project")
    return lambda *args: pytester.runpytest_inprocess("-p", "dryline.pytest_plugin", *args)


COMMAND, SCENARIO = ("--dryline-command", "../clone/bin/dryline"), ("--dryline-scenario", "../shared/world.json")
OF_PART = ("--dryline-scenario", "part/world.json")
MOVING = [
    [*COMMAND],
    [*COMMAND, "tests"],
    ["-v", *COMMAND, "tests/test_it.py::test_it"],
    [*SCENARIO],
    [*OF_PART],
    ["--dryline-strict", *OF_PART],
]


def option_of(args):
    return next(
        args[at] for at in reversed(range(len(args))) if args[at] in ("--dryline-command", "--dryline-scenario")
    )


@pytest.mark.parametrize("args", MOVING, ids=" ".join)
def test_a_value_that_replaces_the_configuration_is_one_sentence(project, args):
    flag = option_of(args)
    value = args[args.index(flag) + 1]
    result = project(*args)
    error = result.stderr.str()
    assert result.ret == pytest.ExitCode.USAGE_ERROR, error
    assert f"Write {flag}={value}, without a blank." in error and "no-such-option" not in error


def test_a_value_of_the_variable_of_pytest_is_found_too(project, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(SCENARIO))
    assert "Write --dryline-scenario=../shared/world.json" in project().stderr.str()


@pytest.mark.parametrize("args", MOVING, ids=" ".join)
def test_with_an_equals_sign_the_projects_configuration_applies(project, args):
    at = args.index(option_of(args))
    joined = [*args[:at], f"{args[at]}={args[at + 1]}", *args[at + 2 :]]
    result = project(*joined)
    result.assert_outcomes(passed=1)
    assert f"rootdir: {os.getcwd()}" in result.stdout.str()


@pytest.mark.parametrize(
    "args",
    [
        ["--dryline-scenario", "world.json"],
        ["--dryline-scenario", "world.json", "tests"],
        ["--dryline-scenario", "tests/world.json"],
        ["tests/test_it.py", "--dryline-scenario", "tests/world.json"],
        ["--dryline-scenario", "demo", "tests"],
        ["tests/test_it.py::test_it", *COMMAND],
        [*SCENARIO, "tests"],
        ["--dryline-scenario", "world.json", "package/check.py"],
        [*SCENARIO, "-c", "pyproject.toml", "tests"],
        [*COMMAND, "-c", "pyproject.toml", "tests"],
        ["--dryline-seed", "7", "--dryline-webhook-hosts", "tests", "tests"],
    ],
    ids=" ".join,
)
def test_a_value_that_replaces_nothing_may_stand_behind_a_blank(project, args):
    project(*args).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[ tool . pytest . ini_options ]\ndryline_strict = true\n"),
        ("pyproject.toml", "[tool]\npytest.ini_options.dryline_strict = true\n"),
        ("tox.ini", "[tox]\nenvlist = py\n\n[pytest]\ndryline_strict = true\n"),
        ("setup.cfg", "[metadata]\nname = a\n\n[tool:pytest]\ndryline_strict = true\n"),
    ],
)
def test_the_section_of_the_configuration_is_found_however_it_is_written(project, name, text):
    os.remove("pyproject.toml")
    with open(name, "w") as file:
        file.write(text)
    assert "Write --dryline-scenario=../shared/world.json" in project(*SCENARIO).stderr.str()
    project(*SCENARIO, "tests").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "# See [tool.pytest.ini_options].\n[tool.pytest_env]\nA = '1'\n"),
        ("tox.ini", "# [pytest]\n[tox]\nenvlist = py\n"),
        ("setup.cfg", "[metadata]\ndescription = not [tool:pytest]\n"),
    ],
)
def test_a_file_without_a_section_for_pytest_is_no_configuration(project, name, text):
    with open(f"tests/{name}", "w") as file:
        file.write(text)
    project("tests", "--dryline-scenario", "world.json").assert_outcomes(passed=1)


def test_a_value_that_brings_a_configuration_is_refused(project):
    os.chdir("..")
    error = project(".", "--dryline-scenario", "project/world.json").stderr.str()
    assert "Write --dryline-scenario=project/world.json" in error


def test_a_folder_of_tests_does_not_bring_the_configuration_back_if_the_root_is_named(project):
    args = ["--rootdir", ".", "tests"]
    assert "Write --dryline-scenario=../shared/world.json" in project(*SCENARIO, *args).stderr.str()
    project("--dryline-scenario=../shared/world.json", *args).assert_outcomes(passed=1)
