"""`dryline talk`: a conversation with a flow, from the keyboard or from a script."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

from dryline.commands.client import open_world, world_options
from dryline.commands.flows import CODE_FILE, exit_with_findings, read_text
from dryline.commands.param_types import JsonObjectParam
from dryline.settings import Settings

# Takes one turn of a conversation: `{}` or `{"say": …}` begins it, `{"say": …}` and `{"choose": …}` go on. Returns the
# control plane's answer. Raises TurnRefused.
Turn = Callable[[dict[str, str]], dict[str, Any]]
# The lines of an event of each type.
_LINES = {
    "said": ("Agent: {text}",),
    "taken": ("Taken: {condition}", "# line {line}, {sure:.0%} sure: {why}"),
    "asked": ("Asked: {question} {value}", "# {how}"),
    "extracted": ("Extracted: {key} = {value}",),
    "printed": ("Printed: {text}",),
    "requested": ("Requested: {method} {url} {answered}",),
    "integrated": ("Integrated: {app}.{action} {arguments}",),
    "sms": ("Sms: {to} {content}",),
    "digits": ("Digits: {digits}",),
    "image": ("Image: {url}",),
    "transferred": ("Transferred: {number}",),
    "ended": ("Ended: {why}",),
    "refused": ("Refused: {why}",),
    "failed": ("Failed: {sentence}",),
}


class TurnRefused(click.ClickException):
    """A turn that the conversation does not take, such as a condition that is not open."""


@click.command()
@click.argument("file", type=CODE_FILE, required=False)
@click.option("--flow", "flow_id", help="Id of a flow on a server, instead of FILE.")
@click.option("--script", type=CODE_FILE, help="Take the turns from this file, and compare the conversation with it.")
@click.option("--variables", type=JsonObjectParam(), help="The flow's `variables`, as a JSON object.")
@click.option("--state", type=JsonObjectParam(), help="The flow's `state` at its start, as a JSON object.")
@click.option("--say", help="Words of the caller before the flow speaks.")
@click.option("--answers", type=JsonObjectParam(), help="Answers to the flow's `ask`, by name, as a JSON object.")
@click.option("--http", type=CODE_FILE, help="JSON file with responses to the flow's requests, instead of a network.")
@click.option("--channel", type=click.Choice(["voice", "chat"]), default="voice", show_default=True)
@click.option("--seed", default=0, show_default=True, help="The same seed and words give the same conversation.")
@click.option(
    "--unsaid",
    type=click.Choice(["none", "made-up"]),
    default="none",
    show_default=True,
    help="Values of an `ask` that nobody said.",
)
@click.option("--webhook-hosts", multiple=True, help="Host besides loopback that FILE may call; repeatable.")
@click.option("--model-url", help="Server with OpenAI's chat completions that decides for FILE.")
@click.option("--model", help="Name of the model.")
@click.option("--model-key", envvar="DRYLINE_MODEL_KEY", show_envvar=True, help="Key for that server.")
@world_options
def talk(file: Path | None, flow_id: str | None, script: Path | None, say: str | None, **values: Any) -> None:
    """Talk to the flow in FILE, or to a flow on a server.

    Type what the caller says. A line such as `/2` or `/caller confirms` chooses that condition; Ctrl-D ends. The output
    is a script: --script takes its turns again, and the exit code is 1 if the conversation differs. It is 1, too, if
    the flow fails.
    """
    names = ("channel", "seed", "unsaid", "variables", "state", "answers")
    options = {name: values[name] for name in names if values[name] is not None}
    if values["http"] is not None:
        options["http"] = _read_stubs(values["http"])
    if file is not None and flow_id is None:
        conversation = _conversation_with_file(file, options, values)
    elif flow_id is not None and file is None:
        conversation = _conversation_on_server(values, {**options, "flowId": flow_id})
    else:
        raise click.UsageError("Name either FILE or --flow.")
    with conversation as turn:
        if script is None:
            _converse(turn, say)
        elif difference := list(_differences_from_script(turn, script)):
            click.echo("\n".join(difference))
            sys.exit(1)


@contextmanager
def _conversation_on_server(values: dict[str, Any], options: dict[str, Any]) -> Iterator[Turn]:
    from dryline.testing.plane import DrylineError, NoReply  # noqa: PLC0415  # 21 ms

    with open_world(values["url"], values["data_dir"], values["admin_token"]) as world:
        talk_id = ""

        def turn(body: dict[str, str]) -> dict[str, Any]:
            nonlocal talk_id
            try:
                if talk_id:
                    answer = world.plane("POST", f"/talk/{talk_id}", body)
                else:
                    answer = world.plane("POST", "/talk", {**options, **body})
            except NoReply:
                raise
            except DrylineError as error:
                raise TurnRefused(str(error)) from None
            talk_id = answer["id"]
            return answer

        try:
            yield turn
        finally:
            if talk_id:
                world.plane("DELETE", f"/talk/{talk_id}")


@contextmanager
def _conversation_with_file(file: Path, options: dict[str, Any], values: dict[str, Any]) -> Iterator[Turn]:
    from dryline.flow.engine import CodeRefused, Engine  # noqa: PLC0415  # 71 ms
    from dryline.flow.language.web import fetcher  # noqa: PLC0415  # 23 ms
    from dryline.flow.model.remote_model import RemoteModel  # noqa: PLC0415  # 56 ms
    from dryline.flow.sessions.engines import with_demo_services  # noqa: PLC0415  # 76 ms
    from dryline.world.outgoing import Outgoing  # noqa: PLC0415  # 29 ms

    settings = Settings(**{name: values[name] for name in ("webhook_hosts", "model_url", "model", "model_key")})
    model = RemoteModel(settings.model_url, settings.model or "", settings.model_key) if settings.model_url else None
    with Engine(model=model, fetch=with_demo_services(fetcher(Outgoing(settings.webhook_hosts)))) as engine:
        try:
            session = engine.open(engine.checked_program(read_text(file), str(file)), **options)
        except CodeRefused as error:
            exit_with_findings(error)

        is_new = True

        def turn(body: dict[str, str]) -> dict[str, Any]:
            nonlocal is_new
            try:
                if is_new:
                    events = session.start(body.get("say"))
                elif "choose" in body:
                    events = session.choose(body["choose"])
                else:
                    events = session.say(body["say"])
            except LookupError as error:
                raise TurnRefused(str(error.args[0])) from None
            is_new = False
            rows = [event.as_dict() for event in events]
            return {"events": rows, "waiting": session.waiting, "ended": session.ended}

        yield turn


def _read_stubs(file: Path) -> list[dict[str, Any]]:
    """Return the responses of a file. Raises click.BadParameter."""
    from marshmallow import RAISE, ValidationError  # noqa: PLC0415  # 52 ms

    from dryline.schemas.talk_sessions import HttpStubSchema  # noqa: PLC0415  # 52 ms

    try:
        stubs: list[dict[str, Any]] = HttpStubSchema(many=True, unknown=RAISE).load(json.loads(read_text(file)))
    except ValueError as error:
        raise click.BadParameter(f"{file} is not valid JSON: {error}.", param_hint="--http") from None
    except ValidationError as error:
        raise click.BadParameter(f"{file}: {json.dumps(error.messages)}", param_hint="--http") from None
    return stubs


def _converse(turn: Turn, opening: str | None) -> None:
    """Take turns from the keyboard until the flow or the user ends the conversation."""
    if opening is not None:
        click.echo(f"You: {_one_line(opening)}")
    answer = turn({} if opening is None else {"say": opening})
    while True:
        for line in script_lines(answer["events"]):
            click.echo(line)
        if answer["ended"]:
            break
        for index, condition in enumerate(answer["waiting"]):
            click.echo(f"# /{index} {_one_line(condition)}")
        text = _read_line()
        if text is None:
            return
        answer = _take_line(turn, text, answer)
    for event in answer["events"]:
        if event["type"] == "failed":
            raise click.ClickException(f"The flow failed. {event['sentence']}")


def _read_line() -> str | None:
    """Return the next line from the keyboard that is not empty, or None at its end.

    A file or a pipe gets the turn once it is complete, so that the output of a conversation that was left is a script.
    """
    to_terminal = sys.stdout.isatty()
    text = ""
    while not text:
        if sys.stdin.isatty():
            click.echo("You: ", nl=False, err=not to_terminal)
        try:
            text = input().strip()
        except (EOFError, KeyboardInterrupt):
            if sys.stdin.isatty():
                click.echo(err=not to_terminal)
            return None
    if not (sys.stdin.isatty() and to_terminal):  # a terminal shows the text that is typed
        click.echo(f"You: {text}")
    return text


def _take_line(turn: Turn, text: str, previous: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a line: words, or `/` and a condition. A condition that is not open changes nothing."""
    try:
        if text.startswith("/"):
            return turn({"choose": text[1:].strip()})
        return turn({"say": text})
    except TurnRefused as error:
        return {**previous, "events": [{"type": "refused", "why": error.message}]}


