"""Complete, believable chats: the log of a chat or chat widget and the engine's traces of it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from dryline.models.chat_logs import ChatEmbedLog, ChatLog
from dryline.models.logs import Log
from dryline.models.sessions import Session
from dryline.simulator import analysis, engine_records
from dryline.simulator.calls import extractions
from dryline.simulator.conversation_batch import LLM_LOGGED, ConversationBatch, moments
from dryline.simulator.conversation_plans import ConversationPlan, plan_chat
from dryline.simulator.conversation_rows import ConversationRows, write
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.followed import FollowedFlow
from dryline.simulator.slots import Slots
from dryline.simulator.tables import table
from dryline.simulator.timeline import TimedDialogue, spread
from dryline.storage.current_world import current
from dryline.world.clock import wire
from dryline.world.world import World

# By the deployment's type.
LOGS: dict[str, type[Log]] = {"Chat": ChatLog, "ChatEmbed": ChatEmbedLog}


def prepare_chats(
    world: World,
    line: DeploymentContext,
    count: int,
    *,
    seed: int | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    llm_logs: bool | None = None,
    follow: str | None = None,
    branch: Sequence[str] = (),
    shares: Mapping[str, float] | None = None,
    after: datetime | None = None,
) -> ConversationBatch:
    """Plan `count` chats of a chat or chat widget deployment. The options are as with `prepare_calls`."""
    llm_logs = count <= LLM_LOGGED if llm_logs is None else llm_logs
    rng = Random(world.ids.random.getrandbits(64) if seed is None else seed)
    after = None if end_time else after
    end_time = end_time or world.clock.now()
    starts = moments(Random(rng.getrandbits(64)), count, start_time, end_time, line.zone, after=after)
    following = FollowedFlow(world, line, "chat", follow=follow, branch=branch, shares=shares)
    plans: Iterable[ConversationPlan] = (plan_chat(line, rng, following=following, at=start) for start in starts)
    return ConversationBatch(
        plans,
        make=lambda index, plan: make_chat(line, rng, starts[index], plan, llm_logs=llm_logs),
        keep=partial(write, LOGS[line.channel]),
        runs_flow=following.why is None,
        llm_logs=llm_logs,
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
    ids = current().ids
    dialogue, talk, facts = plan.dialogue, plan.talk, plan.facts
    fault = plan.timeline.fault if plan.timeline else None
    run = engine_records.EngineRun(
        session_id=ids.new(Session.id_prefix),
        start=starts,
        duration=int(talk.seconds),
        talk=talk,
        ended="failed" if fault else "completed",
        until=dialogue.ended_by,
        fault=fault,
        timeline=plan.timeline,
        why=plan.why,
    )
    facts |= {"intent": dialogue.intent, "summary": dialogue.summary, "sentiment": analysis.mood(dialogue, facts)}
    log = _shared_members(line, run, LOGS[line.channel])
    log["extractions_data"] = extractions(line, plan)
    log["metadata"] = {"simulated": True, "intent": dialogue.intent, "sentiment": facts["sentiment"]}
    if line.criteria:
        log["metadata"]["successResults"] = analysis.judge(line.criteria, dialogue, log["extractions_data"], rng)
    log |= _of_chat(facts, rng) if line.channel == "Chat" else _of_widget(talk, run, line, rng)
    return ConversationRows.of(log, line, run, call_id=log["id"], llm_logs=llm_logs)


def _shared_members(line: DeploymentContext, run: engine_records.EngineRun, model: type[Log]) -> dict[str, Any]:
    """Return the members that the logs of both channels share."""
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
        "created_at": run.starts,
        "updated_at": run.ends,
        "worker_id": line.worker_id,
        "deployment_id": line.deployment_id,
        "flow_id": line.flow_id,
        "type": model.kind,
        "start_time": run.starts,
        "end_time": run.ends,
        "status": "failed" if run.fault else "completed",
        "messages": {"messages": messages},
        "message_count": len(messages),
        "duration": run.duration,
        "flow_snapshot": line.code,
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


def _of_widget(
    talk: TimedDialogue, run: engine_records.EngineRun, line: DeploymentContext, rng: Random
) -> dict[str, Any]:
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
