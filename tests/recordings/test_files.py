"""The files of recordings: made when somebody listens, had in parts."""

from dryline.tests.recordings.calls import RATE


def test_a_recording_is_played_not_saved_also_in_parts(add_call, fetch):
    url = add_call()["recordingUrl"]
    whole = fetch(url)
    part = fetch(url, Range="bytes=44-1043")
    assert (part.status_code, part.data) == (206, whole.data[44:1044])
    assert part.headers["Content-Range"] == f"bytes 44-1043/{len(whole.data)}"
    assert fetch(url, Range=f"bytes={len(whole.data)}-").status_code == 416
    assert whole.headers["Accept-Ranges"] == "bytes"
    assert not whole.headers["Content-Disposition"].startswith("attachment")


def test_a_head_request_has_the_size_only(add_call, fetch):
    log = add_call()
    answer = fetch(log["recordingUrl"], "HEAD")
    assert (answer.status_code, answer.content_length, answer.data) == (200, 44 + log["duration"] * RATE * 4, b"")


def test_a_file_is_made_when_somebody_listens_and_a_part_of_one_is_removed(app, add_call, fetch, files, advance):
    url = add_call()["recordingUrl"]
    advance()
    assert files() == []
    fetch(url)
    (name,) = files()
    (app.world.directory / "recordings" / f"{name}.part").write_bytes(b"RIFF")
    advance()
    assert files() == [name]


def test_a_server_that_ends_makes_no_more(app, add_call, fetch, files):
    url = add_call()["recordingUrl"]
    app.world.ending.set()
    assert fetch(url).status_code == 503
    assert files() == []
