"""What the voice analysis adds up of transferred calls, so that it need not look at their logs."""

from peewee import SqliteDatabase

STATEMENTS = (
    "DROP INDEX voice_log_transfers",
    """
CREATE INDEX voice_log_transfers ON voice_log (
    team_id, start_time, id, created_at, worker_id, deployment_id, json_extract(transfer_data, '$.metrics'))
    WHERE transfer_data IS NOT NULL""",
)


def up(migrator: object, db: SqliteDatabase) -> None:
    """Make the index anew: of a million logs, 140,000 of them transferred, that takes some ten seconds."""
    for statement in STATEMENTS:
        db.execute_sql(statement)
