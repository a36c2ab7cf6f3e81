"""Values that the helpers take, and helpers of a stand-in that does not run."""

import collections
import enum
import inspect
import os
import re
import types
import uuid
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from dryline import testing
from dryline.settings import BadSetting
from dryline.testing import DrylineError, DrylineInProcess, DrylineServer, StandIn, wait_until


class Color(enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    LARGE = 3


ID = uuid.UUID("12345678-1234-5678-1234-567812345678")
PARIS = timezone(timedelta(hours=1))
# A value, how it stands in JSON, and how in a query.
VALUES = [
    (datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC), "2030-01-02T03:04:05.000Z", "2030-01-02T03:04:05.000Z"),
    (datetime(2030, 1, 2, 4, 4, 5, 678_000, PARIS), "2030-01-02T03:04:05.678Z", "2030-01-02T03:04:05.678Z"),
    (date(2030, 1, 2), "2030-01-02", "2030-01-02"),
    (ID, str(ID), str(ID)),
    (Decimal("1.50"), 1.5, "1.50"),
    (Decimal("7"), 7, "7"),
    (Color.RED, "red", "red"),
    (Size.LARGE, 3, "3"),
    (types.MappingProxyType({"a": Decimal("0.5")}), {"a": 0.5}, None),
    ((ID, date(2030, 1, 2)), [str(ID), "2030-01-02"], [str(ID), "2030-01-02"]),
    (True, True, "true"),
]


@pytest.fixture
def http(stand_in):
    headers = {"x-api-key": stand_in.api_key}
    with httpx.Client(transport=stand_in.transport(), base_url=stand_in.url, headers=headers) as client:
        yield client


@pytest.mark.parametrize(("value", "in_json", "in_query"), VALUES, ids=str)
def test_an_expected_value_is_compared_in_the_form_of_the_api(stand_in, http, value, in_json, in_query):
    body = {"name": "A", "metadata": {"deep": [in_json]}}
    http.post("/api/workers", json=body, params={} if in_query is None else {"q": in_query})
    criteria = {"json": {"metadata": {"deep": [value]}}} | ({} if in_query is None else {"query": {"q": value}})
    stand_in.verify(**criteria, times=1)
    assert len(stand_in.wait_for_request(**criteria, timeout_s=1)) == 1


@pytest.mark.parametrize(("value", "in_json", "in_query"), VALUES, ids=str)
def test_other_values_are_sent_in_the_form_of_the_api(stand_in, http, value, in_json, in_query):
    stand_in.fault(path="/api/workers", status=503, body={"value": value})
    assert http.get("/api/workers").json() == {"value": in_json}
    talk = stand_in.talk(code="state['seen'] = state['variables']['x']\nsay('hi')\n", variables={"x": value})
    assert talk.state["variables"]["x"] == in_json


def test_times_are_compared_with_those_of_the_log(stand_in, http):
    http.get("/api/workers")
    assert len(stand_in.requests(since=stand_in.now() - timedelta(hours=1))) == 1
    assert stand_in.requests(since=stand_in.now() + timedelta(hours=1)) == []


LOOP: list = []
LOOP.append(LOOP)
REFUSED = [
    (datetime(2030, 1, 2), "has no time zone"),
    ({1, 2}, "of the type set has no form in JSON"),
    (b"x", "of the type bytes has no form in JSON"),
    (timedelta(1), "of the type timedelta has no form in JSON"),
    (object(), "of the type object has no form in JSON"),
    (float("nan"), "not JSON compliant"),
    (Decimal("Infinity"), "not JSON compliant"),
    (Decimal("sNaN"), ""),
    (LOOP, "Circular reference"),
    ({ID: 1}, "keys must be str"),
    (collections.deque([1]), "of the type deque has no form in JSON"),
]
HELPERS = {
    "json.a": lambda stand_in, value: stand_in.verify(json={"a": value}),
    "query.a": lambda stand_in, value: stand_in.verify(query={"a": value}),
    "headers.a": lambda stand_in, value: stand_in.wait_for_request(headers={"a": value}),
    "body.a": lambda stand_in, value: stand_in.fault(status=500, body={"a": value}),
    "override.a": lambda stand_in, value: stand_in.fault(override={"a": value}),
    "variables.a": lambda stand_in, value: stand_in.talk(code="say('x')", variables={"a": value}),
    "answers.a": lambda stand_in, value: stand_in.simulate_calls(answers={"a": value}),
    "workers.0.name": lambda stand_in, value: stand_in.load({"version": 1, "workers": [{"name": value}]}),
    "now": lambda stand_in, value: stand_in.freeze(value),
    "since": lambda stand_in, value: stand_in.requests(since=value),
}


