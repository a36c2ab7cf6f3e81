"""Voice logs: the list's order, pages and cursors."""

import pytest

from dryline.models.voice_logs import VoiceLog

SORTABLE = {"startTime": "start_time", "externalCallId": "external_call_id", "createdAt": "created_at"}


@pytest.fixture
def get(api, worker):
    """Return a page of the list."""

    def get(**query):
        answer = api.get(f"/workers/{worker['id']}/deploymentLogs/voice", query_string=query)
        assert answer.status_code == 200, answer.text
        return answer.json

    return get


@pytest.fixture
def add_calls(add_log, worker):
    """Add calls with these values in a column. Returns their ids."""
    return lambda column, values: [add_log(VoiceLog, worker, **{column: value}) for value in values]


@pytest.fixture
def five(add_calls):
    """Five calls, the latest first, whose logs were created the other way round."""
    return add_calls("start_time", [f"2026-11-20T10:00:0{second}.000Z" for second in (4, 3, 2, 1, 0)])


def ids(page):
    return [log["id"] for log in page["data"]]


def walk(get, **query):
    """All ids, page by page, by cursor."""
    page = get(**query)
    pages = [ids(page)]
    while page["nextCursor"]:
        page = get(**query, cursor=page["nextCursor"])
        pages.append(ids(page))
    return pages


@pytest.mark.parametrize("name", SORTABLE)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_every_order_breaks_ties_by_id_and_walks_by_cursor_as_it_lists(get, add_calls, name, order):
    empty = [] if name in ("createdAt", "updatedAt") else [None] * 3
    values = ["b", "a", *empty, "a", "b", "c", "a"]
    made = dict(zip(add_calls(SORTABLE[name], values), values, strict=True))
    expected = sorted(made, key=lambda id: (made[id] or "", id), reverse=order == "desc")  # null is the smallest
    query = {"sortBy": name, "sortOrder": order}
    assert ids(get(**query)) == expected
    for limit in (1, 2, 3):
        pages = walk(get, **query, limit=limit)
        assert [id for page in pages for id in page] == expected


@pytest.mark.parametrize(
    ("limit", "page", "shown", "pages"),
    [(2, 1, [0, 1], 3), (2, 3, [4], 3), (2, 4, [], 3), (5, 1, [0, 1, 2, 3, 4], 1), (100, 10**17, [], 1)],
)
def test_a_page_has_its_position(get, five, limit, page, shown, pages):
    answer = get(limit=limit, page=page)
    assert ids(answer) == [five[index] for index in shown]
    has_next = page < pages
    assert answer["pagination"] == {
        "page": page, "limit": limit, "total": 5, "totalPages": pages, "hasNext": has_next, "hasPrev": page > 1,
    }  # fmt: skip
    assert (answer["hasMore"], answer["nextCursor"] is not None) == (has_next, has_next)


def test_of_a_parameter_that_is_sent_twice_the_first_counts(get, five):
    assert get(limit=[2, 3])["pagination"]["limit"] == 2


def test_a_cursor_wins_over_page_and_order(get, five):
    cursor = get(limit=2, sortOrder="asc")["nextCursor"]
    assert ids(get(limit=2, page=1, cursor=cursor)) == five[::-1][2:4]


def test_a_cursor_goes_on_from_its_place_when_calls_come_in(get, five, add_calls):
    page = get(limit=2)
    add_calls("start_time", ["2026-11-20T11:00:00.000Z"])
    second = get(limit=2, cursor=page["nextCursor"])
    assert ids(second) == five[2:4]
    assert (second["pagination"]["page"], second["pagination"]["total"]) == (2, 6)


def test_a_search_pages_as_it_lists(get, add_calls):
    *expected, _ = add_calls("transcription", ["Yes."] * 5 + ["No."])
    query = {"searchQuery": "yes", "sortOrder": "asc", "limit": 2}  # none has a start: the ids tell
    assert walk(get, **query) == [expected[:2], expected[2:4], expected[4:]]
    assert ids(get(**query, page=2)) == expected[2:4]
    assert get(**query, page=9)["pagination"]["total"] == 5


def test_list_and_cursor_follow_what_is_written(app, get, five, add_calls):
    cursor = get(limit=2)["nextCursor"]
    with app.world.active(), app.world.transaction():
        VoiceLog.by_id(five[0]).change(status="failed")
        VoiceLog.remove_where(id=five[1])
    added = add_calls("start_time", [None])
    assert ids(get(status="failed")) == five[:1]
    assert ids(get()) == [five[0], *five[2:], *added]
    assert get(limit=1)["pagination"]["total"] == 5
    assert ids(get(limit=2, cursor=cursor)) == five[2:4]


def test_a_cursor_that_no_page_gave_is_refused(api, worker, get, five):
    cursor = get(limit=2)["nextCursor"]
    changed = ("A" if cursor[0] != "A" else "B") + cursor[1:]
    for unknown in ("", "garbage", "é", "W10.x", changed):
        answer = api.get(f"/workers/{worker['id']}/deploymentLogs/voice", query_string={"cursor": unknown})
        assert answer.status_code == 400, unknown
        assert answer.json["details"][0]["path"] == "cursor"
