"""Calls in progress: what their logs will be, and changes of logs that the bitmaps of lists need not hear of."""

from peewee import SqliteDatabase

STATEMENTS = (
    # The id is the log's. `call` is all that will be known of it, `shown_until` up to when its rows show it.
    """
CREATE TABLE call_in_progress (
    id TEXT PRIMARY KEY NOT NULL, team_id TEXT NOT NULL REFERENCES team ON DELETE CASCADE, created_at TEXT NOT NULL,
    deployment_id TEXT NOT NULL REFERENCES deployment ON DELETE CASCADE,
    due_at TEXT NOT NULL, shown_until TEXT, call TEXT NOT NULL)""",
    "CREATE INDEX call_in_progress_team ON call_in_progress (team_id)",
    "CREATE INDEX call_in_progress_deployment ON call_in_progress (deployment_id)",
    "CREATE INDEX call_in_progress_due ON call_in_progress (due_at, id)",
    "DROP TRIGGER voice_log_changed",
    # A log that gets a new row number is told by it, as one that is new (models/voice_log_bitmaps.py).
    """
CREATE TRIGGER voice_log_changed AFTER UPDATE OF
    id, worker_id, start_time, end_time, deployment_id, flow_id, direction, status, from_number, to_number, duration
    ON voice_log WHEN new.rowid = old.rowid
    BEGIN UPDATE server SET value = value + 1 WHERE name = 'voice_log_changes'; END""",
)


def up(migrator: object, db: SqliteDatabase) -> None:
    """Create the table, and the trigger anew."""
    for statement in STATEMENTS:
        db.execute_sql(statement)
