"""Teams on their way from one server to another: which are held, which have gone and where to, which are arriving.

What has gone and what arrives is kept on disk (state/moves.py) and only remembered here: every request asks.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

from dryline.storage.errors import Moved, NotReady

# How long a team is held when nobody goes on with its move, in seconds of real time.
HOLD_S = 300.0


@dataclass
class Hold:
    """A team that stays as it is while it is copied. `about` is what the copy says of itself."""

    about: dict[str, Any]
    until: float

    def go_on(self) -> None:
        """Somebody goes on with the move."""
        self.until = time.monotonic() + HOLD_S


class Gone(NamedTuple):
    """A team that lives elsewhere: at an address, on a node with a name where it has one."""

    team_id: str
    move_id: str
    address: str
    node: str | None
    keys: tuple[str, ...]  # by their digests


class Moves:
    """What one world knows of them. A server that starts anew holds nobody: the source is the owner again."""

    def __init__(self) -> None:
        self.gone: dict[str, Gone] = {}  # by the team
        self.arriving: dict[str, frozenset[str]] = {}  # keys' digests, by the team
        self._held: dict[str, Hold] = {}
        self._gone_keys: dict[str, Gone] = {}

    # Held

    def hold(self, team_id: str, about: dict[str, Any]) -> Hold:
        """From now on nothing of the team is to change: for ever, until somebody is to go on with the move."""
        hold = Hold(about, math.inf)
        self._held = {**self._held, team_id: hold}  # at once, for those who look without a lock
        return hold

    def held(self, team_id: str) -> Hold | None:
        """The team's hold, unless it ended."""
        hold = self._held.get(team_id)
        return hold if hold is not None and hold.until > time.monotonic() else None

    def let_go(self, team_id: str) -> None:
        """It may change again, or is not here any more."""
        self._held = {id: hold for id, hold in self._held.items() if id != team_id}

    @property
    def holding(self) -> bool:
        """Whether any team is held: then nothing moves by itself, and the control plane changes nothing."""
        return bool(self._held) and any(map(self.held, list(self._held)))

    def demand_open(self, team_id: str) -> None:
        """Raises NotReady for a team that is held."""
        if self._held and self.held(team_id):
            raise NotReady(f"Team {team_id} is being moved to another server: in a moment it can be changed again.")

    def demand_nobody_held(self) -> None:
        """Raises NotReady while any team is held: for what is about more than one."""
        if self.holding:
            raise NotReady("A team is being moved to another server: in a moment this can be done again.")

    # Gone and arriving

    def remember(self, gone: Gone) -> None:
        """A team has gone: whoever brings one of its keys is told where to."""
        self.gone[gone.team_id] = gone
        self._gone_keys |= dict.fromkeys(gone.keys, gone)

    def forget(self, team_id: str) -> None:
        """A team is here: nobody is sent away."""
        if self.gone.pop(team_id, None):
            self._gone_keys = {key: gone for key, gone in self._gone_keys.items() if gone.team_id != team_id}

    def demand_here(self, key: str) -> None:
        """Of a key that no team here has, by its digest: raises Moved where it went, NotReady on its way."""
        if (gone := self._gone_keys.get(key)) is not None:
            raise Moved(f"Team {gone.team_id} has moved to {gone.address}.", gone.address, gone.node)
        leaving = (hold.about.get("keys", ()) for hold in self._held.values())
        if any(key in keys for keys in (*self.arriving.values(), *leaving)):
            raise NotReady("The team of this key is on its way between two servers: ask again in a moment.")
