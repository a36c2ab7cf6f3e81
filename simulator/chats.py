"""Complete, believable chats: the log of a chat or chat widget and the engine's traces of it."""

from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from dryline.models.chat_logs import ChatEmbedLog, ChatLog
from dryline.models.logs import Log
from dryline.simulator import analysis
from dryline.simulator.conversation_batch import ConversationBatch, SimulationRequest, moments
from dryline.simulator.conversation_plans import ConversationPlan, FlowPlanner
from dryline.simulator.conversation_rows import ConversationRows, analyze, engine_run, shared_members, write
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.engine_records import EngineRun
from dryline.simulator.slots import Slots
from dryline.simulator.tables import table
from dryline.simulator.timeline import TimedDialogue, spread
from dryline.world.clock import wire
from dryline.world.world import World

# By the deployment's type.
LOGS: dict[str, type[Log]] = {"Chat": ChatLog, "ChatEmbed": ChatEmbedLog}


def prepare_chats(world: World, line: DeploymentContext, request: SimulationRequest) -> ConversationBatch:
    """Plan chats of a chat or chat widget deployment, as `prepare_calls` plans calls."""
    rng = request.random(world)
    after = None if request.end_time else request.after
    times = (request.start_time, request.end_time or world.clock.now())
    starts = moments(Random(rng.getrandbits(64)), request.count, *times, line.zone, after=after)
    flow = request.flow_of(world, line, "chat")
    return ConversationBatch(
        map(FlowPlanner(line, rng, flow).plan_chat, starts),
        make=lambda index, plan: make_chat(line, rng, starts[index], plan, llm_logs=request.has_llm_logs),
        keep=partial(write, LOGS[line.channel]),
        runs_flow=flow.why is None,
        llm_logs=request.has_llm_logs,
    )


def make_chat(
    line: DeploymentContext,
    rng: Random,
    starts: datetime,
    plan: ConversationPlan,
    *,
    llm_logs: bool = True,
) -> ConversationRows:
    """Return a chat that begins at `starts`. Nothing is written."""
    dialogue, talk, facts = plan.dialogue, plan.talk, plan.facts
    run = engine_run(line, plan, starts, int(talk.seconds))
    log = _log_row(line, run)
    log["extractions_data"] = analyze(line, plan)
    log["metadata"] = {"simulated": True, "intent": dialogue.intent, "sentiment": facts["sentiment"]}
    if line.success_criteria:
        log["metadata"]["successResults"] = analysis.judge(
            line.success_criteria, dialogue, log["extractions_data"], rng
        )
    log |= _of_chat(facts, rng) if line.channel == "Chat" else _of_widget(talk, run, line, rng)
    return ConversationRows.of(log, line, run, call_id=log["id"], llm_logs=llm_logs)


def _log_row(line: DeploymentContext, run: EngineRun) -> dict[str, Any]:
    """Return the members of the log that both channels have."""
    messages = [
        {
            "role": said["role"],
            "content": said["content"],
            "createdAt": wire(run.start + timedelta(seconds=said["start"])),
        }
        for said in run.talk.messages
    ]
    return shared_members(LOGS[line.channel], line, run) | {
        "status": "failed" if run.fault else "completed",
        "messages": {"messages": messages},
        "message_count": len(messages),
        "session_log_data": {
            "sessionId": run.session_id,
            "status": run.ended,
            "until": run.until,
            "trace": run.trace,
        },
    }


def _of_chat(facts: Slots, rng: Random) -> dict[str, Any]:
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


def _of_widget(talk: TimedDialogue, run: EngineRun, line: DeploymentContext, rng: Random) -> dict[str, Any]:
    """Return browser and page of the visitor, function calls, and latencies in milliseconds."""
    calls = [
        {"name": name, "at": wire(run.start + timedelta(seconds=at)), "status": "ok"} for name, at in talk.functions
    ]
    site = "".join(letter for letter in line.business.lower() if letter.isascii() and letter.isalnum()) or "shop"
    return {
        "expired": True,
        "session_id": run.session_id,
        "latency": spread(talk.answers_ms),
        "tool_calls": {"toolCalls": calls},
        "origin_url": f"https://{site}.example.com/{rng.choice(table('pages'))}",
        "user_agent": rng.choice(table("browsers")),
    }
