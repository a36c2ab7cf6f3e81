"""Conversations: a worker's logs of each channel as the API lists them, each with a page of its own."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import g, make_response, redirect, render_template, request, url_for

from dryline.blueprints.console import conversation, snippets, timeline
from dryline.blueprints.console.base import Pages, done, form, team
from dryline.blueprints.console.log_lists import PAGE_LENGTH, VOICE, WORDS, Asked, rows_of
from dryline.blueprints.links import base_url, log_with_recording
from dryline.models import activity, voice_log_pagination
from dryline.models.calls_in_progress import UNDER_WAY, CallInProgress
from dryline.models.campaigns import OutboundCampaign
from dryline.models.deployments import Deployment
from dryline.models.exports import Export
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.logs_lookup import find_log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.models.voice_logs import OUTCOMES, VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.models.workers import Worker
from dryline.schemas.exports import FORMATS, ExportBody
from dryline.schemas.logs import LogSchema, schema_of
from dryline.schemas.logs_lookup import AnyLogSchema
from dryline.schemas.voice_logs import SORTABLE
from dryline.storage.current_world import current
from dryline.world.channels import CHANNELS, Channel

blp = Pages("calls", "Calls", "c", path="/calls")

DELIVERIES = 50  # that the page of one call shows


@blp.get("")
def show() -> Any:
    """A worker's conversations of one channel."""
    if "" in request.args.values():  # a form sends what was left empty, too: its address shall say what it asks only
        filled = urlencode([pair for pair in request.args.items(multi=True) if pair[1] != ""])
        return redirect(f"{request.script_root}{request.path}?{filled}")
    asked = Asked()
    worker = asked.worker
    page = asked.page(worker) if worker and not asked.faults else None
    deployments = list(Deployment.listing(worker, worker_id=worker.id)) if worker else []
    content = render_template(
        "calls.html",
        asked=asked,
        page=page,
        rows=rows_of(asked.channel, page, asked.filters.get("search_query")) if page else [],
        channels=[(WORDS[one.key], one.key) for one in CHANNELS],
        outcomes=(*UNDER_WAY, *OUTCOMES),
        sortable=SORTABLE,
        formats=FORMATS,
        deployments=[(one.id, one.name) for one in deployments],
        names={one.id: one.name for one in deployments},
        flows=[(one.id, one.name) for one in Flow.listing(worker, worker_id=worker.id)] if worker else [],
        snippets=snippets.listing(g.team, asked.channel, worker.id, {"limit": str(PAGE_LENGTH), **asked.query})
        if worker and not asked.faults
        else [],
    )
    return content, 400 if asked.faults else 200


@blp.get("/news")
def news() -> Any:
    """How many conversations there are that the page has not seen, as a line to be clicked."""
    asked = Asked()
    asked.read.pop("cursor", None)
    total = asked.page(asked.worker, limit=1, page=1).total if asked.worker else 0
    count = total - request.args.get("seen", 0, int)
    return render_template(
        "new_calls.html", count=count, address=url_for("calls.show", **asked.args(page=None, cursor=None))
    )


@blp.post("/export")
def export() -> Any:
    """Ask for an export of the conversations that a list shows."""
    asked = form(ExportBody)
    with current().transaction():
        Export.request(team(), base_url(), **asked)
    return done("The export is asked for: it is made in the background.", "exports.show")


@blp.get("/latest")
def latest() -> Any:
    """The newest call, of `?worker=` where it is given; the list, which says so, while there is none."""
    worker_id = request.args.get("worker")
    where = {"worker_id": worker_id} if worker_id else {}
    found = activity.newest_logs(g.team, VoiceLog, 1, **where) if g.team else []
    return redirect(url_for("calls.call", log_id=found[0].id) if found else url_for("calls.show"))


