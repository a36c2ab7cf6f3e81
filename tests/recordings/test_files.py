"""The files of recordings: made when somebody listens, had in parts."""


def test_a_recording_is_played_not_saved_also_in_parts(add_call, fetch):
    url = add_call()["recordingUrl"]
    whole, part = fetch(url), fetch(url, Range="bytes=44-1043")
    assert whole.headers["Content-Disposition"].startswith("inline")
    assert (part.status_code, part.data) == (206, whole.data[44:1044])


def test_a_file_is_made_when_somebody_listens_and_a_part_of_one_is_removed(app, add_call, fetch, files, advance):
    url = add_call()["recordingUrl"]
    advance()
    assert files() == []
    fetch(url)
    (name,) = files()
    (app.world.directory / "recordings" / f"{name}.part").write_bytes(b"RIFF")
    advance()
    assert files() == [name]
