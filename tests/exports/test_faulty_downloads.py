"""Downloads with faults: whatever becomes of the answer, the file is closed."""

import contextlib
import gc
import sys

import httpx
import pytest

from dryline.testing import DrylineInProcess, DrylineServer
from dryline.tests.exports.conftest import REQUEST

EFFECTS = (
    {"status": 503},
    {"drop": True},
    {"malformed": "truncated"},
    {"malformed": "garbage"},
    {"malformed": "truncated", "status": 503},
    {"malformed": "truncated", "headers": {"Connection": "close"}},
    {"headers": {"Connection": "close"}},
    {"bytes_per_second": 1_000_000},
    {"bytes_per_second": 1_000_000, "malformed": "garbage"},
)
REQUESTS = (("GET", {}), ("GET", {"Range": "bytes=0-9"}), ("GET", {"Range": "bytes=100000-"}), ("HEAD", {}))


@pytest.fixture(scope="module", params=[DrylineServer, DrylineInProcess])
def served(request):
    """Return a stand-in and the link of an export's file."""
    with request.param() as stand_in:
        stand_in.simulate_calls(2)
        window = {"startDate": "2020-01-01T00:00:00Z", "endDate": "2020-03-01T00:00:00Z"}
        with _client(stand_in) as client:
            export = client.post("/api/team/exports", json=REQUEST | window).json()
            stand_in.advance(1)
            yield stand_in, client.get(f"/api/team/exports/{export['id']}").json()["downloadUrl"]


def _client(stand_in):
    transport = stand_in.transport() if isinstance(stand_in, DrylineInProcess) else None
    headers = {"x-api-key": stand_in.api_key}
    return httpx.Client(transport=transport, base_url=stand_in.url, headers=headers)


@pytest.fixture
def unraisable(monkeypatch):
    """Return the warnings of objects that were not closed."""
    caught = []
    monkeypatch.setattr(sys, "unraisablehook", lambda failure: caught.append(str(failure.exc_value)))
    return caught


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("method", "headers"), REQUESTS)
@pytest.mark.parametrize("phase", ["before", "after"])
@pytest.mark.parametrize("effect", EFFECTS, ids=str)
def test_a_fault_leaves_no_file_open(served, unraisable, effect, phase, method, headers):
    stand_in, link = served
    stand_in.fault(path="/downloads/*", phase=phase, **effect)
    with _client(stand_in) as client, contextlib.suppress(httpx.HTTPError):
        client.request(method, link, headers=headers)
    assert stand_in.unused_faults() == []
    stand_in.plane("DELETE", "/faults")
    gc.collect()
    assert unraisable == []
