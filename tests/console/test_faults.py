"""The page of fault rules."""

import json

from playwright.sync_api import expect

from dryline.testing import DrylineInProcess
from dryline.world.faults import PRESETS


def test_a_preset_adds_the_rule_that_the_control_plane_adds(visitor, control):
    for name in PRESETS:
        visitor.go("/faults")
        visitor.send("/faults", preset=name, path="/api/workers")
        sent = control.post("/faults", {"preset": name, "path": "/api/workers"}).json
        own = {"id": None, "createdAt": None}
        assert sent["path"] == "/api/workers"
        assert [rule | own for rule in control.get("/faults").json] == [sent | own] * 2
        control.delete("/faults")


def test_enter_in_the_path_adds_no_rule(served, tab):
    page = tab(served).go("/faults")
    path = page.locator("#preset-path")
    path.fill("/api/workers")
    path.press("Enter")
    page.get_by_role("button", name="Rate limit").click()
    expect(page.locator("#rules tbody tr")).to_have_count(1)
    assert served.app.test_client().get("/_dryline/faults").json[0]["rateLimit"]


def test_a_member_overrides_the_preset(control):
    assert control.post("/faults", {"preset": "slow", "delayMs": 10}).json["delayMs"] == 10


def test_the_form_adds_a_rule(visitor, control):
    limit, delays = {"requests": 3, "windowSeconds": 5}, {"type": "uniform", "lowerMs": 1, "upperMs": 2}
    rule = {"path": "/api/team", "status": 418, "body": {"tea": True}, "times": 2}
    rule |= {"rateLimit": limit, "delayDistribution": delays, "bytesPerSecond": 900}
    visitor.go("/faults")
    fields = {name: value if isinstance(value, str) else json.dumps(value) for name, value in rule.items()}
    page = visitor.send("/faults", last=True, **fields)
    (added,) = control.get("/faults").json
    assert rule.items() <= added.items()
    assert "beyond 3 requests in 5 s by one key, answers 418" in page.text
    assert f"rate_limit={limit}" in page.text and "1 to 2 ms late" in page.text


def test_hits_are_counted_and_rules_removed(visitor, control, api):
    control.post("/faults", {"path": "/api/workers", "status": 503, "times": 2})
    api.get("/workers")
    assert "1 of 2" in visitor.go("/faults").text
    assert "1 fault on" in visitor.page.text
    visitor.send("/faults/remove")
    assert api.get("/workers").status_code == 200


def test_the_line_for_pytest_adds_the_same_rule(visitor, control):
    control.post("/faults", {"path": "/api/workers", "status": 429, "headers": {"Retry-After": "1"}, "times": 2})
    text = visitor.go("/faults").text
    line = text[text.index("dryline.fault(") :].partition(" Copy")[0]
    with DrylineInProcess() as dryline:
        eval(line.rpartition(")")[0] + ")", {"dryline": dryline})
        (added,) = dryline.plane("GET", "/faults")
        dryline.remove_fault(added["id"])  # which is not applied
    (first,) = control.get("/faults").json
    assert {**added, "id": 0, "createdAt": 0} == {**first, "id": 0, "createdAt": 0}
