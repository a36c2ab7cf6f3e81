"""The editor of flows."""

import re

import pytest
from playwright.sync_api import expect

from dryline.blueprints.console.flow_templates import TEMPLATES
from dryline.blueprints.console.flows import NEW_CODE
from dryline.flow.sessions.engines import engine_of
from dryline.tests.console.demo_rows import demo_id
from dryline.tests.console.visitor import words

CODE = 'say("Oak Clinic.")\nloop:\n    res = talk("Ask.", True)\nuntil "caller is done":\n    say("Bye.")\n'
OTHER = CODE.replace("Oak", "Elm")
BROKEN = "loop:\n  ("
NEVER_CLOSED = "line 2, column 3 : This ( is never closed."


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_a_template_can_run(app, template):
    with app.world.active():
        assert engine_of(app.world).check(template.code) == []


@pytest.fixture
def flow(make_flow):
    return make_flow(name="Desk", code=CODE, label="day", variables={"desk": "+14155550100"})


@pytest.fixture
def at(flow):
    """Return the address of the flow, below /console and below /api."""
    return f"/workers/{flow['workerId']}/flows/{flow['id']}"


@pytest.fixture
def now(api, at):
    """Return a function that reads the flow from the API."""
    return lambda: api.get(at).json


@pytest.fixture
def versions(api, at):
    """Return a function that reads its versions, newest first."""
    return lambda: api.get(f"{at}/versions").json["data"]


@pytest.fixture
def save(visitor, at):
    """Return a function that opens the editor, types, and presses a button, by default Save."""

    def make(button=None, **typed):
        visitor.go(f"{at}/edit")
        return press(visitor, button, **typed)

    return make


def press(visitor, button=None, **typed):
    """Type into the open editor and press a button. Browsers send text areas with CRLF."""
    for name in ("code", "variables"):
        text = typed.get(name, visitor.page.form("/edit")["fields"][name])
        typed[name] = re.sub(r"\r?\n", "\r\n", text)
    return visitor.send("/edit", **typed, **({button: ""} if button else {}))


class TestSave:
    def test_changed_code_is_committed_in_the_name_of_a_person(self, control, save, now, versions):
        (team,) = control.get("/state").json["teams"]
        assert "Saved as version 1." in save(code=OTHER).text
        flow, (version,) = now(), versions()
        assert (flow["code"], flow["version"], flow["lastEditedByType"]) == (OTHER, 2, "USER")
        assert (flow["lastEditedByApiKeyId"], flow["lastEditedByUserId"]) == (None, team["teamOwnerId"])
        assert (version["code"], version["commitMessage"]) == (OTHER, "Edited in the console")
        assert (version["authorType"], version["authorApiKeyId"]) == ("USER", None)
        save(code=CODE, commitMessage="Oak")
        assert versions()[0]["commitMessage"] == "Oak"

    def test_code_with_an_error_is_saved_after_a_question(self, visitor, save, now):
        page = save(code=BROKEN, commitMessage="Half of it")
        assert "This code has errors" in page.text and "Line 2, column 3: This ( is never closed." in page.text
        assert now()["code"] == CODE
        page = press(visitor, "anyway")
        assert "Saved as version 1." in page.text
        assert "It cannot run yet: line 2, column 3: This ( is never closed." in page.text
        assert NEVER_CLOSED in words(page) and now()["code"] == BROKEN

    def test_code_with_an_error_is_mended_instead_of_saved(self, visitor, save, now):
        save(code=BROKEN)
        assert "Saved as version 1." in press(visitor, code=OTHER).text
        assert now()["code"] == OTHER

    def test_a_save_names_the_deployments_that_use_the_flow_from_now_on(
        self, api, flow, save, versions, make_voice_deployment
    ):
        assert "from now on" not in save(code=OTHER).text
        make_voice_deployment(flow, name="Day")
        assert "Saved as version 2. Day uses it from now on." in save(code=CODE).text
        pinned = {"name": "Pinned", "flowId": flow["id"], "flowVersionId": versions()[0]["id"]}
        answer = api.post(f"/workers/{flow['workerId']}/deployments/chat", pinned)
        assert answer.status_code == 201, answer.text
        for name in ("Night", "Noon", "Dawn"):
            make_voice_deployment(flow, name=name)
        assert "Dawn, Noon and 2 more use it from now on." in save(code=OTHER).text
        assert "from now on" not in save(name="Renamed").text

    @pytest.mark.parametrize(
        ("typed", "reason"),
        [
            ({"code": OTHER, "variables": "{desk}", "commitMessage": "Elm"}, "Variables: Not valid JSON text."),
            ({"code": BROKEN, "variables": "{desk}"}, "Variables: Not valid JSON text."),
        ],
    )
    def test_a_refused_form_keeps_its_values(self, save, now, typed, reason):
        page = save(**typed)
        assert page.status == 400 and f"{reason} Nothing is saved." in words(page)
        assert typed.items() <= page.form("/edit")["fields"].items()
        assert now()["code"] == CODE


