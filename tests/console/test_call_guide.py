"""docs/console.md, "From a call to its flow", done in a browser sentence by sentence."""

import re

from playwright.sync_api import expect

from dryline.tests.console.rehearsal import Rehearsal

GUIDE = Rehearsal("docs/console.md", "From a call to its flow")


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def position(page):
    return float(page.get_by_label("Position").input_value())


@GUIDE.does("Open Calls and click on the first call.")
def open_call(page):
    page.locator(".menu").get_by_role("link", name="Calls", exact=True).click()
    page.locator("tr[data-open] a").first.click()
    expect(page.locator("h1")).to_contain_text("Call ")


@GUIDE.does("Beside the transcript is the flow's code as it ran.")
def code_beside_transcript(page):
    page.wait_for_load_state("load")  # with its styles
    transcript, code = page.locator("#turns").bounding_box(), page.locator("#code-box").bounding_box()
    assert abs(transcript["y"] - code["y"]) < 30 and code["x"] > transcript["x"] + transcript["width"]
    page.set_viewport_size({"width": 390, "height": 900})
    transcript, code = page.locator("#turns").bounding_box(), page.locator("#code-box").bounding_box()
    assert code["y"] > transcript["y"] + transcript["height"]  # a telephone has it below
    page.set_viewport_size({"width": 1440, "height": 900})


@GUIDE.does('Press "Play".')
def play(page):
    press(page, "Play")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


@GUIDE.does("The turn that is heard is marked, and so is the line of the code that ran last.")
def marked(page):
    expect(page.locator("#turns .turn.now")).to_have_count(1)
    line = page.locator("#turns .turn.now").get_attribute("data-line")
    expect(page.locator(f"#line-{line}")).to_have_attribute("aria-current", "true")


@GUIDE.does("Click on another turn: its moment plays.")
def click_turn(page):
    turn = page.locator("#turns .turn").nth(3)
    turn.locator("p").click()
    expect(turn).to_have_attribute("aria-current", "true")
    assert position(page) >= float(turn.get_attribute("data-start")) - 0.1


@GUIDE.does("Click on a line of the code that ran: the moment when it ran plays.")
def click_line(page):
    line = page.locator("#code-box li.ran").first
    line.locator("code").click()
    expect(line).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


@GUIDE.does("Press Space: the recording pauses.")
def space(page):
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@GUIDE.does("Press the right arrow: it is five seconds further.")
def right_arrow(page):
    before = position(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Position")).not_to_have_value(str(before))
    assert abs(position(page) - before - 5) < 1


@GUIDE.does('Switch on "Steps of the flow".')
def switch_on_steps(page):
    page.get_by_label("Steps of the flow").check()


@GUIDE.does("The flow's decisions and its requests to language models are between the turns.")
def steps(page):
    expect(page.locator(".flow-step strong", has_text="until").first).to_be_visible()
    expect(page.locator(".flow-step strong", has_text="model").first).to_be_visible()


@GUIDE.does("Under About, click on the name of the flow.")
def open_flow(page):
    about = page.get_by_role("region", name="About")
    about.locator("a[href*='/flows/']").first.click()
    expect(page.get_by_role("heading", name="Where it leads")).to_be_visible()


@GUIDE.does("The map shows where the calls of the last week went: the more calls took a branch, the thicker it is.")
def flow_map(page):
    widths = [float(one.get_attribute("stroke-width") or 0) for one in page.locator("#map .branch").all()]
    counts = [int(re.match(r"\d+", one.text_content())[0]) for one in page.locator("#map .count").all()]
    assert len(widths) == len(counts) and max(counts) > 0
    assert widths[counts.index(max(counts))] == max(widths)


@GUIDE.does('Open "As a table" for the same in numbers.')
def table(page):
    page.get_by_text("As a table").click()
    expect(page.locator("#map tbody tr")).to_have_count(page.locator("#map .count:visible").count())


@GUIDE.does('Press "Talk to this flow", then "Begin".')
def talk(page):
    page.get_by_role("link", name="Talk to this flow").click()
    press(page, "Begin")
    expect(page.locator(".bubble").first).to_be_visible()


@GUIDE.does('Say "I want to talk to a person": the transcript shows which condition is taken, and why.')
def say(page):
    page.get_by_label("Say").fill("I want to talk to a person")
    page.keyboard.press("Enter")
    taken = page.locator(".talk .event", has_text="Taken:").first
    expect(taken).to_contain_text("person")
    expect(taken).to_contain_text(re.compile(r"\d+ % sure"))


def test_the_walk_from_a_call_to_its_flow_is_as_the_guide_says(demo, tab):
    seen = tab(demo, 1440)
    GUIDE.play(seen.go())
    assert seen.wrong == []
