"""Tools for a coding assistant, by the Model Context Protocol over standard input and output.

This module needs the extra `mcp`, the protocol's SDK.
"""

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult

from dryline import __version__
from dryline.commands.talk import transcript
from dryline.testing import DrylineError, StandIn
from dryline.testing.conversations import Outcome
from dryline.testing.plane import send
from dryline.testing.talk import Talk

INSTRUCTIONS = """\
dryline is a local, stateful stand-in for a voice-agent workers REST API. It stores what programs write, makes \
believable calls, and logs each request. Nothing here reaches the real service or a telephone. `about` returns the \
address and the key for the program under test. A usual round: `save` the state, `add_fault` or `move_clock`, run the \
program, check with `requests` or `verify`, `restore`. Flows are written in Based, a Python dialect: `check_flow` \
finds mistakes, `talk` runs code or a stored flow, one turn at a time."""
DEFAULT_LIMIT = 20  # of rows and requests that a tool returns


class McpServer(MCPServer[Any]):
    """The tools on one server. `run("stdio")` serves them.

    An argument that a tool does not have is refused. The SDK would ignore it, and a fault that was meant for one path
    would match all paths. A missing argument is refused in one line; the SDK's message has four.
    """

    def __init__(self, dryline: StandIn) -> None:
        super().__init__("dryline", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
        tools = Tools(dryline)
        self._parameters: dict[str, Mapping[str, inspect.Parameter]] = {}  # by the tool's name
        for tool in (
            *(tools.about, tools.rows, tools.call_api, tools.simulate_calls, tools.simulate_chats),
            *(tools.add_fault, tools.faults, tools.remove_faults, tools.clock, tools.move_clock),
            *(tools.requests, tools.verify, tools.check_flow, tools.talk, tools.save, tools.restore, tools.reset),
        ):
            self._parameters[tool.__name__] = inspect.signature(tool).parameters
            self.add_tool(_with_tool_errors(tool))

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool by name. Raises ToolError for unknown or missing arguments and for a refusal of the server."""
        parameters = self._parameters.get(name)
        if parameters is not None:
            for argument in arguments:
                if argument not in parameters:
                    raise ToolError(f"{name} has no argument {argument}. It has: {', '.join(parameters) or 'none'}.")
            for parameter in parameters.values():
                if parameter.default is parameter.empty and parameter.name not in arguments:
                    raise ToolError(f"{name} needs the argument {parameter.name}.")
        return await super().call_tool(name, arguments, context)


def _with_tool_errors(tool: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(tool)
    def call(**arguments: Any) -> Any:
        try:
            return tool(**arguments)
        except DrylineError as error:
            raise ToolError(str(error)) from None

    return call


class Tools:
    """The tools: each public method is one, with its docstring as the description. Raises DrylineError."""

    def __init__(self, dryline: StandIn) -> None:
        self._dryline = dryline
        self._talks: dict[str, Talk] = {}

    # State

    def about(self) -> dict[str, Any]:
        """Return the server's address and key, its clock, its snapshots, and its number of rows by collection."""
        state = self._dryline.state()
        return {
            "url": self._dryline.url,
            "environment": self._dryline.environment,
            "clock": self.clock(),
            "snapshots": [row["name"] for row in self._dryline.plane("GET", "/snapshots")],
            "rows": {name: len(rows) for name, rows in state.items() if isinstance(rows, list) and rows},
        }

    def rows(self, collection: str, containing: str = "", limit: int = DEFAULT_LIMIT) -> list[dict[str, Any]]:
        """Return rows of a collection that `about` names, such as workers or voiceLogs.

        `containing`: return only rows that contain this text.
        """
        state = self._dryline.state()
        if not isinstance(state.get(collection), list):
            names = ", ".join(name for name, rows in state.items() if isinstance(rows, list))
            raise DrylineError(f"No collection {collection}. There are: {names}.")
        return [row for row in state[collection] if containing in str(row)][:limit]

    def call_api(
        self, method: Literal["GET", "POST", "PATCH", "PUT", "DELETE"], path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Send a request to the API, such as GET /api/workers, and return its status and answer."""
        headers = {"x-api-key": self._dryline.api_key, "content-type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        path = f"/api/{path.lstrip('/').removeprefix('api/')}"
        reply = send(method, self._dryline.url + path, headers, content)
        try:
            answer = json.loads(reply.content) if reply.content else None
        except ValueError:  # a download, or an answer that a fault changed
            answer = reply.content.decode(errors="replace")
        return {"status": reply.status, "answer": answer}

    def save(self, name: str) -> str:
        """Store the whole state under a name. `restore` goes back to it."""
        self._dryline.snapshot(name)
        return f"Saved as {name}."

    def restore(self, name: str) -> str:
        """Go back to a saved state."""
        self._dryline.restore(name)
        return f"Restored {name}."

    def reset(self, scenario: str | None = None) -> str:
        """Go back to the start: data, clock, faults, requests. `scenario`: demo, clinic, campaign, trouble or empty."""
        self._dryline.reset(scenario)
        return "Reset."

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
        """Make complete, believable calls and return the ids of their logs. Default: the oldest voice deployment.

        `branch`: conditions of the flow that the caller reaches, in order. Calls `in_progress` begin now and go on with
        the clock.
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
        """Make complete, believable chats and return the ids of their logs."""
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
        """Make requests fail, such as path="/api/workers/*", status=503, times=2. Return the rule's id.

        `preset` is a ready-made rule: rate-limited, unavailable-twice, answer-lost, slow, uneven, trickle, cut-off,
        half-an-answer.
        """
        return self._dryline.fault(
            path=path, method=method, preset=preset, status=status, delay_ms=delay_ms, drop=drop, times=times
        )

    def faults(self) -> list[dict[str, Any]]:
        """List the fault rules, with how often each was applied (`hits`)."""
        rules: list[dict[str, Any]] = self._dryline.plane("GET", "/faults")
        return rules

    def remove_faults(self, id: str | None = None) -> str:
        """Remove a rule, or all rules."""
        self._dryline.plane("DELETE", f"/faults/{id}" if id else "/faults")
        return "Removed."

    # Time

    def clock(self) -> dict[str, Any]:
        """Return the server's time, and whether it is frozen."""
        answer: dict[str, Any] = self._dryline.plane("GET", "/clock")
        return answer

    def move_clock(
        self, advance_seconds: float | None = None, to: str | None = None, frozen: bool | None = None
    ) -> dict[str, Any]:
        """Move the clock forward by seconds or to a time (ISO 8601), freeze it or let it run. Due work is done."""
        if to is not None or frozen is not None:
            body = {"now": to, "frozen": frozen}
            self._dryline.plane("PUT", "/clock", {name: value for name, value in body.items() if value is not None})
        if advance_seconds is not None:
            self._dryline.advance(advance_seconds)
        return self.clock()

    # Traffic

    def requests(
        self, method: str | None = None, path: str | None = None, status: int | None = None, limit: int = DEFAULT_LIMIT
    ) -> list[dict[str, Any]]:
        """Return the requests of programs, newest first, with bodies and answers. `*` in `path` matches any text."""
        query = {"method": method, "path": path, "status": status, "limit": limit}
        entries: list[dict[str, Any]] = self._dryline.plane("GET", "/requests", query=query)
        return entries

    def verify(
        self,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        body_contains: str | None = None,
        times: int | None = None,
    ) -> str:
        """Check that such a request was made, `times` times if given. If not, the error names the nearest requests."""
        count = self._dryline.verify(method=method, path=path, status=status, body_contains=body_contains, times=times)
        return f"Yes: {count}."

    # Flows

    def check_flow(self, code: str) -> list[str]:
        """Return the mistakes in a flow's code, each with line and column. Code without mistakes can run."""
        from dryline.flow.engine import Engine

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
        answers: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Talk to a flow. Begin with `code`, `flow_id` or `deployment_id`; go on with `talk_id` and `say` or `choose`.

        `answers` replace a model's answers to the flow's `ask`, by the name of the member.
        Returns what happened as lines, the open conditions (`choose` takes one), and why the conversation ended.
        """
        if talk_id is None:
            talk = self._dryline.talk(
                code=code, flow_id=flow_id, deployment_id=deployment_id, variables=variables, say=say, answers=answers
            )
            self._talks[talk.id] = talk
            first_new = 0
        else:
            talk = self._find_talk(talk_id)
            first_new = len(talk.events)
            if choose is not None:
                talk.choose(choose, say=say, answers=answers)
            else:
                talk.say(say or "", answers=answers)
        return {
            "talkId": talk.id,
            "happened": transcript(talk.events[first_new:]),
            "open": talk.waiting,
            "extracted": talk.extracted,
            "ended": talk.ended,
        }

    def _find_talk(self, id: str) -> Talk:
        if id not in self._talks:
            raise DrylineError(f"No conversation {id} was started with this tool.")
        return self._talks[id]
