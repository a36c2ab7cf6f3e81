"""The page of a call in the browser: what is heard, said and drawn goes together."""

import io
import re
import wave

import pytest

from dryline.tests.console.demo_rows import demo_id

# A turn of two seconds is spoken for 16 s: a slow machine looks at it before the next one is.
SLOWLY = "document.getElementById('recording').playbackRate = 1 / 8"


def sound(seconds):
    """A WAV file of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((2, 2, 8000, 0, "NONE", ""))
        out.writeframes(bytes(int(seconds * 8000) * 4))
    return file.getvalue()


def answer_with(body):
    """What serves a file to the audio element, in the ranges that it asks for."""

    def serve(route):
        asked = re.match(r"bytes=(\d+)-(\d*)", route.request.headers.get("range", ""))
        first, last = (int(asked[1]), int(asked[2] or len(body) - 1)) if asked else (0, len(body) - 1)
        headers = {"Content-Range": f"bytes {first}-{last}/{len(body)}", "Accept-Ranges": "bytes"}
        route.fulfill(status=206, headers=headers | {"Content-Type": "audio/wav"}, body=body[first : last + 1])

    return serve


@pytest.fixture
def open_call(demo, tab):
    """Opens the page of a call of some minutes, whose recording is `serve`d; gives the tab and its page."""

    def open_page(serve, fragment="", **how):
        seen = tab(demo, **how)
        said = [
            {
                "role": ("assistant", "user")[turn % 2],
                "content": f"Turn {turn}.",
                "start": turn * 3 + 1,
                "end": turn * 3 + 3,
            }
            for turn in range(40)
        ]
        row = {
            "id": "log_heard",
            "workerId": demo_id("workers"),
            "startTime": "2026-11-20T10:00:00.000Z",
            "duration": 121,
            "messages": {"messages": said},
            "recordingUrl": f"{demo.url}/recordings/CA1.wav",
        }
        demo.app.test_client().post("/_dryline/state", json={"version": 1, "voiceLogs": [row]})
        seen.page.route("**/recordings/CA1.wav", serve)
        page = seen.go(f"/calls/log_heard{fragment}")
        page.evaluate(SLOWLY)
        return seen, page

    return open_page


def test_a_turn_is_heard_by_a_click_and_the_transcript_follows(open_call):
    seen, page = open_call(answer_with(sound(121)))
    page.locator("#turn-3 p").click()
    page.locator("#turn-3.now").wait_for()
    page.locator("#recording-state:empty").wait_for(state="attached")
    assert page.evaluate("document.getElementById('recording').currentTime") >= 7
    assert seen.length() == 121
    assert page.url.endswith("#turn-3")
    page.evaluate("document.getElementById('recording').currentTime = 115.1")
    page.locator("#turn-39.now").wait_for()
    assert page.locator("#turn-39").get_attribute("aria-current") == "true"
    assert page.locator("li.now").count() == 1
    assert page.evaluate("document.getElementById('turns').scrollTop") > 0
    assert page.evaluate("scrollY") == 0
    assert float(page.locator("#playhead").get_attribute("x1")) > 900
    assert seen.wrong == []


def test_a_turn_is_heard_by_key(open_call):
    _, page = open_call(answer_with(sound(121)))
    page.locator("#turn-5 a.at").focus()
    page.keyboard.press("Enter")
    page.locator("#turn-5.now").wait_for()
    assert page.evaluate("document.getElementById('recording').paused") is False


def test_the_drawing_leads_to_its_moment(open_call):
    _, page = open_call(answer_with(sound(121)))
    page.locator("[data-turn=turn-10]").click()
    page.locator("#turn-10.now").wait_for()


def test_nothing_is_fetched_until_somebody_listens_and_then_it_says_that_it_is_made(open_call):
    made, waiting = [], []
    serve = answer_with(sound(121))
    _, page = open_call(lambda route: serve(route) if made else waiting.append(route))
    assert waiting == []
    page.locator("#turn-1 p").click()
    page.get_by_text("The recording is being made.").wait_for()
    made.append(True)
    for route in waiting:
        serve(route)
    page.locator("#recording-state:empty").wait_for(state="attached")


def test_a_recording_that_cannot_be_had_is_told(open_call):
    _, page = open_call(lambda route: route.fulfill(status=404))
    page.locator("#turn-1 p").click()
    page.get_by_text("could not be fetched").wait_for()


def test_an_address_with_a_turn_begins_there(open_call):
    _, page = open_call(answer_with(sound(121)), "#turn-20")
    assert page.locator("#turn-20").get_attribute("aria-current") == "true"


def test_without_script_turns_are_places_on_the_page(open_call):
    _, page = open_call(answer_with(sound(121)), script=False)
    page.locator("#turn-38 a.at").click()
    page.wait_for_url("**#turn-38")
    assert page.locator("audio").is_visible()


def test_letters_lead_to_the_calls_beside_it(demo, tab):
    page = tab(demo).go("/calls?limit=3")
    newer = page.locator("tr[data-open] a").nth(0).get_attribute("href")
    page.goto(page.locator("tr[data-open] a").nth(1).evaluate("link => link.href"))
    page.keyboard.press("n")
    page.wait_for_url(f"**{newer}")


def test_a_simulated_call_is_heard_as_long_as_it_was(demo, tab):
    seen = tab(demo)
    page = seen.go("/calls?status=completed&minDuration=10&maxDuration=40&limit=1")
    page.goto(page.locator("tr[data-open] a").evaluate("link => link.href"))
    page.locator("#turn-1 p").click()
    assert seen.length() == float(page.locator("#lanes").get_attribute("data-length"))
    assert seen.wrong == []
