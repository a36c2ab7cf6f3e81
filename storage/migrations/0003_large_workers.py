"""What lists of a large worker's voice logs need: calls by their ids, and whether what was counted may have changed."""

from peewee import SqliteDatabase

TABLES = """
CREATE INDEX voice_log_call_sid ON voice_log (call_sid) WHERE call_sid IS NOT NULL;
CREATE INDEX voice_log_external_call ON voice_log (external_call_id) WHERE external_call_id IS NOT NULL;

-- Of logs that only come, the row numbers tell (models/voice_log_bitmaps.py).
INSERT INTO server (name, value) VALUES ('voice_log_changes', 0)
"""
_COUNT = "BEGIN UPDATE server SET value = value + 1 WHERE name = 'voice_log_changes'; END"
TRIGGERS = (
    f"CREATE TRIGGER voice_log_removed AFTER DELETE ON voice_log {_COUNT}",
    f"CREATE TRIGGER voice_log_changed AFTER UPDATE ON voice_log {_COUNT}",
)


def up(migrator: object, db: SqliteDatabase) -> None:
    """Create indexes and triggers."""
    for statement in (*TABLES.split(";\n"), *TRIGGERS):
        if statement.strip():
            db.execute_sql(statement)
