"""Sessions of the engine."""

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
