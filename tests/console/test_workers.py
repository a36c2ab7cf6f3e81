"""The pages of workers: flows, deployments, talks, resources, tests and scorecards."""

import re
from html import unescape

import pytest
from playwright.sync_api import expect

from dryline.tests.console.demo_rows import demo_id
from dryline.tests.console.visitor import words

CODE = """say("Oak Clinic.")
loop:
    res = talk("Ask what we can do for them.", True)
until "caller wants to book an appointment":
    who = res.ask("When do they want to come?", {"day": "Monday"})
    extract("booking", who)
    say(f"See you on {who['day']}.")
until "caller wants a human":
    transfer(variables["desk"])
"""


@pytest.fixture
def flow(make_flow):
    return make_flow(name="Desk", code=CODE, variables={"desk": "+14155550100"})


@pytest.fixture
def at(flow):
    """Return the address of the flow's worker, below /console and below /api."""
    return f"/workers/{flow['workerId']}"


@pytest.fixture
def change(api, flow):
    def make(**body):
        answer = api.patch(f"/workers/{flow['workerId']}/flows/{flow['id']}", body)
        assert answer.status_code == 200, answer.text

    return make


def test_workers_are_listed_with_counts_and_filtered_by_text_and_tag(visitor, api, flow, make_worker):
    tag = api.post("/team/tags", {"label": "north", "color": "#fff"}).json
    worker = make_worker(name="Plain", description="Sells shoes")
    assert "Front desk 1 0 0 0 " in words(visitor.go("/workers"))
    visitor.go(f"/workers/{worker['id']}")
    visitor.send("/tags", tagId=tag["id"])
    assert [one["label"] for one in api.get(f"/workers/{worker['id']}/tags").json] == ["north"]
    for query in ("q=plain", "q=SHOES", f"tag={tag['id']}"):
        text = visitor.go(f"/workers?{query}").text
        assert ("Plain" in text, "Front desk" in text) == (True, False), query
    visitor.go(f"/workers/{worker['id']}")
    visitor.send("/remove")
    assert api.get(f"/workers/{worker['id']}/tags").json == []


class TestFlow:
    @pytest.fixture
    def open_flow(self, visitor, at, flow, change):
        """Return a function that opens the flow's page, after a change of its code."""

        def show(code=None, path="", **body):
            if code is not None:
                change(code=code, **body)
            return visitor.go(f"{at}/flows/{flow['id']}{path}")

        return show

    def test_a_version_is_shown(self, api, at, flow, open_flow):
        assert "Desk Talk to this flow" in words(open_flow())
        open_flow('say("one")\n', commitMessage="First")
        page = open_flow('say("two")\n', commitMessage="Second")
        assert "Desk version 2 Talk to this flow" in words(page) and "1 First" in words(page)
        first = api.get(f"{at}/flows/{flow['id']}/versions").json["data"][-1]
        page = open_flow(path=f"?version={first['id']}")
        assert '"one"' in page.answer.text and '"two"' not in page.answer.text
        assert "Desk version 1 of 2 " in words(page)

    def test_a_comparison_shows_lines_and_variables_that_changed(self, open_flow, change, api, at, flow):
        lines = [f"x{n} = {n}\n" for n in range(40)]
        change(code="".join(lines), commitMessage="Before", variables={"desk": "+1"})
        change(code="".join(["x = 1\n", *lines[1:20], "y = 1\n", *lines[20:]]), commitMessage="After")
        page = open_flow(path="/diff")
        assert "Lines of code: 2 added, 1 removed" in page.text and "Variables" not in page.text
        rows = re.findall(r'<tr class="(\w+)"><td>(\d*)</td><td>(\d*)</td>', page.html)
        assert [row for row in rows if row[0] != "same"] == [
            ("removed", "1", ""),
            ("added", "", "1"),
            ("added", "", "21"),
        ]
        assert page.text.count("17 equal lines") == 1 and "x12 = " in page.text
        change(variables={"desk": "+2"}, commitMessage="Two")
        new, _, old = [one["id"] for one in api.get(f"{at}/flows/{flow['id']}/versions").json["data"]]
        assert "Variables" in open_flow(path=f"/diff?old={old}&new={new}").text

    def test_texts_of_repeated_lines_are_compared(self, open_flow, change):
        """Would take minutes if each pair of equal lines were looked at."""
        change(code="x = 2\n\n" * 1_200, commitMessage="Before")
        change(code="".join(f"y = {n}\n\n" for n in range(1_200)), commitMessage="After")
        assert "added, " in open_flow(path="/diff").text

    def test_texts_that_are_too_long_are_not_compared(self, open_flow, change):
        change(code="x = 1\n" * 2_500, commitMessage="Before")
        change(code="x = 2\n" * 2_501, commitMessage="After")
        page = open_flow(path="/diff")
        assert "The two texts have more than 5,000 lines or 400,000 characters together." in page.text
        assert "x = " not in page.text and "added, " not in page.text

    def test_a_comparison_marks_the_words_of_a_line_that_changed(self, open_flow, change):
        change(code='x = 1\nsay("We open at <nine> today.")\ny = 2\n', commitMessage="Before")
        change(code='x = 1\nz = None\nsay("We open at <ten> today.")\ny = 2\n', commitMessage="After")
        html = open_flow(path="/diff").html
        rows = re.findall(r'<tr class="(removed|added)">.*?<code>(.*?)</code>', html)
        assert [(kind, re.findall("<mark>(.*?)</mark>", text)) for kind, text in rows] == [
            ("added", []),
            ("removed", ["nine"]),
            ("added", ["ten"]),
        ]
        assert "We open at &lt;<mark>ten</mark>&gt; today." in html


