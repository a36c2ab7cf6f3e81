"""`dryline talk`, `dryline flow check` and `dryline flow paths`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from dryline.commands.client import Plane, world_options
from dryline.settings import BadSetting, Settings

CODE = click.Path(path_type=Path, exists=True, dir_okay=False)
# A conversation: what takes a turn, `{}` to begin, `{"say": …}` or `{"choose": …}`, and returns the plane's answer.
Turn = Callable[[dict[str, str]], dict[str, Any]]


@click.group()
def flow() -> None:
    """Look at the code of flows, without running it."""


@flow.command()
@click.argument("files", type=CODE, nargs=-1, required=True)
def check(files: tuple[Path, ...]) -> None:
    """Tell what is wrong with the code in FILES, as file:line:column. Exit 1 when it cannot run."""
    from dryline.engine import Engine

    with Engine() as engine:
        found = [finding for file in files for finding in engine.check(_code(file), str(file))]
    for finding in found:
        click.echo(str(finding))
    if any(finding.severity == "error" for finding in found):
        sys.exit(1)


@flow.command()
@click.argument("file", type=CODE)
def paths(file: Path) -> None:
    """Show the tree of the conditions in FILE, each with its line."""
    from dryline.engine import CodeRefused, Engine

    try:
        with Engine() as engine:
            loops = engine.paths(_code(file), str(file))
    except CodeRefused as refused:
        _refuse(refused)
    for line in _tree(loops, ""):
        click.echo(line)


def _tree(loops: list[dict[str, Any]], indent: str) -> Iterator[str]:
    for loop in loops:
        yield f"{indent}line {loop['line']}: loop"
        for condition in loop["conditions"]:
            back = "" if condition["leaves"] else "  (back to the loop)"
            yield f"{indent}  line {condition['line']}: {condition['condition']}{back}"
            yield from _tree(condition["loops"], indent + "    ")
        yield from _tree(loop["loops"], indent + "  ")


@click.command()
@click.argument("file", type=CODE, required=False)
@click.option("--flow", "flow_id", help="Instead of FILE: the flow of this id in a world.")
@click.option("--script", type=CODE, help="Take the turns of this file, and compare what comes of them with it.")
@click.option("--variables", help="The flow's `variables`, as a JSON object.")
@click.option("--state", help="The flow's `state` at its start, as a JSON object.")
@click.option("--channel", type=click.Choice(["voice", "chat"]), default="voice", show_default=True)
@click.option("--seed", default=0, show_default=True, help="The same seed and words, the same conversation.")
@click.option("--webhook-hosts", multiple=True, help="Host other than loopback that FILE may reach; repeatable.")
@click.option("--model-url", help="Server of OpenAI's chat completions that judges what FILE asks.")
@click.option("--model", help="Its model.")
@click.option("--model-key", envvar="DRYLINE_MODEL_KEY", show_envvar=True, help="Its key, if it needs one.")
@world_options
def talk(file: Path | None, flow_id: str | None, script: Path | None, **values: Any) -> None:
    """Talk to the flow in FILE, or to one of a world.

    What is typed is said; a line such as `/2` or `/caller confirms` takes that condition; Ctrl-D ends. What is shown is
    a script: with --script its turns are taken again, and exit code 1 tells that something else came of them.
    """
    asked = {name: values[name] for name in ("channel", "seed")}
    asked |= {name: _object(name, values[name]) for name in ("variables", "state") if values[name] is not None}
    if file is not None and flow_id is None:
        conversation = _in_process(file, asked, values)
    elif flow_id is not None and file is None:
        plane = Plane(values["url"], values["data_dir"], values["admin_token"])
        conversation = _on_plane(plane, {**asked, "flowId": flow_id})
    else:
        raise click.UsageError("Name either FILE or --flow.")
    with conversation as turn:
        if script is None:
            _converse(turn)
        elif difference := list(_compare(turn, script)):
            click.echo("\n".join(difference))
            sys.exit(1)


@contextmanager
def _on_plane(plane: Any, asked: dict[str, Any]) -> Iterator[Turn]:
    with plane as call:
        made: dict[str, Any] = {}

        def turn(what: dict[str, str]) -> dict[str, Any]:
            if not made:
                made.update(call("POST", "/talk", asked))
                return made
            return call("POST", f"/talk/{made['id']}", what)

        try:
            yield turn
        finally:
            if made:
                call("DELETE", f"/talk/{made['id']}")


@contextmanager
def _in_process(file: Path, asked: dict[str, Any], values: dict[str, Any]) -> Iterator[Turn]:
    from dryline.engine import CodeRefused, Engine
    from dryline.engine.web import fetcher
    from dryline.world.outgoing import Outgoing

    fetch = fetcher(Outgoing(values["webhook_hosts"]))
    with Engine(judge=_judge(values["model_url"], values["model"], values["model_key"]), fetch=fetch) as engine:
        try:
            session = engine.open(engine.demand_sound(_code(file), str(file)), **asked)
        except CodeRefused as refused:
            _refuse(refused)

        def turn(what: dict[str, str]) -> dict[str, Any]:
            try:
                if "choose" in what:
                    events = session.choose(what["choose"])
                else:
                    events = session.say(what["say"]) if what else session.start()
            except LookupError as unknown:
                raise click.ClickException(str(unknown.args[0])) from None
            told = [event.as_dict() for event in events]
            return {"events": told, "waiting": session.waiting, "ended": session.ended}

        yield turn


def _judge(url: str | None, model: str | None, key: str | None) -> Any:
    """The model that judges, if one is named. Raises click.UsageError when it is named by halves."""
    from dryline.engine.remote_model import ModelJudge

    try:
        Settings(model_url=url, model=model, model_key=key)
    except BadSetting as error:
        raise click.UsageError(str(error)) from None
    return ModelJudge(url, model, key) if url and model else None


def _converse(turn: Turn) -> None:
    """Until the flow or the user ends it."""
    answer = turn({})
    while True:
        for line in transcript(answer["events"]):
            click.echo(line)
        if answer["ended"]:
            return
        for index, condition in enumerate(answer["waiting"]):
            click.echo(f"# /{index} {condition}")
        try:
            typed = input("You: ")
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return
        if not (sys.stdin.isatty() and sys.stdout.isatty()):  # the terminal shows it to whoever types, and to no file
            click.echo(typed)
        answer = _taken(turn, typed, answer)


def _taken(turn: Turn, typed: str, before: dict[str, Any]) -> dict[str, Any]:
    """What comes of a typed line: words, or with a slash a condition. One that is not open changes nothing."""
    try:
        return turn({"choose": typed[1:].strip()} if typed.startswith("/") else {"say": typed})
    except click.ClickException as error:
        return {**before, "events": [{"type": "refused", "why": error.message}]}


def _compare(turn: Turn, script: Path) -> Iterator[str]:
    """Take the script's turns; what it expects and what came of them, as a diff, empty when they agree.

    Of what happened, kinds of lines that the script has none of are not compared; that something failed always is.
    """
    from difflib import unified_diff

    lines = [line.rstrip() for line in _code(script).splitlines()]
    expected = [line for line in lines if line and not line.startswith("#")]
    kinds = {_kind(line) for line in expected} | {"Failed", "Refused"}
    answer = turn({})
    happened = transcript(answer["events"])
    for line in expected:
        if _kind(line) == "You" and not answer["ended"]:
            answer = _taken(turn, line.partition(":")[2].strip(), answer)
            happened += [line, *transcript(answer["events"])]
    found = [line.rstrip() for line in happened if _kind(line) in kinds]
    return unified_diff(expected, found, str(script), "what happened", lineterm="")


def _kind(line: str) -> str:
    return line.partition(":")[0]


def transcript(events: Iterable[dict[str, Any]]) -> list[str]:
    """What happened, a line each, as a script has it. Lines that begin with `#` are for people alone."""
    return [" ".join(line.splitlines()) for event in events for line in _told(event)]


def _told(event: dict[str, Any]) -> Iterator[str]:
    match event["type"]:
        case "said":
            yield f"Agent: {event['text']}"
        case "taken":
            yield f"Taken: {event['condition']}"
            yield f"# line {event['line']}, {event['sure']:.0%} sure: {event['why']}"
        case "asked":
            yield f"Asked: {event['question']} {_json(event['value'])}"
            yield f"# {_json(event['how'])}"
        case "extracted":
            yield f"Extracted: {event['key']} = {_json(event['value'])}"
        case "printed":
            yield f"Printed: {event['text']}"
        case "requested":
            yield f"Requested: {event['method']} {event['url']} {event.get('status') or event.get('error')}"
        case "integrated":
            yield f"Integrated: {event['app']}.{event['action']} {_json(event['arguments'])}"
        case "sms":
            yield f"Sms: {event['to']} {event['content']}"
        case "digits":
            yield f"Digits: {event['digits']}"
        case "image":
            yield f"Image: {event['url']}"
        case "transferred":
            yield f"Transferred: {event['number']}"
        case "ended":
            yield f"Ended: {event['why']}"
        case "refused":
            yield f"Refused: {event['why']}"
        case "failed":
            yield f"Failed: {event['sentence']}"
            for line in event["traceback"].splitlines():
                yield f"# {line}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(name: str, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise click.BadParameter("must be a JSON object.", param_hint=f"--{name}")
    return found


def _code(file: Path) -> str:
    """Raises click.ClickException, on the line where the file is no text."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        line = fault.object.count(b"\n", 0, fault.start) + 1
        raise click.ClickException(f"{file}:{line}: This is not UTF-8. Save the file in that encoding.") from None


def _refuse(refused: Any) -> None:
    for finding in refused.findings:
        click.echo(str(finding), err=True)
    sys.exit(1)
