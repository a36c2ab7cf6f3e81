"""docs/demo.md, done in a browser on the demo world, step by step, as somebody who gives the demo does it."""

import re

from playwright.sync_api import expect

from dryline.tests.console.rehearsal import (
    ROOT,
    Rehearsal,
    new_page,
    next_page,
    open_page,
    press,
    press_in_bar,
    reset_world,
    run_curl,
    set_calls_per_minute,
    wait_for,
)

DEMO = Rehearsal("docs/demo.md")
LINE = "Bayside Dental: Front desk line"
GUIDE = (ROOT / "docs/demo.md").read_text()
CONTACTS = re.sub("(?m)^  ", "", re.search(r"```text\n(.*?)  ```", GUIDE, re.DOTALL)[1])
# The guide has one write this behind a curl command, so that the answer fits a screen.
TAIL = re.search(r"`( \| [^`]+)`", GUIDE)[1]


def place(page, outcome):
    open_page(page, "Live")
    page.get_by_label("Deployment").select_option(label=LINE)
    page.get_by_label("Outcome").select_option(outcome)
    press_place(page)


def press_place(page):
    with next_page(page):
        press(page, "Place the call")
    expect(page.get_by_text("The call has begun.")).to_be_visible()


def card(page):
    """Return the card of the call that began last."""
    return page.locator("article").first


def open_flow(page, worker, name):
    open_page(page, "Workers")
    page.get_by_role("link", name=worker, exact=True).click()
    page.locator(".tabs").get_by_role("link", name=re.compile("^Flows")).click()
    page.locator("main").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def run_in_terminal(page):
    """Run the curl command of the page as the guide says. Return what it prints."""
    printed = run_curl(page, TAIL)
    assert printed.count("\n") <= 25 and max(map(len, printed.splitlines())) <= 120
    return printed


def statuses(page, status):
    return page.locator("#list tbody .state", has_text=re.compile(f"^{status}$"))


def logged(page, request, status):
    """Return the rows of the request log with exactly this request and status."""
    rows = page.locator("tr[data-open]", has=page.locator("td", has_text=re.compile(rf"^\s*{request}(\s|$)")))
    return rows.filter(has=page.locator(".state", has_text=re.compile(f"^{status}$")))


@DEMO.does()
def figures(page):
    open_page(page, "Overview")
    rows = page.locator("section", has=page.locator("#businesses")).locator("tbody tr")
    expect(rows).to_have_count(4)
    expect(page.locator("dl.figures dt")).to_have_count(6)


@DEMO.does("5 weeks")
def five_weeks(page):
    press(page, "5 weeks")
    expect(page.locator(".chart .column")).to_have_count(35)
    expect(page.locator(".legend")).to_contain_text("completed")


@DEMO.does("Traffic", "Calls per minute")
def calls_come_in(page):
    newest = page.locator("#newest tbody tr a").first.get_attribute("href")
    set_calls_per_minute(page, "12")
    wait_for(page, page.locator(f'#newest tbody tr:first-child a:not([href="{newest}"])'))
    expect(page.locator(".legend .note, .legend").first).not_to_contain_text("0 running")
    set_calls_per_minute(page, "0")


@DEMO.does("Bayside Dental: Front desk line", "completed")
def place_a_call(page):
    place(page, "completed")
    expect(card(page)).to_contain_text(re.compile("It is ringing|Agent|Caller"))
    wait_for(page, page.locator("article .said strong").first)


@DEMO.does("transferred")
def another(page):
    place(page, "transferred")
    wait_for(page, page.locator("article", has_text="connecting you").first)


@DEMO.does("completed")
def third(page):
    place(page, "completed")
    card(page).get_by_role("link").click()
    expect(page.locator("h1")).to_have_text(re.compile(r"Call (from|to)\s"))
    wait_for(page, page.locator(".turn").nth(1))


@DEMO.does("+5 min")
def over(page):
    press_in_bar(page, "+5 min")
    expect(page.locator(".lead .state")).to_have_text("completed")


@DEMO.does("Play")
def play(page):
    press(page, "Play")
    page.locator("#recording").evaluate("(audio) => audio.playbackRate = 4")
    expect(page.locator(".turn.now")).to_be_visible(timeout=30_000)
    expect(page.locator(".code li.now")).to_be_in_viewport()
    turn = page.locator(".turn[data-start]").last
    turn.locator("p").click()
    expect(turn).to_contain_class("now")


