"""Attacks: pages of other origins, and scripts in stored texts."""

import pytest

from dryline.tests.conftest import send
from dryline.tests.console.visitor import one_of_each_kind

# All requests that a page can make without a permission.
HOSTILE = """<!doctype html><title>hostile</title>
<iframe id="frame" src="{base}/console"></iframe>
<img id="image" src="{base}/console/static/icon.svg">
<iframe name="post"></iframe><iframe name="clock"></iframe><iframe name="plain"></iframe>
<form id="post" method="post" action="{base}/console/world/reset" target="post">
<input name="_token" value="guess"></form>
<form id="clock" method="post" action="{base}/console/world/clock" target="clock">
<input name="frozen" value="true"></form>
<form id="plain" method="post" enctype="text/plain" action="{base}/_dryline/reset" target="plain">
<input name='{{"scenario": "empty", "x": "' value='"}}'></form>
<script>
const tries = [
  () => fetch("{base}/console").then((answer) => answer.text()),
  () => fetch("{base}/console/changes").then((answer) => answer.text()),
  () => fetch("{base}/console/state/document.json").then((answer) => answer.text()),
  () => fetch("{base}/_dryline/state").then((answer) => answer.text()),
  () => fetch("{base}/console/world/clock", {{
    method: "POST", mode: "no-cors", body: new URLSearchParams("frozen=true")
  }})
    .then((answer) => answer.type === "opaque" ? Promise.reject() : answer.text()),
  () => fetch("{base}/console/world/reset", {{
    method: "POST", credentials: "include", headers: {{"X-Form-Token": "x"}}
  }}),
];
window.done = (async () => {{
  for (const id of ["post", "clock", "plain"]) {{
    const answered = new Promise((resolve) => (document.getElementsByName(id)[0].onload = resolve));
    document.getElementById(id).submit();
    await answered;
  }}
  const read = [];
  for (const attempt of tries) await attempt().then((text) => read.push(text), () => null);
  let frame = null;
  try {{ frame = document.getElementById("frame").contentDocument?.body?.innerText || null; }} catch {{ frame = null; }}
  return {{read, frame, image: document.getElementById("image").naturalWidth}};
}})();
</script>"""


@pytest.fixture
def hostile_site(http_server):
    """Return a function that serves a page at another origin of this machine and returns its port."""

    def serve(html):
        page = {"Content-Type": "text/html; charset=utf-8"}
        return http_server(lambda handler: send(handler, 200, html.encode(), **page)).rpartition(":")[2]

    return serve


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_page_of_another_origin_changes_and_reads_nothing(chromium, served, hostile_site, host):
    port = hostile_site(HOSTILE.format(base=served.url))
    workers = len(served.app.test_client().get("/_dryline/state").json["workers"])
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{served.url}/console")  # which sets its cookie
    statuses = []
    page.on("response", lambda answer: answer.request.method == "POST" and statuses.append(answer.status))
    page.goto(f"http://{host}:{port}/")
    result = page.evaluate("window.done")
    context.close()
    assert statuses[:3] == [403, 403, 403]  # the forms
    assert result == {"read": [], "frame": None, "image": 0}
    assert not served.app.world.clock.is_frozen
    assert len(served.app.test_client().get("/_dryline/state").json["workers"]) == workers


SCRIPT = "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">{{7*7}}"


def planted(value, name=""):
    """Return a state document with the script in every free text."""
    if isinstance(value, dict):
        return {key: planted(member, key) for key, member in value.items()}
    if isinstance(value, list):
        return [planted(item, name) for item in value]
    if isinstance(value, str) and name in TEXTS:
        return f"{SCRIPT}{value}"
    return value


TEXTS = {
    *("name", "description", "label", "content", "text", "transcription", "code", "error", "traceback", "summary"),
    *("extractionsData", "call_summary", "fileName", "message", "welcomeMessage", "prompt", "responseBody", "icon"),
}


def test_scripts_in_stored_texts_are_not_run(tab, served):
    client = served.app.test_client()
    document = client.get("/_dryline/state").json
    document = {"version": document["version"], **{k: planted(v) for k, v in document.items() if isinstance(v, list)}}
    document["voiceLogs"] = document["voiceLogs"][:20]
    answer = client.put("/_dryline/state", json=document)
    assert answer.status_code == 204, answer.json
    key = {"x-api-key": "dryline-local-key", "x-odd": SCRIPT}
    client.post("/api/workers", json={"name": SCRIPT, "description": SCRIPT, "status": SCRIPT}, headers=key)
    client.get(f"/api/workers?{SCRIPT}", headers=key)
    client.post("/inbox/x", data=SCRIPT, headers={"X-Dryline-Event": SCRIPT})
    client.post("/_dryline/faults", json={"status": 500, "body": SCRIPT, "path": f"/api/{SCRIPT}"})
    seen, shown = tab(served), set()
    for address in one_of_each_kind(client):
        if address.endswith("document.json") or "hacked" not in client.get(address).text:
            continue
        page = seen.go(address.removeprefix("/console"))
        assert page.title() != "hacked", address
        assert page.locator("main script, main img[onerror]").count() == 0, address
        if "<script>" in page.locator("body").inner_text():
            shown.add(address)
    assert len(shown) >= 8  # as text
    assert [error for error in seen.wrong if "Content Security Policy" in error] == []
