"""Bitmaps over the voice logs of a large worker: they answer what SQLite would, whatever came, changed or went."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from dryline.models import log_segments, voice_log_bitmaps, voice_log_keys, voice_log_pages
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker

SMALL, LARGE = 10**9, 0  # logs from which on a world is large
HOURS = [None, *[f"2026-11-20T{hour:02}:00:00.000Z" for hour in range(10)]]
MAKES = {
    "start_time": HOURS,
    "end_time": HOURS,
    "deployment_id": [None, "a", "b"],
    "flow_id": [None, "f"],
    "direction": ["inbound", "outbound"],
    "status": [None, "completed", "failed"],
    "from_number": [None, "+14155550101", "+442079460000", "é%_", "\x1e", "4\x1f15"],
    "to_number": [None, "+14155550100"],
    "duration": [None, *range(0, 600)],
}
FILTERS = [
    {},
    {"deploymentId": "a"},
    {"flowId": "f", "direction": "inbound"},
    {"status": "completed", "minDuration": 100, "maxDuration": 400},
    {"fromNumber": "415", "endTimeBefore": HOURS[8]},
    {"toNumber": "%", "status": "failed"},
    {"startTimeAfter": HOURS[3], "startTimeBefore": HOURS[7]},
    {"startDate": HOURS[2], "endDate": HOURS[5], "endTimeAfter": HOURS[4]},
    {"status": "unheard of"},
]


@pytest.fixture(autouse=True)
def large(monkeypatch):
    monkeypatch.setattr(voice_log_bitmaps, "MANY", LARGE)
    monkeypatch.setattr(log_segments, "SIZE", 3)


@pytest.fixture
def worker(make_worker):
    return make_worker()


@pytest.fixture
def get(api, worker):
    """A page of the list."""
    return lambda **query: api.get(f"/workers/{worker['id']}/deploymentLogs/voice", query_string=query).json


@pytest.fixture
def by_sqlite(get, monkeypatch):
    """The same, as a small world answers it."""

    def by_sqlite(**query):
        with monkeypatch.context() as patch:
            patch.setattr(voice_log_bitmaps, "MANY", SMALL)
            return get(**query)

    return by_sqlite


@pytest.fixture
def add(add_log, worker):
    return lambda **values: add_log(VoiceLog, worker, **values)


@pytest.mark.parametrize("seed", range(3))
def test_large_worlds_answer_as_small_ones_do_while_calls_come_in(get, by_sqlite, add, seed):
    rng = random.Random(seed)
    for _ in range(4):
        for _ in range(rng.randrange(12)):
            add(**{name: rng.choice(values) for name, values in MAKES.items()})
        for filters in FILTERS:
            for order in ("asc", "desc"):
                query = {**filters, "sortOrder": order, "limit": 4}
                page = get(**query)
                assert page == by_sqlite(**query)
                assert get(**query, page=3) == by_sqlite(**query, page=3)
                while page["nextCursor"]:
                    query["cursor"] = page["nextCursor"]
                    page = get(**query)
                    assert page == by_sqlite(**query)


@pytest.fixture
def read_by_a_thread(app, monkeypatch):
    """Let the world have very many logs. Gives what waits for the thread that reads them."""
    monkeypatch.setattr(voice_log_bitmaps, "VERY_MANY", 0)

    def wait():
        app.world.memory["voice log bitmaps"].reader.submit(int).result()

    if "voice log bitmaps" in app.world.memory and app.world.memory["voice log bitmaps"].reader:
        wait()  # what another test in this world has begun
    return wait


@pytest.mark.parametrize("waits", [True, False])
def test_while_a_thread_reads_very_many_logs_the_list_is_what_it_will_be(
    app, get, by_sqlite, add, read_by_a_thread, waits
):
    rng = random.Random(waits)
    ids = []
    for _ in range(8):
        ids += [add(**{name: rng.choice(values) for name, values in MAKES.items()}) for _ in range(9)]
        for filters in FILTERS:
            assert get(**filters) == by_sqlite(**filters)
            if waits:
                read_by_a_thread()
        with app.world.active(), app.world.transaction():
            VoiceLog.by_id(ids.pop(rng.randrange(len(ids)))).remove()


def test_sqlite_counts_until_the_thread_has_read_the_logs_and_not_again(get, add, monkeypatch, read_by_a_thread):
    counted = []
    monkeypatch.setattr(voice_log_keys, "_total", lambda *args: counted.append(args) or 0)
    add(start_time=HOURS[1])
    assert (get()["pagination"]["total"], len(counted)) == (0, 1)
    read_by_a_thread()
    assert (get()["pagination"]["total"], len(counted)) == (1, 1)


def test_more_values_than_a_block_holds_are_all_told_apart(get, by_sqlite, add, monkeypatch):
    monkeypatch.setattr(log_segments, "_MANY_BLOCKS", 2)
    for number in range(600):
        add(start_time=HOURS[1], duration=number, from_number=str(number))
        if number in (200, 400):
            assert get(minDuration=150)["pagination"]["total"] == number - 149
    for query in ({"minDuration": 300}, {"maxDuration": 299}, {"fromNumber": "59"}, {"minDuration": 511}):
        assert get(**query)["pagination"] == by_sqlite(**query)["pagination"]


def test_a_log_that_is_changed_or_removed_is_so_in_the_list(app, get, add):
    first, second = (add(start_time=hour, status="completed") for hour in HOURS[1:3])
    assert get(status="completed")["pagination"]["total"] == 2
    with app.world.active(), app.world.transaction():
        VoiceLog.by_id(first).change(status="failed")
    assert [log["id"] for log in get(status="completed")["data"]] == [second]
    with app.world.active(), app.world.transaction():
        VoiceLog.by_id(second).remove()
    third = add(start_time=HOURS[4])  # under the number that the removed row had
    assert [log["id"] for log in get()["data"]] == [third, first]


def test_a_cursor_outlives_the_logs(app, get, add):
    ids = [add(start_time=hour) for hour in HOURS[1:4]]
    cursor = get(limit=1)["nextCursor"]
    with app.world.active(), app.world.transaction():
        for id in ids:
            VoiceLog.by_id(id).remove()
    assert (get(cursor=cursor)["data"], get(cursor=cursor)["pagination"]["total"]) == ([], 0)


def test_a_restored_world_lists_what_it_held(control, get, add):
    add(start_time=HOURS[1]), add(start_time=HOURS[2])
    control.post("/snapshots", {"name": "two"})
    add(start_time=HOURS[3])
    assert get()["pagination"]["total"] == 3
    assert control.post("/snapshots/two/restore").status_code < 300
    assert get()["pagination"]["total"] == 2
    add(start_time=HOURS[5])
    assert [log["startTime"] for log in get()["data"]] == [HOURS[5], HOURS[2], HOURS[1]]


def test_who_began_to_read_before_a_call_came_in_does_not_see_it(app, get, add, worker):
    add(start_time=HOURS[1])
    with app.world.active(), app.world.reading():
        mine = Worker.by_id(worker["id"])
        assert voice_log_pages.search(mine).total == 1
        with ThreadPoolExecutor(1) as another:
            another.submit(add, start_time=HOURS[2]).result()
            assert another.submit(get).result()["pagination"]["total"] == 2
        assert voice_log_pages.search(mine).total == 1
    assert get()["pagination"]["total"] == 2
