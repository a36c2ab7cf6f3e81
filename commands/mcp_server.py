"""Tools for a coding assistant, by the Model Context Protocol over standard input and output.

This module needs the extra `mcp`, the protocol's SDK.
"""

import json
from typing import Any, Literal
from urllib.parse import quote

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult, TextContent, Tool

from dryline import __version__
from dryline.flow.engine import Engine, FlowContext
from dryline.testing import DrylineError, StandIn
from dryline.testing.plane import send

INSTRUCTIONS = """\
dryline is a local, stateful stand-in for a voice-agent workers REST API. It stores what programs write, makes \
believable calls, and logs each request. Nothing here reaches the real service or a telephone. `about` returns the \
address and the key for the program under test. A usual round: `save` the state, `add_fault` or `advance_clock`, run \
the program, check with `requests` or `verify`, `restore`. Flows are written in Based, a Python dialect: `check_flow` \
finds mistakes, `talk` begins a conversation with code or a stored flow, `turn` goes on with it."""
# Tools that are operations of the control plane, with their description and arguments in the OpenAPI document.
OPERATIONS = {
    "workers": "listWorkersOfAllTeams",
    "simulate_calls": "simulateCalls",
    "simulate_chats": "simulateChats",
    "add_fault": "addFault",
    "faults": "listFaults",
    "remove_fault": "removeFault",
    "remove_faults": "clearFaults",
    "clock": "getClock",
    "set_clock": "setClock",
    "advance_clock": "advanceClock",
    "requests": "listRequests",
    "verify": "verifyRequests",
    "talk": "startTalk",
    "turn": "continueTalk",
    "save": "saveSnapshot",
    "restore": "restoreSnapshot",
    "reset": "resetState",
}


class Operation:
    """A tool that sends one request to the control plane. `document` is the OpenAPI document."""

    def __init__(self, document: dict[str, Any], name: str, method: str, path: str) -> None:
        about = document["paths"][path][method]
        parameters = about.get("parameters", [])
        self.method, self.path = method.upper(), path.removeprefix("/_dryline")
        self.in_query = {each["name"] for each in parameters if each["in"] == "query"}
        body = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        schema = _with_references_replaced(document, body)
        described = {each["name"]: {**each["schema"], "description": each["description"]} for each in parameters}
        needed = [each["name"] for each in parameters if each.get("required")] + schema.get("required", [])
        self.tool = Tool(
            name=name,
            description=f"{about['summary']} {about.get('description', '')}".strip(),
            input_schema={
                "type": "object",
                "properties": {**described, **schema.get("properties", {})},
                "required": needed,
                "additionalProperties": False,
            },
        )

    def call(self, dryline: StandIn, arguments: dict[str, Any]) -> Any:
        """Send the request and return its answer. Raises DrylineError."""
        path, query, body = self.path, {}, {}
        for name, value in arguments.items():
            if f"{{{name}}}" in path:
                path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
            elif name in self.in_query or self.method in ("GET", "DELETE"):
                query[name] = str(value).lower() if isinstance(value, bool) else value
            else:
                body[name] = value
        if self.method not in ("POST", "PUT"):
            return dryline.plane(self.method, path, query=query)
        return dryline.plane(self.method, path, body, query=query)


class McpServer(MCPServer[Any]):
    """The tools on one server. `run("stdio")` serves them."""

    def __init__(self, dryline: StandIn) -> None:
        super().__init__("dryline", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
        self._dryline = dryline
        document = json.loads(send("GET", f"{dryline.url}/openapi.json", {}).content)
        routes = {
            operation["operationId"]: (method, path)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        }
        self._operations = {name: Operation(document, name, *routes[id]) for name, id in OPERATIONS.items()}
        for tool in (self.about, self.call_api, self.check_flow):
            self.add_tool(tool)

    async def list_tools(self) -> list[Tool]:
        """List all tools."""
        return [*await super().list_tools(), *(operation.tool for operation in self._operations.values())]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool by name. Raises ToolError for a refusal of the server."""
        if name not in self._operations:
            return await super().call_tool(name, arguments, context)
        try:
            answer = self._operations[name].call(self._dryline, arguments)
        except DrylineError as error:
            raise _tool_error(error) from None
        text = TextContent(type="text", text=json.dumps(answer))
        return CallToolResult(content=[text], structured_content={"result": answer})

    def about(self) -> dict[str, Any]:
        """Return the server's address and key, and its number of rows by collection."""
        try:
            state = self._dryline.state()
        except DrylineError as error:
            raise _tool_error(error) from None
        return {
            "url": self._dryline.url,
            "environment": self._dryline.environment,
            "rows": {name: len(rows) for name, rows in state.items() if isinstance(rows, list) and rows},
        }

    def call_api(
        self, method: Literal["GET", "POST", "PATCH", "PUT", "DELETE"], path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Send a request to the API, such as GET /api/workers, and return its status and answer."""
        headers = {"x-api-key": self._dryline.api_key, "content-type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        try:
            path_in_api = path.lstrip("/").removeprefix("api/")
            reply = send(method, f"{self._dryline.url}/api/{path_in_api}", headers, content)
        except DrylineError as error:
            raise ToolError(str(error)) from None
        try:
            answer = json.loads(reply.content) if reply.content else None
        except ValueError:  # a download, or an answer that a fault changed
            answer = reply.content.decode(errors="replace")
        return {"status": reply.status, "answer": answer}

    def check_flow(self, code: str, variables: dict[str, Any] | None = None) -> list[str]:
        """Return the mistakes in a flow's code, each with line and column. Code without mistakes can run.

        With the flow's `variables`, those that the code needs and that are not among them are named, too.
        """
        context = None if variables is None else FlowContext(variables)
        with Engine() as engine:
            return [str(finding) for finding in engine.check(code, "flow", context)]


def _tool_error(error: DrylineError) -> ToolError:
    """Return the error of a tool whose request was refused, or not answered."""
    return ToolError(json.dumps(error.answer) if error.answer else str(error))


def _with_references_replaced(document: dict[str, Any], schema: Any) -> Any:
    """Return a schema with the schemas that it refers to in their places."""
    if isinstance(schema, list):
        return [_with_references_replaced(document, each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _with_references_replaced(document, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    return {name: _with_references_replaced(document, each) for name, each in schema.items()}
