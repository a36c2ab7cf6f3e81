"""Download links of exports."""

import re
from dataclasses import replace

import pytest

from dryline.tests.exports.conftest import files


def test_the_link_is_absolute_and_needs_no_key(export, fetch):
    made = export()
    assert made["downloadUrl"].startswith(f"http://localhost/downloads/exports/{made['id']}?")
    assert fetch(made).status_code == 200


def test_the_link_begins_with_the_public_url_if_one_is_set(app, export):
    app.world.settings = replace(app.world.settings, public_url="https://api.example.com/x")
    assert export()["downloadUrl"].startswith("https://api.example.com/x/downloads/exports/")


def test_the_response_names_the_file(export, fetch):
    for format in ("CSV", "JSON"):
        made = export(format=format)
        answer = fetch(made)
        assert answer.headers["Content-Disposition"] == f"attachment; filename={made['id']}.{format.lower()}"
        assert answer.content_type == {"CSV": "text/csv; charset=utf-8", "JSON": "application/json"}[format]


def test_a_part_of_the_file_can_be_fetched(export, fetch, make_log):
    make_log()
    made = export()
    answer = fetch(made)
    whole = answer.data
    assert answer.headers["Accept-Ranges"] == "bytes"
    part = fetch(made, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.data) == (206, whole[10:20])
    assert part.headers["Content-Range"] == f"bytes 10-19/{len(whole)}"
    assert fetch(made, headers={"Range": "bytes=-3"}).data == whole[-3:]
    assert fetch(made, headers={"Range": f"bytes={len(whole)}-"}).status_code == 416


@pytest.mark.parametrize(("old", "new"), [("signature=.", "signature=~"), ("signature=", "signature=x"), (r"\?.*", "")])
def test_an_altered_link_is_refused(app, export, old, new):
    answer = app.test_client().get(re.sub(old, new, export()["downloadUrl"]))
    assert (answer.status_code, answer.json["error"]) == (403, "The link is not valid.")


def test_the_signature_of_another_export_is_refused(app, export):
    one, other = export(), export()
    swapped = one["downloadUrl"].replace(one["id"], other["id"])
    assert app.test_client().get(swapped).status_code == 403


def test_after_24_hours_the_export_expires_and_its_file_is_removed(app, api, control, export, fetch, advance):
    control.put("/clock", {"now": "2026-04-01T12:00:00.000Z", "frozen": True})
    made = export()
    advance(24 * 3600 - 0.001)
    assert api.get(f"/team/exports/{made['id']}").json == made
    assert fetch(made).status_code == 200
    advance(0.001)
    gone = api.get(f"/team/exports/{made['id']}").json
    assert gone == made | {"status": "EXPIRED", "downloadUrl": None}
    assert fetch(made).status_code == 403
    assert files(app) == []
