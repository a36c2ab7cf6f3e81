"""For other projects' tests, of any framework: a stand-in as a context manager, or as an httpx transport.

The fixtures for pytest are apart, in `pytest_plugin.py`.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, Self

from dryline.settings import DEFAULT_API_KEY, Settings

if TYPE_CHECKING:
    import httpx

    from dryline.app import Dryline


class DrylineError(AssertionError):
    """The control plane refused: the message is its answer's, and `answer` the whole of it."""

    def __init__(self, message: str, answer: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.answer = answer or {}


class StandIn:
    """A running stand-in and the ways to drive it. Use one of its subclasses, or the fixtures.

    Every keyword of `Settings` may be given; state is ephemeral and empty unless `data_dir` or `scenario` says more.
    """

    app: Dryline
    url: str
    api_key: str

    def __init__(self, *, scenario: str = "empty", seed: int | None = None, **settings: Any) -> None:
        self._settings = {"scenario": scenario, "seed": seed, "ephemeral": "data_dir" not in settings} | settings
        self.api_key = (settings.get("api_keys") or (DEFAULT_API_KEY,))[0]
        self._running = ExitStack()

    def start(self) -> Self:
        """Open the world and let its jobs run. Raises BadSetting when the settings cannot work."""
        self.app = self._begin(Settings(**self._settings))
        self._plane = self.app.test_client()
        return self

    def _begin(self, settings: Settings) -> Dryline:
        from dryline.server import running

        return self._running.enter_context(running(settings))

    def stop(self) -> None:
        """Answer what is being asked, then end it; an ephemeral world is removed."""
        self._running.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()

    # Clients

    @property
    def environment(self) -> dict[str, str]:
        """What the vendor's client reads from the environment."""
        return {"BRAINBASE_LABS_BASE_URL": self.url, "BRAINBASE_LABS_API_KEY": self.api_key}

    def transport(self) -> httpx.BaseTransport:
        """An httpx transport, for sync and async clients, that calls this stand-in without a socket."""
        return _transport_class()(self)

    def client(self, **kwargs: Any) -> Any:
        """The vendor's client (package brainbase-labs), speaking to this stand-in."""
        from brainbase_labs import BrainbaseLabs

        return BrainbaseLabs(base_url=self.url, api_key=self.api_key, **self._http("Client"), **kwargs)

    def async_client(self, **kwargs: Any) -> Any:
        """The vendor's async client."""
        from brainbase_labs import AsyncBrainbaseLabs

        return AsyncBrainbaseLabs(base_url=self.url, api_key=self.api_key, **self._http("AsyncClient"), **kwargs)

    def _http(self, kind: str) -> dict[str, Any]:
        return {}

    # The control plane

    def plane(self, method: str, path: str, body: Any = None) -> Any:
        """Any call of the control plane, below `/_dryline`; its answer's JSON. Raises DrylineError."""
        headers = {"x-dryline-token": self._settings.get("admin_token") or ""}
        answer = self._plane.open(f"/_dryline{path}", method=method, json=body, headers=headers)
        if answer.status_code >= 400:
            told = (answer.json if answer.is_json else None) or {}
            raise DrylineError(told.get("error") or answer.text, told)
        return answer.json if answer.data and answer.is_json else None

    def reset(self, scenario: str | None = None) -> None:
        """Back to the start: data, clock, ids, faults, request record, export files."""
        self.plane("POST", "/reset", {"scenario": scenario} if scenario else {})

    def state(self) -> dict[str, Any]:
        """The whole state as one document."""
        return self.plane("GET", "/state")

    def load(self, document: dict[str, Any]) -> None:
        """Replace the state by a document."""
        self.plane("PUT", "/state", document)

    def add(self, document: dict[str, Any]) -> None:
        """Add a document's rows to the state."""
        self.plane("POST", "/state", document)

    def now(self) -> str:
        """The present moment of API time."""
        return self.plane("GET", "/clock")["now"]

    def freeze(self, now: str | None = None, *, team: str | None = None) -> str:
        """Let API time stand still, at `now` (ISO 8601) or where it is; with `team`, its id, for that team alone."""
        return self.plane("PUT", _of_team("/clock", team), {"frozen": True} | ({"now": now} if now else {}))["now"]

    def advance(self, seconds: float = 0, *, team: str | None = None, **duration: float) -> str:
        """Move API time forward, e.g. `advance(days=1)`; due work is done then. `team` is as with `freeze`."""
        total = timedelta(seconds=seconds, **duration).total_seconds()
        return self.plane("POST", _of_team("/clock/advance", team), {"seconds": total})["now"]

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
        rule = _wire(
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
        return self.plane("POST", "/faults", rule)["id"]

    def requests(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        since: str | None = None,
        body_contains: str | None = None,
        team: str | None = None,
        limit: int | None = None,
    ) -> list[dict[str, Any]]:
        """What was called, newest first, at most `limit` (100). In `path` a `*` stands for any text."""
        from urllib.parse import urlencode

        wanted = {"method": method, "path": path, "status": status, "since": since, "team": team, "limit": limit}
        return self.plane("GET", f"/requests?{urlencode(_wire(**wanted, body_contains=body_contains))}")

    def verify(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        since: str | None = None,
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
        wanted = _wire(
            method=method,
            path=path,
            status=status,
            since=since,
            body_contains=body_contains,
            body_matches=body_matches,
        )
        bounds = _wire(min=at_least if times is None else times, max=at_most if times is None else times)
        query = f"?team={team}" if team else ""
        try:
            body = wanted | ({"times": bounds} if bounds else {})
            return self.plane("POST", f"/requests/verify{query}", body)["count"]
        except DrylineError as error:
            raise DrylineError(_told(wanted, error), error.answer) from None

    def simulate_calls(self, count: int = 1, *, deployment: str | None = None, **options: Any) -> list[str]:
        """Make believable calls and return their logs' ids.

        On the voice deployment of this id; without one, on the oldest there is, which is made when there is none.
        """
        row = self._voice_deployment(deployment)
        body = {"workerId": row["workerId"], "deploymentId": row["id"], "count": count, **options}
        return self.plane("POST", "/simulate/calls", body)["ids"]

    def talk(
        self, *, code: str | None = None, flow_id: str | None = None, deployment_id: str | None = None, **given: Any
    ) -> Talk:
        """Begin a conversation with a flow; `given` are `variables`, `state`, `channel`, `seed` and `say`."""
        sources = {"code": code, "flowId": flow_id, "deploymentId": deployment_id}
        return Talk(self, {name: value for name, value in sources.items() if value is not None} | given)

    def snapshot(self, name: str) -> None:
        """Keep the state under a name."""
        self.plane("POST", "/snapshots", {"name": name})

    def restore(self, name: str) -> None:
        """Go back to a kept state."""
        self.plane("POST", f"/snapshots/{name}/restore")

    def team(self, name: str = "Test team") -> dict[str, Any]:
        """A new team and its key: `{"id", "name", "apiKey", …}`. Nothing of one team is seen by another."""
        return self.plane("POST", "/teams", {"name": name})

    def _voice_deployment(self, id: str | None) -> dict[str, Any]:
        found = [row for row in self.state()["voiceDeployments"] if id in (None, row["id"])]
        if found:
            return found[0]
        if id is not None:
            raise DrylineError(f"No voice deployment {id}.")
        worker = self._post("/workers", {"name": "Worker", "description": None, "status": "active"})
        flow = self._post(f"/workers/{worker['id']}/flows", {"name": "Main", "label": None, "code": "talk()\n"})
        body = {"name": "Line", "phoneNumber": "+14155550100", "flowId": flow["id"]}
        return self._post(f"/workers/{worker['id']}/deployments/voice", body)

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self._plane.post(f"/api{path}", json=body, headers={"x-api-key": self.api_key})
        assert answer.status_code == 201, answer.text
        return answer.get_json()


class Talk:
    """A conversation with a flow, from `StandIn.talk`. `events` are all that happened, `waiting` what is open."""

    def __init__(self, dryline: StandIn, asked: dict[str, Any]) -> None:
        self._dryline = dryline
        self.events: list[dict[str, Any]] = []
        self._take(dryline.plane("POST", "/talk", asked))

    def say(self, text: str) -> list[str]:
        """The user speaks. Returns what the agent says to it. Raises DrylineError when the flow has ended."""
        return self._take(self._dryline.plane("POST", f"/talk/{self.id}", {"say": text}))

    def choose(self, condition: str | int) -> list[str]:
        """Take an open condition, by its text or number, whatever was said. Returns what the agent says then."""
        return self._take(self._dryline.plane("POST", f"/talk/{self.id}", {"choose": str(condition)}))

    def of(self, type: str) -> list[dict[str, Any]]:
        """The events of a type, such as `taken`, `asked`, `requested`, `transferred`, `printed`."""
        return [event for event in self.events if event["type"] == type]

    @property
    def said(self) -> list[str]:
        """What the agent has said so far."""
        return [event["text"] for event in self.of("said")]

    @property
    def taken(self) -> list[str]:
        """The conditions that were taken so far."""
        return [event["condition"] for event in self.of("taken")]

    def _take(self, answer: dict[str, Any]) -> list[str]:
        self.id: str = answer["id"]
        self.waiting: list[str] = answer["waiting"]
        self.extracted: dict[str, Any] = answer["extracted"]
        self.state: dict[str, Any] = answer["state"]
        self.ended: str | None = answer["ended"]
        self.failure: dict[str, Any] | None = answer["failure"]
        self.events += answer["events"]
        return [event["text"] for event in answer["events"] if event["type"] == "said"]


class DrylineServer(StandIn):
    """A stand-in on a socket, served by a thread of this process: for clients in any process and language.

    `with DrylineServer() as dryline: …` works in unittest too. It listens on a free port unless `port` is given.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"port": 0} | settings)

    def _begin(self, settings: Settings) -> Dryline:
        from dryline.server import in_thread

        server = self._running.enter_context(in_thread(settings))
        self.url = server.url
        return server.app


class DrylineInProcess(StandIn):
    """A stand-in without a socket: `client()`, `async_client()` and `transport()` call it directly."""

    url = "http://dryline.local"

    def _begin(self, settings: Settings) -> Dryline:
        app = super()._begin(settings)
        app.world.address = self.url
        return app

    def _http(self, kind: str) -> dict[str, Any]:
        import httpx

        return {"http_client": getattr(httpx, kind)(transport=self.transport(), base_url=self.url)}


def transport(**settings: Any) -> Any:
    """An httpx transport on a stand-in of its own; `transport().dryline` drives it, and closing it ends it.

    `httpx.Client(transport=dryline.testing.transport(), base_url="http://dryline.local")`, and AsyncClient likewise.
    """
    return _transport_class()(DrylineInProcess(**settings).start(), owned=True)


def _transport_class() -> Any:
    """Made late: httpx is the user's, not a dependency."""
    import httpx

    class Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):
        """Calls a stand-in's WSGI application in the calling thread."""

        def __init__(self, dryline: StandIn, *, owned: bool = False) -> None:
            self.dryline, self._owned = dryline, owned
            self._wsgi = httpx.WSGITransport(app=dryline.app)

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            from waitress.channel import ClientDisconnected

            try:
                answer = self._wsgi.handle_request(request)
                answer.read()
            except ClientDisconnected:  # a fault dropped the connection
                raise httpx.RemoteProtocolError(
                    "Server disconnected without sending a response.", request=request
                ) from None
            return answer

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await request.aread()
            answer = self.handle_request(request)
            return httpx.Response(
                answer.status_code, headers=answer.headers, content=answer.content, extensions=answer.extensions
            )

        def close(self) -> None:
            if self._owned:
                self._owned = False
                self.dryline.stop()

        async def aclose(self) -> None:
            self.close()

    return Transport


def _of_team(path: str, team: str | None) -> str:
    return path if team is None else f"{path}?team={team}"


def _wire(**values: Any) -> dict[str, Any]:
    """What was given, by the wire's names."""
    from dryline.schemas.base import camel

    return {camel(name): value for name, value in values.items() if value is not None}


def _told(wanted: dict[str, Any], error: DrylineError) -> str:
    """Why a check of the traffic failed, with the requests that show it."""
    lines = [str(error)]
    if wanted:
        lines.append("wanted: " + ", ".join(f"{name} {value!r}" for name, value in wanted.items()))
    for near in error.answer.get("nearest", ()):
        lines.append(f"nearest: {_line(near['request'])}  (missed: {', '.join(near['misses'])})")
    lines += [f"too many: {_line(entry)}" for entry in error.answer.get("surplus", ())]
    return "\n  ".join(lines)


def _line(entry: dict[str, Any]) -> str:
    """A request of the journal in a line."""
    body = "" if entry["body"] is None else f"  {json.dumps(entry['body'])[:200]}"
    return f"{entry['method']} {entry['path']} {entry['status'] or 'cut'}{body}"
