"""Large CSV files are written by processes side by side, from one view of the data; others by the export's thread."""

import json
import subprocess
import sys
import threading

import pytest

from dryline.jobs import export_files, line_writers
from dryline.jobs.exports import fulfil
from dryline.jobs.line_writers import LineWriters
from dryline.models.exports import LOGS, Export
from dryline.models.voice_logs import VoiceLog
from dryline.tests.exports.conftest import ASK, INSIDE, files

COUNT = 3  # of processes


@pytest.fixture
def begun(monkeypatch):
    """Let every CSV file be a large one, of turns of three rows. Gives the processes of each file that was begun."""
    begin, found = LineWriters.begin, []

    def begin_and_note(self, *args):
        begin(self, *args)
        found.append(self)

    monkeypatch.setattr(LineWriters, "begin", begin_and_note)
    monkeypatch.setattr(export_files, "LARGE", 1)
    monkeypatch.setattr(export_files, "AT_ONCE", 3)
    monkeypatch.setattr(export_files, "processors", lambda: COUNT)
    return found


@pytest.fixture
def many_logs(app, make_log):
    """Forty voice logs with whatever there may be in a cell, some logs without a start, and one of each other type."""
    first = make_log()
    with app.world.active(), app.world.transaction():
        log = VoiceLog.find(id=first)
        for number in range(40):
            VoiceLog.add(
                log,
                worker_id=log.worker_id,
                start_time=None if number % 7 == 0 else f"2026-02-{number % 28 + 1:02}T10:00:00.000Z",
                created_at=INSIDE,
                status=["completed", "a,b", 'says "no"', "two\r\nlines", "nul\0", None][number % 6],
                transcription=["plain", 'He said "no",\r\nthen left', "nul\0", None][number % 4],
                metadata=[None, {}, {'"': 'a,"b"', "é": [1, None]}][number % 3],
                flow_snapshot=["loop:\n", 'say "hé"', {"a": 1}, None][number % 4],
                recording_url=[
                    "https://recordings.dryline.invalid/CA1.wav",
                    "https://recordings.dryline.invalid/a b.mp3",
                    'https://elsewhere.example/"x",1.wav',
                    None,
                ][number % 4],
            )
    for kind in set(LOGS) - {"voice"}:
        make_log(kind)


@pytest.fixture
def claimed(app, api):
    """A new export that is about to be written."""

    def claim(**body):
        made = api.post("/team/exports", ASK | body).json
        with app.world.active(), app.world.transaction():
            (export,) = Export.due(app.world.clock.stamp(), 1)
            export.move("PROCESSING")
        return made, export

    return claim


@pytest.mark.parametrize("log_type", [{}, {"logType": "voice"}], ids=["every type", "voice"])
@pytest.mark.parametrize("fields", ["", "id", "transcription", "recordingUrl,status", "id,flowSnapshot,metadata"])
def test_a_large_file_is_the_same_byte_for_byte(
    begun, many_logs, export, fetch, monkeypatch, control, fields, log_type
):
    control.put("/clock", {"now": "2026-04-01T12:00:00.000Z", "frozen": True})
    by_processes = export(fields=fields, **log_type)
    assert len(begun) == 1
    monkeypatch.setattr(export_files, "LARGE", 1_000)
    by_the_thread = export(fields=fields, **log_type)
    assert len(begun) == 1
    assert by_processes["rowCount"] == by_the_thread["rowCount"] > 40
    assert fetch(by_processes).data == fetch(by_the_thread).data


def test_a_large_file_without_rows_has_its_first_line(begun, make_log, export, fetch):
    make_log("sms")
    made = export(logType="voice", fields=["id"])
    assert (made["rowCount"], fetch(made).data) == (0, b"id\r\n")


def test_what_is_changed_meanwhile_is_not_in_a_large_file(app, begun, many_logs, rows, monkeypatch):
    before = [(row["id"], row["status"]) for row in rows(logType="voice")]
    header = export_files.header  # of the file: as it is made, nothing has been read

    def change_all():
        with app.world.active(), app.world.transaction():
            log, other, *_ = VoiceLog.select()
            VoiceLog.add(log, worker_id=log.worker_id, start_time=INSIDE)
            other.remove()
            VoiceLog.update(status="changed").execute()

    monkeypatch.setattr(export_files, "header", lambda names: by_another_thread(change_all) or header(names))
    assert [(row["id"], row["status"]) for row in rows(logType="voice")] == before
    assert len(begun) == 2
    assert {row["status"] for row in rows(logType="voice")} == {"changed"}


