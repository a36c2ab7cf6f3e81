"""The queries of models/ that are plain SQL. Everything else asks with `Record` or with peewee.

Each says why: peewee takes 0.4 ms to write a query, cannot say it, or SQLite would choose another index.
`tests/test_plain_sql.py` reads their plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from peewee import SQL

from dryline.storage.json_values import json_list
from dryline.storage.record import Record, connection

Cells = tuple[Any, ...]  # of one row
# The value of the sort column, and the id that decides among equal values.
SortKey = tuple[Any, str]
Order = tuple[str, str]  # sort column; "asc" or "desc"


# Lists of voice logs: the busiest of the lists, and in the order of one of its indexes.

# Few logs have such an id. SQLite prefers the index of the worker's logs, unless a `+` keeps it from using the column.
_CALL_IDS = frozenset({"external_call_id", "call_sid"})


# The column of each filter, and its condition, whose parameter is the filter's value. voice_log_filters.py defines the
# functions `contains_folded` and `is_of_call`.
VOICE_LOG_CONDITIONS = {
    "deployment_id": ("deployment_id", "{} = ?"),
    "flow_id": ("flow_id", "{} = ?"),
    "direction": ("direction", "{} = ?"),
    "status": ("status", "{} = ?"),
    "external_call_id": ("external_call_id", "{} = ?"),
    "call_sid": ("call_sid", "{} = ?"),
    "from_number": ("from_number", "instr({}, ?)"),
    "to_number": ("to_number", "instr({}, ?)"),
    "search_query": ("transcription", "contains_folded({}, ?)"),
    "start_time_after": ("start_time", "{} >= ?"),
    "start_time_before": ("start_time", "{} <= ?"),
    "end_time_after": ("end_time", "{} >= ?"),
    "end_time_before": ("end_time", "{} <= ?"),
    "start_date": ("start_time", "{} >= ?"),
    "end_date": ("start_time", "{} <= ?"),
    "min_duration": ("duration", "{} >= ?"),
    "max_duration": ("duration", "{} <= ?"),
    # Of the console alone.
    "sentiment": ("data", "json_extract({}, '$.call_analysis.user_sentiment') = ?"),
    "call_text": (
        "transcription",
        "is_of_call({}, from_number || ' ' || to_number, id || ' ' || call_sid || ' ' || external_call_id, ?)",
    ),
}


class VoiceLogFilter:
    """The voice logs of an owner, a worker or a team, that meet some conditions."""

    def __init__(self, owner_column: str, owner_id: str, filters: Mapping[str, Any], conditions: list[SQL]) -> None:
        prefix = "" if _CALL_IDS.isdisjoint(filters) else "+"
        self._where = " AND ".join([f"{prefix}{owner_column} = ?", *[condition.sql for condition in conditions]])
        self._params = [owner_id, *filters.values()]

    def count(self) -> int:
        """Return the number of the logs."""
        sql = f"SELECT COUNT(*) FROM voice_log WHERE {self._where}"
        return connection().execute(sql, self._params).fetchone()[0]

    def page_keys(self, order: Order, after: SortKey | None, limit: int, offset: int = 0) -> list[SortKey]:
        """Return the sort keys of the `limit` logs of a page: those after a key, or else from `offset` on."""
        column, direction = order
        keys: list[SortKey] = []
        for condition, position in _index_ranges(order, after):
            sql = f"""
                SELECT {column}, id FROM voice_log
                WHERE {self._where} AND {condition}
                ORDER BY {column} {direction}, id {direction}
                LIMIT ? OFFSET ?
            """
            params = (*self._params, *position, limit - len(keys), offset)
            keys += connection().execute(sql, params).fetchall()
            if len(keys) == limit:
                break
        return keys


def _index_ranges(order: Order, after: SortKey | None) -> list[tuple[str, Cells]]:
    """Return the index ranges that hold the rest of a list, in its order: each an SQL condition and its parameters.

    SQLite sorts NULL below every value: first when ascending, last when descending.
    """
    if after is None:
        return [("1", ())]
    column, direction = order
    value, id = after
    operator = "<" if direction == "desc" else ">"
    ranges: list[tuple[str, Cells]] = []
    if value is None:
        ranges.append((f"{column} IS NULL AND id {operator} ?", (id,)))
        if direction == "asc":
            ranges.append((f"{column} IS NOT NULL", ()))
    else:
        ranges.append((f"({column}, id) {operator} (?, ?)", (value, id)))
        if direction == "desc":
            ranges.append((f"{column} IS NULL", ()))
    return ranges


def voice_log_columns(ids: Sequence[str], columns: Sequence[str]) -> dict[str, Cells]:
    """Return these columns of the voice logs with these ids, by id."""
    sql = f"SELECT {', '.join(columns)}, id FROM voice_log WHERE id IN ({', '.join('?' * len(ids))})"
    return {row[-1]: row[:-1] for row in connection().execute(sql, ids)}


# The search over a team. By the team alone SQLite would read all of its logs, so `+` keeps it from that column, and the
# workers of the team lead to the index that has the numbers.


def newest_call_ids_with_number(team_id: str, digits: str, limit: int) -> list[str]:
    """Return the ids of the team's newest calls from or to a number that has these digits."""
    sql = """
        SELECT id FROM voice_log
        WHERE worker_id IN (SELECT id FROM worker WHERE team_id = ?)
        AND (instr(from_number, ?) OR instr(to_number, ?))
        ORDER BY start_time DESC, id DESC
        LIMIT ?
    """
    return [id for (id,) in connection().execute(sql, (team_id, digits, digits, limit))]


