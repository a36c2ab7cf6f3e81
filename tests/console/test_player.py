"""The recording, the transcript and the drawing of a call in a browser."""

import io
import re
import wave

import pytest
from playwright.sync_api import expect

from dryline.tests.console.demo_rows import demo_id

# A turn of two seconds lasts 16 s, so that a slow machine sees it.
SLOWLY = "document.getElementById('recording').playbackRate = 1 / 8"


def sound(seconds, channels=1):
    """Return a WAV file of silence. With two channels, the agent is heard in each first half of a minute."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((channels, 1, 8000, 0, "NONE", ""))
        for second in range(int(seconds)):
            is_loud = channels == 2 and second % 60 < 30
            out.writeframes((b"\xff\x80" if is_loud else b"\x80" * channels) * 8000)
    return file.getvalue()


def answer_with(body):
    """Return a route handler that serves a file by ranges."""

    def serve(route):
        requested = re.match(r"bytes=(\d+)-(\d*)", route.request.headers.get("range", ""))
        first, last = (int(requested[1]), int(requested[2] or len(body) - 1)) if requested else (0, len(body) - 1)
        headers = {"Content-Range": f"bytes {first}-{last}/{len(body)}", "Accept-Ranges": "bytes"}
        route.fulfill(status=206, headers=headers | {"Content-Type": "audio/wav"}, body=body[first : last + 1])

    return serve


TURNS = [
    {"role": ("assistant", "user")[turn % 2], "content": f"Turn {turn}.", "start": turn * 3 + 1, "end": turn * 3 + 3}
    for turn in range(40)
]
# The flow says every answer at the line of its number.
TRACE = [
    {"at": turn["start"], "step": "say", "line": number}
    for number, turn in enumerate(TURNS, start=1)
    if turn["role"] == "assistant"
]
CALL = {
    "id": "log_heard",
    "workerId": demo_id("workers"),
    "startTime": "2026-11-20T10:00:00.000Z",
    "duration": 130,  # the last voice is heard until 120
    "flowSnapshot": "\n".join(f'say("Line {number}.")' for number in range(1, 61)),
    "sessionLogData": {"trace": [*TRACE, {"at": 4.5, "step": "extract", "line": 50, "key": "city"}]},
    "messages": {"messages": TURNS},
}


@pytest.fixture
def open_call(demo, tab):
    """Return a function that opens a call of two minutes, whose recording `serve` answers."""
    row = CALL | {"recordingUrl": f"{demo.url}/recordings/CA1.wav"}
    demo.app.test_client().post("/_dryline/state", json={"version": 1, "voiceLogs": [row]})  # once, then it is a 409

    def open_page(serve=None, fragment="", **how):
        seen = tab(demo, **how)
        seen.page.route("**/recordings/CA1.wav", serve or answer_with(sound(130)))
        page = seen.go(f"/calls/log_heard{fragment}")
        page.evaluate(SLOWLY)
        return seen, page

    return open_page


def now(page):
    return page.evaluate("document.getElementById('recording').currentTime")


def test_the_steps_of_the_flow_are_shown_by_a_switch_that_is_remembered(open_call):
    _, page = open_call()
    step = page.locator(".flow-step", has_text="key city")
    step.wait_for(state="hidden")
    page.get_by_label("Steps of the flow").check()
    step.wait_for()
    page.reload()
    step.wait_for()
    page.get_by_label("Steps of the flow").uncheck()
    step.wait_for(state="hidden")


def test_the_player_is_used_by_keyboard(open_call):
    _, page = open_call()
    button = page.get_by_role("button", name="Play")
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    for key, at in (("ArrowRight", 5), ("ArrowRight", 10), ("ArrowLeft", 5)):
        page.keyboard.press(key)
        assert at <= now(page) < at + 3
    page.keyboard.press(" ")
    button.wait_for()
    page.get_by_label("Position").focus()
    page.keyboard.press("End")
    page.locator("#time", has_text="2:10 / 2:10").wait_for()
    assert page.get_by_label("Position").get_attribute("aria-valuetext") == "2:10 of 2:10"
    page.get_by_label("Speed").select_option("2")
    assert page.evaluate("document.getElementById('recording').playbackRate") == 2


def test_silence_is_skipped_and_it_stops_after_the_last_voice_and_begins_again(open_call):
    _, page = open_call()
    page.evaluate("document.getElementById('recording').playbackRate = 1 / 16")
    page.get_by_label("Skip silence").check()
    page.get_by_role("button", name="Play").click()
    # The first turn begins at 1. Without the switch it would take 13 s.
    expect(page.get_by_label("Position")).to_have_value(re.compile(r"^0\.[89]"), timeout=10_000)
    page.get_by_label("Skip silence").uncheck()
    page.evaluate("Object.assign(document.getElementById('recording'), {currentTime: 119.95, playbackRate: 1})")
    page.get_by_role("button", name="Play").wait_for()
    assert 120 <= now(page) < 122
    page.get_by_label("Skip silence").blur()
    page.keyboard.press(" ")
    page.locator("#turn-1.now").wait_for()


def test_play_begins_shortly_before_the_first_voice_and_says_that_it_loads(demo, tab):
    seen = tab(demo)
    page = seen.go("/calls?status=completed&minDuration=10&maxDuration=40&limit=1")
    page.goto(page.locator("tr[data-open] a").evaluate("link => link.href"))
    routes, is_ready = [], []
    page.route("**/recordings/**", lambda route: route.continue_() if is_ready else routes.append(route))
    page.locator("#play").click()
    expect(page.locator("#play")).to_have_text("Loading …")
    is_ready.append(True)
    for route in routes:
        route.continue_()
    expect(page.locator("#play")).to_have_text("Pause")
    first = float(page.locator("#turn-1").get_attribute("data-start"))
    assert first > 1  # it rings
    assert first - 0.6 < now(page) < first + 3


def test_the_lanes_show_how_loud_each_voice_is(open_call):
    _, page = open_call(answer_with(sound(130, channels=2)))
    page.locator("#turn-1 p").click()
    agent, caller = page.locator(".wave.agent"), page.locator(".wave.caller")
    expect(agent).to_be_attached()
    heights = [[float(one) for one in re.findall(r"v([\d.]+)", wave.get_attribute("d"))] for wave in (agent, caller)]
    assert len(heights[0]) == len(heights[1]) == 1000
    assert min(heights[0][10:220]) > 30 and max(heights[0][240:450]) == 0  # 30 of 130 s, and the 30 after them
    assert max(heights[1]) == 0


def test_a_click_on_a_line_that_ran_or_in_the_drawing_plays_that_moment(open_call):
    _, page = open_call(fragment="#turn-20")
    expect(page.locator("#turn-20")).to_have_attribute("aria-current", "true")
    page.locator("#line-7 code").click()
    page.locator("#turn-7.now").wait_for()
    assert now(page) >= 19
    page.locator("#line-30 code").click()  # which never ran
    expect(page.locator("#line-7")).to_have_attribute("aria-current", "true")
    box = page.locator("[data-turn=turn-10]").bounding_box()
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 5)
    page.locator("#turn-10.now").wait_for()
    assert 29.3 < now(page) < 30.3
