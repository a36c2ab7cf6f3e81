"""Conversations with flows, and the logs of those that came through the engine's own endpoint."""

from peewee import SqliteDatabase

TABLES = """
-- `dump` is the engine's, and only trusted because nothing but this database ever held it. `name` is the id that a
-- caller chose, unique in its worker. Flow, deployment and log are no foreign keys: a conversation outlives its flow.
CREATE TABLE talk_session (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT REFERENCES worker ON DELETE CASCADE,
    flow_id TEXT, deployment_id TEXT, log_id TEXT, name TEXT, turns INTEGER NOT NULL, ended TEXT,
    waiting TEXT NOT NULL, extracted TEXT NOT NULL, state TEXT NOT NULL, failure TEXT,
    dump BLOB NOT NULL);
CREATE INDEX talk_session_team ON talk_session (team_id);
CREATE UNIQUE INDEX talk_session_name ON talk_session (worker_id, name);

CREATE TABLE talk_turn (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    talk_id TEXT NOT NULL REFERENCES talk_session ON DELETE CASCADE,
    number INTEGER NOT NULL, events TEXT NOT NULL,
    UNIQUE (talk_id, number));
CREATE INDEX talk_turn_team ON talk_turn (team_id);

CREATE TABLE api_log (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    deployment_id TEXT, flow_id TEXT, type TEXT NOT NULL, start_time TEXT, end_time TEXT,
    request_model TEXT, response_content TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, total_tokens INTEGER,
    extractions_data TEXT, metadata TEXT, request_messages TEXT, messages TEXT, session_log_data TEXT,
    flow_snapshot TEXT);
CREATE INDEX api_log_listing ON api_log (worker_id, created_at, id, deployment_id, flow_id);
CREATE INDEX api_log_team ON api_log (team_id, start_time, id);
CREATE INDEX api_log_deployment ON api_log (deployment_id);
"""


def up(migrator: object, db: SqliteDatabase) -> None:
    """Create the tables."""
    for statement in TABLES.split(";\n"):
        if statement.strip():
            db.execute_sql(statement)