READS = CODE + 'transfer(variables["desks"])\n'
MISSING = "The flow has no variable 'desks'"


class TestMissingVariables:
    def test_a_variable_that_nothing_sets_is_named_in_the_editor_and_on_the_page(self, visitor, save, at):
        assert "warning line 6, column 10 : " + MISSING in words(save("check", code=READS))
        save(code=READS)
        page = words(visitor.go(at))
        assert MISSING in page and "Did you mean 'desk'?" in page
        assert MISSING not in words(save("check", variables='{"desks": 1}'))

    def test_it_is_an_error_if_no_deployment_sets_it(self, visitor, save, api, at, flow, make_voice_deployment):
        line = make_voice_deployment(flow)
        save(code=READS)
        assert "error line 6, column 10 : " + MISSING in words(visitor.go(at))
        path = f"/workers/{line['workerId']}/deployments/{line['id']}/params"
        assert api.post(path, {"name": "desks", "value": "+1"}).status_code == 201
        assert "No findings." in words(visitor.go(at))

    def test_the_ways_of_its_calls_are_still_shown(self, visitor, save, at, flow, make_voice_deployment):
        make_voice_deployment(flow)
        save(code=READS)
        assert "Not known while the code has errors." not in words(visitor.go(at))

    def test_nothing_is_said_while_the_variables_are_no_json(self, save):
        assert "No findings." in words(save("check", code=READS, variables='{"des'))


class TestConflict:
    @pytest.fixture
    def conflict(self, visitor, api, control, at):
        """Return the editor of a flow that another client changes while it is open. The clock is frozen."""
        control.put("/clock", {"frozen": True})
        visitor.go(f"{at}/edit")
        api.patch(at, {"code": f"# theirs\n{CODE}"})
        return visitor

    def test_a_flow_that_was_changed_meanwhile_is_compared_and_not_overwritten_at_once(self, conflict, api, at, now):
        page = press(conflict, code=OTHER, commitMessage="Elm")
        assert page.status == 409 and "was changed meanwhile." in page.text
        assert now()["code"] == f"# theirs\n{CODE}"
        fields = page.form("/edit")["fields"]
        assert (fields["code"], fields["commitMessage"]) == (OTHER, "Elm")
        rows = re.findall(r'<tr class="(added|removed)">.*?<code>(.*?)</code>', page.html)
        assert [(kind, re.sub(r"<.*?>", "", text)) for kind, text in rows] == [
            ("removed", "# theirs"),
            ("removed", 'say("Oak Clinic.")'),
            ("added", 'say("Elm Clinic.")'),
        ]
        api.patch(at, {"name": "Renamed"})
        assert press(conflict).status == 409
        assert now()["name"] == "Renamed"
        assert "Saved as version 2." in press(conflict).text
        assert now()["code"] == OTHER


