"""The check of what a flow needs: variables and members of the state that nothing sets."""

from __future__ import annotations

import pytest

from dryline.flow.engine import FlowContext

# Code, and the names that it needs: of each, the line and the column of the first read.
CASES = [
    ('say(variables["desk"])\n', {"desk": (1, 5)}),
    ("say(variables['desk'])\nsay(variables['desk'])\n", {"desk": (1, 5)}),
    ("say(f\"At {variables['desk']}.\")\n", {"desk": (1, 11)}),
    ('say(f"At {f\'{variables["desk"]}\'}.")\n', {"desk": (1, 14)}),
    (
        "loop:\n    talk(f'You are {variables[\"name\"]}.')\nuntil f'asks for {variables[\"desk\"]}':\n    pass\n",
        {"name": (2, 21), "desk": (3, 19)},
    ),
    ('x = {"a": variables["desk"]}\nprint(variables["end"], end="")\n', {"desk": (1, 11), "end": (2, 7)}),
    ('if variables["open"]: x = 1\n', {"open": (1, 4)}),
    ('variables["list"]["first"] = 1\n', {"list": (1, 1)}),
    ('variables["count"] += 1\n', {"count": (1, 1)}),
    ('def desk():\n    return variables["desk"]\n', {"desk": (2, 12)}),
    ('say(state["variables"]["desk"])\n', {}),
    ("say(variables[name])\n", {}),
    ('say(variables.get("desk"))\n', {}),
    ('say(variables.get("desk", "none"))\n', {}),
    ('if "desk" in variables:\n    say(variables["desk"])\n', {}),
    ('if "desk" not in variables:\n    done()\nsay(variables["desk"])\n', {}),
    ('if variables.get("desk"):\n    say(variables["desk"])\n', {}),
    ('variables["desk"] = 1\nsay(variables["desk"])\n', {}),
    ('variables["desk"], x = 1, 2\nsay(variables["desk"])\n', {}),
    ('variables.setdefault("desk", 1)\nsay(variables["desk"])\n', {}),
    ('variables.update(requests.get("u").json())\nsay(variables["desk"])\n', {}),
    ('variables = {"desk": 1}\nsay(variables["desk"])\n', {}),
    ('def f(variables):\n    return variables["desk"]\n', {}),
    ('say(other.variables["desk"])\n', {}),
    ('# variables["desk"]\nsay("variables[\'desk\']")\n', {}),
    ('say(variables["city"])\n', {}),
]


def needed(engine, code, context):
    """Return the findings that a check with a context adds, by the name in quotes, and the severities."""
    plain = engine.check(f"import requests\n{code}")
    added = [one for one in engine.check(f"import requests\n{code}", context=context) if one not in plain]
    return {one.sentence.split("'")[1]: one for one in added}


@pytest.mark.parametrize(("code", "names"), CASES)
def test_a_variable_that_the_code_needs_and_the_flow_lacks_is_named_with_its_place(engine, code, names):
    findings = needed(engine, code, FlowContext({"city"}))
    assert {name: (one.line - 1, one.column) for name, one in findings.items()} == names


READS = 'say(variables["technicians"])\n'
CAUGHT = 'try:\n    say(variables["technicians"])\nexcept KeyError:\n    say("Bye.")\n'


@pytest.mark.parametrize(
    ("code", "parameters", "severity", "words"),
    [
        (READS, {}, "warning", "a parameter of its deployment has to set it"),
        (READS, {"Day": {"desk"}, "Night": set()}, "error", "its deployments have no parameter of this name"),
        (READS, {"Day": {"technicians"}, "Night": set()}, "warning", "Night has no parameter of this name"),
        (READS, {"Day": {"technicians"}}, None, ""),
        (CAUGHT, {"Day": set()}, "warning", "its deployments have no parameter of this name"),
    ],
)
def test_a_missing_variable_is_an_error_where_it_cannot_work(engine, code, parameters, severity, words):
    findings = needed(engine, code, FlowContext({"technician"}, parameters)).get("technicians")
    assert (findings and findings.severity) == severity
    if findings:
        assert words in findings.sentence
        assert findings.sentence.endswith("Did you mean 'technician'?")


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('say(state["day"])\n', {"day"}),
        ('say(state["Caller"])\nsay(state["variables"]["desk"])\n', set()),
        ('say(state.get("day"))\n', set()),
        ('say(state["name"])\n', set()),
        ('state = {}\nsay(state["day"])\n', set()),
    ],
)
def test_a_member_of_the_state_that_no_campaign_sets_is_a_warning(engine, code, names):
    findings = needed(engine, code, FlowContext({}, columns={"name"}))
    assert set(findings) == names
    assert {one.severity for one in findings.values()} <= {"warning"}


def test_without_a_context_nothing_is_said_about_variables(engine):
    assert engine.check(READS) == []


def test_a_long_name_is_cut(engine):
    (finding,) = needed(engine, f'say(variables["{"a" * 5_000}"])\n', FlowContext({"a" * 6_000})).values()
    assert len(finding.sentence) < 400


@pytest.mark.parametrize("code", ["x = [\n{}]\n", "{}"])
def test_of_many_missing_variables_the_first_ones_are_named(engine, code):
    reads = [f'variables["name{number}"]' for number in range(1_000)]
    lines = "".join(f"{read},\n" if "[\n" in code else f"say({read})\n" for read in reads)
    findings = engine.check(code.format(lines), context=FlowContext([f"nam{number}" for number in range(1_000)]))
    assert [finding.line for finding in findings] == list(range(1 + ("[\n" in code), 51 + ("[\n" in code)))
