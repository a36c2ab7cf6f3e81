"""Conversations of each channel: the lists of the API, and a page for each log."""

from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import g, make_response, redirect, render_template, request, url_for

from dryline.blueprints.console import conversation, highlighting, snippets
from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form, require_team
from dryline.blueprints.console.log_lists import CHANNEL_TITLES, PAGE_LENGTH, VOICE, LogListQuery, rows_of
from dryline.models import activity, voice_log_pages
from dryline.models.calls_in_progress import UNDER_WAY, CallInProgress
from dryline.models.campaigns import OutboundCampaign
from dryline.models.channels import CHANNELS, Channel
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
from dryline.schemas.logs import LogSchema
from dryline.schemas.logs_lookup import LOG_SCHEMAS, AnyLogSchema
from dryline.schemas.voice_logs import SORTABLE
from dryline.simulator import recording_files
from dryline.storage.current_world import current
from dryline.web.links import base_url, log_with_recording

blp = PageBlueprint("calls", "Calls", "c", path="/calls")

MAX_DELIVERIES = 50


@blp.get("")
def show() -> Any:
    """Show the conversations of one channel: those of all workers, or of one."""
    if "" in request.args.values():  # a form also sends its empty fields
        args = urlencode([(name, value) for name, value in request.args.items(multi=True) if value != ""])
        return redirect(f"{request.script_root}{request.path}?{args}")
    query = LogListQuery()
    worker = query.worker
    page = None if query.errors else query.page()
    own = {"worker_id": worker.id} if worker else {}
    deployments = list(Deployment.listing(g.team, **own))
    content = render_template(
        "calls.html",
        list_query=query,
        page=page,
        rows=rows_of(query.channel, page, query.filters.get("search_query")) if page else [],
        channels=[(CHANNEL_TITLES[one.key], one.key) for one in CHANNELS],
        outcomes=(*UNDER_WAY, *OUTCOMES),
        sortable=SORTABLE,
        formats=FORMATS,
        deployments=[(one.id, one.name) for one in deployments],
        names={one.id: one.name for one in deployments},
        worker_names={one.id: one.name for one in query.workers},
        flows=[(one.id, one.name) for one in Flow.listing(g.team, **own)],
        snippets=snippets.list_snippets(g.team, query.channel, worker, {"limit": str(PAGE_LENGTH), **query.query})
        if page
        else {},
    )
    return content, 400 if query.errors else 200


@blp.get("/new-count")
def new_count() -> Any:
    """Return a link that says how many conversations are newer than those on the page (`?seen=`)."""
    query = LogListQuery()
    query.params.pop("cursor", None)
    total = query.page(limit=1, page=1).total
    address = url_for("calls.show", **query.args(page=None, cursor=None))
    return render_template("new_calls.html", count=total - request.args.get("seen", 0, int), address=address)


@blp.post("/export")
def export() -> Any:
    """Request an export of the listed conversations."""
    body = load_form(ExportBody)
    with current().transaction():
        Export.request(require_team(), base_url(), **body)
    return flash_and_redirect("The export is requested. It is made in the background.", "exports.show")


@blp.get("/latest")
def latest() -> Any:
    """Redirect to the newest call, with `?worker=` to that of the worker; to the list if there is none."""
    worker_id = request.args.get("worker")
    where = {"worker_id": worker_id} if worker_id else {}
    logs = activity.newest_logs(g.team, VoiceLog, 1, **where)
    return redirect(url_for("calls.call", log_id=logs[0].id) if logs else url_for("calls.show"))


