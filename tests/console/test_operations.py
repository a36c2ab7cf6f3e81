"""Forms that are one operation of the API: their requests, errors and authors."""

import re
import shlex
from html import unescape

import pytest

from dryline.tests.console.visitor import Visitor, words
from dryline.web.operations import find_operation
from dryline.world import request_log

CODE = "say('Oak Clinic.')\nloop:\n    talk('Ask.', True)\nuntil 'caller is done':\n    say('Bye.')\n"
CONTACTS = "phoneNumber,name\n" + "".join(f"+1415555{number:04},Ada\n" for number in range(100, 130))


@pytest.fixture
def tag(api):
    return api.post("/team/tags", {"label": "day", "color": "#112233"}).json


@pytest.fixture
def flow(make_flow):
    return make_flow(name="Desk", code=CODE, variables={"desk": "+14155550100"})


@pytest.fixture
def line(make_voice_deployment, flow):
    return make_voice_deployment(flow)


@pytest.fixture
def rows(api, tag, flow, line):
    """Return the paths and ids that the forms need."""
    at = f"/workers/{flow['workerId']}"
    checkpoint = {"name": "Books", "description": "The caller books.", "runs": 1, "tolerance": 0}
    about = {"description": "Basics", "testMode": "voice", "systemPrompt": "You are a caller.", "flowId": flow["id"]}
    test = api.post(f"{at}/tests", {"name": "Smoke", "checkpoints": [checkpoint], **about})
    assert test.status_code == 201, test.text
    agent = {"name": "Ann", "type": "caller", "purpose": "Book", "goals": ["Book"], "deploymentId": line["id"]}
    suite = api.post("/echo/suites", {"name": "Suite", "deploymentId": line["id"]}).json
    assert api.post("/echo/agents", {**agent, "suiteId": suite["id"]}).status_code == 201
    return {"at": at, "tag": tag, "flow": flow, "line": line, "test": test.json, "suite": suite}


def new_worker(visitor, rows):
    visitor.go("/workers/new")
    return visitor.send("/workers", name="Ada", template="")


def assign_tag(visitor, rows):
    visitor.go(rows["at"])
    return visitor.send("/tags", tagId=rows["tag"]["id"])


def remove_tag(visitor, rows):
    assign_tag(visitor, rows)
    visitor.go(rows["at"])
    return visitor.send("/remove")


def new_flow(visitor, rows):
    visitor.go(f"{rows['at']}/flows/new")
    return visitor.send("/new", name="Night", code=CODE, variables="{}")


def edit_flow(visitor, rows):
    visitor.go(f"{rows['at']}/flows/{rows['flow']['id']}/edit")
    return visitor.send("/edit", code=CODE.replace("Oak", "Elm"))


def restore_version(visitor, rows):
    edit_flow(visitor, rows)
    visitor.go(f"{rows['at']}/flows/{rows['flow']['id']}/edit")
    visitor.send("/edit", code=CODE.replace("Oak", "Ash"))
    versions = visitor.client.get(f"/console{rows['at']}/flows/{rows['flow']['id']}").get_data(as_text=True)
    oldest = re.findall(r"version=(fv_[\w-]+)", versions)[-1]
    visitor.go(f"{rows['at']}/flows/{rows['flow']['id']}?version={oldest}")
    return visitor.send("/restore")


def deploy(visitor, rows):
    visitor.go(f"{rows['at']}/deployments/new")
    return visitor.send("/deployments", name="Night line")


def change_deployment(visitor, rows):
    visitor.go(f"{rows['at']}/deployments/{rows['line']['id']}")
    return visitor.send(f"/deployments/{rows['line']['id']}", name="Renamed")


def run_test(visitor, rows):
    visitor.go(f"{rows['at']}/tests/{rows['test']['id']}")
    return visitor.send("/run")


def run_suite(visitor, rows):
    visitor.go(f"{rows['at']}/scorecards")
    return visitor.send("/run")


def new_export(visitor, rows):
    visitor.go("/exports/new")
    return visitor.send("/exports")


def export_calls(visitor, rows):
    visitor.go("/calls")
    return visitor.send("/calls/export")


def new_campaign(visitor, rows, status="CREATED"):
    visitor.go("/campaigns/new")
    visitor.send("/campaigns/new", data=CONTACTS, deploymentId=rows["line"]["id"], status=status)
    return visitor.send("/campaigns")


def start_campaign(visitor, rows):
    new_campaign(visitor, rows)
    return visitor.send("/start")


def stop_campaign(visitor, rows):
    start_campaign(visitor, rows)
    return visitor.send("/stop")


