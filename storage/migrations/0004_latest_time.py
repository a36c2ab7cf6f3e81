"""The last time that a state document may have, for rows that are not called: models/voicev1_campaigns.py, NEVER."""

from peewee import SqliteDatabase


def up(migrator: object, db: SqliteDatabase) -> None:
    """Change the time that was used before. A document with it is refused."""
    db.execute_sql(
        "UPDATE voicev1_campaign_data SET due_at = '9999-06-30T00:00:00.000Z' WHERE due_at > '9999-06-30T00:00:00.000Z'"
    )