def _differences_from_script(turn: Turn, script: Path) -> Iterator[str]:
    """Take the script's turns and yield the differences between the script and the conversation.

    Only kinds of lines that the script has are compared, and failures always.
    """
    lines = [line.rstrip() for line in read_text(script).splitlines()]
    expected = [line for line in lines if line and not line.startswith("#") and line != "You:"]
    kinds = {_kind_of_line(line) for line in expected} | {"Failed", "Refused"}
    turns = [line for line in expected if _kind_of_line(line) == "You"]
    if turns[:1] == expected[:1] and not turns[0].startswith("You: /"):  # the caller speaks first
        answer = turn({"say": _text_of_line(turns[0])})
        conversation = [turns.pop(0), *script_lines(answer["events"])]
    else:
        answer = turn({})
        conversation = script_lines(answer["events"])
    for line in turns:
        if not answer["ended"]:
            answer = _take_line(turn, _text_of_line(line), answer)
            conversation += [line, *script_lines(answer["events"])]
    actual = [line.rstrip() for line in conversation if _kind_of_line(line) in kinds]
    return unified_diff(expected, actual, str(script), "what happened", lineterm="")


def _text_of_line(line: str) -> str:
    return line.partition(":")[2].strip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _kind_of_line(line: str) -> str:
    return line.partition(":")[0]


def script_lines(events: Iterable[dict[str, Any]]) -> list[str]:
    """Return events as the lines of a script. Lines that begin with `#` are comments."""
    return [" ".join(line.splitlines()) for event in events for line in _event_lines(event)]


def _event_lines(event: dict[str, Any]) -> Iterator[str]:
    json_members = ("value", "how", "arguments")
    values: dict[str, Any] = {name: json.dumps(event.get(name), ensure_ascii=False) for name in json_members}
    values["answered"] = event.get("status") or event.get("error")
    for line in _LINES.get(event["type"], ()):
        yield line.format(**{**event, **values})
    if event["type"] == "failed":
        if "name 'variables' is not defined" in event["sentence"]:
            yield "# Pass the flow's variables with --variables, such as --variables '{}'."
        for line in event["traceback"].splitlines():
            yield f"# {line}"