def test_typed_code_is_tried_as_a_draft_and_not_saved(visitor, flow, save, now):
    page = save("try", code=BROKEN)
    assert "Code: Line 2, column 3: This ( is never closed." in words(page)
    assert page.form("/edit")["fields"]["code"] == BROKEN
    page = press(visitor, "try", code=f"say(variables['desk'])\n{CODE}", variables='{"desk": "+1 555"}')
    assert "A draft" in words(page) and "Agent: +1 555 line 1" in words(page)
    listed = visitor.go(f"/workers/{flow['workerId']}/talk")
    assert page.answer.request.path in listed.links and "a draft 1 waiting" in words(listed)
    assert now()["code"] == CODE


def test_code_is_not_tried_for_a_worker_of_another_team(visitor, at, other_api, make_worker):
    token = visitor.go(f"{at}/edit").form("/edit")["fields"]["_token"]
    address = f"/console/workers/{make_worker(api=other_api)['id']}/flows/new"
    data = {"name": "Desk", "code": CODE, "try": "", "_token": token}
    assert visitor.client.post(address, data=data).status_code == 404


class TestOlderVersion:
    """A flow with three versions, of which the second has an error."""

    @pytest.fixture
    def older(self, api, at, versions):
        """Return the ids of the versions, the oldest first."""
        for code, desk in (("x = 1\n", "+1"), (BROKEN, "+2"), ("x = 3\n", "+3")):
            api.patch(at, {"code": code, "variables": {"desk": desk}})
        return [one["id"] for one in reversed(versions())]

    def test_it_is_edited_and_saved(self, visitor, at, older, now, versions, make_flow):
        other = make_flow(name="Other")
        assert visitor.go(f"/workers/{other['workerId']}/flows/{other['id']}/edit?version={older[0]}").status == 404
        (address,) = [link for link in visitor.go(f"{at}?version={older[0]}").links if "/edit" in link]
        visitor.go(address.removeprefix("/console"))
        assert "Saved as version 4." in press(visitor).text
        assert (now()["code"], now()["variables"]) == ("x = 1\n", {"desk": "+1"})
        assert versions()[0]["commitMessage"] == "Back to version 1"

    def test_it_is_restored_by_a_button(self, visitor, at, flow, older, now, versions, make_voice_deployment):
        make_voice_deployment(flow, name="Day")
        visitor.go(f"{at}?version={older[0]}")
        page = visitor.send("/restore")
        assert "Version 1 is restored as version 4. Day uses it from now on." in page.text
        assert (now()["code"], now()["variables"]) == ("x = 1\n", {"desk": "+1"})
        newest = versions()[0]
        assert (newest["versionNumber"], newest["commitMessage"]) == (4, "Back to version 1")
        assert (newest["authorType"], now()["lastEditedByType"]) == ("USER", "USER")

    def test_the_one_that_the_flow_has_has_no_button(self, visitor, at, older):
        buttons = {id: "Restore this version" in visitor.go(f"{at}?version={id}").text for id in older}
        assert list(buttons.values()) == [True, True, False]

    def test_one_with_an_error_is_restored_after_a_question(self, visitor, at, older, now):
        visitor.go(f"{at}?version={older[1]}")
        page = visitor.send("/restore")
        assert "This code has errors" in page.text and now()["code"] == "x = 3\n"
        assert "Saved as version 4." in press(visitor, "anyway").text
        assert (now()["code"], now()["variables"]) == (BROKEN, {"desk": "+2"})

    def test_one_of_another_flow_is_not_restored(self, visitor, at, older, make_flow):
        other = make_flow(name="Other")
        visitor.go(f"{at}?version={older[0]}")
        data = visitor.page.form("/restore")["fields"] | {"back": ""}
        address = f"/console/workers/{other['workerId']}/flows/{other['id']}/versions/{older[0]}/restore"
        assert visitor.client.post(address, data=data).status_code == 404


