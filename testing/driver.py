"""What can be asked of a whole stand-in and of one team in it alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlencode

from dryline.testing import journal
from dryline.testing.plane import DrylineError, Way, given, read
from dryline.testing.talk import Talk

if TYPE_CHECKING:
    from brainbase_labs import AsyncBrainbaseLabs, BrainbaseLabs

Outcome = Literal["completed", "transferred", "voicemail", "no-answer", "busy", "failed"]


class Driver:
    """The helpers that `StandIn` and `Team` share: a team's touch nothing of another team."""

    url: str
    api_key: str
    _token: str | None = None
    _way: Way
    _scope: dict[str, str] = {}  # noqa: RUF012  # what every call of the control plane has in its query; never changed

    # Clients

    @property
    def environment(self) -> dict[str, str]:
        """What the vendor's client reads from the environment."""
        return {"BRAINBASE_LABS_BASE_URL": self.url, "BRAINBASE_LABS_API_KEY": self.api_key}

    def client(self, **options: Any) -> BrainbaseLabs:
        """The vendor's client (package brainbase-labs), speaking to this stand-in; `options` are its own."""
        from brainbase_labs import BrainbaseLabs

        return BrainbaseLabs(**{"base_url": self.url, "api_key": self.api_key} | self._http("Client") | options)

    def async_client(self, **options: Any) -> AsyncBrainbaseLabs:
        """The vendor's async client, likewise."""
        from brainbase_labs import AsyncBrainbaseLabs

        return AsyncBrainbaseLabs(
            **{"base_url": self.url, "api_key": self.api_key} | self._http("AsyncClient") | options
        )

    def _http(self, kind: Literal["Client", "AsyncClient"]) -> dict[str, Any]:
        """What the vendor's client needs to be told of its HTTP."""
        return {}

    # The control plane

    def plane(self, method: str, path: str, body: Any = None, *, query: dict[str, Any] | None = None) -> Any:
        """Any call of the control plane, below `/_dryline`; its answer's JSON. Raises DrylineError."""
        asked = urlencode({**self._scope, **(query or {})})
        path = f"/_dryline{path}" + (f"{'&' if '?' in path else '?'}{asked}" if asked else "")
        return self._ask(method, path, {"x-dryline-token": self._token or ""}, body)

    def _ask(self, method: str, path: str, headers: dict[str, str], body: Any) -> Any:
        content = None if body is None else json.dumps(body).encode()
        return read(self._way(method, path, headers | {"content-type": "application/json"}, content))

    def reset(self, scenario: str | None = None) -> None:
        """Back to the start: data, clock, ids, faults, request record, export files. A team has no scenario."""
        self.plane("POST", "/reset", given(scenario=scenario))

    def state(self) -> dict[str, Any]:
        """The whole state as one document; a team's own part of it."""
        state: dict[str, Any] = self.plane("GET", "/state")
        return state

    def load(self, document: dict[str, Any]) -> None:
        """Replace the state by a document."""
        self.plane("PUT", "/state", document)

    def add(self, document: dict[str, Any]) -> None:
        """Add a document's rows to the state."""
        self.plane("POST", "/state", document)

    def snapshot(self, name: str) -> None:
        """Keep the state under a name."""
        self.plane("POST", "/snapshots", {"name": name})

    def restore(self, name: str) -> None:
        """Go back to a kept state."""
        self.plane("POST", f"/snapshots/{quote(name, safe='')}/restore")

    def fault(
        self,
        *,
        path: str | None = None,
        method: str | None = None,
        preset: str | None = None,
        status: int | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
        delay_ms: int | None = None,
        drop: bool | None = None,
        malformed: Literal["truncated", "garbage"] | None = None,
        override: dict[str, Any] | None = None,
        phase: Literal["before", "after"] | None = None,
        probability: float | None = None,
        times: int | None = None,
        skip: int | None = None,
        team: str | None = None,
    ) -> str:
        """Make chosen requests fail, e.g. `fault(path="/api/workers", status=503, times=1)`. Returns the rule's id.

        What each member does: docs/control-plane.md. Raises DrylineError for a rule that could never strike.
        """
        rule = given(
            path=path,
            method=method,
            preset=preset,
            status=status,
            body=body,
            headers=headers,
            delay_ms=delay_ms,
            drop=drop,
            malformed=malformed,
            override=override,
            phase=phase,
            probability=probability,
            times=times,
            skip=skip,
            team_id=team,
        )
        return str(self.plane("POST", "/faults", rule)["id"])

    def requests(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        since: str | datetime | None = None,
        body_contains: str | None = None,
        team: str | None = None,
        limit: int | None = None,
    ) -> list[dict[str, Any]]:
        """What was called, newest first, at most `limit` (100). In `path` a `*` stands for any text."""
        wanted = given(
            method=method,
            path=path,
            status=status,
            since=since,
            body_contains=body_contains,
            team=team,
            limit=limit,
        )
        entries: list[dict[str, Any]] = self.plane("GET", "/requests", query=wanted)
        return entries

    def journal(self, newest: int = 50) -> str:
        """What was called, a line each, oldest first: method, path, status, time taken, error and fault."""
        return journal.told(self.requests(limit=newest), newest)

    def verify(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        since: str | datetime | None = None,
        body_contains: str | None = None,
        body_matches: str | None = None,
        times: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        team: str | None = None,
    ) -> int:
        """Check that a request was made (`times` often, or within bounds), and say how often.

        Raises DrylineError, which tells what was wanted, and what came nearest or was too much.
        """
        wanted = given(
            method=method,
            path=path,
            status=status,
            since=since,
            body_contains=body_contains,
            body_matches=body_matches,
        )
        bounds = given(min=at_least if times is None else times, max=at_most if times is None else times)
        body = wanted | ({"times": bounds} if bounds else {})
        try:
            return int(self.plane("POST", "/requests/verify", body, query=given(team=team))["count"])
        except DrylineError as error:
            raise DrylineError(journal.unmet(str(error), wanted, error.answer), error.answer) from None

    # Conversations

    def simulate_calls(
        self,
        count: int = 1,
        *,
        deployment: str | None = None,
        outcome: Outcome | None = None,
        direction: Literal["inbound", "outbound"] | None = None,
        seed: int | None = None,
        start_time: str | datetime | None = None,
        end_time: str | datetime | None = None,
        llm_logs: bool | None = None,
        follow: Literal["flow", "script"] | None = None,
        branch: str | Sequence[str] | None = None,
    ) -> list[str]:
        """Make believable calls and return their logs' ids.

        On the voice deployment of this id; without one, on the oldest there is, which is made when there is none.
        """
        options = given(
            outcome=outcome,
            direction=direction,
            seed=seed,
            start_time=start_time,
            end_time=end_time,
            llm_logs=llm_logs,
            follow=follow,
            branch=branch,
        )
        return self._simulate("voice", count, deployment, options)

    def simulate_chats(
        self,
        count: int = 1,
        *,
        deployment: str | None = None,
        seed: int | None = None,
        start_time: str | datetime | None = None,
        end_time: str | datetime | None = None,
        llm_logs: bool | None = None,
        follow: Literal["flow", "script"] | None = None,
        branch: str | Sequence[str] | None = None,
    ) -> list[str]:
        """Make believable chats and return their logs' ids, on a chat deployment, found or made as for calls."""
        options = given(
            seed=seed,
            start_time=start_time,
            end_time=end_time,
            llm_logs=llm_logs,
            follow=follow,
            branch=branch,
        )
        return self._simulate("chat", count, deployment, options)

    def _simulate(
        self, kind: Literal["voice", "chat"], count: int, deployment: str | None, options: dict[str, Any]
    ) -> list[str]:
        row = self._deployment(kind, deployment)
        body = {"workerId": row["workerId"], "deploymentId": row["id"], "count": count, **options}
        ids: list[str] = self.plane("POST", f"/simulate/{'calls' if kind == 'voice' else 'chats'}", body)["ids"]
        return ids

    def _deployment(self, kind: Literal["voice", "chat"], id: str | None) -> dict[str, Any]:
        found: list[dict[str, Any]] = [row for row in self.state()[f"{kind}Deployments"] if id in (None, row["id"])]
        if found:
            return found[0]
        if id is not None:
            raise DrylineError(f"No {kind} deployment {id}.")
        # As rows, not through the API: no fault may strike them, and the request record is the tested program's.
        own = self._scope.get("team", "team_first").removeprefix("team_")
        worker, flow, line = ({"id": f"{noun}_line_{kind}_{own}"} for noun in ("worker", "flow", "deployment"))
        worker |= {"name": "Worker", "status": "active"}
        flow |= {"workerId": worker["id"], "name": "Main", "code": "talk()\n"}
        line |= {"workerId": worker["id"], "flowId": flow["id"], "name": "Line"}
        line |= {"phoneNumber": "+14155550100"} if kind == "voice" else {}
        self.add({"version": 1, "workers": [worker], "flows": [flow], f"{kind}Deployments": [line]})
        return line

    def talk(
        self,
        *,
        code: str | None = None,
        flow_id: str | None = None,
        deployment_id: str | None = None,
        variables: dict[str, Any] | None = None,
        state: dict[str, Any] | None = None,
        channel: str | None = None,
        seed: int | None = None,
        say: str | None = None,
    ) -> Talk:
        """Begin a conversation with a flow: with `code`, a flow's, or a deployment's."""
        asked = given(
            code=code,
            flow_id=flow_id,
            deployment_id=deployment_id,
            variables=variables,
            state=state,
            channel=channel,
            seed=seed,
            say=say,
        )
        return Talk(self.plane, asked)
