"""Complete, believable chats: the log of a chat or chat widget and the engine's traces of it."""

from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from dryline.models.chat_logs import ChatEmbedLog, ChatLog
from dryline.models.logs import Log
from dryline.simulator import analysis
from dryline.simulator.conversation_batch import ConversationBatch, moments
from dryline.simulator.conversation_rows import ConversationRows, RowBuilder, analyze, with_percentiles, write
from dryline.simulator.conversations import Conversation, Simulator
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.facts import Facts
from dryline.simulator.request import SimulationRequest
from dryline.simulator.tables import table
from dryline.world.clock import wire
from dryline.world.world import World

# By the deployment's type.
LOGS: dict[str, type[Log]] = {"Chat": ChatLog, "ChatEmbed": ChatEmbedLog}


def prepare_chats(world: World, deployment: DeploymentContext, request: SimulationRequest) -> ConversationBatch:
    """Prepare chats of a chat or chat widget deployment, as `prepare_calls` does calls."""
    rng = request.random(world)
    after = None if request.end_time else request.after
    times = (request.start_time, request.end_time or world.now())
    starts = moments(Random(rng.getrandbits(64)), request.count, *times, deployment.zone, after=after)
    flow, llm_logs = request.flow_of(world, deployment), request.has_llm_logs
    return ConversationBatch(
        map(Simulator(deployment, rng, flow).chat, starts),
        make=lambda index, chat: make_chat(deployment, rng, starts[index], chat, llm_logs=llm_logs),
        keep=partial(write, LOGS[deployment.channel]),
    )


def make_chat(
    deployment: DeploymentContext, rng: Random, starts: datetime, chat: Conversation, *, llm_logs: bool
) -> ConversationRows:
    """Return a chat that begins at `starts`. Nothing is written."""
    record, facts = chat.record, chat.facts
    builder = RowBuilder(deployment, chat, starts, int(record.seconds))
    log = _log_row(builder)
    log["extractions_data"] = analyze(deployment, chat)
    log["metadata"] = {"simulated": True, "intent": record.purpose, "sentiment": facts["sentiment"]}
    results = analysis.judge(deployment.profile.success_criteria, record, log["extractions_data"], rng)
    if results:
        log["metadata"]["successResults"] = results
    log |= _of_chat(facts, rng) if deployment.channel == "Chat" else _of_widget(builder, rng)
    return builder.rows(log, log["id"], llm_logs=llm_logs)


def _log_row(builder: RowBuilder) -> dict[str, Any]:
    """Return the members of the log that both channels have."""
    messages = [
        {"role": said["role"], "content": said["content"], "createdAt": _wire_time(builder, said["start"])}
        for said in builder.record.messages
    ]
    return builder.log_members(LOGS[builder.deployment.channel]) | {
        "status": "failed" if builder.record.fault else "completed",
        "messages": {"messages": messages},
        "message_count": len(messages),
        "session_log_data": {
            "sessionId": builder.session_id,
            "status": builder.ended,
            "until": builder.record.ended_by,
            "trace": builder.trace,
        },
    }


def _wire_time(builder: RowBuilder, seconds: float) -> str:
    return wire(builder.start + timedelta(seconds=seconds))


def _of_chat(facts: Facts, rng: Random) -> dict[str, Any]:
    """Return the user, and for four in ten a rating and feedback that fit the sentiment."""
    email = facts["email"]
    members: dict[str, Any] = {
        "user_id": f"user_{email.split('@')[0]}",
        "user_name": facts["name"],
        "user_email": email,
    }
    if rng.random() < 0.4:
        rating = rng.choice(table("ratings")[facts["sentiment"]])
        members |= {"rating": rating, "feedback": rng.choice(table("feedback")[str(rating)])}
    return members


def _of_widget(builder: RowBuilder, rng: Random) -> dict[str, Any]:
    """Return browser and page of the visitor, function calls, and latencies in milliseconds."""
    record, business = builder.record, builder.deployment.business
    calls = [{"name": name, "at": _wire_time(builder, seconds), "status": "ok"} for name, seconds in record.functions]
    site = "".join(letter for letter in business.lower() if letter.isascii() and letter.isalnum()) or "shop"
    return {
        "expired": True,
        "session_id": builder.session_id,
        "latency": with_percentiles(record.answers_ms),
        "tool_calls": {"toolCalls": calls},
        "origin_url": f"https://{site}.example.com/{rng.choice(table('pages'))}",
        "user_agent": rng.choice(table("browsers")),
    }
