"""The base of the console's pages: their blueprint, the chosen team, forms and lists."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from flask import Blueprint, flash, g, redirect, request, session, url_for
from markupsafe import Markup
from marshmallow import Schema, ValidationError, fields
from werkzeug.exceptions import BadRequest, HTTPException

from dryline.blueprints.console import auth
from dryline.blueprints.console.template_filters import label
from dryline.models.teams import Team, start_team
from dryline.storage.errors import DomainError, NotFound
from dryline.web import errors
from dryline.web.paths import CONSOLE
from dryline.world.wording import camel

# Fields whose values are written in a form as in JSON.
_JSON_FIELDS = (fields.Number, fields.Boolean, fields.Dict, fields.List, fields.Nested)

# Labels that differ from the field's name.
_LABELS = {
    "batch_interval_minutes": "Minutes between batches",
    "batch_size": "Rows per batch",
    "branch": "Condition of the flow",
    "bytesPerSecond": "Body, bytes per second",
    "commitMessage": "Commit message",
    "customerNumber": "Number",
    "data": "Rows",
    "delayDistribution": "Random delay",
    "deploymentId": "Deployment",
    "drop": "Connection",
    "endDate": "To",
    "filtersJson": "Filters",
    "flowId": "Flow",
    "logType": "Logs",
    "malformed": "Answer",
    "now": "To a time",
    "phase": "When",
    "phoneNumber": "Number",
    "rateLimit": "Only beyond a rate",
    "say": "Said before the flow begins",
    "skip": "Matches to skip",
    "startDate": "From",
    "state": "Initial state",
    "tagId": "Tag",
    "unsaid": "Values that nobody said",
    "workerId": "Worker",
}

MAX_CURL = 1_500  # characters in a notice, which the session's cookie has to hold
UNDO_S = 30  # of real time


class PageBlueprint(Blueprint):
    """A group of pages.

    `title` is its entry in the menu, which leads to the view `show`; `key` is the shortcut after `g`. Pages without an
    entry name the blueprint in whose `section` they are. `all_teams` says that without `?team=` every team's rows are
    listed.
    """

    def __init__(
        self, name: str, title: str = "", key: str = "", path: str = "", section: str = "", all_teams: bool = False
    ) -> None:
        super().__init__(name, __name__, url_prefix=CONSOLE + path)
        self.title, self.key, self.section, self.all_teams = title, key, section or name, all_teams


def chosen_team() -> Team | None:
    """Return the team of `?team=`, by default the start team; None in a world without teams. Raises NotFound."""
    team_id = request.args.get("team")
    return Team.by_id(team_id) if team_id else start_team()


def require_team() -> Team:
    """Return the chosen team. Raises NotFound, also in a world without teams."""
    team = g.get("team") or chosen_team()
    if team is None:
        raise NotFound("This world has no team.")
    return team


def team_names() -> dict[str, str]:
    """Return the names of the teams by id; empty if the page shows rows of one team only."""
    teams = [] if request.args.get("team") else Team.everyone()
    return {team.id: team.name for team in teams} if len(teams) > 1 else {}


def flash_and_redirect(
    message: str,
    endpoint: str | None = None,
    *,
    undo: str | None = None,
    curl: str | None = None,
    kind: str = "message",
    **values: Any,
) -> Any:
    """Redirect to `endpoint`, by default to the page that the form was on, and show the message there.

    With a command in `curl`, which does the same as the form, the message has it to unfold. With the name of a snapshot
    in `undo`, each page has the message for `UNDO_S`, with a button that restores it. A
    notice of the kind `message` disappears after some seconds, one that `stays` does not.
    """
    if curl and len(curl) <= MAX_CURL:
        details = '{} <details class="as-curl"><summary>curl</summary><code>{}</code></details>'
        message = Markup(details).format(message, curl)
    if undo:
        session["undo"] = {"name": undo, "message": message, "until": time.time() + UNDO_S}
    else:
        flash(message, kind)
    if endpoint:
        return redirect(url_for(endpoint, **values), 303)
    page = auth.safe_url(request.form.get("back"))
    return redirect(page or url_for("overview.show"), 303)


def read_undo_notice() -> dict[str, Any] | None:
    """Return the message of the last change that can be undone, the name of its snapshot and the seconds left."""
    notice = session.get("undo", {})
    seconds = notice.get("until", 0) - time.time()
    if seconds <= 0:
        return None
    return {**notice, "seconds": round(seconds)}


def error_message(error: Exception) -> tuple[str, int]:
    """Return the message and the status with which the API answers an error. After a form, it names a field's label."""
    if isinstance(error, DomainError):
        answer = errors.answer_domain_error(error)
    elif isinstance(error, HTTPException):
        answer = errors.answer_http_error(error)
    else:
        answer = errors.answer_unexpected_error(error)
    field = getattr(error, "field", None)
    if field and request.method == "POST":
        return f"{field_label(camel(field))}: {error}", answer.status_code
    return answer.json["error"], answer.status_code


def load_form(schema: Callable[[], Schema], **values: str) -> Any:
    """Load the form that was sent, with further `values`, by a schema of the API. Raises BadRequest."""
    return load_texts(schema, form_texts() | values)


def form_texts() -> dict[str, str]:
    """Return the texts of the form that was sent, by the names of its fields."""
    return {name: text for name, text in request.form.items() if name not in ("back", "_token")}


def load_texts(schema: Callable[[], Schema], texts: Mapping[str, str]) -> Any:
    """Load texts by the wire's names, without the empty ones. Raises BadRequest, which names the invalid fields."""
    try:
        return schema().load(wire_values(schema, texts))
    except ValidationError as error:
        messages = error.normalized_messages()
        problems = [f"{field_label(name)}: {' '.join(map(str, messages[name]))}" for name in messages]
        raise BadRequest("; ".join(problems)) from None


def wire_values(schema: Callable[[], Schema], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return texts by the wire's names as the values of a body, without the empty ones."""
    by_name = {field.data_key or name: field for name, field in schema().fields.items()}
    return {name: _wire_value(by_name.get(name), text) for name, text in texts.items() if text != ""}


def field_label(name: str) -> str:
    """Return the label that forms have for a field of the API."""
    return _LABELS.get(name) or label(name)


def _wire_value(field: Any, text: str) -> Any:
    if isinstance(field, _JSON_FIELDS) or type(field) is fields.Raw:
        with suppress(ValueError):
            return json.loads(text)
    return text


def without_new_rows(rows: Sequence[Any], name: str = "id") -> tuple[Sequence[Any], int]:
    """Return the rows without those that are newer than the one of `?known=`, and how many these are.

    `name` is the attribute that identifies a row. A list that is fetched again thus does not move under its reader.
    """
    ids = [str(getattr(row, name)) for row in rows]
    known = request.args.get("known")
    new_count = ids.index(known) if known in ids else 0
    return rows[new_count:], new_count
