"""Sessions of the engine."""

import pytest

from dryline.models.sessions import Session

RAN = {
    "status": "completed",
    "state": {"step": 3},
    "messages": [{"role": "user", "content": "Hi"}],
    "trace": [{"at": 0.0, "step": "start"}],
    "input_tokens": 120,
    "output_tokens": 30,
    "minutes": 1.5,
    "session_start": "2026-11-20T10:00:00.000Z",
    "session_end": "2026-11-20T10:01:30.000Z",
    "flow_id": "flow_1",
    "error": {"type": "KeyError"},
}


def test_a_session_shows_what_ran_in_snake_case(api, make_worker, add_log):
    worker = make_worker()
    id = add_log(Session, worker, **RAN)
    answer = api.get(f"/workers/{worker['id']}/sessions/{id}")
    assert (answer.status_code, answer.json) == (200, RAN | {"id": id, "worker_id": worker["id"]})


def test_what_is_not_known_is_null(api, make_worker, add_log):
    worker = make_worker()
    id = add_log(Session, worker, minutes=3)
    session = api.get(f"/workers/{worker['id']}/sessions/{id}").json
    assert session == dict.fromkeys(RAN) | {"id": id, "worker_id": worker["id"], "minutes": 3}


@pytest.mark.parametrize("of", ["none", "another worker", "another team"])
def test_a_session_of_others_is_not_found(api, other_api, make_worker, add_log, of):
    worker = make_worker()
    id = add_log(Session, worker)
    client, path = {
        "none": (api, f"/workers/{worker['id']}/sessions/session_none"),
        "another worker": (api, f"/workers/{make_worker()['id']}/sessions/{id}"),
        "another team": (other_api, f"/workers/{worker['id']}/sessions/{id}"),
    }[of]
    assert client.get(path).status_code == 404


def test_deleting_the_worker_deletes_its_sessions(api, app, make_worker, add_log):
    worker = make_worker()
    id = add_log(Session, worker)
    api.delete(f"/workers/{worker['id']}")
    with app.world.active():
        assert Session.find(id=id) is None
