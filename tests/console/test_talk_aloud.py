"""A conversation with a flow by voice: the agent's lines aloud, and a microphone."""

import io
import re
import shlex
import sys
import wave

import pytest
from playwright.sync_api import expect

from dryline.serving.server import in_thread
from dryline.settings import Settings
from dryline.tests.console.demo_rows import demo_id

# Writes 0.1 s of a tone.
PROGRAM = """
import sys, wave
with wave.open(sys.stdout.buffer, "wb") as out:
    out.setparams((1, 2, 8000, 0, "NONE", ""))
    out.writeframes(b"\\x00\\x20\\x00\\xe0" * 400)
"""
# A browser that offers speech recognition, and notes what it plays.
BROWSER = """
HTMLMediaElement.prototype.play = function () {
    const { dataset } = document.documentElement;
    dataset.played = `${dataset.played || ""} ${new URL(this.src).pathname.split("/").pop()}`.trim();
    setTimeout(() => this.dispatchEvent(new Event("ended")));
    return Promise.resolve();
};
window.SpeechRecognition = class {
    start() {
        window.language = this.lang;
        this.onresult({ results: [[{ transcript: "I need " }], [{ transcript: "a cleaning" }]] });
        this.onend();
    }
};
"""


@pytest.fixture(scope="module")
def speaking(tmp_path_factory):
    """Yield a server with a program that speaks."""
    path = tmp_path_factory.mktemp("speech") / "speaks.py"
    path.write_text(PROGRAM)
    speech = f"command: {shlex.join([sys.executable, '-I', '-S', str(path)])}"
    with in_thread(Settings(ephemeral=True, scenario="demo", port=0, seed=1, speech=speech)) as server:
        yield server


@pytest.fixture
def begin(tab):
    """Return a function that begins a conversation with the front desk of a server, in a browser with this script."""

    def begin(server, script):
        seen = tab(server)
        seen.page.add_init_script(f"if (location.pathname.startsWith('/console')) {{{script}}}")
        page = seen.go(f"/workers/{demo_id('workers', name='Bayside Dental')}/talk")
        expect(page.get_by_role("heading", name="Talk to Front desk")).to_be_visible()
        page.get_by_role("button", name="Begin").click()
        page.wait_for_url("**/talk/talk_*")
        page.wait_for_load_state()
        return seen

    return begin


def test_lines_are_read_aloud_while_the_switch_is_on(begin, speaking):
    seen = begin(speaking, BROWSER)
    page = seen.page
    switch = page.get_by_role("button", name="Read aloud")
    expect(switch).to_have_attribute("aria-pressed", "false")
    played = page.locator("html")
    expect(played).not_to_have_attribute("data-played", re.compile(""))
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    first = " ".join(line.get_attribute("data-audio").split("/")[-1] for line in page.locator("[data-audio]").all())
    expect(played).to_have_attribute("data-played", first)
    page.get_by_label("Say").fill("I would like a new appointment")
    page.keyboard.press("Enter")
    expect(played).to_have_attribute("data-played", re.compile(f"^{first} \\d+.wav"))
    lines = played.get_attribute("data-played").split()
    assert len(set(lines)) == len(lines)
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    page.reload()
    expect(switch).to_have_attribute("aria-pressed", "false")
    expect(played).not_to_have_attribute("data-played", re.compile(""))
    assert seen.wrong == []


def test_a_line_is_a_file_in_the_agents_voice_and_a_microphone_fills_the_field(begin, speaking):
    page = begin(speaking, BROWSER).page
    address = speaking.url + page.locator("[data-audio]").first.get_attribute("data-audio")
    answer = page.request.get(address)
    assert (answer.status, answer.headers["content-type"]) == (200, "audio/wav")
    with wave.open(io.BytesIO(answer.body())) as file:
        assert (file.getnchannels(), file.getframerate(), file.getnframes()) == (1, 8000, 800)
    assert page.request.get(re.sub(r"\d+\.wav", "99.wav", address)).status == 404
    page.get_by_role("button", name="Speak").click()
    expect(page.get_by_label("Say")).to_have_value("I need a cleaning")
    assert page.evaluate("language") == "en-US"
    expect(page.locator(".bubble.caller")).to_have_count(0)  # it is sent by the person


def test_without_speech_the_agents_new_lines_are_announced_to_screen_readers(begin, demo):
    page = begin(demo, "delete window.SpeechRecognition; delete window.webkitSpeechRecognition;").page
    expect(page.get_by_label("Say")).to_be_visible()
    expect(page.get_by_role("button", name="Read aloud")).to_have_count(0)
    expect(page.get_by_role("button", name="Speak")).to_be_hidden()
    region = page.locator("body > [role=status].visually-hidden")
    region.evaluate("region => (region.dataset.isTheSame = true)")
    page.get_by_label("Say").fill("I would like a new appointment")
    page.keyboard.press("Enter")
    expect(page.locator(".bubble.caller")).to_have_count(1)
    expect(region).to_have_text(page.locator(".bubble").last.text_content())
    assert region.get_attribute("data-is-the-same") == "true"


def test_a_flow_that_calls_people_begins_with_a_made_up_contact(demo, tab):
    page = tab(demo).go(
        f"/workers/{demo_id('workers', name='Bayside Dental')}/talk?flowId={demo_id('flows', name='Reminder')}"
    )
    expect(page.get_by_text("it begins with a made-up contact")).to_be_visible()
    name = re.search(r"contact\s+\((\w+ \w+)", page.locator("form.stack").text_content())[1]
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".bubble", has_text=name).first).to_be_visible()


def test_a_telephone_scrolls_no_further_than_the_page_reaches(demo, tab):
    """The turns scroll in a box of their own, with words in them that only screen readers read."""
    page = tab(demo, 390).go(f"/workers/{demo_id('workers', name='Bayside Dental')}/talk")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/talk/talk_*")
    page.get_by_label("How it decided").check()
    for turn in range(1, 6):
        page.get_by_role("form", name="Suggestions").get_by_role("button").first.click()
        expect(page.locator(".bubble.caller")).to_have_count(turn)
    assert page.evaluate("document.documentElement.scrollHeight - document.body.offsetHeight") < 20
