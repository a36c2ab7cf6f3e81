"""The editor of flows: what is typed is checked, tried and saved as the API saves it, and never lost on the way."""

import re
from html import unescape

import pytest
from playwright.sync_api import expect

from dryline.blueprints.console.flows import SKETCH
from dryline.tests.console.demo_rows import demo_id

CODE = 'say("Oak Clinic.")\nloop:\n    res = talk("Ask.", True)\nuntil "caller is done":\n    say("Bye.")\n'
OTHER = CODE.replace("Oak", "Elm")
BROKEN = "loop:\n  ("
NEVER_CLOSED = "line 2, column 3 : This ( is never closed."


@pytest.fixture
def flow(make_flow):
    return make_flow(name="Desk", code=CODE, label="day", variables={"desk": "+14155550100"})


@pytest.fixture
def at(flow):
    """Where the flow has its pages."""
    return f"/workers/{flow['workerId']}/flows/{flow['id']}"


@pytest.fixture
def now(api, at):
    """The flow as the API has it now."""
    return lambda: api.get(at).json


@pytest.fixture
def versions(api, at):
    """Its versions, newest first."""
    return lambda: api.get(f"{at}/versions").json["data"]


@pytest.fixture
def save(visitor, at):
    """Open the editor, type, and press a button; by default the one that saves."""

    def make(button=None, **typed):
        visitor.go(f"{at}/edit")
        return press(visitor, button, **typed)

    return make


def press(visitor, button=None, **typed):
    """A button of the editor that is open, with this typed first. Browsers send text areas with CRLF."""
    for name in ("code", "variables"):
        text = typed.get(name, visitor.page.form("/edit")["fields"][name])
        typed[name] = re.sub(r"\r?\n", "\r\n", text)
    return visitor.send("/edit", **typed, **({button: ""} if button else {}))