@blp.get("/<log_id>")
def call(log_id: str) -> Any:
    """One conversation, of whatever channel."""
    from dryline.blueprints.console import highlighting  # imported late: only pages with code need its library

    log = log_with_recording(find_log(team(), log_id))
    said = conversation.turns(log)
    session_id = log.engine_ids.session_id
    session = Session.find(id=session_id, team_id=log.team_id) if session_id else None
    trace = (session and session.trace) or (log.session_log_data or {}).get("trace")
    done_steps = conversation.steps(trace)
    told = conversation.course(said, done_steps)
    channel = next(one for one in CHANNELS if one.type == log.kind)
    shared = {
        "log": log,
        "raw": AnyLogSchema().dump(log),
        "channel": channel,
        "word": WORDS[channel.key],
        "told": told,
        "trace": done_steps,
        "waits": [turn for turn in told if getattr(turn, "latency_ms", None) is not None],
        "session": session,
        "errors": RuntimeErrorRecord.of_conversation(log),
        "worker": Worker.find(id=log.worker_id, team_id=log.team_id),
        "deployment": Deployment.find(id=log.deployment_id, team_id=log.team_id) if log.deployment_id else None,
        "flow": Flow.find(id=log.flow_id, team_id=log.team_id) if log.flow_id else None,
        "flow_version": _version(log),
        "code_lines": highlighting.lines(log.flow_snapshot) if isinstance(log.flow_snapshot, str) else [],
        "analysis": conversation.analysis(log),
        "snippets": snippets.one(g.team, channel, log.worker_id, log.id),
        "exchanges": list(conversation.exchanges(LlmLog.of_conversation(log))),
    }
    if isinstance(log, VoiceLog):
        of_call = _of_call(log, said, told)
        page = make_response(render_template("call.html", **shared, **of_call))
        if "HX-Request" in request.headers and of_call["elapsed_s"] is None:
            page.headers["HX-Refresh"] = "true"  # it has ended while it was watched: the whole page, with its player
        return page
    return render_template("conversation.html", **shared, facts=_facts(log, channel))


@blp.get("/<log_id>/llm-logs")
def llm_logs(log_id: str) -> Any:
    """All that was asked of language models in a conversation, whole."""
    log = find_log(team(), log_id)
    return render_template("llm_logs.html", log=log, llm_logs=LlmLog.of_conversation(log))


@blp.get("/<log_id>/deliveries")
def deliveries(log_id: str) -> Any:
    """What webhooks were told of a call."""
    log = find_log(team(), log_id)
    return render_template("call_deliveries.html", log=log, deliveries=_deliveries(log))


def _of_call(log: VoiceLog, said: list[conversation.Turn], told: list[Any]) -> dict[str, Any]:
    asked = Asked()
    running = CallInProgress.find(id=log.id) is not None
    before, after = voice_log_pagination.find_neighbours(log, asked.filters if asked.channel is VOICE else {})
    length_s = conversation.length_s(log, said)
    campaign_id = (log.metadata or {}).get("campaignId")
    timed = any(turn.start is not None for turn in said)
    return {
        "elapsed_s": conversation.elapsed_s(log) if running else None,
        "length_s": length_s,
        "lanes": timeline.lanes(told, length_s, conversation.transferred_at(log)) if timed and length_s else None,
        "recording": _recording(log.recording_url),
        "criteria": conversation.criteria(log.success_results),
        "deliveries": _deliveries(log),
        "before": before,
        "after": after,
        "query": asked.query,
        "campaign": OutboundCampaign.find(id=campaign_id, team_id=log.team_id)
        if isinstance(campaign_id, str)
        else None,
    }


def _facts(log: Log, channel: Channel) -> list[tuple[str, Any]]:
    """What only the logs of its channel have, by the wire's names, where it is known."""
    shared = {*LogSchema().wire_names, "transcription", "status"}
    told = ((name, getattr(log, attribute)) for name, attribute in schema_of(channel)().wire_names.items())
    return [(name, value) for name, value in told if name not in shared and value is not None]


def _deliveries(log: Log) -> list[WebhookDelivery]:
    return WebhookDelivery.search(DELIVERIES, log_id=log.id, team_id=log.team_id)


def _version(log: Log) -> FlowVersion | None:
    """The committed version whose code the flow had when it ran, the newest of several."""
    if not log.flow_id or not isinstance(log.flow_snapshot, str):
        return None
    return next(iter(FlowVersion.listing(log, flow_id=log.flow_id, code=log.flow_snapshot).slice(1)), None)


def _recording(address: str | None) -> dict[str, str] | None:
    """Where a call is heard: `src` on this server, `elsewhere` on another, which a page of this one cannot play."""
    if not address:
        return None
    if address.startswith(f"{base_url()}/recordings/"):
        host = urlsplit(address)
        return {"src": address.removeprefix(f"{host.scheme}://{host.netloc}")}
    return {"elsewhere": address} if address.startswith(("https://", "http://")) else None
