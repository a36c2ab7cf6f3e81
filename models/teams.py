"""Teams and their API keys. Everything else belongs to a team."""

import secrets
from collections.abc import Iterable
from functools import partial
from hashlib import sha256
from typing import Self

from peewee import SqliteDatabase, TextField

from dryline.models.collection import StateCollection
from dryline.storage.current_world import WorldLocal, current
from dryline.storage.errors import Unauthorized
from dryline.storage.record import Record, unique
from dryline.world.ids import Ids

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
        """The author of changes that a person of the team makes by hand: the team's owner, if it has one."""
        return {"type": "USER", "user_id": self.team_owner_id, "api_key_id": None}

    @classmethod
    def everyone(cls) -> list[Self]:
        """Return all teams, oldest first."""
        return list(cls.select().order_by(cls.created_at, cls.id))

    @classmethod
    def new(cls, name: str, **values: str) -> Self:
        world = current()
        now = world.stamp()
        id = values.pop("id", None) or world.ids.new(cls.id_prefix)
        team = cls(id=id, team_id=id, name=name, created_at=now, updated_at=now, **values)
        team.insert_row()
        return team


class ApiKey(Record):
    """A key of a team, stored as its SHA-256. `authenticate` sets `team`."""

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
        """The author of changes that are made with this key."""
        return {"type": "API_KEY", "user_id": None, "api_key_id": self.id}

    @classmethod
    def issue(cls, team: Team, secret: str | None = None, name: str | None = None) -> tuple[Self, str]:
        """Create a key for the team. Returns it and its clear text: `secret`, or a random one.

        Raises Conflict for a text that is a key already.
        """
        secret = secret or f"{current().settings.key_prefix}{secrets.token_urlsafe(24)}"
        return cls.copy(team, digest(secret), name), secret

    @classmethod
    def copy(cls, team: Team, sha256: str, name: str | None = None) -> Self:
        """Create a key for the team from its digest. Raises Conflict if it is a key already."""
        with unique("That key is in use already."):
            key = cls.add(team, sha256=sha256, name=name)
        forget_keys()
        return key

    def revoke(self) -> None:
        """Delete the key: from the next request on it is unknown."""
        self.remove()
        forget_keys()


def digest(secret: str) -> str:
    """Return the form in which a key is stored: the hex SHA-256 of its text."""
    return sha256(secret.encode(errors="surrogateescape")).hexdigest()


# A cache of keys, by their hash.
KEYS: WorldLocal[dict[str, ApiKey]] = WorldLocal(lambda world: {})


def authenticate(secret: str | None) -> ApiKey:
    """Return the key with this clear text, and its team. Raises Unauthorized. Contract: README, Errors.

    Keys are cached until `forget_keys`. With `--any-key` any text is a key of the first team, so the cache holds only
    the first MOST_REMEMBERED. In a transaction this comes before all other queries: one that began before a reset
    would cache a key of the world before it.
    """
    if not secret:
        raise Unauthorized("The x-api-key header is missing.")
    hashed = digest(secret)
    known = KEYS.of(current())  # `forget_keys` replaces it: a key that was looked up before that is not remembered
    key = known.get(hashed)
    if key is None:
        key = look_up_key(hashed)
        if len(known) < MOST_REMEMBERED:
            known[hashed] = key
    return key


def look_up_key(sha256: str) -> ApiKey:
    """Return the key with this SHA-256, and its team, as the running transaction sees them. Raises Unauthorized."""
    key = ApiKey.find(sha256=sha256)
    if key is None and current().settings.any_key:
        key = start_key()
    team = Team.find(id=key.team_id) if key else None
    if key is None or team is None:
        raise Unauthorized("The API key is not valid.")
    key.team = team
    return key


def start_key(db: SqliteDatabase | None = None) -> ApiKey | None:
    """Return the first key of `--api-key`, or else the oldest key; `db` as in `admit_keys`."""
    texts = current().settings.api_keys
    key = ApiKey.select().where(ApiKey.sha256 == digest(texts[0])).first(db) if texts else None
    return key or ApiKey.select().order_by(ApiKey.created_at, ApiKey.id).first(db)


def start_team(db: SqliteDatabase | None = None) -> Team | None:
    """Return the team of the first key of `--api-key`, or else the oldest team; `db` as in `admit_keys`."""
    key = start_key(db)
    if key is not None:
        return Team.select().where(Team.id == key.team_id).first(db)
    return Team.select().order_by(Team.created_at, Team.id).first(db)


def admit_keys(db: SqliteDatabase, secrets: Iterable[str], ids: Ids, created_at: str, team: Team | None = None) -> None:
    """Give the keys of `--api-key` to `team`, by default the start team, unless a team has them already.

    `db` is the running world's database, or the copy of a snapshot that is about to be restored.
    """
    for secret in secrets:
        sha256 = digest(secret)
        if ApiKey.select().where(ApiKey.sha256 == sha256).exists(db):
            continue
        team = team or start_team(db)
        if team is None:
            return
        row = {"id": ids.new(ApiKey.id_prefix), "team_id": team.id, "created_at": created_at}
        ApiKey.insert(**row, name="--api-key", sha256=sha256).execute(db)


def forget_keys() -> None:
    """Empty the cache of keys once the running transaction is committed."""
    world = current()
    world.db.after_commit(partial(KEYS.drop, world))


STATE = {"teams": StateCollection(Team)}