# A query and a header have every Decimal as text.
REFUSED_BY = [
    pytest.param(member, value, reason, id=f"{member} {type(value).__name__}")
    for member in HELPERS
    for value, reason in REFUSED
    if not (isinstance(value, Decimal) and member in ("query.a", "headers.a"))
]


@pytest.mark.parametrize(("member", "value", "reason"), REFUSED_BY)
def test_a_value_without_a_form_in_json_is_refused_by_its_member(stand_in, member, value, reason):
    with pytest.raises(DrylineError, match=rf"^{re.escape(member)}\b.*{re.escape(reason)}"):
        HELPERS[member](stand_in, value)


@pytest.mark.parametrize(
    ("helper", "choices"),
    [
        (lambda each: each.finish_export("a", "DONE"), "status: Must be one of: PENDING, PROCESSING, COMPLETED"),
        (lambda each: each.settings(export_mode="x"), "exportMode: Must be one of: auto, manual"),
        (lambda each: each.settings(export_outcome="x"), "exportOutcome: Must be one of: COMPLETED, FAILED"),
        (lambda each: each.webhooks(status="x"), "status: Must be one of: PENDING, DELIVERED"),
        (lambda each: each.simulate_calls(outcome="x"), "outcome: Must be one of: completed, transferred"),
        (lambda each: each.simulate_calls(direction="x"), "direction: Must be one of: inbound, outbound"),
        (lambda each: each.simulate_chats(follow="x"), "follow: Must be one of: flow, script"),
        (lambda each: each.talk(code="say('x')", channel="x"), "channel: Must be one of: voice, chat"),
        (lambda each: each.fault(status=500, phase="x"), "phase: Must be one of: before, after"),
        (lambda each: each.fault(malformed="x"), "malformed: Must be true, truncated or garbage"),
        (lambda each: each.fault(preset="x"), "preset: Must be one of: rate-limited"),
        (lambda each: each.fault(status=500, method="x"), "method: Must be one of: *, GET"),
        (lambda each: each.fault(rate_limit=3), "rateLimit: Must be a JSON object"),
        (lambda each: each.verify(times="x"), "times: Must be a number, or an object with min and max"),
        (lambda each: each.wait_for_request(timeout_s="x"), "timeout_s must be a number of seconds from 0"),
        (lambda each: wait_until(lambda: True, timeout_s="x"), "timeout_s must be a number of seconds from 0"),
        (lambda each: DrylineServer(timeout_s="x"), "timeout_s must be a number of seconds above 0"),
        (lambda each: each.advance("x"), "seconds must be a number or a timedelta, not 'x'"),
        (lambda each: each.advance(days="x"), "days must be a number, not 'x'"),
        (lambda each: each.advance(weeks=1e30), "weeks: 1e+30 is beyond the range of the clock"),
        (lambda each: each.simulate_calls(http=3), "http: Not a valid list"),
        (lambda each: each.restore(3), "Snapshot 3 not found"),
    ],
)
def test_a_wrong_value_is_refused_with_those_that_are_taken(stand_in, helper, choices):
    with pytest.raises(DrylineError, match="^" + re.escape(choices)):
        helper(stand_in)


NAIVE = ["2030-01-01T09:00:00", "2030-01-01 09:00", "2030-01-01", datetime(2030, 1, 1)]


@pytest.mark.parametrize("naive", NAIVE, ids=str)
@pytest.mark.parametrize(
    "helper",
    [
        lambda each, time: each.freeze(time),
        lambda each, time: each.requests(since=time),
        lambda each, time: each.verify(since=time, times=0),
        lambda each, time: each.wait_for_request(since=time),
        lambda each, time: each.simulate_calls(start_time=time),
        lambda each, time: each.simulate_chats(end_time=time),
    ],
)
def test_a_time_without_a_zone_is_refused_as_text_too(stand_in, helper, naive):
    with pytest.raises(DrylineError, match=r"(?i)has no time zone: add one"):
        helper(stand_in, naive)