def ids_with_prefix(model: type[Record], column: str, team_id: str, text: str, limit: int) -> list[str]:
    """Return the ids of a team's rows whose `column` begins with a text."""
    table = model._meta.table_name
    sql = f"SELECT id FROM {table} WHERE {column} >= ? AND {column} < ? AND +team_id = ? ORDER BY {column} LIMIT ?"
    # The last code point of Unicode sorts behind everything that the text may go on with.
    return [id for (id,) in connection().execute(sql, (text, f"{text}\U0010ffff", team_id, limit))]


# The figures of the console's pages: sums of thousands of calls in one pass.


def sum_calls(params: Mapping[str, Any]) -> list[Cells]:
    """Return sums of a team's ended calls for each worker and part of a period (see models/call_figures.py)."""
    # A part of a period is recognised by the first characters of its calls' times.
    # LIMIT -1 keeps SQLite from merging the queries: it would sort the calls with all of their `data`.
    sql = """
        SELECT worker_id, stamp, COUNT(*),
            TOTAL(status IN ('completed', 'transferred')),
            TOTAL(status = 'transferred'),
            TOTAL(CASE WHEN status IN ('completed', 'transferred') THEN duration END),
            JSON_GROUP_ARRAY(latency) FILTER (WHERE latency IS NOT NULL),
            TOTAL(success IN ('true', 'false')),
            TOTAL(success = 'true')
        FROM (
            SELECT worker_id, status, duration,
                CASE WHEN start_time >= :start THEN substr(start_time, 1, :length) END AS stamp,
                CASE WHEN json_type(data, '$.latency.p50') IN ('integer', 'real')
                    THEN json_extract(data, '$.latency.p50') END AS latency,
                json_type(data, '$.call_analysis.call_successful') AS success
            FROM voice_log
            WHERE team_id = :team AND status NOT IN ('ringing', 'in-progress')
            AND start_time >= :start_before AND start_time <= :now
            AND (start_time <= :now_before OR start_time >= :start)
            LIMIT -1
        )
        GROUP BY 1, 2
    """
    return connection().execute(sql, params).fetchall()


# Search in the texts of resources: FTS5, with the best passage of each resource.


