"""The search over everything: the rows of a team and the console's pages, in a dialog on each page or on its own."""

from collections.abc import Iterator
from functools import singledispatch
from typing import Any, NamedTuple

from flask import current_app, g, render_template, request, url_for

from dryline.blueprints.console.base import PageBlueprint
from dryline.blueprints.console.log_lists import CHANNEL_TITLES
from dryline.blueprints.console.template_filters import day, in_words, phone
from dryline.models.campaigns import OutboundCampaign
from dryline.models.deployments import Deployment
from dryline.models.exports import Export
from dryline.models.flows import Flow
from dryline.models.logs import Log
from dryline.models.team_search import MAX_TEXT, TeamHit, rank_of_name, search
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.voicev1_campaigns import Voicev1Campaign
from dryline.models.workers import Worker
from dryline.storage.record import Record

blp = PageBlueprint("search", path="/search")

MAX_RESULTS = 20
OPTIONS = "search-options"  # the element that has the results in the dialog


class Result(NamedTuple):
    """A line of the results. `moment` is a time of the API, which is shown in the chosen zone."""

    title: str
    kind: str
    address: str
    about: str = ""
    moment: str | None = None


@blp.get("")
def show() -> Any:
    """Show what fits the text of `?q=`; without a text, the pages. For the dialog the results alone."""
    text = request.args.get("q", "").strip()
    is_dialog = request.headers.get("HX-Target") == OPTIONS
    results = find_results(g.team, text)
    return render_template(
        "search_options.html" if is_dialog else "search.html", text=text, results=results, max_text=MAX_TEXT
    )


def find_results(team: Team | None, text: str) -> list[Result]:
    """Return the best results, at most `MAX_RESULTS`: rows and pages, then the list of calls with this text.

    Raises Invalid for a text that is too long.
    """
    if not text:
        return list(_page_results())[:MAX_RESULTS]
    ranked: list[tuple[int, Result]] = []
    for page in _page_results():
        rank = rank_of_name(text, page.title, page.about)
        if rank is not None:
            ranked.append((rank, page))
    if team is None:
        return [page for _, page in sorted(ranked, key=lambda one: one[0])]
    ranked += [(hit.rank, _result(hit)) for hit in search(team, text, MAX_RESULTS)]
    ranked.sort(key=lambda one: one[0])
    of_calls = Result(f"Calls with “{text}”", "Search", url_for("calls.show", searchQuery=text), "transcripts too")
    return [*(result for _, result in ranked[: MAX_RESULTS - 1]), of_calls]


def _page_results() -> Iterator[Result]:
    """Yield the pages of the menu, and those below them that people look for."""
    for page in current_app.blueprints.values():
        if isinstance(page, PageBlueprint) and page.title:
            yield Result(page.title, "Page", url_for(f"{page.name}.show"))
    for title, about, address in (
        ("Newest call", "", url_for("calls.latest")),
        ("Chats", "conversations", url_for("calls.show", channel="chat")),
        ("New worker", "create", url_for("workers.new")),
        ("New campaign", "create, contacts, CSV", url_for("campaigns.new")),
        ("New export", "create, CSV, JSON", url_for("exports.new")),
        ("Inbox", "webhooks", url_for("webhooks.inbox")),
        ("Verify requests", "request log", url_for("requests.verify")),
        ("Snapshots", "restore, state", f"{url_for('state.show')}#snapshots"),
        ("API docs", "reference, OpenAPI", f"{request.script_root}/docs"),
    ):
        yield Result(title, "Page", address, about)


def _result(hit: TeamHit) -> Result:
    return _result_of(hit.record, hit.worker_name)


@singledispatch
def _result_of(record: Record, worker_name: str) -> Result:
    """Return the line of a row that was found."""
    raise TypeError(f"There is no page of a {type(record).__name__}.")


@_result_of.register
def _(worker: Worker, worker_name: str) -> Result:
    return Result(worker.name, "Worker", url_for("workers.worker", worker_id=worker.id), worker.description or "")


@_result_of.register
def _(flow: Flow, worker_name: str) -> Result:
    address = url_for("flows.flow", worker_id=flow.worker_id, flow_id=flow.id)
    return Result(flow.name, "Flow", address, worker_name)


@_result_of.register
def _(deployment: Deployment, worker_name: str) -> Result:
    address = url_for("deployments.deployment", worker_id=deployment.worker_id, deployment_id=deployment.id)
    return Result(deployment.name, f"{deployment.type} deployment", address, worker_name)


@_result_of.register
def _(campaign: OutboundCampaign, worker_name: str) -> Result:
    address = url_for("campaigns.campaign", campaign_id=campaign.id)
    about = f"{worker_name}, {in_words(campaign.status)}"
    return Result(campaign.name or "Campaign", "Campaign", address, about, campaign.created_at)


@_result_of.register
def _(campaign: Voicev1Campaign, worker_name: str) -> Result:
    address = url_for("campaigns.campaign", campaign_id=campaign.id)
    return Result("Campaign", "Campaign", address, f"Voice V1, {in_words(campaign.status)}", campaign.created_at)


@_result_of.register
def _(export: Export, worker_name: str) -> Result:
    title = f"{export.log_type or 'all types'}, {export.format}"
    about = f"{day(export.start_date)} to {day(export.end_date)}" if export.start_date else ""
    return Result(title, "Export", url_for("exports.export", export_id=export.id), about, export.created_at)


@_result_of.register
def _(call: VoiceLog, worker_name: str) -> Result:
    number = call.to_number if call.direction == "outbound" else call.from_number
    about = f"{worker_name}, {in_words(call.status)}"
    return Result(phone(number), "Call", url_for("calls.call", log_id=call.id), about, call.start_time)


@_result_of.register
def _(log: Log, worker_name: str) -> Result:
    address = url_for("calls.call", log_id=log.id)
    return Result(log.id, CHANNEL_TITLES[log.channel.key], address, worker_name, log.start_time)