def test_nobody_writes_between_the_view_of_the_thread_and_those_of_the_processes(
    app, begun, many_logs, export, monkeypatch
):
    begin, free = LineWriters.begin, []

    def ask():
        with app.world.held_if_free() as answer:
            free.append(answer)

    def ask_and_begin(self, *args):
        by_another_thread(ask)
        begin(self, *args)

    monkeypatch.setattr(LineWriters, "begin", ask_and_begin)
    assert export()["status"] == "COMPLETED"
    assert (free, len(begun)) == ([False], 1)


def by_another_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.fixture
def told(monkeypatch):
    """The orders that processes were told, and what happens after one: it is given the process."""
    orders, happenings = [], {}
    tell = line_writers._Writer.tell

    def tell_and_note(self, order):
        tell(self, order)
        orders.append(order)
        happenings.get(len(orders), lambda process: None)(self._process)

    monkeypatch.setattr(line_writers._Writer, "tell", tell_and_note)
    return orders, happenings


@pytest.mark.parametrize("at", ["the first order", "the last of the first", "a later one", "the last order"])
def test_a_process_that_ends_leaves_the_file_to_the_thread(begun, many_logs, rows, told, caplog, at):
    orders, happenings = told
    written = rows(logType="voice")
    all_orders, by_kind = len(orders), {"the first order": 1, "the last of the first": COUNT, "a later one": 11}
    happenings[all_orders + by_kind.get(at, all_orders)] = lambda process: process.kill()
    with caplog.at_level("INFO", "dryline"):
        assert rows(logType="voice") == written
    assert "is written by one thread" in caplog.text


def test_none_of_the_others_writes_any_more_when_the_thread_does(begun, many_logs, rows, told, monkeypatch):
    write_lines, running = export_files._write_lines, []

    def note_and_write(*args):
        running.extend(writer._process.poll() is None for writer in begun[-1]._writers)
        return write_lines(*args)

    _, happenings = told
    happenings[11] = lambda process: process.kill()
    monkeypatch.setattr(export_files, "_write_lines", note_and_write)
    assert len(rows(logType="voice")) == 41
    assert running == [False] * COUNT


def test_where_no_process_starts_the_thread_writes_the_file(begun, many_logs, rows, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    assert len(rows(logType="voice")) == 41
    assert begun == []


@pytest.mark.parametrize("order", [1, 11])
def test_a_server_that_ends_ends_its_processes(app, api, begun, many_logs, claimed, told, order):
    made, export = claimed(logType="voice")
    _, happenings = told
    processes = []
    happenings[order] = lambda process: app.world.ending.set()
    happenings.update(dict.fromkeys({1, 2, 3} - {order}, processes.append))
    with app.world.active():
        fulfil(app.world, export)
    assert api.get(f"/team/exports/{made['id']}").json == made
    assert files(app) == []
    assert processes and all(process.returncode is not None for process in processes)


def test_no_process_outlives_its_orders(tmp_path, app):
    (tmp_path / "part").touch()
    command = [sys.executable, "-P", "-m", "dryline.jobs.line_writer"]
    orders = json.dumps([app.world.db.path.as_uri(), str(tmp_path / "part")])
    ended = subprocess.run(command, input=f"{orders}\n", text=True, stdout=subprocess.PIPE, check=True)
    assert ended.stdout == "0\n0\n0\n"


def test_such_a_process_imports_no_library():
    code = "import sys; import dryline.jobs.line_writer; print(*{name.partition('.')[0] for name in sys.modules})"
    names = subprocess.run([sys.executable, "-P", "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "dryline" in names.split()
    assert not {"peewee", "flask", "werkzeug", "marshmallow", "itsdangerous", "orjson"} & set(names.split())


@pytest.mark.parametrize(("processors", "filters", "expected"), [(1, {}, 0), (2, {"searchQuery": "no"}, 0), (2, {}, 1)])
def test_processes_write_where_they_are_of_use(begun, many_logs, export, monkeypatch, processors, filters, expected):
    monkeypatch.setattr(export_files, "processors", lambda: processors)
    assert export(logType="voice", filtersJson=filters)["status"] == "COMPLETED"
    assert len(begun) == expected


def test_a_json_file_is_written_by_the_thread(begun, many_logs, rows):
    assert len(rows(logType="voice", format="JSON")) == 41
    assert begun == []