def words(page):
    """The page's own text as words with one space between them."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.answer.text.partition("<main")[2])).split())


class TestSave:
    def test_a_flow_leads_to_its_editor_which_shows_all_of_it(self, visitor, at):
        assert f"/console{at}/edit" in visitor.go(at).links
        fields = visitor.go(f"{at}/edit").form("/edit")["fields"]
        assert (fields["name"], fields["label"], fields["code"]) == ("Desk", "day", CODE)
        assert '"desk": "+14155550100"' in fields["variables"]

    def test_code_is_saved_as_it_was_typed_and_a_version_committed(self, save, now, versions):
        assert "Saved as version 1." in save(code=OTHER, commitMessage="Elm").text
        assert (now()["code"], now()["version"]) == (OTHER, 2)
        assert [(one["code"], one["commitMessage"]) for one in versions()] == [(OTHER, "Elm")]

    def test_what_is_saved_is_signed_by_a_person(self, control, save, now, versions):
        (team,) = control.get("/state").json["teams"]
        save(code=OTHER)
        signed = now()
        assert signed["lastEditedByType"] == "USER" and signed["lastEditedByApiKeyId"] is None
        assert signed["lastEditedByUserId"] == team["teamOwnerId"]
        (version,) = versions()
        assert (version["authorType"], version["authorApiKeyId"]) == ("USER", None)
        assert version["commitMessage"] == "Edited in the console"

    def test_a_change_of_the_name_alone_commits_no_version(self, save, now, versions):
        assert "Saved: no new version." in save(name="Night desk").text
        assert (now()["name"], now()["code"], versions()) == ("Night desk", CODE, [])

    def test_code_with_other_ends_of_lines_stays_as_it_is_unless_it_is_changed(self, api, at, save, now):
        theirs = CODE.replace("\n", "\r\n")
        api.patch(at, {"code": theirs})
        save(name="Night desk")
        assert now()["code"] == theirs

    def test_what_is_emptied_is_saved_empty(self, save, now):
        save(code="", variables="", label="")
        assert (now()["code"], now()["variables"], now()["label"]) == ("", {}, None)

    def test_variables_that_are_no_object_are_refused_and_all_that_was_typed_is_kept(self, save, now):
        page = save(code=OTHER, variables="{desk}", commitMessage="Elm")
        assert page.status == 400 and "variables: Not valid JSON text. Nothing is saved." in words(page)
        fields = page.form("/edit")["fields"]
        assert (fields["code"], fields["variables"], fields["commitMessage"]) == (OTHER, "{desk}", "Elm")
        assert now()["code"] == CODE

    def test_code_that_cannot_run_is_saved_and_told(self, save, now):
        page = save(code=BROKEN)
        assert "It cannot run: line 2, column 3: This ( is never closed." in page.text
        assert NEVER_CLOSED in words(page) and now()["code"] == BROKEN

    def test_code_that_cannot_run_is_refused_where_one_asks_for_that(self, save, now):
        page = save(code=BROKEN, validate="true")
        assert page.status == 400
        assert "code: Line 2, column 3: This ( is never closed. Nothing is saved." in words(page)
        fields = page.form("/edit")["fields"]
        assert (fields["code"], fields["validate"], now()["code"]) == (BROKEN, "true", CODE)

    def test_a_form_of_another_page_saves_nothing(self, app, at, now):
        answer = app.test_client().post(f"/console{at}/edit", data={"name": "Desk", "code": OTHER, "_token": "guess"})
        assert answer.status_code == 403 and now()["code"] == CODE

    def test_another_teams_flow_is_not_edited(self, visitor, other_api, make_flow):
        flow = make_flow(api=other_api)
        assert visitor.go(f"/workers/{flow['workerId']}/flows/{flow['id']}/edit").status == 404

    def test_typed_code_is_never_run(self, save):
        page = save("check", code='say("</textarea><script>alert(1)</script>")\n')
        assert page.answer.text.count("<script>") == 0


class TestMeanwhile:
    @pytest.fixture
    def overtaken(self, visitor, api, control, at):
        """The editor, of a flow that somebody changes while it is open. The clock stands still."""
        control.put("/clock", {"frozen": True})
        visitor.go(f"{at}/edit")
        api.patch(at, {"code": f"# theirs\n{CODE}"})
        return visitor

    def test_what_somebody_else_wrote_is_not_overwritten(self, overtaken, now):
        page = press(overtaken, code=OTHER)
        assert page.status == 409 and "was changed meanwhile." in page.text
        assert now()["code"] == f"# theirs\n{CODE}"

    def test_what_was_typed_is_kept_and_compared_with_what_is_there(self, overtaken):
        page = press(overtaken, code=OTHER, commitMessage="Elm")
        fields = page.form("/edit")["fields"]
        assert (fields["code"], fields["commitMessage"]) == (OTHER, "Elm")
        changed = re.findall(r'<tr class="(added|removed)">.*?<code>(.*?)</code>', page.answer.text)
        assert [(kind, re.sub(r"<.*?>", "", text)) for kind, text in changed] == [
            ("removed", "# theirs"),
            ("removed", "say(&#34;Oak Clinic.&#34;)"),
            ("added", "say(&#34;Elm Clinic.&#34;)"),
        ]

    def test_once_that_was_seen_it_is_saved(self, overtaken, now):
        press(overtaken, code=OTHER)
        assert "Saved as version 2." in press(overtaken).text
        assert now()["code"] == OTHER

    def test_what_is_changed_after_that_is_not_overwritten_either(self, overtaken, api, at, now):
        press(overtaken, code=OTHER)
        api.patch(at, {"name": "Renamed"})
        assert press(overtaken).status == 409
        assert now()["name"] == "Renamed"

    def test_of_a_flow_that_is_gone_what_was_typed_becomes_a_new_one(self, overtaken, api, flow, at):
        api.delete(at)
        page = press(overtaken, code=OTHER)
        assert page.status == 404 and f"Flow {flow['id']} not found. Nothing is saved." in words(page)
        assert "The flow is made." in overtaken.send("/new").text
        (made,) = api.get(at.rpartition("/")[0]).json
        assert (made["name"], made["code"]) == ("Desk", OTHER)

    def test_a_check_tells_that_it_was_changed_until_that_was_seen(self, overtaken):
        told = "warning The flow was changed meanwhile: saving shows first what that would change."
        assert told in words(press(overtaken, "check", code=OTHER))
        assert told not in words(press(overtaken))
        assert told not in words(press(overtaken, "check"))

    def test_a_check_in_between_does_not_count_as_having_seen_it(self, overtaken):
        press(overtaken, "check", code=OTHER)
        assert press(overtaken).status == 409

    def test_a_flow_that_only_became_what_it_was_again_is_saved(self, overtaken, api, at, now):
        api.patch(at, {"code": CODE})
        press(overtaken, code=OTHER)
        assert now()["code"] == OTHER


class TestCheck:
    def test_what_is_typed_is_checked_and_not_saved(self, save, now):
        page = save("check", code=BROKEN)
        assert page.status == 200 and f"error {NEVER_CLOSED}" in words(page)
        assert page.form("/edit")["fields"]["code"] == BROKEN and now()["code"] == CODE

    def test_what_is_doubtful_is_told_too(self, save):
        page = save("check", code=f"{CODE}x = nothing\n")
        assert "warning line 6, column 5 : Nothing defines the name 'nothing'." in words(page)

    def test_the_flow_as_it_is_has_been_checked_when_the_editor_opens(self, visitor, at):
        assert "passed Nothing is wrong with it." in words(visitor.go(f"{at}/edit"))


class TestTry:
    def test_what_is_typed_is_talked_to_with_its_variables_and_not_saved(self, save, now):
        code = "say(f\"Call {variables['desk']}.\")\n"
        page = save("try", code=code, variables='{"desk": "+1 555"}')
        assert "A draft" in words(page) and "Agent: Call +1 555. line 1" in words(page)
        assert now()["code"] == CODE

    def test_a_draft_is_one_of_the_workers_conversations(self, visitor, flow, save):
        address = save("try", code=CODE).answer.request.path
        page = visitor.go(f"/workers/{flow['workerId']}/talk")
        assert address in page.links and "a draft 1 waiting" in words(page)

    def test_another_teams_worker_is_not_talked_to(self, app, visitor, at, other_api, make_worker):
        visitor.go(f"{at}/edit")
        token = visitor.page.form("/edit")["fields"]["_token"]
        theirs = make_worker(api=other_api)["id"]
        sent = {"name": "Desk", "code": CODE, "try": "", "_token": token}
        assert visitor.client.post(f"/console/workers/{theirs}/flows/new", data=sent).status_code == 404

    def test_code_that_cannot_run_is_told_beside_it(self, save):
        page = save("try", code=BROKEN)
        assert "code: Line 2, column 3: This ( is never closed." in words(page)
        assert page.form("/edit")["fields"]["code"] == BROKEN


class TestVersion:
    def test_an_older_version_is_edited_and_restored(self, visitor, api, at, now, versions):
        api.patch(at, {"code": "x = 1\n", "variables": {"desk": "+1"}})
        api.patch(at, {"code": "x = 2\n", "variables": {"desk": "+2"}})
        first = versions()[-1]["id"]
        (way,) = [link for link in visitor.go(f"{at}?version={first}").links if "/edit" in link]
        visitor.go(way.removeprefix("/console"))
        assert "Saved as version 3." in press(visitor).text
        assert (now()["code"], now()["variables"]) == ("x = 1\n", {"desk": "+1"})
        assert versions()[0]["commitMessage"] == "Back to version 1"

    def test_a_version_of_another_flow_is_not_found(self, visitor, api, at, make_flow):
        other = make_flow(name="Other")
        api.patch(f"/workers/{other['workerId']}/flows/{other['id']}", {"code": "x = 1\n"})
        (version,) = api.get(f"/workers/{other['workerId']}/flows/{other['id']}/versions").json["data"]
        assert visitor.go(f"{at}/edit?version={version['id']}").status == 404


class TestNew:
    @pytest.fixture
    def begun(self, visitor, make_worker):
        worker = make_worker()
        visitor.go(f"/workers/{worker['id']}/flows")
        visitor.go(next(link for link in visitor.page.links if link.endswith("/new")).removeprefix("/console"))
        return worker

    def test_a_flow_is_made_of_a_sketch_that_runs(self, visitor, api, begun):
        assert "passed Nothing is wrong with it." in words(visitor.page)
        assert "The flow is made." in visitor.send("/new", name="Desk").text
        (made,) = api.get(f"/workers/{begun['id']}/flows").json
        assert (made["name"], made["label"], made["code"], made["variables"]) == ("Desk", None, SKETCH, {})
        assert (made["version"], made["lastEditedByType"]) == (1, "USER")
        assert api.get(f"/workers/{begun['id']}/flows/{made['id']}/versions").json["data"] == []

    def test_without_a_name_it_is_checked_but_not_made(self, visitor, api, begun):
        assert f"error {NEVER_CLOSED}" in words(visitor.send("/new", code=BROKEN, check=""))
        page = visitor.send("/new")
        assert page.status == 400 and "name: Missing data for required field." in words(page)
        assert page.form("/new")["fields"]["code"] == BROKEN
        assert api.get(f"/workers/{begun['id']}/flows").json == []


def editing(server, tab, **looks):
    """A tab in which a flow of the demo is edited, and where that flow is."""
    clinic = demo_id("workers", name="Bayside Dental")
    at = f"/workers/{clinic}/flows/{demo_id('flows', workerId=clinic, name='Reminder')}"
    seen = tab(server, **looks)
    seen.go(f"{at}/edit")
    return seen, at


def test_findings_follow_what_is_typed_and_lead_to_their_place(served, tab):
    seen, _ = editing(served, tab)
    page, source = seen.page, seen.page.get_by_label("Code", exact=True)
    source.press("Control+End")
    page.keyboard.type('\nsay("\U0001f600"); x = nothing\n')
    expect(page.locator("#found")).to_contain_text("Nothing defines the name 'nothing'.")
    found = page.locator("#found a")
    page.keyboard.press("Tab")  # the keyboard is not caught in the code
    expect(page.get_by_label("Message of the version")).to_be_focused()
    found.click()
    expect(source).to_be_focused()
    expect(page.locator("#caret")).to_have_text(found.inner_text().capitalize())
    page.keyboard.press("Shift+Control+ArrowRight")
    assert page.evaluate("String(getSelection())") == "nothing"
    assert seen.faults() == []


def test_who_leaves_with_something_typed_is_asked_and_who_saves_is_not(served, tab):
    seen, at = editing(served, tab)
    page, asked = seen.page, []

    def stay(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.get_by_label("Code", exact=True).press("End")
    page.keyboard.type("  # typed")
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("button", name="Save", exact=True).last.click()
    page.wait_for_url(f"**{at}")
    expect(page.get_by_role("status")).to_contain_text("Saved as version")
    page.remove_listener("dialog", stay)  # the tab serves other tests
    assert asked == ["beforeunload"]


def test_without_script_code_is_checked_tried_and_saved(served, tab):
    seen, at = editing(served, tab, script=False)
    page, source = seen.page, seen.page.get_by_label("Code", exact=True)
    source.fill('say("Hello.")\nx = nothing\n')
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Nothing defines the name 'nothing'.")).to_be_visible()
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Try it").click()
    expect(opened.value.get_by_text("A draft")).to_be_visible()
    page.get_by_role("main").get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**{at}")
    expect(page.locator(".code li")).to_have_text(['say("Hello.")', re.compile("^x = nothing")])