def test_a_deployment_shows_settings_parameters_and_history_in_words(visitor, api, at, flow, make_voice_deployment):
    checks = [{"title": "Day", "description": "Is there a day?", "type": "SCORE", "threshold": 7}]
    made = make_voice_deployment(
        flow,
        extractions={"day": {"type": "string", "description": "Which day", "required": True}},
        successCriteria=[{"title": "Goal", "items": checks}],
        externalConfig={"maxCallDurationMs": 90_000, "language": "en-US"},
    )
    api.post(f"{at}/deployments/{made['id']}/params", {"name": "desk", "value": "+14155550111"})
    api.patch(f"{at}/deployments/voice/{made['id']}", {"customWebhooks": [{"url": "https://hooks.example/calls"}]})
    text = words(visitor.go(f"{at}/deployments/{made['id']}"))
    for part in (
        "Number +1 415 555 0100 Flow Desk",
        "Max call duration 1.5 min",
        "day Which day string, required",
        "Day Is there a day? from 7 of 10",
        "desk +1 415 555 0111",
        "Custom webhooks none to https://hooks.example/calls",
    ):
        assert part in text
    assert "{" not in text and "extractions" not in text
    (address,) = [link for link in visitor.page.links if link.endswith("/answer")]
    assert '"maxCallDurationMs": 90000' in visitor.go(address.removeprefix("/console")).text


def test_name_number_and_flow_of_a_deployment_are_changed(visitor, api, at, flow, make_voice_deployment):
    made = make_voice_deployment(flow, enableVoiceSentiment=True)
    other = api.post(f"{at}/flows", {"name": "Night", "label": None, "code": CODE}).json
    visitor.go(f"{at}/deployments/{made['id']}")
    text = words(visitor.send(made["id"], name="Night line", flowId=other["id"]))
    assert "Changed Night line." in text
    assert "by a person Flow Desk to Night" in text and "by a person Name Line to Night line" in text
    now = api.get(f"{at}/deployments/voice/{made['id']}").json
    assert (now["name"], now["flowId"], now["phoneNumber"]) == ("Night line", other["id"], made["phoneNumber"])
    assert now["enableVoiceSentiment"] is True


