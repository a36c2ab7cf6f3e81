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

-- One table for all channels, with the channel in `type`: parameters, history and the look-up by id need them together.
-- flow_id is no foreign key: deleting a flow leaves the deployments that refer to it.
CREATE TABLE deployment (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    type TEXT NOT NULL, flow_id TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL,
    phone_number TEXT, enable_voice_sentiment INTEGER, voice_provider TEXT, voice_id TEXT, agent_id TEXT,
    external_config TEXT, backup_phone_number TEXT, backup_phone_message TEXT, twilml_bin_sid TEXT,
    engine_model TEXT, extractions TEXT, success_criteria TEXT,
    objective TEXT, start_sentence TEXT, end_sentence TEXT, language TEXT, allowed_transfer_numbers TEXT,
    functions TEXT, model TEXT, resource_keys TEXT, ws_base_url TEXT, config TEXT,
    flow_version_id TEXT REFERENCES flow_version ON DELETE SET NULL,
    chat_agent_id TEXT UNIQUE, allowed_users TEXT, model_config TEXT, welcome_message TEXT, llm_model TEXT,
    embed_id TEXT UNIQUE, agent_name TEXT, agent_logo_url TEXT, primary_color TEXT, styling TEXT);
CREATE INDEX deployment_team ON deployment (team_id);
CREATE INDEX deployment_worker ON deployment (worker_id, type);
CREATE INDEX deployment_flow_version ON deployment (flow_version_id);

-- deployment_id is no foreign key: an imported log may refer to a deleted deployment. Small columns come first, so that
-- a filter does not read the pages of the large ones.
CREATE TABLE voice_log (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    deployment_id TEXT, flow_id TEXT, type TEXT NOT NULL, start_time TEXT, end_time TEXT, external_call_id TEXT,
    direction TEXT, from_number TEXT, to_number TEXT, status TEXT, call_sid TEXT, duration INTEGER,
    bb_engine_session_id TEXT, telephony_source TEXT, recording_url TEXT,
    extractions_data TEXT, metadata TEXT, data TEXT, success_results TEXT, transfer_data TEXT,
    transcription TEXT, messages TEXT, session_log_data TEXT, flow_snapshot TEXT);
-- Both find and count the logs of a list without reading the table. The first has every column that a list filters or
-- sorts by, the second the columns used most, in half the size. SQLite prefers the later one where both would do.
CREATE INDEX voice_log_filters ON voice_log (
    worker_id, start_time, id, status, direction, deployment_id, flow_id, duration, end_time, from_number, to_number,
    external_call_id, created_at, updated_at);
CREATE INDEX voice_log_listing ON voice_log (worker_id, start_time, id, status, direction, deployment_id);
CREATE INDEX voice_log_call_sid ON voice_log (call_sid) WHERE call_sid IS NOT NULL;
CREATE INDEX voice_log_external_call ON voice_log (external_call_id) WHERE external_call_id IS NOT NULL;
-- For the voice analysis and the console's chart: every column that they read. The transfers are in the next index,
-- since few calls have one.
CREATE INDEX voice_log_team ON voice_log (
    team_id, start_time, id, created_at, worker_id, deployment_id, duration, status);
CREATE INDEX voice_log_transfers ON voice_log (
    team_id, start_time, id, created_at, worker_id, deployment_id, json_extract(transfer_data, '$.metrics'))
    WHERE transfer_data IS NOT NULL;
CREATE INDEX voice_log_deployment ON voice_log (deployment_id);
-- The calls of a campaign, in the order they began.
CREATE INDEX voice_log_campaign ON voice_log (json_extract(metadata, '$.campaignId'), deployment_id, start_time, id)
    WHERE json_extract(metadata, '$.campaignId') IS NOT NULL;