@DEMO.does()
def below(page):
    for heading in ("Extractions", "Success", "Latency of each turn"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()


@DEMO.does()
def map_of_the_flow(page):
    open_flow(page, "Bayside Dental", "Front desk")
    expect(page.get_by_role("heading", name="Where it leads")).to_be_visible()
    expect(page.locator("#map .count").first).to_be_visible()
    expect(page.locator("ol.code")).to_contain_text("say(")


@DEMO.does("Talk to this flow", "Begin")
def talk(page):
    press(page, "Talk to this flow")
    press(page, "Begin")
    expect(page.get_by_role("form", name="Suggestions").get_by_role("button")).to_have_count(3)


@DEMO.does("How it decided", "I need an appointment on Thursday")
def say(page):
    page.get_by_label("How it decided").check()
    page.get_by_placeholder("Say something").fill("I need an appointment on Thursday")
    page.keyboard.press("Enter")
    event = page.locator("li.event", has_text="Taken: ").first
    expect(event).to_contain_text("appointment")
    expect(event).to_contain_text("% sure")


@DEMO.does()
def follow_suggestions(page):
    turns = page.locator(".bubble.caller")
    over = page.get_by_text("The conversation is over")
    for turn in range(1, 12):
        if over.is_visible():
            break
        page.get_by_role("form", name="Suggestions").get_by_role("button").first.click()
        expect(turns).to_have_count(turn + 1)
    expect(over).to_be_visible()
    expect(page.locator("li.event", has_text="Extracted: booked").last).to_contain_text("true")


@DEMO.does("Newest errors", "KeyError: 'technicians'")
def problem(page):
    open_page(page, "Overview")
    businesses = page.locator("section", has=page.locator("#businesses")).locator("tbody tr")
    success = {row.split()[0]: int(row.split()[-2]) for row in businesses.all_inner_texts()}
    assert min(success, key=success.__getitem__) == "Tidewater", success
    errors = page.locator("section", has=page.locator("#errors"))
    error = errors.locator("p", has_text="Tidewater Internet").filter(has_text="KeyError: 'technicians'")
    expect(error).to_contain_text(re.compile("[5-9] times|\\d\\d times"))
    error.get_by_role("link").click()
    expect(page.locator("h1")).to_have_text(re.compile(r"Call (from|to)\s"))
    page.wait_for_load_state()
    expect(page.locator(".code li.failed")).to_contain_text('variables["technicians"]')
    last = page.locator("ol.turns > li").last
    expect(last).to_contain_text("KeyError: 'technicians'")
    last.get_by_role("link", name=re.compile("^line ")).click()
    source = page.locator("#source")
    expect(source).to_be_focused()
    rest = source.evaluate("one => one.value.slice(one.selectionStart)")
    assert rest.startswith('transfer(variables["technicians"])')
    expect(page.locator(".gutter .mark")).to_be_in_viewport()


@DEMO.does("Compare versions")
def renamed(page):
    page.locator("main h2").get_by_role("link", name="Support", exact=True).click()
    press(page, "Compare versions")
    expect(page.locator("table.diff .added mark")).to_have_text("technicians")


@DEMO.does("Edit", "technician", "technicians", "Save")
def mend(page):
    page.go_back()
    press(page, "Edit")
    source = page.locator("#source")
    page.wait_for_load_state()
    source.fill(source.input_value().replace('variables["technicians"]', 'variables["technician"]'))
    press(page, "Save")
    expect(page.locator("ol.code")).to_contain_text('variables["technician"]')


@DEMO.does("Tidewater Internet: Support line", "+1 h")
def mended(page):
    open_page(page, "Live")
    page.get_by_label("Deployment").select_option(label="Tidewater Internet: Support line")
    condition = page.locator("#conditions option", has_text="asks for a person or a technician")
    expect(condition).to_be_attached()
    page.locator("#conditions").select_option(condition.text_content())
    press_place(page)
    press_in_bar(page, "+1 h")
    ended = page.locator("article.ended", has_text="Support line")
    expect(ended.locator(".state")).to_have_text("transferred")


@DEMO.does("Bayside Dental", "completed", "appointment")
def filters(page):
    open_page(page, "Calls")
    page.locator("select[name=worker]").select_option(label="Bayside Dental")
    page.wait_for_url("**worker=*")
    page.get_by_label("Outcome").select_option("completed")
    page.wait_for_url("**status=completed*")
    page.get_by_label("Words, number or id").fill("appointment")
    page.keyboard.press("Enter")
    page.wait_for_url("**searchQuery=appointment*")
    expect(page.locator("tr[data-open] mark").first).to_be_visible()


@DEMO.does()
def snippets(page):
    page.curl = page.locator("details[name=snippet]", has_text="curl").first.locator("code").text_content()
    first = page.locator("tr[data-open] a").first.get_attribute("href")
    id = re.search(r"log_[\w-]+", first)[0]
    assert id in run_in_terminal(page)


@DEMO.does("Export", "completed")
def export(page):
    press(page, "Export")
    expect(page.locator("h1")).to_have_text("Exports")
    expect(page.locator("tbody tr").first).to_contain_text("completed", timeout=30_000)


@DEMO.does("Download")
def rows(page):
    page.locator("tbody tr a").first.click()
    expect(page.locator("#rows tbody tr").first).to_be_visible()
    with page.expect_download() as download:
        press(page, "Download")
    assert download.value.path().stat().st_size > 1000


@DEMO.does("+1 d")
def expired(page):
    press_in_bar(page, "+1 d")
    expect(page.locator("#status")).to_have_text("expired")


@DEMO.does(
    "Bayside Dental: Appointment reminders", "Rows per batch", "Preview", "Create the campaign", "Next batch now"
)
def campaign(page):
    open_page(page, "Campaigns")
    press(page, "New campaign")
    page.locator("#deployment").select_option(label="Bayside Dental: Appointment reminders")
    page.locator("#data").fill(CONTACTS)
    page.get_by_label("Rows per batch").fill("2")
    press(page, "Preview")
    expect(page.get_by_text("5 rows can be called")).to_be_visible()
    press(page, "Create the campaign")
    expect(page.locator("#list tbody tr")).to_have_count(5)
    expect(statuses(page, "queued")).to_have_count(3)
    press(page, "Next batch now")
    expect(statuses(page, "queued")).to_have_count(1)


@DEMO.does("503 twice", "Make the next such requests fail")
def fault(page):
    open_page(page, "Connect")
    assert "Tidewater Internet" in run_in_terminal(page)
    open_page(page, "Request log")
    logged(page, "GET /api/workers", 200).first.get_by_role("link").first.click()
    press(page, "503 twice")
    expect(page.get_by_text("Added: ")).to_be_visible()


@DEMO.does()
def one_row(page):
    answers = [run_in_terminal(page) for _ in range(3)]
    assert ["Tidewater Internet" in answer for answer in answers] == [False, False, True]
    open_page(page, "Request log")
    row = logged(page, "GET /api/workers", 503)
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Fault: answers 503, 2 times")
    expect(row).to_contain_text("2 times")


@DEMO.does("Verify requests")
def verify(page):
    press(page, "Verify requests")
    page.get_by_label("Path").fill("/api/workers")
    page.get_by_label("At least").fill("4")
    press(page, "Verify")
    expect(page.get_by_text("As expected: made 4 times")).to_be_visible()


@DEMO.does("call_ended")
def read(page):
    open_page(page, "Webhooks")
    page.get_by_role("link", name=re.compile("^Inbox")).click()
    message = page.locator("#received > details", has_text="call_ended").first
    message.locator("summary").first.click()
    expect(message.locator("pre", has_text="from_number")).to_be_visible()


@DEMO.does("Cedar Valley Power: Billing line", "Send its events here")
def use_inbox(page):
    expect(page.get_by_text(f"{LINE} sends its events here.")).to_be_visible()
    page.locator("#inbox-deployment").select_option(label="Cedar Valley Power: Billing line")
    press(page, "Send its events here")
    expect(page.get_by_text("Billing line sends its events here.")).to_be_visible()


@DEMO.does("Send again")
def send_again(page):
    page.get_by_role("link", name="Deliveries").click()
    press(page.locator("tr", has_text="/inbox/webhooks").first, "Send again")
    expect(page.get_by_text("The message is being sent again.")).to_be_visible()
    expect(page.locator("#delivery dd[role=status]")).to_have_text("delivered")


@DEMO.does()
def reset(page):
    reset_world(page)
    expect(page.locator("#clock-badge")).to_be_empty()
    open_flow(page, "Tidewater Internet", "Support")
    expect(page.locator("ol.code")).to_contain_text('variables["technicians"]')
    open_page(page, "Request log")
    expect(page.get_by_text("No requests yet.")).to_be_visible()


@DEMO.does("/inbox/webhooks", "503 twice", "Bayside Dental: Front desk line", "completed", "+5 min")
def fail_webhooks(page):
    open_page(page, "Faults")
    page.locator("#preset-path").fill("/inbox/webhooks")
    press(page, "503 twice")
    expect(page.get_by_text("Added: ")).to_be_visible()
    place(page, "completed")
    press_in_bar(page, "+5 min")


@DEMO.does("+5 min")
def webhooks_are_tried_again(page):
    open_page(page, "Webhooks")
    rows = page.locator("#list tbody tr")
    pending = rows.filter(has_text=re.compile(r"pending\s*next \d\d:\d\d:\d\d\s*503"))
    expect(pending).not_to_have_count(0)
    press_in_bar(page, "+5 min")
    expect(pending).to_have_count(0)
    expect(rows.filter(has_text=re.compile(r"delivered\s*204\s*[23]\s"))).not_to_have_count(0)


def test_the_demo_can_be_given_as_its_guide_says(chromium, served):
    page = new_page(chromium, served, 1440, "light")
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and errors.append((message.text, message.location)))
    DEMO.play(page)
    assert errors == []
    page.context.close()