@pytest.mark.parametrize("zoned", ["2030-01-01T09:00:00Z", "2030-01-01T10:00:00+01:00"])
def test_a_time_with_a_zone_is_taken(stand_in, zoned):
    assert stand_in.freeze(zoned) == datetime(2030, 1, 1, 9, tzinfo=UTC)


def test_lengths_of_time_may_be_timedeltas(stand_in):
    frozen = stand_in.freeze("2030-01-01T09:00:00Z")
    assert stand_in.advance(timedelta(hours=1), minutes=1) == frozen + timedelta(minutes=61)
    stand_in.fault(path="/api/workers", delay_ms=timedelta(seconds=1.5))
    assert stand_in.faults()[0]["delayMs"] == 1500


def test_each_setting_has_its_argument(stand_in):
    exports = {"export_mode": "manual", "export_outcome": "FAILED", "export_error": "No logs."}
    assert stand_in.settings(**exports, export_delay_ms=timedelta(minutes=1), strict=True, calls_per_minute=2) == {
        **{"exportMode": "manual", "exportOutcome": "FAILED", "exportError": "No logs.", "exportDelayMs": 60_000},
        **{"strict": True, "callsPerMinute": 2},
    }


@pytest.mark.parametrize("window", ["window_seconds", "windowSeconds"])
def test_the_members_of_a_rule_have_the_names_of_arguments(stand_in, window):
    stand_in.fault(path="/api/workers", rate_limit={"requests": 2, window: 10})
    assert stand_in.faults()[0]["rateLimit"] == {"requests": 2, "windowSeconds": 10}
    stand_in.fault(path="/api/workers", delay_distribution={"type": "uniform", "lower_ms": 1, "upper_ms": 2})
    assert stand_in.faults()[0]["delayDistribution"] == {"type": "uniform", "lowerMs": 1, "upperMs": 2}


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"scenaro": "demo"}, "There is no setting scenaro; did you mean scenario?"),
        ({"port": "x"}, "--port must be a whole number, not of the type str."),
        ({"api_keys": "secret"}, "--api-key must be a list of texts, not of the type str."),
        ({"calls_per_minute": "x"}, "calls_per_minute must be a number"),
        ({"export_mode": "x"}, "export_mode must be auto or manual, not 'x'."),
        ({"export_outcome": "x"}, "export_outcome must be COMPLETED or FAILED, not 'x'."),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(settings, reason):
    with pytest.raises(BadSetting, match="^" + re.escape(reason)):
        DrylineInProcess(**settings).start()


def test_messages_of_python_name_the_class_that_users_know(stand_in):
    for helper in (stand_in.fault, stand_in.advance, stand_in.talk, stand_in.finish_export, stand_in.plane):
        with pytest.raises(TypeError, match=rf"^StandIn\.{helper.__name__}\(\) got an unexpected keyword"):
            helper(no_such_argument=1)


def test_all_types_of_the_reference_can_be_imported():
    reference = (Path(testing.__file__).parents[1] / "docs" / "testing.md").read_text().partition("## Reference")[2]
    capitalized = {*re.findall(r"\b[A-Z][a-z]\w*", " ".join(re.findall(r"`([^`]+)`", reference)))}
    of_python = {"Any", "Callable", "Literal", "Mapping", "None", "Required", "Self", "Sequence", "Unpack", "False"}
    of_python |= {"WSGIApplication", "AssertionError"}
    of_others = {"BrainbaseLabs", "AsyncBrainbaseLabs", "Client", "AsyncClient", "Value", "Test"}
    of_others |= {"Worker", "VoiceDeployment", "ChatCreateResponse", "Front", "Main", "Web", "Hello"}
    missing = {name for name in capitalized - of_python - of_others if not hasattr(testing, name)}
    assert {"CallOptions", "Criteria", "HttpStub", "Outcome", "Transport"} <= {*testing.__all__} and missing == set()


def test_help_explains_each_parameter_of_a_rule():
    parameters = {*inspect.signature(StandIn.fault).parameters} - {"self"}
    assert [name for name in parameters if f"`{name}" not in (StandIn.fault.__doc__ or "")] == []


