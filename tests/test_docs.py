"""Pages for readers: the interactive documentation at `/docs`, and `/llms.txt` for coding assistants."""

import json
import re

import pytest

from dryline.app import create_app
from dryline.settings import Settings

KEY = "dryline-local-key"


def test_the_page_comes_with_the_local_key(app):
    page = app.test_client().get("/docs")
    assert f'data-key="{KEY}"' in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert '<html lang="en"' in page.text and 'name="viewport"' in page.text
    assert "://" not in page.text


def test_the_page_has_its_files_from_the_server(app):
    page = app.test_client().get("/docs").text
    for path in ("assets/swagger-ui.css", "assets/swagger-ui-bundle.js", "own/docs.css", "own/docs.js"):
        assert f"/docs/{path}" in page
        with app.test_client().get(f"/docs/{path}") as file:
            assert file.status_code == 200 and len(file.data) > 500


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"X-Dryline-Outgoing": "1"},
    ],
)
def test_a_request_that_the_control_plane_refuses_gets_the_page_without_a_key(app, headers):
    page = app.test_client().get("/docs", headers=headers)
    assert page.status_code == 200 and KEY not in page.text


@pytest.mark.parametrize("beyond", [{"host": "0.0.0.0"}, {"admin_token": "open sesame"}])
def test_a_server_for_others_or_with_a_token_shows_no_key(beyond):
    app = create_app(Settings(ephemeral=True, scenario="empty", **beyond))
    page = app.test_client().get("/docs")
    app.close()
    assert page.status_code == 200 and KEY not in page.text


def test_a_guide_is_answered_as_it_is_written(app):
    with app.test_client().get("/docs/testing.md") as answer:
        assert answer.mimetype == "text/markdown"
        assert answer.text.startswith("# dryline in your tests")
    assert app.test_client().get("/docs/nothing.md").status_code == 404


# /llms.txt


@pytest.fixture
def llms_txt(app):
    return app.test_client().get("/llms.txt", base_url="http://127.0.0.1:4010").text


def test_llms_txt_begins_with_a_title_and_names_this_server(llms_txt):
    assert llms_txt.startswith("# dryline\n\n> ")
    assert "Base URL: http://127.0.0.1:4010 " in llms_txt
    assert "{base}" not in llms_txt


def test_each_link_of_llms_txt_leads_somewhere(app, llms_txt):
    links = re.findall(r"\]\(http://127\.0\.0\.1:4010(/[^)]*)\)", llms_txt)
    assert len(links) > 8
    assert {link: app.test_client().get(link, buffered=True).status_code for link in links} == dict.fromkeys(links, 200)


def test_the_calls_of_llms_txt_work_unchanged(app, llms_txt):
    client, ids = app.test_client(), {}
    calls = re.findall(r"`(GET|POST|PUT) (\S+)`(?:,[^`\n]*)? `(\{.*?\})`", llms_txt)
    calls.sort(key=lambda call: call[1].startswith("/_dryline/reset"))  # which would take away what the others need
    assert len(calls) > 10
    for method, path, body in calls:
        for name, id in ids.items():
            path = path.replace(f"{{{name}}}", id)
        body = {name: ids[name] if value == "..." else value for name, value in json.loads(body).items()}
        answer = client.open(path, method=method, json=body, headers={"x-api-key": KEY})
        assert answer.status_code < 300, answer.text
        kind = {"workers": "worker", "flows": "flow", "voice": "deployment", "talk": "talk"}.get(path.split("/")[-1])
        if kind:
            ids[f"{kind}Id"] = answer.json["id"]
        if path.endswith("/faults"):
            client.delete("/_dryline/faults")
    assert ids.keys() == {"workerId", "flowId", "deploymentId", "talkId"}