-- The id is that of the log. `call` holds the rows of the complete call, `shown_until` is when they were last updated.
CREATE TABLE call_in_progress (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    deployment_id TEXT NOT NULL REFERENCES deployment ON DELETE CASCADE,
    due_at TEXT NOT NULL, shown_until TEXT, call TEXT NOT NULL);
CREATE INDEX call_in_progress_team ON call_in_progress (team_id);
CREATE INDEX call_in_progress_deployment ON call_in_progress (deployment_id);
CREATE INDEX call_in_progress_due ON call_in_progress (due_at, id);

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
    suite_id TEXT REFERENCES echo_suite ON DELETE SET NULL, agent_id TEXT REFERENCES echo_agent ON DELETE SET NULL,
    deployment_id TEXT REFERENCES deployment ON DELETE SET NULL);
CREATE INDEX echo_scorecard_team ON echo_scorecard (team_id);
CREATE INDEX echo_scorecard_suite ON echo_scorecard (suite_id);
CREATE INDEX echo_scorecard_deployment ON echo_scorecard (deployment_id);
CREATE INDEX echo_scorecard_agent ON echo_scorecard (agent_id);

CREATE TABLE export (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    status TEXT NOT NULL, format TEXT NOT NULL, log_type TEXT, start_date TEXT, end_date TEXT,
    worker_id TEXT, deployment_id TEXT, fields TEXT, filters_json TEXT,
    row_count INTEGER, file_size_bytes INTEGER, error_message TEXT, expires_at TEXT, base_url TEXT);
CREATE INDEX export_listing ON export (team_id, created_at, id);
CREATE INDEX export_status ON export (status, created_at);
-- A team has one active export at most.
CREATE UNIQUE INDEX export_active ON export (team_id) WHERE status IN ('PENDING', 'PROCESSING');