CALLS = {
    "client": lambda each: each.client(),
    "async_client": lambda each: each.async_client(),
    "worker": lambda each: each.worker(),
    "voice_line": lambda each: each.voice_line(),
    "chat_line": lambda each: each.chat_line(),
    "environment": lambda each: each.environment,
    "now": lambda each: each.now(),
    "freeze": lambda each: each.freeze(),
    "unfreeze": lambda each: each.unfreeze(),
    "advance": lambda each: each.advance(1),
    "settings": lambda each: each.settings(strict=True),
    "reset": lambda each: each.reset(),
    "state": lambda each: each.state(),
    "load": lambda each: each.load({}),
    "add": lambda each: each.add({}),
    "snapshot": lambda each: each.snapshot("a"),
    "restore": lambda each: each.restore("a"),
    "fault": lambda each: each.fault(status=500),
    "remove_fault": lambda each: each.remove_fault("a"),
    "faults": lambda each: each.faults(),
    "unused_faults": lambda each: each.unused_faults(),
    "requests": lambda each: each.requests(),
    "journal": lambda each: each.journal(),
    "verify": lambda each: each.verify(),
    "wait_for_request": lambda each: each.wait_for_request(),
    "simulate_calls": lambda each: each.simulate_calls(),
    "simulate_chats": lambda each: each.simulate_chats(),
    "talk": lambda each: each.talk(code="say('x')"),
    "plane": lambda each: each.plane("GET", "/health"),
}
OF_A_WHOLE = {
    "app": lambda each: each.app,
    "finish_export": lambda each: each.finish_export("a"),
    "webhooks": lambda each: each.webhooks(),
    "team": lambda each: each.team(),
    "transport": lambda each: each.transport(),
    "async_transport": lambda each: each.async_transport(),
}
COMMAND = {"command": "no-such-program"}
NOT_RUNNING = "^The stand-in does not run.$"


@pytest.mark.parametrize("helper", [*CALLS, *OF_A_WHOLE])
@pytest.mark.parametrize("make", [DrylineServer, DrylineInProcess, lambda: DrylineServer(**COMMAND)])
def test_a_helper_of_a_stand_in_that_was_not_started_says_so(make, helper):
    with pytest.raises(DrylineError, match=NOT_RUNNING):
        (CALLS | OF_A_WHOLE)[helper](make())


def test_a_server_that_was_not_started_has_no_address():
    with pytest.raises(DrylineError, match=NOT_RUNNING):
        _ = DrylineServer().url
    assert repr(DrylineServer()) == "<dryline at no address yet>"


@pytest.fixture(scope="module", params=[DrylineServer, DrylineInProcess])
def stopped(request):
    """Return a stand-in that has ended, a team of it, and a conversation."""
    with request.param() as stand_in:
        team = stand_in.team()
        talk = stand_in.talk(code="loop:\n    talk('Hi', True)\nuntil 'caller wants x':\n    say('y')\n")
    return stand_in, team, talk


@pytest.mark.parametrize("helper", [*CALLS, *OF_A_WHOLE])
def test_a_helper_of_a_stand_in_that_has_ended_says_so(stopped, helper):
    stand_in, _, _ = stopped
    with pytest.raises(DrylineError, match=NOT_RUNNING):
        (CALLS | OF_A_WHOLE)[helper](stand_in)


@pytest.mark.parametrize("helper", CALLS)
def test_a_helper_of_a_team_whose_stand_in_has_ended_says_so(stopped, helper):
    _, team, _ = stopped
    with pytest.raises(DrylineError, match=NOT_RUNNING):
        CALLS[helper](team)


def test_a_team_and_a_conversation_of_a_stand_in_that_has_ended_say_so(stopped):
    _, team, talk = stopped
    for call in (team.delete, lambda: talk.say("hello"), lambda: talk.choose(0)):
        with pytest.raises(DrylineError, match=NOT_RUNNING):
            call()


@pytest.mark.parametrize("make", [DrylineServer, DrylineInProcess])
def test_a_stand_in_can_start_again(make):
    stand_in = make()
    for _ in range(2):
        with stand_in:
            assert stand_in.client().workers.list() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a fork with threads, in newer versions of Python
def test_a_forked_child_reaches_the_parents_server_by_its_address(stand_in):
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            stand_in.settings(strict=True)
            _ = stand_in.app
        except DrylineError as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.wait()
    is_server = isinstance(stand_in, DrylineServer)
    reason = "only its address can be used" if is_server else "without a socket"
    assert reason in os.read(read, 1_000).decode()
    assert stand_in.settings()["strict"] is is_server  # not in the child's copy alone
    os.close(read), os.close(write)
