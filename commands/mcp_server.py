"""What a coding assistant can do with a stand-in: tools of the Model Context Protocol, over standard input and output.

Needs the extra `mcp`, which brings the protocol's own SDK.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from typing import Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult

from dryline import __version__
from dryline.commands.flows import transcript
from dryline.testing import DrylineError, StandIn
from dryline.testing.conversations import Outcome
from dryline.testing.plane import send
from dryline.testing.talk import Talk

INSTRUCTIONS = """\
dryline is a local, stateful stand-in for a voice-agent workers REST API. It keeps what programs write, makes \
believable calls, and records each request. Nothing here reaches the real service or a telephone. `about` gives the \
address and the key for the program under test. A usual round: `save` the state, `add_fault` or `move_clock`, run the \
program, look with `requests` or `verify`, `restore`. Flows are written in Based, a Python dialect: `check_flow` \
finds mistakes, `talk` runs code or a stored flow, a turn at a time."""
ROWS = 20  # given unless more are asked for


class Server(MCPServer[Any]):
    """The tools on one stand-in, for `run("stdio")`.

    What the stand-in refuses is told in its own words, and an argument that a tool does not have is refused, too: the
    SDK would leave it out in silence, and a fault that was meant for one path would strike all.
    """

    def __init__(self, dryline: StandIn) -> None:
        super().__init__("dryline", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
        tools = Tools(dryline)
        self._known: dict[str, list[str]] = {}
        for tool in (
            *(tools.about, tools.rows, tools.call_api, tools.simulate_calls, tools.simulate_chats),
            *(tools.add_fault, tools.faults, tools.remove_faults, tools.clock, tools.move_clock),
            *(tools.requests, tools.verify, tools.check_flow, tools.talk, tools.save, tools.restore, tools.reset),
        ):
            self._known[tool.__name__] = list(inspect.signature(tool).parameters)
            self.add_tool(_telling(tool))

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool by name. Raises ToolError for what the tool does not know and what the stand-in refuses."""
        known = self._known.get(name, list(arguments))
        for each in arguments:
            if each not in known:
                raise ToolError(f"{name} has no argument {each}. It has: {', '.join(known) or 'none'}.")
        return await super().call_tool(name, arguments, context)


