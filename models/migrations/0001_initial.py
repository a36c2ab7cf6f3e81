"""The first schema. A step is frozen once released: later changes are steps of their own.

Plain SQL, so that every key, cascade and index can be read here. Times are text as on the wire, JSON is text.
"""

from peewee import SqliteDatabase

TABLES = """
CREATE TABLE server (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE team (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    name TEXT NOT NULL, team_owner_id TEXT, twilio_subaccount_sid TEXT, twilio_subaccount_auth_token TEXT,
    CHECK (team_id = id));

CREATE TABLE api_key (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    name TEXT, sha256 TEXT NOT NULL UNIQUE);
CREATE INDEX api_key_team ON api_key (team_id);

CREATE TABLE worker (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    name TEXT NOT NULL, description TEXT, status TEXT, engine_version TEXT NOT NULL, last_refreshed_at TEXT,
    icon TEXT, visualizations TEXT);
CREATE INDEX worker_listing ON worker (team_id, created_at, id);

CREATE TABLE tag (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    label TEXT NOT NULL, color TEXT NOT NULL,
    UNIQUE (team_id, label));

CREATE TABLE worker_tag (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    tag_id TEXT NOT NULL REFERENCES tag ON DELETE CASCADE,
    UNIQUE (worker_id, tag_id));
CREATE INDEX worker_tag_tag ON worker_tag (tag_id);
CREATE INDEX worker_tag_team ON worker_tag (team_id);

CREATE TABLE integration (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    app_type TEXT NOT NULL, config TEXT NOT NULL, auth_token TEXT, name TEXT, description TEXT,
    worker_id TEXT REFERENCES worker ON DELETE SET NULL);
CREATE INDEX integration_team ON integration (team_id);
CREATE INDEX integration_worker ON integration (worker_id);

CREATE TABLE phone_number (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    phone_number TEXT NOT NULL, provider TEXT NOT NULL, a2p_verified INTEGER NOT NULL,
    integration_id TEXT REFERENCES integration ON DELETE SET NULL,
    worker_id TEXT REFERENCES worker ON DELETE SET NULL,
    country_code TEXT, caller_name TEXT, metadata TEXT,
    UNIQUE (team_id, phone_number));
CREATE INDEX phone_number_integration ON phone_number (integration_id);
CREATE INDEX phone_number_worker ON phone_number (worker_id);

CREATE TABLE flow (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    version INTEGER NOT NULL, name TEXT NOT NULL, label TEXT, code TEXT NOT NULL, variables TEXT NOT NULL,
    last_edited_by_type TEXT NOT NULL, last_edited_by_user_id TEXT, last_edited_by_api_key_id TEXT);
CREATE INDEX flow_team ON flow (team_id);
CREATE INDEX flow_worker ON flow (worker_id);

CREATE TABLE flow_version (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    flow_id TEXT NOT NULL REFERENCES flow ON DELETE CASCADE,
    version_number INTEGER NOT NULL, code TEXT NOT NULL, variables TEXT NOT NULL, commit_message TEXT NOT NULL,
    author_type TEXT NOT NULL, author_user_id TEXT, author_api_key_id TEXT,
    UNIQUE (flow_id, version_number));
CREATE INDEX flow_version_team ON flow_version (team_id);

-- One table for every channel, told apart by `type`: parameters, history and the lookup by id reach all of them.
-- flow_id is no foreign key: deleting a flow leaves the deployments that name it.
CREATE TABLE deployment (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    type TEXT NOT NULL, flow_id TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL,
    phone_number TEXT, enable_voice_sentiment INTEGER, voice_provider TEXT, voice_id TEXT, agent_id TEXT,
    external_config TEXT, backup_phone_number TEXT, backup_phone_message TEXT, twilml_bin_sid TEXT,
    engine_model TEXT, extractions TEXT, success_criteria TEXT);
CREATE INDEX deployment_team ON deployment (team_id);
CREATE INDEX deployment_worker ON deployment (worker_id, type);

-- deployment_id is no foreign key: an imported log may name a deployment that is gone. Small columns come first,
-- so that a filter need not read the pages of the large ones.
CREATE TABLE voice_log (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    deployment_id TEXT, flow_id TEXT, type TEXT NOT NULL, start_time TEXT, end_time TEXT, external_call_id TEXT,
    direction TEXT, from_number TEXT, to_number TEXT, status TEXT, call_sid TEXT, duration INTEGER,
    bb_engine_session_id TEXT, telephony_source TEXT, recording_url TEXT,
    extractions_data TEXT, metadata TEXT, data TEXT, success_results TEXT, transfer_data TEXT,
    transcription TEXT, messages TEXT, session_log_data TEXT, flow_snapshot TEXT);
-- Holds all that a list filters and sorts by, so that finding and counting a page never touches the table.
CREATE INDEX voice_log_listing ON voice_log (
    worker_id, start_time, id, deployment_id, flow_id, direction, status, from_number, to_number, duration,
    end_time, external_call_id, call_sid, created_at, updated_at);
CREATE INDEX voice_log_team ON voice_log (team_id, start_time, id);
CREATE INDEX voice_log_deployment ON voice_log (deployment_id);

CREATE TABLE echo_suite (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    name TEXT NOT NULL, description TEXT, deployment_id TEXT REFERENCES deployment ON DELETE SET NULL,
    scorecard_ids TEXT NOT NULL, echo_scorecard_ids TEXT NOT NULL);
CREATE INDEX echo_suite_team ON echo_suite (team_id);
CREATE INDEX echo_suite_deployment ON echo_suite (deployment_id);

CREATE TABLE echo_scorecard (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    name TEXT NOT NULL, description TEXT, items TEXT NOT NULL,
    suite_id TEXT REFERENCES echo_suite ON DELETE SET NULL, agent_id TEXT,
    deployment_id TEXT REFERENCES deployment ON DELETE SET NULL);
CREATE INDEX echo_scorecard_team ON echo_scorecard (team_id);
CREATE INDEX echo_scorecard_suite ON echo_scorecard (suite_id);
CREATE INDEX echo_scorecard_deployment ON echo_scorecard (deployment_id);

CREATE TABLE export (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    status TEXT NOT NULL, format TEXT NOT NULL, log_type TEXT, start_date TEXT, end_date TEXT,
    worker_id TEXT, deployment_id TEXT, fields TEXT, filters TEXT,
    row_count INTEGER, file_size_bytes INTEGER, error_message TEXT, expires_at TEXT);
CREATE INDEX export_listing ON export (team_id, created_at, id);
CREATE INDEX export_status ON export (status, created_at);
-- One active export a team.
CREATE UNIQUE INDEX export_active ON export (team_id) WHERE status IN ('PENDING', 'PROCESSING');

-- The logs of the other channels, as voice_log.
CREATE TABLE chat_log (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    deployment_id TEXT, flow_id TEXT, type TEXT NOT NULL, start_time TEXT, end_time TEXT,
    user_id TEXT, user_name TEXT, user_email TEXT, message_count INTEGER, duration INTEGER, rating INTEGER, feedback TEXT,
    extractions_data TEXT, metadata TEXT, messages TEXT, session_log_data TEXT, flow_snapshot TEXT);
CREATE INDEX chat_log_listing ON chat_log (worker_id, created_at, id, deployment_id, flow_id);
CREATE INDEX chat_log_team ON chat_log (team_id, start_time, id);
CREATE INDEX chat_log_deployment ON chat_log (deployment_id);

CREATE TABLE chat_embed_log (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    deployment_id TEXT, flow_id TEXT, type TEXT NOT NULL, start_time TEXT, end_time TEXT,
    expired INTEGER NOT NULL, session_id TEXT, status TEXT, message_count INTEGER, duration INTEGER,
    latency TEXT, tool_calls TEXT, origin_url TEXT, user_agent TEXT,
    extractions_data TEXT, metadata TEXT, messages TEXT, session_log_data TEXT, flow_snapshot TEXT);
CREATE INDEX chat_embed_log_listing ON chat_embed_log (worker_id, created_at, id, deployment_id, flow_id, session_id);
CREATE INDEX chat_embed_log_team ON chat_embed_log (team_id, start_time, id);
CREATE INDEX chat_embed_log_deployment ON chat_embed_log (deployment_id);

CREATE TABLE sms_log (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    deployment_id TEXT, flow_id TEXT, type TEXT NOT NULL, start_time TEXT, end_time TEXT,
    from_number TEXT, to_number TEXT, direction TEXT, status TEXT,
    extractions_data TEXT, metadata TEXT, transcription TEXT, messages TEXT, session_log_data TEXT, flow_snapshot TEXT);
CREATE INDEX sms_log_listing ON sms_log (worker_id, created_at, id, deployment_id, flow_id);
CREATE INDEX sms_log_team ON sms_log (team_id, start_time, id);
CREATE INDEX sms_log_deployment ON sms_log (deployment_id);

CREATE TABLE whatsapp_log (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    deployment_id TEXT, flow_id TEXT, type TEXT NOT NULL, start_time TEXT, end_time TEXT,
    from_number TEXT, to_number TEXT, direction TEXT, status TEXT,
    extractions_data TEXT, metadata TEXT, transcription TEXT, messages TEXT, session_log_data TEXT, flow_snapshot TEXT);
CREATE INDEX whatsapp_log_listing ON whatsapp_log (worker_id, created_at, id, deployment_id, flow_id);
CREATE INDEX whatsapp_log_team ON whatsapp_log (team_id, start_time, id);
CREATE INDEX whatsapp_log_deployment ON whatsapp_log (deployment_id);

CREATE TABLE session (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    flow_id TEXT, status TEXT, input_tokens INTEGER, output_tokens INTEGER, minutes NUMERIC,
    session_start TEXT, session_end TEXT, state TEXT, messages TEXT, trace TEXT, error TEXT);
CREATE INDEX session_team ON session (team_id);
CREATE INDEX session_worker ON session (worker_id);

CREATE TABLE llm_log (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT REFERENCES worker ON DELETE SET NULL,
    event_type TEXT NOT NULL, call_id TEXT, session_id TEXT, data TEXT);
CREATE INDEX llm_log_listing ON llm_log (team_id, created_at, id, event_type);
CREATE INDEX llm_log_worker ON llm_log (worker_id);
CREATE INDEX llm_log_call ON llm_log (team_id, call_id, created_at, id);
CREATE INDEX llm_log_session ON llm_log (team_id, session_id, created_at, id);

-- deployment_id is no foreign key: an imported error may name a deployment that is gone.
CREATE TABLE runtime_error (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    error TEXT NOT NULL, service TEXT NOT NULL, type TEXT NOT NULL, severity TEXT NOT NULL,
    deployment_id TEXT, flow_id TEXT, function_name TEXT, line_number INTEGER, bb_engine_session_id TEXT,
    traceback TEXT, metadata TEXT);
CREATE INDEX runtime_error_team ON runtime_error (team_id);
CREATE INDEX runtime_error_listing ON runtime_error (worker_id, created_at, id, deployment_id, type, service, severity);
CREATE INDEX runtime_error_deployment ON runtime_error (deployment_id);
CREATE TRIGGER runtime_error_forget AFTER DELETE ON deployment BEGIN
    UPDATE runtime_error SET deployment_id = NULL WHERE deployment_id = old.id; END;
"""


def up(migrator: object, db: SqliteDatabase) -> None:
    """Create every table."""
    for statement in TABLES.split(";\n"):
        if statement.strip():
            db.execute_sql(statement)
