"""Indexes for the rows that are due because the clock was set back: models/due.py says which these are."""

from peewee import SqliteDatabase


def up(migrator: object, db: SqliteDatabase) -> None:
    """Create the indexes. Each finds no row as long as the clock goes forward."""
    db.execute_sql("CREATE INDEX call_in_progress_shown ON call_in_progress (shown_until, id)")
    db.execute_sql("CREATE INDEX queued_call_created ON queued_call (created_at)")
    db.execute_sql(
        "CREATE INDEX voicev1_campaign_data_updated ON voicev1_campaign_data (updated_at)"
        " WHERE status IN ('PENDING', 'PROCESSING')"
    )
    db.execute_sql(
        "CREATE INDEX webhook_delivery_attempts ON webhook_delivery (attempts, due_at) WHERE status = 'PENDING'"
    )