def _telling(tool: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(tool)
    def call(**arguments: Any) -> Any:
        try:
            return tool(**arguments)
        except DrylineError as error:
            raise ToolError(str(error)) from None

    return call


class Tools:
    """Each public method is a tool; its docstring is what the assistant reads. Raises DrylineError."""

    def __init__(self, dryline: StandIn) -> None:
        self._dryline = dryline
        self._talks: dict[str, Talk] = {}

    # State

    def about(self) -> dict[str, Any]:
        """Where the stand-in answers and with which key, its clock, its save points, and how many rows it holds."""
        state = self._dryline.state()
        return {
            "url": self._dryline.url,
            "environment": self._dryline.environment,
            "clock": self.clock(),
            "savePoints": [point["name"] for point in self._dryline.plane("GET", "/snapshots")],
            "rows": {name: len(rows) for name, rows in state.items() if isinstance(rows, list) and rows},
        }

    def rows(self, collection: str, containing: str = "", limit: int = ROWS) -> list[dict[str, Any]]:
        """Rows of a collection that `about` names, such as workers or voiceLogs; those that hold a text, if given."""
        state = self._dryline.state()
        if not isinstance(state.get(collection), list):
            named = ", ".join(name for name, rows in state.items() if isinstance(rows, list))
            raise DrylineError(f"No collection {collection}. There are: {named}.")
        return [row for row in state[collection] if containing in str(row)][:limit]

    def call_api(
        self, method: Literal["GET", "POST", "PATCH", "PUT", "DELETE"], path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """A request of the API as a program makes it, such as GET /api/workers: its status and its answer."""
        headers = {"x-api-key": self._dryline.api_key, "content-type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        path = f"/api/{path.lstrip('/').removeprefix('api/')}"
        answer = send(method, self._dryline.url + path, headers, content)
        try:
            told = json.loads(answer.content) if answer.content else None
        except ValueError:  # a download, or what a fault has made of it
            told = answer.content.decode(errors="replace")
        return {"status": answer.status, "answer": told}

    def save(self, name: str) -> str:
        """Keep the whole state under a name, to come back to it with `restore`."""
        self._dryline.snapshot(name)
        return f"Saved as {name}."

    def restore(self, name: str) -> str:
        """Go back to a state that was saved."""
        self._dryline.restore(name)
        return f"Back at {name}."

    def reset(self, scenario: str | None = None) -> str:
        """Back to the start: data, clock, faults, requests. `scenario`: empty, demo, or another that ships."""
        self._dryline.reset(scenario)
        return "Back at the start."

    # Calls

    def simulate_calls(
        self,
        count: int = 1,
        deployment_id: str | None = None,
        outcome: Outcome | None = None,
        branch: list[str] | None = None,
        customer_number: str | None = None,
        in_progress: bool | None = None,
    ) -> list[str]:
        """Make complete, believable calls and return their logs' ids; on the oldest voice deployment if none is named.

        `branch`: conditions of the flow that the caller is to meet, in order. Calls `in_progress` begin now, ring, and
        go on by the clock.
        """
        return self._dryline.simulate_calls(
            count,
            deployment=deployment_id,
            outcome=outcome,
            branch=branch,
            customer_number=customer_number,
            in_progress=in_progress,
        )

    def simulate_chats(self, count: int = 1, deployment_id: str | None = None) -> list[str]:
        """Make complete, believable chats and return their logs' ids."""
        return self._dryline.simulate_chats(count, deployment=deployment_id)

    # Faults

    def add_fault(
        self,
        path: str,
        method: str | None = None,
        preset: str | None = None,
        status: int | None = None,
        delay_ms: int | None = None,
        drop: bool | None = None,
        times: int | None = None,
    ) -> str:
        """Let requests fail, such as path="/api/workers/*", status=503, times=2. Returns the rule's id.

        `preset` is a ready rule: rate-limited, unavailable-twice, answer-lost, slow, uneven, trickle, cut-off,
        half-an-answer.
        """
        return self._dryline.fault(
            path=path, method=method, preset=preset, status=status, delay_ms=delay_ms, drop=drop, times=times
        )

    def faults(self) -> list[dict[str, Any]]:
        """The rules that are on, and how often each has struck."""
        rules: list[dict[str, Any]] = self._dryline.plane("GET", "/faults")
        return rules

    def remove_faults(self, id: str | None = None) -> str:
        """Take a rule away, or all of them."""
        self._dryline.plane("DELETE", f"/faults/{id}" if id else "/faults")
        return "Removed."

    # Time

    def clock(self) -> dict[str, Any]:
        """The stand-in's own time, and whether it stands still."""
        told: dict[str, Any] = self._dryline.plane("GET", "/clock")
        return told

    def move_clock(
        self, advance_seconds: float | None = None, to: str | None = None, frozen: bool | None = None
    ) -> dict[str, Any]:
        """Move time forward by seconds, or to a moment (ISO 8601), freeze it or let it run; what falls due is done."""
        if to is not None or frozen is not None:
            body = {"now": to, "frozen": frozen}
            self._dryline.plane("PUT", "/clock", {name: value for name, value in body.items() if value is not None})
        if advance_seconds is not None:
            self._dryline.advance(advance_seconds)
        return self.clock()

    # Traffic

    def requests(
        self, method: str | None = None, path: str | None = None, status: int | None = None, limit: int = ROWS
    ) -> list[dict[str, Any]]:
        """What programs have asked, newest first, with bodies and answers. In `path` a `*` stands for any text."""
        return self._dryline.requests(method=method, path=path, status=status, limit=limit)

    def verify(
        self,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        body_contains: str | None = None,
        times: int | None = None,
    ) -> str:
        """Check that such a request was made, `times` often if given. What came nearest is told when it was not."""
        found = self._dryline.verify(method=method, path=path, status=status, body_contains=body_contains, times=times)
        return f"Yes: {found}."

    # Flows

    def check_flow(self, code: str) -> list[str]:
        """What is wrong with a flow's code, as line:column and a sentence; empty where it can run."""
        from dryline.engine import Engine

        with Engine() as engine:
            return [str(finding) for finding in engine.check(code, "flow")]

    def talk(
        self,
        say: str | None = None,
        choose: str | None = None,
        talk_id: str | None = None,
        code: str | None = None,
        flow_id: str | None = None,
        deployment_id: str | None = None,
        variables: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Talk to a flow: begin with `code`, `flow_id` or `deployment_id`, go on with `talk_id` and `say` or `choose`.

        Gives what happened as lines, the conditions that are open (one may be chosen), and why it ended, if it did.
        """
        if talk_id is None:
            talk = self._dryline.talk(
                code=code, flow_id=flow_id, deployment_id=deployment_id, variables=variables, say=say
            )
            self._talks[talk.id] = talk
            told = 0
        else:
            talk = self._known(talk_id)
            told = len(talk.events)
            if choose is not None:
                talk.choose(choose)
            else:
                talk.say(say or "")
        return {
            "talkId": talk.id,
            "happened": transcript(talk.events[told:]),
            "open": talk.waiting,
            "extracted": talk.extracted,
            "ended": talk.ended,
        }

    def _known(self, id: str) -> Talk:
        if id not in self._talks:
            raise DrylineError(f"No conversation {id} was begun here.")
        return self._talks[id]