FORMS = {
    "createWorker": new_worker,
    "assignTag": assign_tag,
    "removeTag": remove_tag,
    "createFlow": new_flow,
    "updateFlow": edit_flow,
    "updateFlow by a version": restore_version,
    "createVoiceDeployment": deploy,
    "updateVoiceDeployment": change_deployment,
    "runTest": run_test,
    "runEcho": run_suite,
    "createExport": new_export,
    "createExport of a list": export_calls,
    "createOutboundCampaign": new_campaign,
    "updateOutboundCampaign": start_campaign,
    "stopCampaign": stop_campaign,
}


@pytest.fixture
def newest(app):
    """Return a function that returns the newest entry of the request log, and the id of its operation."""

    def find():
        entry = app.world.requests.newest_first()[0]
        with app.app_context():
            return entry, find_operation(entry.endpoint, entry.method).operation_id

    return find


@pytest.mark.parametrize(("operation", "send"), FORMS.items(), ids=FORMS)
def test_a_form_is_a_request_of_the_api_in_the_name_of_a_person(visitor, api, control, rows, newest, operation, send):
    control.put("/settings", {"strict": True})
    control.post("/faults", {"path": "/api/*", "status": 503})
    control.post("/faults", {"path": "/api/*", "rateLimit": {"requests": 1, "windowSeconds": 3600}})
    team = control.get("/teams").json[0]["id"]
    page = send(visitor, rows)
    entry, operation_id = newest()
    assert operation_id == operation.partition(" ")[0]
    assert (entry.origin, entry.team_id, entry.key_id, entry.fault_id) == ("console", team, None, None)
    assert entry.status in (200, 201, 204), words(page)
    assert f"/console/requests/{entry.number}" in page.links
    assert [rule["hits"] for rule in control.get("/faults").json] == [0, 0]


def test_such_requests_are_hidden_until_they_are_asked_for(visitor, control, rows):
    new_worker(visitor, rows)
    assert "console" not in {one["origin"] for one in control.get("/requests?method=POST&path=/api/workers").json}
    assert [one["path"] for one in control.get("/requests?origin=console").json] == ["/api/workers"]
    assert "console" not in words(visitor.go("/requests")).partition("Client")[2]
    assert "POST /api/workers" in words(visitor.go("/requests?origin=console"))


def test_the_last_500_are_kept_beside_those_of_programs(visitor, api, control, rows, monkeypatch):
    assert request_log.MAX_CONSOLE_ENTRIES == 500
    monkeypatch.setattr(request_log, "MAX_CONSOLE_ENTRIES", 3)
    before = len(control.get("/requests?limit=1000").json)
    for _ in range(5):
        new_worker(visitor, rows)
    assert len(control.get("/requests?origin=console").json) == 3
    assert len(control.get("/requests?limit=1000").json) == before


def test_no_header_makes_a_request_one_of_the_console(app, control):
    team = control.get("/teams").json[0]["id"]
    client = app.test_client()
    refused = client.get("/api/workers", headers={"X-Dryline-Origin": "console", "x-api-key": "dryline-local-key"})
    assert refused.status_code == 400
    names = ("dryline.origin", "dryline.team", "Dryline-Origin", "Dryline-Team", "Origin-Key", "Team")
    for name in names:
        answer = client.get("/api/workers", headers={name: "console", "X-Dryline-Team": team, "dryline.team": team})
        assert answer.status_code == 401, name
    assert not control.get("/requests?origin=console").json


def test_a_team_without_a_key_has_working_forms(visitor, control):
    team = control.post("/teams", {"name": "Keyless"}).json
    for key in control.get("/teams").json[-1]["apiKeys"]:
        assert control.delete(f"/teams/{team['id']}/keys/{key['id']}").status_code == 204
    visitor.go(f"/workers/new?team={team['id']}")
    assert "Created Ada." in visitor.send("/workers", name="Ada", template="").text
    (entry,) = control.get("/requests?origin=console").json
    assert entry["teamId"] == team["id"]


class TestAuthors:
    def test_a_version_and_the_history_of_a_deployment_name_a_person(self, visitor, api, rows):
        edit_flow(visitor, rows)
        change_deployment(visitor, rows)
        flow = f"{rows['at']}/flows/{rows['flow']['id']}"
        assert [one["authorType"] for one in api.get(f"{flow}/versions").json["data"]] == ["USER"]
        history = api.get(f"{rows['at']}/deployments/{rows['line']['id']}/history").json["data"]
        assert history[0]["authorType"] == "USER"


