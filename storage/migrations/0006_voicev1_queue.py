"""The rows of Voice V1 campaigns that wait for their calls, in the queue of all calls."""

from peewee import SqliteDatabase

# The time of rows that are not called: models/voicev1_campaigns.py, NEVER.
NEVER = "9999-06-30T00:00:00.000Z"


def up(migrator: object, db: SqliteDatabase) -> None:
    """Move the times of the calls from the rows into the queue. A queued call has the id of its row."""
    db.execute_sql(
        "ALTER TABLE queued_call ADD COLUMN voicev1_campaign_id TEXT REFERENCES voicev1_campaign ON DELETE CASCADE"
    )
    db.execute_sql(
        "CREATE UNIQUE INDEX queued_call_voicev1 ON queued_call (voicev1_campaign_id, row_id)"
        " WHERE voicev1_campaign_id IS NOT NULL"
    )
    db.execute_sql(
        """
        INSERT INTO queued_call (
            id, team_id, created_at, deployment_id, voicev1_campaign_id, row, due_at, row_id, arrived_at
        )
        SELECT data.id, data.team_id, data.updated_at, campaign.deployment_id, campaign.id,
            data.row_data, data.due_at, data.row_id, data.arrived_at
        FROM voicev1_campaign_data data JOIN voicev1_campaign campaign ON campaign.id = data.campaign_id
        WHERE data.status IN ('PENDING', 'PROCESSING') AND data.done_at IS NULL AND data.due_at < ?
        """,
        (NEVER,),
    )
    db.execute_sql("DROP INDEX voicev1_campaign_data_open")
    db.execute_sql("DROP INDEX voicev1_campaign_data_updated")
    db.execute_sql("ALTER TABLE voicev1_campaign_data DROP COLUMN due_at")
    db.execute_sql("ALTER TABLE voicev1_campaign_data DROP COLUMN arrived_at")
    db.execute_sql(
        "CREATE INDEX voicev1_campaign_data_open ON voicev1_campaign_data (done_at, id)"
        " WHERE status IN ('PENDING', 'PROCESSING')"
    )
