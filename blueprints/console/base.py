"""What the console's pages share: whose part of the world they show, and how they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from flask import Blueprint, flash, g, redirect, request, url_for
from marshmallow import Schema, ValidationError, fields
from werkzeug.exceptions import BadRequest, HTTPException

from dryline.blueprints import errors
from dryline.blueprints.console import auth
from dryline.blueprints.paths import CONSOLE
from dryline.models.teams import Team, start_team
from dryline.storage.errors import DomainError, NotFound


class Pages(Blueprint):
    """Some of the console's pages. `word` is what the menu calls them, None for what it does not show.

    `letter` leads there after `g`. The page that the menu leads to is the view `show`. `under` names the pages that
    the menu shows as the current ones instead.
    """

    def __init__(self, name: str, word: str | None = None, letter: str = "", path: str = "", under: str = "") -> None:
        super().__init__(name, __name__, url_prefix=CONSOLE + path)
        self.word, self.letter, self.under = word, letter, under or name


def chosen_team() -> Team | None:
    """Whose part is shown: that of `?team=`, by default the start team's. None in a world without teams.

    Raises NotFound.
    """
    asked = request.args.get("team")
    return Team.by_id(asked) if asked else start_team()


def done(message: str, endpoint: str | None = None, **values: Any) -> Any:
    """What a form leads to once it is carried out: the page it was on, or `endpoint`, which tells the message."""
    flash(message)
    back = auth.local(request.form.get("back"))
    return redirect(url_for(endpoint, **values) if endpoint else back or url_for("overview.show"), 303)


def told(error: Exception) -> tuple[str, int]:
    """What the API says of this error, and with which status."""
    if isinstance(error, DomainError):
        answer = errors.domain_error(error)
    else:
        answer = errors.http_error(error) if isinstance(error, HTTPException) else errors.unexpected(error)
    return answer.json["error"], answer.status_code


def form(schema: type[Schema], **further: str) -> Any:
    """The values of the form that was sent, and `further` ones. Raises BadRequest as `read`."""
    sent = {name: text for name, text in request.form.items() if name not in ("back", "_token")}
    return read(schema, sent | further)


def read(schema: type[Schema], texts: Mapping[str, str]) -> Any:
    """Texts, by the wire's names, as the schema of the API or the plane reads them; empty ones are left out.

    Raises BadRequest, which names the fields at fault.
    """
    reader = schema()
    by_name = {field.data_key or name: field for name, field in reader.fields.items()}
    try:
        return reader.load({name: _typed(by_name.get(name), text) for name, text in texts.items() if text != ""})
    except ValidationError as error:
        faults = "; ".join(
            f"{name}: {' '.join(map(str, found))}" for name, found in error.normalized_messages().items()
        )
        raise BadRequest(faults) from None


def _typed(field: Any, text: str) -> Any:
    """A form knows texts only: numbers, flags and whatever else JSON has are written as in JSON."""
    written = fields.Number | fields.Boolean | fields.Dict | fields.List | fields.Nested
    if isinstance(field, written) or type(field) is fields.Raw:
        with suppress(ValueError):
            return json.loads(text)
    return text


def settled(found: Sequence[Any], name: str = "id") -> tuple[Sequence[Any], int]:
    """A list, newest first, from the row on that a page shows already (`?known=`), and how many newer ones wait.

    A row is known by its member `name`.

    So a list that is fetched anew does not move under its reader.
    """
    ids = [str(getattr(row, name)) for row in found]
    known = request.args.get("known")
    waiting = ids.index(known) if known in ids else 0
    return found[waiting:], waiting


def team() -> Team:
    """The team that a form is about. Raises NotFound, also in a world without teams."""
    found = g.get("team") or chosen_team()
    if found is None:
        raise NotFound("This world has no team.")
    return found
