"""Fixtures of the control plane's tests."""

import pytest


@pytest.fixture
def put(control):
    """Replace the state, which must be accepted."""

    def replace(**collections):
        answer = control.put("/state", {"version": 1, **collections})
        assert answer.status_code == 204, answer.text
        return control.get("/state").json

    return replace