# A form, what is typed into it, the field that is wrong and its label.
REFUSED = [
    (deploy, "/deployments", {"flowId": "flow_x", "name": "Night"}, "flowId", "Flow"),
    (change_deployment, "", {"flowId": "flow_x", "name": "Night"}, "flowId", "Flow"),
    (new_worker, "/workers", {"name": "", "description": "A desk", "template": ""}, "name", "Name"),
    (new_export, "/exports", {"fields": "colour"}, "fields", "Fields"),
    (new_export, "/exports", {"filtersJson": "{"}, "filtersJson", "Filters"),
    (new_export, "/exports", {"workerId": "worker_x"}, "workerId", "Worker"),
    (new_flow, "/new", {"name": "Night", "code": CODE, "variables": "{"}, "variables", "Variables"),
]


@pytest.mark.parametrize(("form", "action", "typed", "field", "label"), REFUSED)
def test_an_error_comes_back_at_its_field_with_what_was_typed(visitor, rows, newest, form, action, typed, field, label):
    form(visitor, rows)
    back = {
        deploy: f"{rows['at']}/deployments/new",
        change_deployment: f"{rows['at']}/deployments/{rows['line']['id']}",
        new_export: "/exports/new",
        new_worker: "/workers/new",
        new_flow: f"{rows['at']}/flows/new",
    }[form]
    visitor.go(back)
    action = action or f"/deployments/{rows['line']['id']}"
    page = visitor.send(action, **typed)
    assert page.status in (400, 404)
    message = re.search(rf'id="problem-{field}">([^<]+)<', page.html)
    assert message, page.html
    assert f"{label}: {unescape(message[1])}" in page.text
    assert f'aria-describedby="problem-{field}"' in page.html
    in_lists = ("flowId", "workerId", "template")  # a list has only what can be chosen
    texts = {name: text for name, text in typed.items() if name not in in_lists}
    assert texts.items() <= page.form(action)["fields"].items()
    entry, _ = newest()
    assert f"/console/requests/{entry.number}" in page.links and entry.status == page.status


def test_a_button_that_is_refused_says_so_on_its_page(visitor, api, rows):
    visitor.go(rows["at"])
    api.delete(f"/team/tags/{rows['tag']['id']}")
    page = visitor.send("/tags", tagId=rows["tag"]["id"])
    assert page.status == 404 and "Nothing is saved." in page.text


def test_a_person_who_signed_in_sees_the_error_at_its_field(restart):
    api, _ = restart(admin_token="secret")
    visitor = Visitor(api.client)
    fields = visitor.go("/workers/new").form("")["fields"]
    visitor.client.post("/console/sign-in", data=fields | {"token": "secret"})
    visitor.go("/workers/new")
    page = visitor.send("/workers", name="", template="")
    assert page.status == 400 and 'id="problem-name"' in page.html


def test_secrets_are_masked(visitor, control, rows):
    visitor.go(f"{rows['at']}/flows/{rows['flow']['id']}/edit")
    visitor.send("/edit", variables='{"shop_token": "abc123"}')
    (entry,) = control.get("/requests?origin=console").json
    page = visitor.go(f"/requests/{entry['number']}")
    assert "abc123" not in str(entry) and "abc123" not in page.text


def test_its_page_has_curl_and_python_that_a_program_can_run(served, capsys):
    visitor = Visitor(served.app.test_client())
    visitor.go("/workers/new")
    visitor.send("/workers", name="Ada", template="")
    number = served.app.world.requests.newest_first()[0].number
    html = served.app.test_client().get(f"/console/requests/{number}", base_url=served.url).get_data(as_text=True)
    curl, python = map(unescape, re.findall(r'<div class="snippet">\s*<pre[^>]*><code>(.*?)</code>', html, re.DOTALL))
    assert "x-api-key: dryline-local-key" in curl and '"name":"Ada"' in curl.replace(": ", ":")
    exec(python, {})
    assert capsys.readouterr().out.startswith("201 ")


PLANE_FORMS = [
    ("/clock/advance", "advanceClock"),
    ("/world/clock", "setClock"),
    ("/world/settings", "updateSettings"),
    ("/world/save", "saveSnapshot"),
    ("/world/reset", "resetState"),
]


@pytest.mark.parametrize(("action", "operation"), PLANE_FORMS)
def test_the_notice_of_an_act_on_the_world_has_the_curl_of_the_control_plane(app, visitor, action, operation):
    visitor.go("/state")
    page = visitor.send(action, name="before", seconds="3600")
    command = unescape(re.search(r'class="as-curl"><summary>curl</summary><code>(.*?)</code>', page.html)[1])
    words_of_command = shlex.split(command)
    method, url = words_of_command[2], words_of_command[3]
    endpoint, _ = app.url_map.bind("localhost").match(url.removeprefix("http://localhost"), method)
    with app.app_context():
        assert find_operation(endpoint, method).operation_id == operation