@blp.get("/<log_id>")
def call(log_id: str) -> Any:
    """Show one conversation of any channel."""
    log = log_with_recording(find_log(require_team(), log_id))
    turns = conversation.read_turns(log)
    session_id, _ = log.engine_ids
    session = Session.find(id=session_id, team_id=log.team_id) if session_id else None
    trace = (session and session.trace) or (log.session_log_data or {}).get("trace")
    steps = conversation.read_steps(trace)
    exchanges = list(conversation.model_exchanges(log, LlmLog.of_conversation(log)))
    events = conversation.merge(turns, steps, exchanges)
    channel = log.channel
    shared = {
        "log": log,
        "channel": channel,
        "channel_title": CHANNEL_TITLES[channel.key],
        "events": events,
        "hidden_count": sum(not isinstance(event, conversation.Turn) for event in events),
        "lines_that_ran": conversation.lines_that_ran(events),
        "delayed_turns": [event for event in events if getattr(event, "latency_ms", None) is not None],
        "session": session,
        "errors": RuntimeErrorRecord.of_conversation(log),
        "worker": Worker.find(id=log.worker_id, team_id=log.team_id),
        "deployment": Deployment.find(id=log.deployment_id, team_id=log.team_id) if log.deployment_id else None,
        "flow": Flow.find(id=log.flow_id, team_id=log.team_id) if log.flow_id else None,
        "flow_version": _flow_version(log),
        "code_lines": highlighting.highlight(log.flow_snapshot) if isinstance(log.flow_snapshot, str) else [],
        "analysis": conversation.call_analysis(log),
        "has_exchanges": bool(exchanges),
    }
    if not isinstance(log, VoiceLog):
        return render_template("conversation.html", **shared, own_members=_own_members(log, channel))
    of_call = _call_values(log, turns, events)
    page = make_response(render_template("call.html", **shared, **of_call))
    if request.headers.get("HX-Target") == "call" and of_call["elapsed_s"] is None:
        page.headers["HX-Refresh"] = "true"  # the call ended while it was watched: reload, for the player
    return page


@blp.get("/<log_id>/answer")
def answer(log_id: str) -> Any:
    """Show a conversation as the API answers it. It is as long as the rest of its page, whose code it repeats."""
    log = log_with_recording(find_log(require_team(), log_id))
    back = url_for("calls.call", log_id=log_id)
    return render_template("api_answer.html", title="the conversation", back=back, raw=AnyLogSchema().dump(log))


@blp.get("/<log_id>/llm-logs")
def llm_logs(log_id: str) -> Any:
    """Show the requests of a conversation to language models in full."""
    log = find_log(require_team(), log_id)
    return render_template("llm_logs.html", log=log, llm_logs=LlmLog.of_conversation(log))


def _call_values(log: VoiceLog, turns: list[conversation.Turn], events: list[conversation.Event]) -> dict[str, Any]:
    """Return the template variables that only a call has."""
    query = LogListQuery()
    is_running = CallInProgress.find(id=log.id) is not None
    before, after = voice_log_pages.find_neighbours(log, query.filters if query.channel is VOICE else {}, query.owner)
    length_s = conversation.length_s(log, turns)
    campaign_id = (log.metadata or {}).get("campaignId")
    transfer = conversation.transfer(log)
    return {
        "elapsed_s": conversation.elapsed_s(log) if is_running else None,
        "current_line": conversation.current_line(events) if is_running else None,
        "length_s": length_s,
        "transfer": transfer,
        "voices_end_s": max((turn.end for turn in turns if turn.end is not None), default=None),
        "speaks_words": recording_files.speaks_words(current()),
        "has_lanes": bool(length_s) and any(turn.start is not None for turn in turns),
        "recording": _recording(log.recording_url),
        "criteria": conversation.success_criteria(log.success_results, turns),
        "deliveries": WebhookDelivery.search(MAX_DELIVERIES, log_id=log.id, team_id=log.team_id),
        "before": before,
        "after": after,
        "query": query.args(),
        "campaign": OutboundCampaign.find(id=campaign_id, team_id=log.team_id)
        if isinstance(campaign_id, str)
        else None,
    }


def _own_members(log: Log, channel: Channel) -> list[tuple[str, Any]]:
    """Return the members that only the logs of this channel have, by the wire's names, without nulls."""
    shared = {*LogSchema().wire_names, "transcription", "status"}
    members = ((name, getattr(log, attribute)) for name, attribute in LOG_SCHEMAS[channel.key].wire_names.items())
    return [(name, value) for name, value in members if name not in shared and value is not None]


def _flow_version(log: Log) -> FlowVersion | None:
    """Return the newest committed version with the code that ran."""
    if not log.flow_id or not isinstance(log.flow_snapshot, str):
        return None
    return next(iter(FlowVersion.listing(log, flow_id=log.flow_id, code=log.flow_snapshot).slice(1)), None)


def _recording(address: str | None) -> dict[str, str] | None:
    """Return the recording's address: `src` on this server, `elsewhere` on another, which the page must not fetch."""
    if not address:
        return None
    if address.startswith(f"{base_url()}/recordings/"):
        parts = urlsplit(address)
        return {"src": address.removeprefix(f"{parts.scheme}://{parts.netloc}")}
    return {"elsewhere": address} if address.startswith(("https://", "http://")) else None
