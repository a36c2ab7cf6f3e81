"""Conversations of each channel: the lists of the API, and a page for each log."""

from typing import Any

from flask import g, make_response, redirect, render_template, request, url_for

from dryline.blueprints.console.base import PageBlueprint, require_team
from dryline.blueprints.console.call_page import CallPage
from dryline.blueprints.console.conversation_page import ConversationPage
from dryline.blueprints.console.exports import request_export
from dryline.blueprints.console.log_list_page import LogListPage
from dryline.blueprints.console.log_lists import LogListQuery
from dryline.blueprints.console.operations import show_sent
from dryline.models import activity
from dryline.models.llm_logs import LlmLog
from dryline.models.logs_lookup import find_log
from dryline.models.voice_logs import VoiceLog
from dryline.schemas.logs_lookup import AnyLogSchema
from dryline.web.links import log_with_recording

blp = PageBlueprint("calls", "Calls", "c", path="/calls")


@blp.get("")
def show() -> Any:
    """Show the conversations of one channel: those of all workers, or of one."""
    page = LogListPage(LogListQuery())
    return render_template("calls.html", page=page), 400 if page.list_query.errors else 200


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
    return show_sent(request_export(), "The export is requested. It is made in the background.", "exports.show")


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
    if not isinstance(log, VoiceLog):
        return render_template("conversation.html", page=ConversationPage(log))
    page = CallPage(log, LogListQuery())
    answer = make_response(render_template("call.html", page=page))
    if request.headers.get("HX-Target") == "call" and not page.is_running:
        answer.headers["HX-Refresh"] = "true"  # the call ended while it was watched: reload, for the player
    return answer


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