-- The logs of the other channels.
CREATE TABLE chat_log (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    deployment_id TEXT, flow_id TEXT, type TEXT NOT NULL, start_time TEXT, end_time TEXT,
    user_id TEXT, user_name TEXT, user_email TEXT, message_count INTEGER, duration INTEGER, rating INTEGER,
    feedback TEXT,
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

-- A conversation with a flow. `dump` is the engine's serialized state, which is safe to load because it comes from this
-- database only. `name` is the id that a caller chose, unique in its worker. Flow, deployment and log are no foreign
-- keys: a conversation outlives its flow.
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

-- deployment_id is no foreign key: an imported error may refer to a deleted deployment.
CREATE TABLE runtime_error (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    error TEXT NOT NULL, service TEXT NOT NULL, type TEXT NOT NULL, severity TEXT NOT NULL,
    deployment_id TEXT, flow_id TEXT, function_name TEXT, line_number INTEGER, bb_engine_session_id TEXT,
    traceback TEXT, metadata TEXT);
CREATE INDEX runtime_error_team ON runtime_error (team_id, created_at, id);
CREATE INDEX runtime_error_listing ON runtime_error (worker_id, created_at, id, deployment_id, type, service, severity);
CREATE INDEX runtime_error_deployment ON runtime_error (deployment_id);
CREATE TRIGGER runtime_error_forget AFTER DELETE ON deployment BEGIN
    UPDATE runtime_error SET deployment_id = NULL WHERE deployment_id = old.id; END;

CREATE TABLE echo_agent (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    name TEXT NOT NULL, type TEXT NOT NULL, purpose TEXT NOT NULL, goals TEXT NOT NULL,
    deployment_id TEXT REFERENCES deployment ON DELETE SET NULL,
    suite_id TEXT REFERENCES echo_suite ON DELETE SET NULL, scorecard_ids TEXT NOT NULL);
CREATE INDEX echo_agent_team ON echo_agent (team_id);
CREATE INDEX echo_agent_deployment ON echo_agent (deployment_id);
CREATE INDEX echo_agent_suite ON echo_agent (suite_id);

-- A run has copies of its agents and its plan: agents and suites may be deleted while it runs.
CREATE TABLE echo_run (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    type TEXT NOT NULL, status TEXT NOT NULL, due_at TEXT,
    agent_data TEXT NOT NULL, plan TEXT NOT NULL, results TEXT);
CREATE INDEX echo_run_listing ON echo_run (team_id, created_at, id);
CREATE INDEX echo_run_open ON echo_run (COALESCE(due_at, created_at), id) WHERE status IN ('QUEUED', 'RUNNING');

CREATE TABLE whatsapp_sender (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    phone_number TEXT NOT NULL, status TEXT NOT NULL, profile TEXT NOT NULL);
CREATE INDEX whatsapp_sender_team ON whatsapp_sender (team_id);
CREATE INDEX whatsapp_sender_open ON whatsapp_sender (created_at) WHERE status = 'PENDING';

CREATE TABLE custom_voice (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    elevenlabs_voice_id TEXT NOT NULL, name TEXT NOT NULL, owner_id TEXT);
CREATE INDEX custom_voice_team ON custom_voice (team_id);

CREATE TABLE business_hours (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    hours TEXT NOT NULL, timezone TEXT NOT NULL, primary_tag TEXT, secondary_tag TEXT);
CREATE INDEX business_hours_team ON business_hours (team_id);

CREATE TABLE team_phone_hours (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    hours_id TEXT NOT NULL REFERENCES business_hours ON DELETE CASCADE, phone_number TEXT NOT NULL);
CREATE INDEX team_phone_hours_team ON team_phone_hours (team_id);
CREATE INDEX team_phone_hours_hours ON team_phone_hours (hours_id);

CREATE TABLE test (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE, flow_id TEXT NOT NULL,
    name TEXT NOT NULL, description TEXT, test_mode TEXT NOT NULL, system_prompt TEXT NOT NULL,
    checkpoints TEXT NOT NULL, websocket_url TEXT);
CREATE INDEX test_team ON test (team_id);
CREATE INDEX test_worker ON test (worker_id);

CREATE TABLE test_run (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    test_id TEXT NOT NULL REFERENCES test ON DELETE CASCADE, status TEXT NOT NULL, due_at TEXT, results TEXT);
CREATE INDEX test_run_team ON test_run (team_id);
CREATE INDEX test_run_listing ON test_run (test_id, created_at, id);
CREATE INDEX test_run_open ON test_run (COALESCE(due_at, created_at), id) WHERE status IN ('PENDING', 'RUNNING');

CREATE TABLE folder (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    name TEXT NOT NULL, description TEXT, graph_metadata TEXT,
    UNIQUE (worker_id, name));
CREATE INDEX folder_team ON folder (team_id);

CREATE TABLE resource (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    folder_id TEXT REFERENCES folder ON DELETE SET NULL,
    name TEXT NOT NULL, rag_type TEXT NOT NULL, status TEXT, key TEXT, raw_link TEXT, update_frequency TEXT,
    file_name TEXT, mime_type TEXT, size INTEGER, s3_file_path TEXT, signed_s3_file_path TEXT, image_s3_file_path TEXT,
    num_scrolls INTEGER, graph_status TEXT, processing_error TEXT, last_updated TEXT, uploaded_at TEXT);
CREATE INDEX resource_team ON resource (team_id);
CREATE INDEX resource_worker ON resource (worker_id, created_at, id);
CREATE INDEX resource_folder ON resource (folder_id);
CREATE INDEX resource_moving ON resource (status, created_at) WHERE status IN ('STARTED', 'PROCESSING');

-- The searchable text of each resource, which triggers insert and delete with it. `body` is a file's text. `number` is
-- declared because an undeclared rowid may change when the database is copied, and the FTS index refers to it.
CREATE TABLE resource_text (
    number INTEGER PRIMARY KEY, resource_id TEXT NOT NULL UNIQUE REFERENCES resource ON DELETE CASCADE,
    name TEXT NOT NULL, link TEXT NOT NULL, body TEXT NOT NULL);
CREATE VIRTUAL TABLE resource_index USING fts5 (
    name, link, body, content = 'resource_text', content_rowid = 'number',
    tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER resource_added AFTER INSERT ON resource
BEGIN INSERT INTO resource_text (resource_id, name, link, body)
    VALUES (new.id, new.name, coalesce(new.raw_link, new.file_name, ''), ''); END;
CREATE TRIGGER resource_text_added AFTER INSERT ON resource_text
BEGIN INSERT INTO resource_index (rowid, name, link, body) VALUES (new.number, new.name, new.link, new.body); END;
CREATE TRIGGER resource_text_removed AFTER DELETE ON resource_text
BEGIN INSERT INTO resource_index (resource_index, rowid, name, link, body)
    VALUES ('delete', old.number, old.name, old.link, old.body); END;
CREATE TRIGGER resource_text_changed AFTER UPDATE ON resource_text
BEGIN INSERT INTO resource_index (resource_index, rowid, name, link, body)
    VALUES ('delete', old.number, old.name, old.link, old.body); INSERT INTO resource_index (rowid, name, link, body)
    VALUES (new.number, new.name, new.link, new.body); END;

CREATE TABLE upload (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    file_name TEXT NOT NULL, mime_type TEXT NOT NULL, size INTEGER NOT NULL);
CREATE INDEX upload_team ON upload (team_id);
CREATE INDEX upload_worker ON upload (worker_id);

CREATE TABLE custom_webhook (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    deployment_id TEXT NOT NULL REFERENCES deployment ON DELETE CASCADE,
    url TEXT NOT NULL, fields TEXT NOT NULL, method TEXT NOT NULL, name TEXT, active INTEGER NOT NULL);
CREATE INDEX custom_webhook_team ON custom_webhook (team_id);
CREATE INDEX custom_webhook_deployment ON custom_webhook (deployment_id);

CREATE TABLE deployment_history_entry (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    deployment_id TEXT NOT NULL REFERENCES deployment ON DELETE CASCADE,
    change_type TEXT NOT NULL, changes TEXT NOT NULL,
    author_type TEXT NOT NULL, author_user_id TEXT, author_api_key_id TEXT);
CREATE INDEX deployment_history_entry_team ON deployment_history_entry (team_id);
CREATE INDEX deployment_history_entry_listing ON deployment_history_entry (deployment_id, created_at, id);

CREATE TABLE deployment_parameter (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    deployment_id TEXT NOT NULL REFERENCES deployment ON DELETE CASCADE,
    name TEXT NOT NULL, value TEXT, description TEXT,
    UNIQUE (deployment_id, name));
CREATE INDEX deployment_parameter_team ON deployment_parameter (team_id);

-- Thresholds and rates have no type, so that 3000 stays an integer and 0.7 a float.
CREATE TABLE default_checks (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL UNIQUE REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    latency_enabled INTEGER NOT NULL, latency_threshold NOT NULL, api_enabled INTEGER NOT NULL,
    api_threshold NOT NULL, ai_enabled INTEGER NOT NULL, ai_threshold NOT NULL,
    alert_emails TEXT NOT NULL, sample_rate NOT NULL);

-- The id is that of the deployment. NULL means that the deployment does not override the value.
CREATE TABLE deployment_default_checks (
    id TEXT PRIMARY KEY NOT NULL REFERENCES deployment ON DELETE CASCADE,
    team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    enabled INTEGER, latency_enabled INTEGER, latency_threshold, api_enabled INTEGER, api_threshold,
    ai_enabled INTEGER, ai_threshold, alert_emails TEXT, sample_rate);
CREATE INDEX deployment_default_checks_team ON deployment_default_checks (team_id);

-- flow_id is no foreign key, as in deployment. `ends_at` is when the last call placed so far ends. `arrived_at`, here
-- and below, is when the row was created or imported: imported rows are scheduled from then on.
CREATE TABLE outbound_campaign (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    worker_id TEXT NOT NULL REFERENCES worker ON DELETE CASCADE,
    deployment_id TEXT NOT NULL REFERENCES deployment ON DELETE CASCADE,
    flow_id TEXT, data TEXT NOT NULL, status TEXT NOT NULL, batch_size INTEGER NOT NULL,
    batch_interval_minutes INTEGER NOT NULL, name TEXT, description TEXT, additional_data TEXT,
    telephony_provider TEXT, created_by_id TEXT, ends_at TEXT, arrived_at TEXT NOT NULL);
CREATE INDEX outbound_campaign_team ON outbound_campaign (team_id);
CREATE INDEX outbound_campaign_worker ON outbound_campaign (worker_id);
CREATE INDEX outbound_campaign_deployment ON outbound_campaign (deployment_id, created_at, id);
CREATE INDEX outbound_campaign_active ON outbound_campaign (status) WHERE status IN ('STARTED', 'RUNNING');

-- The rows that batch calls and campaigns have still to call.
CREATE TABLE queued_call (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    deployment_id TEXT NOT NULL REFERENCES deployment ON DELETE CASCADE,
    campaign_id TEXT REFERENCES outbound_campaign ON DELETE CASCADE,
    row TEXT NOT NULL, due_at TEXT, row_id TEXT, terms TEXT, arrived_at TEXT NOT NULL);
CREATE INDEX queued_call_team ON queued_call (team_id);
CREATE INDEX queued_call_deployment ON queued_call (deployment_id);
CREATE INDEX queued_call_campaign ON queued_call (campaign_id, due_at);
CREATE INDEX queued_call_due ON queued_call (due_at, id);

CREATE TABLE voicev1_campaign (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    deployment_id TEXT NOT NULL REFERENCES deployment ON DELETE CASCADE,
    status TEXT NOT NULL, steps TEXT NOT NULL);
CREATE INDEX voicev1_campaign_team ON voicev1_campaign (team_id);
CREATE INDEX voicev1_campaign_deployment ON voicev1_campaign (deployment_id, created_at, id);

-- `row_id` is the id on the wire, unique in its campaign. `due_at` is when the row is called, `done_at` when that call
-- ends and `outcome` becomes the row's result.
CREATE TABLE voicev1_campaign_data (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    campaign_id TEXT NOT NULL REFERENCES voicev1_campaign ON DELETE CASCADE,
    row_id TEXT NOT NULL, row_data TEXT NOT NULL, status TEXT NOT NULL, result TEXT,
    due_at TEXT, done_at TEXT, outcome TEXT, arrived_at TEXT NOT NULL,
    UNIQUE (campaign_id, row_id));
CREATE INDEX voicev1_campaign_data_team ON voicev1_campaign_data (team_id);
CREATE INDEX voicev1_campaign_data_open ON voicev1_campaign_data (done_at, due_at, id)
    WHERE status IN ('PENDING', 'PROCESSING');

-- Webhook and deployment are no foreign keys: deliveries stay when they are deleted.
CREATE TABLE webhook_delivery (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    webhook_id TEXT, deployment_id TEXT NOT NULL, log_id TEXT NOT NULL, event TEXT NOT NULL,
    method TEXT NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL,
    due_at TEXT, delivered_at TEXT, response_status INTEGER, response_body TEXT, error TEXT);
CREATE INDEX webhook_delivery_team ON webhook_delivery (team_id, created_at, id);
CREATE INDEX webhook_delivery_listing ON webhook_delivery (created_at, id);
CREATE INDEX webhook_delivery_log ON webhook_delivery (log_id, created_at, id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (due_at, id) WHERE status = 'PENDING';
CREATE INDEX webhook_delivery_url ON webhook_delivery (url) WHERE status = 'PENDING';