def search_passages(terms: str, worker_id: str, where: Mapping[str, Sequence[str]], limit: int) -> list[Cells]:
    """Return the AVAILABLE resources of a worker that match, best first, equal ones by id, each with its best passage.

    `terms` is a query of FTS5; `where` maps columns of the resource to the values that they may have. The cells are
    the resource's id, name, type and link, its score, and the passage.
    """
    scope = "".join(f" AND r.{column} IN (SELECT value FROM json_each(?))" for column in where)
    # A row of the index is a passage, with the name of its resource. A match in the name weighs twice one in the text.
    # Beside `max`, SQLite takes the other columns of a group from the row with the maximum: the best passage.
    sql = f"""
        WITH hit AS MATERIALIZED (
            SELECT rowid AS number, -bm25(resource_index, 2.0, 1.5, 1.0) AS score
            FROM resource_index WHERE resource_index MATCH ?
        )
        SELECT r.id, r.name, r.rag_type, r.raw_link, max(hit.score) AS best, t.body
        FROM hit
        JOIN resource_text t ON t.number = hit.number
        JOIN resource r ON r.id = t.resource_id
        WHERE r.worker_id = ? AND coalesce(r.status, 'AVAILABLE') = 'AVAILABLE'{scope}
        GROUP BY r.id
        ORDER BY best DESC, r.id
        LIMIT ?
    """
    params = [terms, worker_id, *map(json_list, where.values()), limit]
    return connection().execute(sql, params).fetchall()


def index_text(resource_id: str, name: str, link: str, passages: Iterable[str]) -> None:
    """Replace the passages by which a resource is found. Triggers keep the index up to date."""
    connection().execute("DELETE FROM resource_text WHERE resource_id = ?", (resource_id,))
    rows = ((resource_id, name, link, passage) for passage in passages)
    connection().executemany("INSERT INTO resource_text (resource_id, name, link, body) VALUES (?, ?, ?, ?)", rows)


# Deletion with a worker or a deployment, of the rows that name them without a foreign key.


def remove_logs(table: str, session: str, call: str, column: str, parent: Record) -> None:
    """Delete the logs whose `column` is the parent's id, with their sessions, LLM logs and runtime errors.

    `session` and `call` are the SQL of the ids of a log's session and call.
    """
    # A plus keeps SQLite from an index whose first column is the team: it would read all logs of the team.
    logs = f"FROM {table} WHERE {column} = :parent AND +team_id = :team"
    sessions = f"(SELECT {session} {logs})"
    statements = (
        f"DELETE FROM llm_log WHERE team_id = :team AND session_id IN {sessions}",
        f"DELETE FROM llm_log WHERE team_id = :team AND call_id IN (SELECT {call} {logs})",
        f"""
            DELETE FROM runtime_error WHERE worker_id = :worker AND (
                bb_engine_session_id IN {sessions}
                OR json_extract(metadata, '$.logId') IN (SELECT id {logs})
            )
        """,
        f"DELETE FROM session WHERE +team_id = :team AND id IN {sessions}",
        f"DELETE {logs}",
    )
    params = {"parent": parent.id, "team": parent.team_id, "worker": getattr(parent, "worker_id", parent.id)}
    for statement in statements:
        connection().execute(statement, params)


def remove_llm_logs(worker_id: str) -> None:
    """Delete the LLM logs of a worker, those of no conversation too."""
    connection().execute("DELETE FROM llm_log WHERE worker_id = ?", (worker_id,))


# A column of a document that is no column of its table.


def due_time_of_row(never: str) -> str:
    """Return the SQL of when a row of a Voice V1 campaign is called: `never`, if it is open and not queued."""
    return f"""
        coalesce(
            (
                SELECT due_at FROM queued_call
                WHERE voicev1_campaign_id = voicev1_campaign_data.campaign_id AND row_id = voicev1_campaign_data.row_id
            ),
            CASE WHEN status IN ('PENDING', 'PROCESSING') AND done_at IS NULL THEN '{never}' END
        )
    """