class TestTalk:
    @pytest.fixture
    def begin(self, visitor, at, flow):
        def make(query=f"flowId={flow['id']}", **values):
            visitor.go(f"{at}/talk?{query}")
            return visitor.send("/talk", **values)

        return make

    @pytest.fixture
    def turn(self, visitor):
        """Return a function that takes a turn in the open conversation."""
        return lambda **values: visitor.send(visitor.page.answer.request.path.rpartition("/")[2], **values)

    def test_an_answer_explains_the_decision(self, begin, turn):
        text = words(begin())
        assert "Agent: Oak Clinic. line 1" in text and "caller wants to book an appointment" in text
        text = words(turn(say="I would like to book an appointment for Tuesday"))
        assert "You: I would like to book an appointment for Tuesday" in text
        assert re.search(r"Taken: caller wants to book an appointment line 4 \d+ % sure\. \w.*?\. ", text)
        assert 'Asked: When do they want to come? line 5 {"day": "Tuesday"} day: said' in text
        assert "See you on Tuesday." in text and "The conversation is over: end of the flow." in text

    def test_a_model_that_is_configured_is_named(self, app, begin):
        assert "It understands with the built-in model." in words(begin())
        assert "--model-url" not in words(begin())  # the page before has said so
        for name, value in (("model_url", "http://127.0.0.1:9/v1"), ("model", "small-talk")):
            object.__setattr__(app.world.settings, name, value)
        assert "It understands and speaks with the model small-talk." in words(begin())

    @pytest.mark.parametrize(
        ("condition", "question", "example"),
        [
            ("caller gives their name", "May I have your first and last name?", "[A-Z][a-z]+ [A-Z][a-z]+"),
            ("caller chooses a time", "Would you like 10 AM or 2:30 PM?", "(?i)ten|10|two"),
        ],
    )
    def test_a_question_for_a_value_has_an_example(self, begin, turn, change, condition, question, example):
        change(code=f'loop:\n    talk("{question}", True)\nuntil "{condition}":\n    pass\n')
        sentence, *_ = re.findall(r'name="say" value="([^"]+)"', begin().answer.text)
        assert re.search(example, sentence)
        assert f"Taken: {condition}" in words(turn(say=unescape(sentence)))

    def test_a_refusal_and_a_failure_are_shown(self, begin, change):
        assert "Variables: Not a valid mapping type." in begin(variables="{desk}").text
        change(code="loop:\n  (", validate=False)
        assert "This ( is never closed." in begin().text
        change(code='say("a")\nx = {}["b"]\n', validate=False)
        text = words(begin())
        assert "Failed:" in text and "line 2" in text and "The conversation is over: failed." in text


def test_resources_are_searched(visitor, api, make_worker, advance):
    worker = make_worker()
    link = {"name": "Opening hours", "rawLink": "https://example.com/hours", "updateFrequency": "daily"}
    api.post(f"/workers/{worker['id']}/resources/link", link)
    advance(60)
    at = f"/workers/{worker['id']}/resources"
    assert "1 result Opening hours WEBPAGE " in words(visitor.go(f"{at}?q=when are your hours"))
    assert "No resource matches the query." in visitor.go(f"{at}?q=parking").text


def test_a_test_is_run(visitor, api, at, flow, advance):
    point = {"name": "Greets", "description": "caller wants a human", "runs": 3, "tolerance": 3}
    body = {"name": "Smoke", "description": "", "checkpoints": [point], "testMode": "voice", "systemPrompt": ""}
    api.post(f"{at}/tests", body | {"flowId": flow["id"]})
    visitor.go(f"{at}/tests")
    page = visitor.send("/run")
    assert "pending" in page.text
    for _ in range(2):  # waits, then runs
        advance(60)
    text = words(visitor.go(page.answer.request.path.removeprefix("/console")))
    assert re.search(r"passed .* Greets passed \d \d 3", text)


def test_a_turn_does_not_reload_the_page(served, tab):
    seen = tab(served)
    page = seen.go(f"/workers/{demo_id('workers', name='Cedar Valley Power')}")
    page.get_by_role("link", name="Talk to it").click()
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#say")).to_be_focused()
    page.wait_for_load_state()
    page.evaluate("window.same = true")
    page.keyboard.type("What a day this is")
    page.keyboard.press("Enter")
    expect(page.locator(".bubble.caller")).to_have_text("You: What a day this is")
    expect(page.locator("#say")).to_be_focused()
    decision = page.get_by_text("Taken: ").first
    expect(decision).to_be_hidden()
    page.get_by_label("How it decided").check()
    expect(decision).to_be_visible()
    assert page.evaluate("window.same")
    assert seen.faults() == []


def test_a_worker_may_begin_without_a_flow_and_needs_a_name(visitor, api):
    visitor.go("/workers/new")
    assert "Name: Missing data for required field." in visitor.send("/workers").text
    visitor.send("/workers", name="Plain", template="")
    (worker,) = api.get("/workers").json
    assert (worker["name"], worker["description"]) == ("Plain", None)
    assert api.get(f"/workers/{worker['id']}/flows").json == []


def test_a_call_that_is_placed_from_a_deployment_is_its_own(visitor, at, flow, make_voice_deployment):
    lines = [make_voice_deployment(flow, phoneNumber=number)["id"] for number in ("+14155550100", "+14155550101")]
    chosen = []
    for line in lines:
        page = visitor.go(f"{at}/deployments/{line}")
        link = next(link for link in page.links if link.startswith("/console/live?"))
        chosen.append(visitor.go(link.removeprefix("/console")).form("/live")["fields"]["deploymentId"])
    assert chosen == lines
