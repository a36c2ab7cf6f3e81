"""API time at the ends of the calendar."""

import pytest

from dryline.world.clock import FIRST, LAST, wire


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("now", [wire(FIRST), wire(LAST)])
def test_at_the_ends_of_its_reach_the_api_answers(control, api, make_worker, now, frozen):
    assert control.put("/clock", {"now": now, "frozen": frozen}).status_code == 200
    assert control.get("/clock").json["now"][:10] == now[:10]
    worker = make_worker()
    assert api.get("/workers").status_code == 200
    export = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-02-01T00:00:00.000Z"}
    assert api.post("/team/exports", export).status_code == 201
    query = {"fileName": "a.txt", "contentType": "text/plain"}
    assert api.get(f"/upload/{worker['id']}/resource-upload-url", query_string=query).status_code == 200
    assert control.post("/clock/advance", {"seconds": 0}).status_code == 200
    assert api.get("/team/exports").json[0]["status"] == "COMPLETED"


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999-14:00"])
def test_a_moment_out_of_its_reach_is_refused_and_the_clock_stays(control, now):
    control.put("/clock", {"now": "2030-01-01T00:00:00Z", "frozen": True})
    answer = control.put("/clock", {"now": now})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "now")
    assert control.get("/clock").json["now"] == "2030-01-01T00:00:00.000Z"


@pytest.mark.parametrize("seconds", [300_000_000_000, 1e300])
@pytest.mark.parametrize("frozen", [True, False])
def test_a_move_out_of_its_reach_is_refused_and_the_clock_stays(control, seconds, frozen):
    control.put("/clock", {"now": "2030-01-01T00:00:00Z", "frozen": frozen})
    answer = control.post("/clock/advance", {"seconds": seconds})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "seconds")
    assert control.get("/clock").json["now"].startswith("2030-01-01")
