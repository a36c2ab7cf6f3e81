"""Teams and their API keys. Everything else belongs to a team."""

from __future__ import annotations

import secrets
from functools import partial
from hashlib import sha256
from typing import Self

from peewee import TextField

from dryline.models.collection import StateCollection
from dryline.storage.current_world import WorldLocal, current
from dryline.storage.errors import Unauthorized
from dryline.storage.record import Record, unique

MOST_REMEMBERED = 1_000


class Team(Record):
    """The owner of everything. It is its own team."""

    id_prefix = "team"

    updated_at = TextField()
    name = TextField()
    team_owner_id = TextField(null=True)
    twilio_subaccount_sid = TextField(null=True)
    twilio_subaccount_auth_token = TextField(null=True)

    @property
    def authorship(self) -> dict[str, str | None]:
        """How what a person of the team wrote by hand is signed: by the team's owner, where one is known."""
        return {"type": "USER", "user_id": self.team_owner_id, "api_key_id": None}

    @classmethod
    def everyone(cls) -> list[Self]:
        """All teams, oldest first."""
        return list(cls.select().order_by(cls.created_at, cls.id))

    @classmethod
    def new(cls, name: str, **values: str) -> Self:
        """Make a team."""
        world = current()
        now = world.clock.stamp()
        id = values.pop("id", None) or world.ids.new(cls.id_prefix)
        team = cls(id=id, team_id=id, name=name, created_at=now, updated_at=now, **values)
        team.insert_row()
        return team


class ApiKey(Record):
    """A key of a team, kept as its SHA-256. `team` is filled in where the key was looked up to let a caller in."""

    id_prefix = "key"

    name = TextField(null=True)
    sha256 = TextField()
    team: Team

    @classmethod
    def by_team(cls) -> dict[str, list[Self]]:
        """Return the keys of all teams by the id of the team, oldest first."""
        keys: dict[str, list[Self]] = {}
        for key in cls.select().order_by(cls.created_at, cls.id):
            keys.setdefault(key.team_id, []).append(key)
        return keys

    @property
    def authorship(self) -> dict[str, str | None]:
        """How what is written with this key is signed."""
        return {"type": "API_KEY", "user_id": None, "api_key_id": self.id}

    @classmethod
    def issue(cls, team: Team, secret: str | None = None, name: str | None = None) -> tuple[Self, str]:
        """A new key for the team and, this once, its clear text (`secret`, or one made up).

        Raises Conflict for a text that is a key already.
        """
        secret = secret or f"{current().settings.key_prefix}{secrets.token_urlsafe(24)}"
        return cls.copy(team, digest(secret), name), secret

    @classmethod
    def copy(cls, team: Team, sha256: str, name: str | None = None) -> Self:
        """A key for the team that is known by its digest alone, as another server has it. Raises Conflict likewise."""
        with unique("That key is in use already."):
            key = cls.add(team, sha256=sha256, name=name)
        forget_keys()
        return key

    def revoke(self) -> None:
        """Delete the key: from the next request on it is unknown."""
        self.remove()
        forget_keys()


def digest(secret: str) -> str:
    """The form in which a key is kept: the hex SHA-256 of its text."""
    return sha256(secret.encode(errors="surrogateescape")).hexdigest()


# The keys that were looked up, by their hash.
KEYS: WorldLocal[dict[str, ApiKey]] = WorldLocal(lambda world: {})


def authenticate(secret: str | None) -> ApiKey:
    """The key whose clear text this is, with its team. Raises Unauthorized. Contract: README, Errors.

    Looked up once; `forget_keys` drops what was remembered. With `--any-key` any text is a key of the first team, and
    only the first MOST_REMEMBERED are remembered.
    """
    if not secret:
        raise Unauthorized("The x-api-key header is missing.")
    world = current()
    hashed = digest(secret)
    known = KEYS.of(world)  # `forget_keys` replaces it: a key that was looked up before that is not remembered
    key = known.get(hashed)
    if key is None:
        key = _look_up(hashed)
        if len(known) < MOST_REMEMBERED:
            known[hashed] = key
    return key


def _look_up(hashed: str) -> ApiKey:
    key = ApiKey.find(sha256=hashed)
    if key is None and current().settings.any_key:
        key = start_key()
    team = Team.find(id=key.team_id) if key else None
    if key is None or team is None:
        raise Unauthorized("The API key is not valid.")
    key.team = team
    return key


def start_key() -> ApiKey | None:
    """The first key of `--api-key`, or else the oldest there is."""
    given = current().settings.api_keys
    key = ApiKey.find(sha256=digest(given[0])) if given else None
    return key or next(iter(ApiKey.select().order_by(ApiKey.created_at, ApiKey.id).limit(1)), None)


def start_team() -> Team | None:
    """The team that the keys of `--api-key` belong to; the oldest when none has them."""
    key = start_key()
    return Team.find(id=key.team_id) if key else next(iter(Team.everyone()), None)


def forget_keys() -> None:
    """Drop the remembered keys and teams once the running transaction is committed."""
    world = current()
    world.db.after_commit(partial(KEYS.drop, world))


STATE = {"teams": StateCollection(Team)}