def test_a_new_flow_has_code_that_runs_and_needs_a_name(visitor, api, worker):
    page = visitor.go(f"/workers/{worker['id']}/flows")
    visitor.go(next(link for link in page.links if link.endswith("/new")).removeprefix("/console"))
    assert "passed No findings." in words(visitor.page)
    page = visitor.send("/new")
    assert page.status == 400 and "Name: Field may not be null." in words(page)
    assert page.form("/new")["fields"]["code"] == NEW_CODE
    assert api.get(f"/workers/{worker['id']}/flows").json == []
    assert "Created." in visitor.send("/new", name="Desk", code=NEW_CODE).text
    (flow,) = api.get(f"/workers/{worker['id']}/flows").json
    assert (flow["name"], flow["label"], flow["code"], flow["variables"]) == ("Desk", None, NEW_CODE, {})
    assert (flow["version"], flow["lastEditedByType"]) == (1, "USER")
    assert api.get(f"/workers/{worker['id']}/flows/{flow['id']}/versions").json["data"] == []


def editing(server, tab, **looks):
    """Open a flow of the demo in the editor; return the tab and the address of the flow."""
    clinic = demo_id("workers", name="Bayside Dental")
    at = f"/workers/{clinic}/flows/{demo_id('flows', workerId=clinic, name='Reminder')}"
    seen = tab(server, **looks)
    seen.go(f"{at}/edit")
    return seen, at


def test_findings_follow_typing_and_link_to_their_place(served, tab):
    seen, _ = editing(served, tab)
    page, source = seen.page, seen.page.get_by_label("Code", exact=True)
    source.press("Control+End")
    page.keyboard.type('\nsay("\U0001f600"); x = nothing\n')
    expect(page.locator("#findings")).to_contain_text("Nothing defines the name 'nothing'.")
    finding = page.locator("#findings a")
    page.keyboard.press("Tab")  # the keyboard is not caught in the code
    expect(page.get_by_label("Commit message")).to_be_focused()
    finding.click()
    expect(source).to_be_focused()
    expect(page.locator("#caret")).to_have_text(finding.inner_text().capitalize())
    assert seen.faults(contrast=False) == []


def test_code_has_colours_and_marks_and_is_tried_beside_the_editor_again_and_again(served, tab):
    seen, _ = editing(served, tab)
    page, source = seen.page, seen.page.get_by_label("Code", exact=True)
    colours = page.locator(".colours")
    for greeting in ("Good day, this is the dentist.", "Hello from the dentist."):
        source.fill(f'say("{greeting}")  # first\nloop:\n    talk("Hm?", True)\nuntil "caller says no":\n    return')
        expect(colours.locator(".s").first).to_have_text(f'"{greeting}"')
        expect(colours.locator(".c")).to_have_text("# first")
        expect(colours.locator(".k")).to_have_text(["loop", "True", "until", "return"])
        page.get_by_role("button", name="Try it").click()
        expect(page.locator("#talk .bubble").first).to_have_text(re.compile(f"Agent: {re.escape(greeting)}"))
        expect(page.locator("#say")).to_be_focused()
        page.keyboard.type("I have a question about the weather")
        page.keyboard.press("Enter")
        expect(page.locator("#talk .bubble.caller")).to_have_count(1)
        expect(source).to_have_value(re.compile(re.escape(greeting)))
    source.fill("loop:\n  (")
    expect(page.locator(".gutter .mark.error")).to_have_text("2\n")
    expect(colours.locator(".mark")).to_have_text("(")
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#talk .error")).to_have_text("Code: Line 2, column 3: This ( is never closed.")
    assert seen.faults() == []


def test_a_text_of_many_lines_is_coloured_once(served, tab):
    page = editing(served, tab)[0].page
    page.evaluate("""() => {
        window.times = 0;
        const count = (records) => (window.times += records.length);
        new MutationObserver(count).observe(document.querySelector(".colours"), {childList: true});
    }""")
    page.get_by_label("Code", exact=True).fill("say(1)\n" * 40)
    expect(page.locator(".colours .b")).to_have_count(40)
    assert page.evaluate("window.times") <= 3
