"""A search over the rows of a team: by name, by telephone number in any notation, by id or its beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dryline.models.campaigns import OutboundCampaign
from dryline.models.deployments import Deployment
from dryline.models.exports import Export
from dryline.models.flows import Flow
from dryline.models.logs_lookup import LOG_CLASSES
from dryline.models.plain_sql import ids_with_prefix, newest_call_ids_with_number
from dryline.models.teams import Team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_log_filters import digits_of_number
from dryline.models.voice_logs import VoiceLog
from dryline.models.voicev1_campaigns import Voicev1Campaign
from dryline.models.workers import Worker
from dryline.storage.errors import Invalid
from dryline.storage.record import Record, tuples

MAX_TEXT = 200  # characters
MAX_CALLS = 8  # of a number; the list of calls has the others
_LEAST_ID = 6  # characters of an id's beginning

# How well a row fits, the best first.
EQUAL, BEGINS, WORDS_BEGIN, IN_NAME, IN_TEXTS = range(5)


@dataclass(frozen=True, slots=True)
class TeamHit:
    """A row that was found, with the name of its worker; empty if it has none."""

    record: Record
    rank: int
    worker_name: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A row that has a name. `texts` are the others by which it is found, `number` is its telephone number."""

    model: type[Record]
    id: str
    name: str
    texts: str
    number: str = ""
    worker_name: str = ""


def rank_of_name(text: str, name: str, texts: str = "") -> int | None:
    """Return how well a name, with further texts, fits what somebody looks for; None if it does not."""
    text, name = text.casefold(), name.casefold()
    if name == text:
        return EQUAL
    if name.startswith(text):
        return BEGINS
    words = text.split()
    words_of_name = re.split(r"[\W_]+", name)
    if all(_begins_one(word, words_of_name) for word in words):
        return WORDS_BEGIN
    if all(word in name for word in words):
        return IN_NAME
    everything = f"{name} {texts.casefold()}"
    return IN_TEXTS if all(word in everything for word in words) else None


def _begins_one(beginning: str, words: Sequence[str]) -> bool:
    return any(word.startswith(beginning) for word in words)


def search(team: Team, text: str, limit: int) -> list[TeamHit]:
    """Return the rows that fit best: workers, flows, deployments, campaigns, exports, calls and other conversations.

    Raises Invalid for a text that is too long.
    """
    if len(text) > MAX_TEXT:
        raise Invalid(f"A search has at most {MAX_TEXT} characters.", "q")
    worker_names = dict(tuples(Worker.select(Worker.id, Worker.name).where(Worker.team_id == team.id)))
    ranked: list[tuple[int, _Candidate]] = []
    for candidate in _candidates(team, worker_names):
        rank = _rank_candidate(text, candidate)
        if rank is not None:
            ranked.append((rank, candidate))
    ranked.sort(key=lambda pair: pair[0])  # within a rank they stay in the order of `_candidates`

    hits = []
    for rank, candidate in ranked[:limit]:
        record = candidate.model.find(id=candidate.id, team_id=team.id)
        if record is not None:
            hits.append(TeamHit(record, rank, candidate.worker_name))
    for rank, log in _find_logs(team, text, limit):
        hits.append(TeamHit(log, rank, worker_names.get(log.worker_id, "")))
    return sorted(hits, key=lambda hit: hit.rank)[:limit]


def _rank_candidate(text: str, candidate: _Candidate) -> int | None:
    if candidate.id == text:
        return EQUAL
    if len(text) >= _LEAST_ID and candidate.id.startswith(text):
        return BEGINS
    digits = digits_of_number(text)
    if digits and digits in re.sub(r"\D", "", candidate.number):
        return BEGINS
    return rank_of_name(text, candidate.name, candidate.texts)


def _candidates(team: Team, worker_names: dict[str, str]) -> Iterator[_Candidate]:
    """Yield the team's rows that have names, the newest of each kind first."""
    for id, name, description in _read_columns(team, Worker, "name", "description"):
        yield _Candidate(Worker, id, name, description or "")

    for id, name, label, worker_id in _read_columns(team, Flow, "name", "label", "worker_id"):
        worker = worker_names.get(worker_id, "")
        yield _Candidate(Flow, id, name, f"{label or ''} {worker}", worker_name=worker)

    # The table has the deployments of all channels.
    for id, name, type, number, worker_id in _read_columns(
        team, VoiceDeployment, "name", "type", "phone_number", "worker_id"
    ):
        worker = worker_names.get(worker_id, "")
        yield _Candidate(Deployment, id, name, f"{type} deployment {worker}", number or "", worker)

    for id, name, worker_id in _read_columns(team, OutboundCampaign, "name", "worker_id"):
        worker = worker_names.get(worker_id, "")
        yield _Candidate(OutboundCampaign, id, name or "Campaign", f"campaign {worker}", worker_name=worker)

    for (id,) in _read_columns(team, Voicev1Campaign):
        yield _Candidate(Voicev1Campaign, id, "Campaign", "Voice V1")

    for id, log_type, format, status in _read_columns(team, Export, "log_type", "format", "status"):
        yield _Candidate(Export, id, "Export", f"{log_type or 'all'} {format} {status}")


def _read_columns(team: Team, model: type[Record], *names: str) -> list[tuple[Any, ...]]:
    columns = [getattr(model, name) for name in ("id", *names)]
    query = model.select(*columns).where(model.team_id == team.id)
    return tuples(query.order_by(model.created_at.desc(), model.id.desc()))


def _find_logs(team: Team, text: str, limit: int) -> Iterator[tuple[int, Any]]:
    """Yield the team's calls with this number, and the conversations of any channel whose id begins so."""
    if digits := digits_of_number(text):
        for id in newest_call_ids_with_number(team.id, digits, MAX_CALLS):
            yield BEGINS, VoiceLog.by_id(id)
    if len(text) < _LEAST_ID or len(text.split()) != 1:
        return
    for model in LOG_CLASSES:
        # The ids of a call are often equal, so it may be found by several of them.
        columns = ("id", "call_sid", "external_call_id") if model is VoiceLog else ("id",)
        ids = {id: None for column in columns for id in ids_with_prefix(model, column, team.id, text, limit)}
        for id in ids:
            log = model.by_id(id)
            yield EQUAL if text in {getattr(log, column) for column in columns} else BEGINS, log
