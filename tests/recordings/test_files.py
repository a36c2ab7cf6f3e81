"""The files of recordings: made when somebody listens, had in parts."""


def test_a_recording_is_played_not_saved_also_in_parts(add_call, fetch):
    url = add_call()["recordingUrl"]
    whole = fetch(url)
    part = fetch(url, Range="bytes=44-1043")
    assert (part.status_code, part.data) == (206, whole.data[44:1044])
    assert part.headers["Content-Range"] == f"bytes 44-1043/{len(whole.data)}"
    assert fetch(url, Range=f"bytes={len(whole.data)}-").status_code == 416
    assert whole.headers["Accept-Ranges"] == "bytes"
    assert not whole.headers["Content-Disposition"].startswith("attachment")


def test_a_file_is_made_when_somebody_listens_and_a_part_of_one_is_removed(app, add_call, fetch, files, advance):
    url = add_call()["recordingUrl"]
    advance()
    assert files() == []
    fetch(url)
    (name,) = files()
    (app.world.directory / "recordings" / f"{name}.part").write_bytes(b"RIFF")
    advance()
    assert files() == [name]
