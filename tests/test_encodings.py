"""State documents in other encodings than UTF-8, such as the UTF-16 of PowerShell's `>`."""

import json

import pytest
from click.testing import CliRunner

from dryline.app import create_app
from dryline.commands import cli
from dryline.settings import BadSetting, Settings
from dryline.testing import DrylineServer

DOCUMENT = {"version": 1, "teams": [{"id": "team_1", "name": "Zoë"}]}
TEXT = json.dumps(DOCUMENT, ensure_ascii=False)
OTHERS = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"]


def name_of(control):
    return control.get("/state").json["teams"][0]["name"]


@pytest.mark.parametrize("encoding", OTHERS)
def test_a_document_in_another_encoding_is_refused(control, tmp_path, encoding):
    content = TEXT.encode(encoding)
    answer = control.client.put("/_dryline/state", data=content, content_type="application/json")
    assert (answer.status_code, "This is not UTF-8. Save the file in that encoding." in answer.json["error"]) == (
        400,
        True,
    )

    (tmp_path / "world.json").write_bytes(content)
    with pytest.raises(BadSetting, match="This is not UTF-8"):
        create_app(Settings(ephemeral=True, scenario=str(tmp_path / "world.json")))


def test_a_document_may_begin_with_a_byte_order_mark(control, restart, tmp_path):
    content = TEXT.encode("utf-8-sig")
    assert control.client.put("/_dryline/state", data=content, content_type="application/json").status_code == 204
    assert name_of(control) == "Zoë"
    (tmp_path / "world.json").write_bytes(content)
    assert name_of(restart(scenario=str(tmp_path / "world.json"))[1]) == "Zoë"


def test_the_command_says_which_encoding_a_document_needs(tmp_path):
    (tmp_path / "world.json").write_text(TEXT, encoding="utf-16")
    with DrylineServer() as server:
        done = CliRunner().invoke(cli, ["state", "import", str(tmp_path / "world.json"), "--url", server.url])
    assert done.exit_code == 1
    assert "This is not UTF-8. Save the file in that encoding." in done.stderr
