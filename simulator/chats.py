"""Complete, believable chats: the log of a chat or chat widget and the engine's traces of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from dryline.models.chat_embed_logs import ChatEmbedLog
from dryline.models.chat_logs import ChatLog
from dryline.models.deployments import Deployment
from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.sessions import Session
from dryline.simulator import analysis, traces
from dryline.simulator.calls import AT_ONCE, LLM_LOGGED, moments
from dryline.simulator.lines import Line, line_of
from dryline.simulator.people import anybody
from dryline.simulator.scripts import Turn
from dryline.simulator.talks import Talk, spread, typed
from dryline.world.clock import wire
from dryline.world.world import World, current

# By the deployment's type.
LOGS: dict[str, type[Log]] = {"Chat": ChatLog, "ChatEmbed": ChatEmbedLog}
_WELCOMES = ("Hi, I'm {agent} from {business}. How can I help?", "Hello! Ask me anything about {business}.")
_FEEDBACK = {
    5: ("Quick and helpful.", "Great, thank you!", None),
    4: ("Good, a bit long.", None),
    3: ("It was okay.", None),
    2: ("It did not understand me at first.", None),
    1: ("I wanted to talk to a person.",),
}
_BROWSERS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 "
    "Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0",
)
_PAGES = ("", "pricing", "contact", "help", "account")


@dataclass(slots=True)
class Chat:
    """One chat as rows, by column names."""

    log: dict[str, Any]
    session: dict[str, Any]
    llm_logs: list[dict[str, Any]] = field(default_factory=list)


def simulate_chats(
    world: World,
    deployment: Deployment,
    count: int,
    *,
    seed: int | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    llm_logs: bool | None = None,
) -> list[str]:
    """Write `count` chats of a chat or chat widget deployment in the running transaction.

    Returns their log ids. Times, `seed` and `llm_logs` are as with `simulate_calls`. Raises Invalid when
    `start_time` lies behind `end_time`.
    """
    llm_logs = count <= LLM_LOGGED if llm_logs is None else llm_logs
    rng = Random(world.ids.random.getrandbits(64) if seed is None else seed)
    line = line_of(deployment)
    end_time = end_time or world.clock.now()
    starts = moments(Random(rng.getrandbits(64)), count, start_time, end_time)
    ids: list[str] = []
    for first in range(0, count, AT_ONCE):
        chats = [make_chat(line, deployment.type, rng, at, llm_logs=llm_logs) for at in starts[first : first + AT_ONCE]]
        LOGS[deployment.type].add_many([chat.log for chat in chats])
        Session.add_many([chat.session for chat in chats])
        LlmLog.add_many([row for chat in chats for row in chat.llm_logs])
        ids += [chat.log["id"] for chat in chats]
    return ids


def make_chat(line: Line, channel: str, rng: Random, starts: datetime, *, llm_logs: bool = True) -> Chat:
    """One chat of a deployment whose type is `channel`, beginning at `starts`; nothing is written."""
    ids = current().ids
    trade = line.trades[int(rng.random() * len(line.trades))]
    person = anybody(rng)
    facts = line.facts(trade, rng, person)
    script = trade.inbound[int(rng.random() * len(trade.inbound))]
    # A deployment's own welcome stands as it is: what looks like a slot in it is not ours.
    facts["welcome"] = line.welcome or rng.choice(_WELCOMES).format_map(facts)
    turns: list[Turn] = [("A", "{welcome}"), *script.turns(rng)]
    solved = rng.random() < 0.88
    if not solved:
        turns = turns[: 3 + int(rng.random() * 3)]
    talk = typed(turns, facts, rng)
    duration = int(talk.seconds)
    facts |= {"intent": script.intent, "summary": script.summary.format_map(facts)}
    facts["sentiment"] = analysis.mood(solved, rng)
    run = traces.Run(
        session_id=ids.new(Session.id_prefix),
        start=starts,
        end=starts + timedelta(seconds=duration),
        talk=talk,
        ended="completed",
        until=script.until if solved else None,
    )
    definitions = line.extractions or analysis.default_definitions(trade.extracted)
    log = _base(line, run, LOGS[channel], duration)
    log["extractions_data"] = analysis.extract(definitions, facts, script.slots, solved, rng)
    log["metadata"] = {"simulated": True, "intent": script.intent, "sentiment": facts["sentiment"]}
    if line.success_criteria:
        log["metadata"]["successResults"] = analysis.judge(line.success_criteria, solved, rng)
    log |= _of_chat(person.name, person.email, solved, rng) if channel == "Chat" else _of_widget(talk, run, line, rng)
    rows = traces.llm_logs(ids, line, run, log["id"]) if llm_logs else []
    return Chat(log, traces.session(line, run, log["extractions_data"]), rows)


def _base(line: Line, run: traces.Run, model: type[Log], duration: int) -> dict[str, Any]:
    """What the logs of both channels share."""
    messages = [
        {
            "role": said["role"],
            "content": said["content"],
            "createdAt": wire(run.start + timedelta(seconds=said["start"])),
        }
        for said in run.talk.messages
    ]
    return {
        "id": current().ids.new(model.id_prefix),
        "team_id": line.team_id,
        "created_at": wire(run.start),
        "updated_at": wire(run.end),
        "worker_id": line.worker_id,
        "deployment_id": line.deployment_id,
        "flow_id": line.flow_id,
        "type": model.kind,
        "start_time": wire(run.start),
        "end_time": wire(run.end),
        "status": "completed",
        "messages": {"messages": messages},
        "message_count": len(messages),
        "duration": duration,
        "flow_snapshot": line.code,
        "session_log_data": {
            "sessionId": run.session_id,
            "status": run.ended,
            "until": run.until,
            "trace": traces.trace(run),
        },
    }


def _of_chat(name: str, email: str, solved: bool, rng: Random) -> dict[str, Any]:
    """The user, and what four in ten users say about the chat."""
    found: dict[str, Any] = {"user_id": f"user_{email.split('@')[0]}", "user_name": name, "user_email": email}
    if rng.random() < 0.4:
        rating = rng.choice((5, 5, 4, 4, 3) if solved else (3, 2, 1))
        found |= {"rating": rating, "feedback": rng.choice(_FEEDBACK[rating])}
    return found


def _of_widget(talk: Talk, run: traces.Run, line: Line, rng: Random) -> dict[str, Any]:
    """The visitor's browser and page, the functions called, the answers' latencies in milliseconds."""
    calls = [
        {"name": name, "at": wire(run.start + timedelta(seconds=at)), "status": "ok"} for name, at in talk.functions
    ]
    site = "".join(letter for letter in line.business.lower() if letter.isascii() and letter.isalnum()) or "shop"
    return {
        "expired": True,
        "session_id": run.session_id,
        "latency": spread(talk.answers_ms),
        "tool_calls": {"toolCalls": calls},
        "origin_url": f"https://{site}.example.com/{rng.choice(_PAGES)}",
        "user_agent": rng.choice(_BROWSERS),
    }
