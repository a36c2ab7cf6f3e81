"""The page of faults."""

import json

import pytest

from dryline.settings import Settings
from dryline.traffic.fault_presets import PRESETS


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_switched_on(visitor, control, name):
    visitor.go("/faults")
    visitor.send("/faults", preset=name, path="/api/workers")
    (rule,) = control.get("/faults").json
    assert rule["path"] == "/api/workers"
    sent = control.post("/faults", {"preset": name, "path": "/api/workers"}).json
    assert {**rule, "id": None, "createdAt": None} == {**sent, "id": None, "createdAt": None}


def test_what_is_sent_goes_before_what_a_preset_says(control):
    assert control.post("/faults", {"preset": "slow", "delayMs": 10}).json["delayMs"] == 10


def test_an_unknown_preset_is_refused_by_name(control):
    answer = control.post("/faults", {"preset": "gremlins"})
    assert answer.status_code == 400
    assert "preset" in [detail["path"] for detail in answer.json["details"]]


def test_a_rule_of_ones_own(visitor, control):
    form = visitor.go("/faults").form("/faults", last=True)
    visitor.client.post(
        form["action"],
        data=form["fields"] | {"path": "/api/team", "status": "418", "body": '{"tea": true}', "times": "2"},
    )
    (rule,) = control.get("/faults").json
    assert (rule["path"], rule["status"], rule["body"], rule["times"]) == ("/api/team", 418, {"tea": True}, 2)


def test_a_rate_limit_and_delays_that_differ_are_rules_of_ones_own(visitor, control):
    form = visitor.go("/faults").form("/faults", last=True)
    limit, delays = {"requests": 3, "windowSeconds": 5}, {"type": "uniform", "lowerMs": 1, "upperMs": 2}
    sent = {"path": "/api/team", "rateLimit": json.dumps(limit), "delayDistribution": json.dumps(delays)}
    visitor.client.post(form["action"], data=form["fields"] | sent | {"bytesPerSecond": "900"})
    (rule,) = control.get("/faults").json
    assert (rule["rateLimit"], rule["delayDistribution"], rule["bytesPerSecond"]) == (limit, delays, 900)
    page = visitor.go("/faults")
    assert "beyond 3 requests in 5 s by one key, answers 429" in page.text
    assert f"rate_limit={limit}" in page.text and "1 to 2 ms late" in page.text


def test_a_rule_without_effect_is_told(visitor, control):
    form = visitor.go("/faults").form("/faults", last=True)
    page = visitor.client.post(form["action"], data=form["fields"], follow_redirects=True)
    assert "A fault needs" in page.text
    assert control.get("/faults").json == []


def test_hits_are_counted_and_rules_switched_off(visitor, control, api):
    control.post("/faults", {"path": "/api/workers", "status": 503, "times": 2})
    api.get("/workers")
    assert "1 of 2" in visitor.go("/faults").text
    assert "1 fault on" in visitor.page.text
    visitor.send("/faults/remove")
    assert api.get("/workers").status_code == 200


def test_the_line_for_pytest_makes_the_same_rule(visitor, control):
    from dryline.testing import DrylineInProcess

    control.post("/faults", {"path": "/api/workers", "status": 429, "headers": {"Retry-After": "1"}, "times": 2})
    text = visitor.go("/faults").text
    line = text[text.index("dryline.fault(") :].splitlines()[0]
    with DrylineInProcess() as dryline:
        eval(line.rpartition(")")[0] + ")", {"dryline": dryline})
        (made,) = dryline.plane("GET", "/faults")
    (first,) = control.get("/faults").json
    assert {**made, "id": 0, "createdAt": 0} == {**first, "id": 0, "createdAt": 0}


def test_the_address_fills_in_the_form(visitor):
    page = visitor.go("/faults?method=POST&path=/api/team")
    assert page.form("/faults")["fields"]["path"] == "/api/team"


def test_a_rule_that_is_refused_has_again_what_was_typed(tab, demo):
    seen = tab(demo)
    page = seen.go("/faults")
    own = page.locator("form").filter(has=page.get_by_role("button", name="Switch on"))
    own.get_by_label("Method").select_option("POST")
    own.get_by_label("Path").fill("/api/workers")
    own.get_by_label("Headers").fill('{"Retry-After": 1')
    own.get_by_role("button", name="Switch on").click()
    page.get_by_text("headers: Not a valid mapping type").wait_for()
    seen.scripted()
    assert own.get_by_label("Headers").input_value() == '{"Retry-After": 1'
    assert own.get_by_label("Method").input_value() == "POST"
    assert own.get_by_label("Path").input_value() == "/api/workers"
