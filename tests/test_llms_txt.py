"""`/llms.txt`, the page for coding assistants: its links lead somewhere, its calls work unchanged."""

import json
import re

import pytest

KEY = {"x-api-key": "dryline-local-key"}


@pytest.fixture
def page(app):
    return app.test_client().get("/llms.txt", base_url="http://127.0.0.1:4010").text


def test_it_begins_as_its_form_wants_and_names_this_server(page):
    assert page.startswith("# dryline\n\n> ")
    assert "Base URL: http://127.0.0.1:4010 " in page
    assert "{base}" not in page


def test_each_link_leads_somewhere(app, page):
    links = re.findall(r"\]\(http://127\.0\.0\.1:4010(/[^)]*)\)", page)
    assert len(links) > 8
    assert {link: app.test_client().get(link, buffered=True).status_code for link in links} == dict.fromkeys(links, 200)


def test_a_guide_is_given_as_it_is_written(app):
    answer = app.test_client().get("/docs/testing.md")
    assert answer.mimetype == "text/markdown"
    assert answer.text.startswith("# dryline in your tests")
    answer.close()


def test_a_guide_that_there_is_not_is_a_404(app):
    assert app.test_client().get("/docs/nothing.md").status_code == 404


def test_its_calls_work_as_they_stand(app, page):
    client, ids = app.test_client(), {}
    calls = re.findall(r"`(GET|POST|PUT) (\S+)`(?:,[^`\n]*)? `(\{.*?\})`", page)
    calls.sort(key=lambda call: call[1].startswith("/_dryline/reset"))  # which would take away what the others need
    assert len(calls) > 10
    for method, path, body in calls:
        for name, id in ids.items():
            path = path.replace(f"{{{name}}}", id)
        body = {name: ids[name] if value == "..." else value for name, value in json.loads(body).items()}
        answer = client.open(path, method=method, json=body, headers=KEY)
        assert answer.status_code < 300, answer.text
        kind = {"workers": "worker", "flows": "flow", "voice": "deployment", "talk": "talk"}.get(path.split("/")[-1])
        if kind:
            ids[f"{kind}Id"] = answer.json["id"]
        if path.endswith("/faults"):
            client.delete("/_dryline/faults")
    assert ids.keys() == {"workerId", "flowId", "deploymentId", "talkId"}
