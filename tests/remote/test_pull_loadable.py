"""A document that pull writes can always be loaded, also by a strict server."""

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from dryline.app import create_app
from dryline.commands.remote.loadable import Loadable
from dryline.commands.remote.pull import Pull
from dryline.commands.remote.reader import ReadError
from dryline.commands.remote.redact import Redactor
from dryline.settings import Settings
from dryline.tests.remote.conftest import reader

WORKER = "/api/workers/north-workers"
# Questions of a pull of the small world: those whose rows lead to further questions, and the others.
LEADING = (
    *("/api/team", "/api/workers", f"{WORKER}/flows"),
    *(f"{WORKER}/deployments/{kind}" for kind in ("voice", "voicev1", "chat", "chat-embed")),
)
LAST = (
    *("/api/team/tags", "/api/team/integrations", "/api/team/assets/phone_numbers"),
    f"{WORKER}/flows/north-flows/versions",
    *(f"{WORKER}/deployments/north-{kind}Deployments/params" for kind in ("voice", "voicev1", "chat", "chatEmbed")),
    *(f"{WORKER}/deploymentLogs/{channel}" for channel in ("voice", "sms", "whatsapp", "chat", "chat-embed")),
)
QUESTIONS = (*LEADING, *LAST)


@pytest.fixture(scope="module")
def strict():
    app = create_app(Settings(ephemeral=True, scenario="empty", strict=True))
    yield app
    app.close()


def test_pull_asks_these_questions_and_only_reads(small):
    Pull(reader(small)).run()
    requests = {(entry["method"], entry["path"]) for entry in small.requests(limit=1000)}
    assert requests == {("GET", path) for path in QUESTIONS}


def written(small, strict, redactor=None):
    """Pull and load the document; return it, or None if nothing was written."""
    try:
        rows = Pull(reader(small)).run()
    except ReadError as error:
        assert "\n" not in str(error)
        return None
    if redactor:
        rows = {name: [redactor.redacted_row(name, row) for row in each] for name, each in rows.items()}
    with strict.world.active():
        document = Loadable(rows, strict.world).document
    answer = strict.test_client().put("/_dryline/state", json=document)
    assert answer.status_code == 204, answer.text
    return document


TEXTS = some.text(max_size=8)
JSON = some.recursive(
    some.none()
    | some.booleans()
    | some.integers(-(2**63), 2**63)
    | some.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
    | some.sampled_from(["", "2025550199", "9999-99-99T00:00:00Z", "team_other", "\x00"]),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


def places(value, at=()):
    """Yield the path of every member of a JSON value."""
    yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*at, key))


def altered(value, at, other):
    """Return a copy with another value in one place."""
    if not at:
        return other
    value = copy.deepcopy(value)
    parent = value
    for key in at[:-1]:
        parent = parent[key]
    parent[at[-1]] = other
    return value


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=some.data())
def test_any_altered_answer(small, strict, data):
    small.plane("DELETE", "/faults")
    path = data.draw(some.sampled_from(QUESTIONS))
    answer = reader(small).get(path)
    for _ in range(data.draw(some.integers(1, 4))):
        answer = altered(answer, data.draw(some.sampled_from(list(places(answer)))), data.draw(JSON))
    small.fault(path=path, status=200, body=[answer] if isinstance(answer, str) else answer)
    written(small, strict, data.draw(some.sampled_from([None, Redactor(b"secret")])))
