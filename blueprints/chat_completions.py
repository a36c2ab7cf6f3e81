"""The engine's endpoint in the format of OpenAI's chat completions. Contract: based.md, 5.1.

It belongs to the engine and not to the workers API, so the OpenAPI document omits it and its errors have OpenAI's
format.
"""

from typing import Any

import orjson
from flask import Response, g, request
from marshmallow import ValidationError
from werkzeug.exceptions import BadRequest

from dryline.models.teams import authenticate
from dryline.schemas.chat_completions import read_completion
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound, Unauthorized
from dryline.web.base import UndocumentedBlueprint, json_response, read_json
from dryline.web.errors import flatten_messages

blp = UndocumentedBlueprint("chat_completions", __name__, url_prefix="/v1")

MODELS = ("gpt-4.1", "gpt-4.1-mini")  # those of the vendor's examples
_LONGEST_ID = 200  # characters of a session's id
_TYPES = {
    401: ("authentication_error", "invalid_api_key"),
    404: ("invalid_request_error", "not_found"),
    409: ("invalid_request_error", "conflict"),
    500: ("server_error", "internal_error"),
    503: ("server_error", "busy"),
}


@blp.before_request
def require_engine_key() -> None:
    """Check the keys of a request. Raises Unauthorized.

    With a team's key in `x-brainbase-api-key`, the engine's key can be any: the stand-in does not know it. Without
    that header, the engine's key has to be a team's key.
    """
    team_key = request.headers.get("x-brainbase-api-key")
    scheme, _, engine_key = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not engine_key.strip():
        raise Unauthorized("The Authorization header must be: Bearer KEY.")
    with current().reading():
        key = authenticate(engine_key.strip() if team_key is None else team_key)
    g.key, g.team = key, key.team


@blp.get("/models")
def list_models() -> Any:
    """List the models that a request can name. Any other name is accepted, too."""
    return json_response({"object": "list", "data": [_model(name) for name in _model_names()]})


@blp.get("/models/<name>")
def get_model(name: str) -> Any:
    """Retrieve one of the models. Raises NotFound."""
    if name not in _model_names():
        raise NotFound(f"Model {name} not found.")
    return json_response(_model(name))


def _model_names() -> list[str]:
    model = current().settings.model
    names = [*MODELS, model] if model else MODELS
    return list(dict.fromkeys(names))


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "dryline"}


@blp.post("/chat/completions")
def complete() -> Any:
    """Answer one turn of a conversation with a worker's flow."""
    from dryline.flow.sessions.completions import (  # noqa: PLC0415  # 49 ms
        CompletionRequest,
        complete,
    )

    world = current()
    body = _read_body()
    completion_request = CompletionRequest(
        worker_id=_required_query_parameter("agent_id"),
        session=_query_parameter("session_id") or world.ids.new("session"),
        messages=body["messages"],
        model=body["model"],
        flow_id=_query_parameter("flow_id"),
        state=_initial_state(),
    )
    completion = complete(world, g.team, completion_request)
    if completion.failure is not None:
        answer = _error_response(500, completion.failure, "flow_failed")
    elif body["stream"]:
        usage = (body["stream_options"] or {}).get("include_usage")
        events = _server_sent_events(completion_request.model, completion, bool(usage))
        answer = Response(b"".join(events), mimetype="text/event-stream")
    else:
        choice = {"index": 0, "message": {"role": "assistant", "content": completion.content}, "finish_reason": "stop"}
        fields = _common_fields("chat.completion", completion_request.model)
        answer = json_response({**fields, "choices": [choice], "usage": completion.usage})
    answer.headers["x-session-id"] = completion_request.session
    return answer


def _server_sent_events(model: str, completion: Any, with_usage: bool) -> Any:
    """Yield the answer as server-sent events: the role, each text, the end."""
    head = _common_fields("chat.completion.chunk", model)

    def chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    events = [chunk({"role": "assistant", "content": ""})]
    for index, piece in enumerate(completion.pieces):
        separator = "\n" if index else ""
        events.append(chunk({"content": separator + piece}))
    events.append(chunk({}, "stop"))
    if with_usage:
        events.append({**head, "choices": [], "usage": completion.usage})
    yield from (b"data: " + orjson.dumps(event) + b"\n\n" for event in events)
    yield b"data: [DONE]\n\n"


def _common_fields(kind: str, model: str) -> dict[str, Any]:
    world = current()
    id = world.ids.new("chatcmpl").replace("_", "-", 1)
    return {"id": id, "object": kind, "created": int(world.now().timestamp()), "model": model}


def _read_body() -> dict[str, Any]:
    try:
        return read_completion(read_json(request))
    except ValidationError as error:
        faults = [f"{path}: {text}" if path else text for path, text in flatten_messages(error.normalized_messages())]
        raise BadRequest(" ".join(faults)) from None


def _query_parameter(name: str) -> str | None:
    value = request.args.get(name) or None
    if value is not None and len(value) > _LONGEST_ID:
        raise BadRequest(f"The query parameter {name} is too long.")
    return value


def _required_query_parameter(name: str) -> str:
    value = _query_parameter(name)
    if value is None:
        raise BadRequest(f"The query parameter {name} is missing.")
    return value


def _initial_state() -> dict[str, Any]:
    """Return the state with which a new session begins, from its header."""
    text = request.headers.get("x-initial-state")
    try:
        state = orjson.loads(text) if text else {}
    except orjson.JSONDecodeError:
        state = None
    if not isinstance(state, dict):
        raise BadRequest("The header x-initial-state must be a JSON object.")
    return state


@blp.after_request
def convert_errors(answer: Response) -> Response:
    """Return an error in OpenAI's format."""
    if answer.status_code < 400:
        return answer
    message = (answer.json or {}).get("error")
    return _error_response(answer.status_code, message) if isinstance(message, str) else answer


def _error_response(status: int, message: str, code: str | None = None) -> Response:
    kind, default_code = _TYPES.get(status, ("invalid_request_error", None))
    error = {"message": message, "type": kind, "param": None, "code": code or default_code}
    answer = json_response({"error": error}, status)
    if status != 503:  # OpenAI's clients retry a 409 or a 500, in vain
        answer.headers["x-should-retry"] = "false"
    return answer
