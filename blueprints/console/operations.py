"""Forms that are one operation of the API. They are sent in process, as the request that a program would send.

Such a request has no key: the team of the page stands in its environ, and its author is a person. No fault and no rate
limit applies to it, and the request log has it with the origin `console`, so that searches and checks leave it out. A
form is one of these operations:

| form | operation |
| --- | --- |
| New worker, without a flow | createWorker |
| A worker's tags | assignTag, removeTag |
| New flow, the editor, Restore this version | createFlow, updateFlow |
| Deploy, a deployment's Change | createVoiceDeployment, updateVoiceDeployment |
| Run a test, run a suite | runTest, runEcho |
| New export, Export these | createExport |
| New campaign, Start, Stop | createOutboundCampaign, updateOutboundCampaign, stopCampaign |

The other forms call models directly. They are of these kinds:

- acts on the world: clock, traffic, snapshots, reset, scenarios, the state document, teams, keys, faults, the request
  log, calls and webhook messages by hand, transitions of exports. The control plane can do most of them, and the notice
  then has its curl command;
- Talk, and "Try it" of the editor;
- several writes in one transaction, or what no operation does: a new worker with a flow, the next batch of a campaign,
  the inbox for the events of a deployment.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import current_app, request, url_for
from markupsafe import Markup
from marshmallow import Schema

from dryline.blueprints.console import auth
from dryline.blueprints.console.base import field_label, flash_and_redirect, form_texts, require_team, wire_values
from dryline.world.epochs import EpochEnded
from dryline.world.faults import ConnectionCut
from dryline.world.origins import CONSOLE, ORIGIN_KEY, RECORDED_KEY, TEAM_KEY
from dryline.world.request_log import Entry

# Key of the environ of a request for the page of a form: the refusal of the form.
_REFUSAL_KEY = "dryline.refusal"
# Headers of a form that belong to its body, or to the request that htmx makes for a part of a page.
_FORM_HEADERS = {"content-type", "content-length", "transfer-encoding", "origin", "hx-request", "hx-target"}


class OperationAnswer(NamedTuple):
    """The answer of an operation, and the number of its entry in the request log."""

    body: Any
    number: int


class FormRefused(Exception):
    """A refused form: the status and the error of the answer, and by field what is wrong with its value."""

    def __init__(self, status: int, error: str, problems: Mapping[str, str], number: int) -> None:
        super().__init__(error)
        self.status, self.problems, self.number = status, problems, number
        self.values = form_texts()

    @property
    def sentence(self) -> str:
        """The error, in which fields have the names of their labels."""
        parts = [f"{field_label(name)}: {problem}" for name, problem in self.problems.items()]
        return " ".join(parts) or str(self)


def perform_operation(method: str, path: str, *ids: str, body: Any = None) -> OperationAnswer:
    """Send the request of a form for the team of the page. `path` has `{}` for each id.

    Raises FormRefused, and EpochEnded if the epoch of the request has ended.
    """
    entries: list[Entry] = []
    client = current_app.api.test_client(use_cookies=False)  # type: ignore[attr-defined]  # it is the Console
    environ = {
        ORIGIN_KEY: CONSOLE,
        TEAM_KEY: require_team().id,
        RECORDED_KEY: entries.append,
        "REMOTE_ADDR": request.remote_addr or "",
    }
    try:
        answer = client.open(
            path.format(*[quote(id, safe="") for id in ids]),
            method=method,
            base_url=request.root_url,
            json=body,
            headers={"User-Agent": "console"},
            environ_overrides=environ,
        )
    except ConnectionCut:  # as a program sees the end of the epoch
        raise EpochEnded from None
    number, content = entries[0].number, answer.get_json(silent=True)
    if answer.status_code >= 400:
        raise FormRefused(answer.status_code, content["error"], _problems_by_field(content), number)
    return OperationAnswer(content, number)


def form_body(schema: Callable[[], Schema], *but: str) -> dict[str, Any]:
    """Return the form that was sent as the body of an operation, without empty fields and those named in `but`."""
    return wire_values(schema, {name: text for name, text in form_texts().items() if name not in but})


def show_sent(
    answer: OperationAnswer, message: str, endpoint: str | None = None, *, kind: str = "message", **values: Any
) -> Any:
    """Redirect as `flash_and_redirect` does, with a message that leads to the request in the request log."""
    link = url_for("requests.entry", number=answer.number)
    text = Markup('{} <a href="{}">See the request</a>').format(message, link)
    return flash_and_redirect(text, endpoint, kind=kind, **values)


def show_refused(refused: FormRefused) -> Any:
    """Show the page of a form again, with what was typed and what is wrong with it."""
    page = auth.safe_url(request.form.get("back"))
    if page is None:
        return flash_and_redirect(refused.sentence, kind="error")
    headers = [(name, value) for name, value in request.headers if name.lower() not in _FORM_HEADERS]
    client = current_app.test_client(use_cookies=False)
    answer = client.get(
        page.removeprefix(request.script_root),
        base_url=request.root_url,
        headers=headers,
        environ_overrides={"REMOTE_ADDR": request.remote_addr or "", _REFUSAL_KEY: refused},
    )
    if answer.status_code == 200:
        answer.status_code = refused.status
    return answer


def refusal() -> FormRefused | None:
    """Return the refusal of the form that the page shows again, or None."""
    return request.environ.get(_REFUSAL_KEY)


def typed(name: str, default: Any = "") -> Any:
    """Return the value of a field: what was typed into a refused form, or else the default."""
    refused = refusal()
    return refused.values.get(name, default) if refused else default


def _problems_by_field(content: Mapping[str, Any]) -> dict[str, str]:
    """Return the errors of an answer by field. An error without details may begin with the field's name."""
    problems: dict[str, str] = {}
    for detail in content.get("details", ()):
        name, _, rest = detail["path"].partition(".")
        message = f"{rest}: {detail['message']}" if rest else detail["message"]
        if name:
            problems[name] = f"{problems[name]} {message}" if name in problems else message
    name, separator, message = content["error"].partition(": ")
    if not problems and separator and name in request.form:
        problems[name] = message
    return problems
