"""The database's schema: what the migrations make is what the models say, and an older data directory is brought up."""

import contextlib
import hashlib
import importlib
import pkgutil
import shutil

import peewee
import pytest

import dryline.models
from dryline.app import create_app
from dryline.settings import Settings
from dryline.storage import migrations
from dryline.storage.migrations import HERE, LATEST


def all_models():
    for module in pkgutil.iter_modules(dryline.models.__path__):
        importlib.import_module(f"dryline.models.{module.name}")
    pending, models = [peewee.Model], []
    while pending:
        for model in pending.pop().__subclasses__():
            pending.append(model)
            if model.__module__.startswith("dryline."):
                models.append(model)
    return models


@pytest.fixture
def tables(app):
    with app.world.active():
        db = app.world.db
        return {name: {column.name: column for column in db.get_columns(name)} for name in db.get_tables()}


def test_tables_and_columns_are_those_of_the_models(tables):
    modelled = {model._meta.table_name: model for model in all_models() if model._meta.table_name in tables}
    others = {name for name in tables if name not in modelled and not name.startswith("resource_index")}  # FTS5
    assert others <= {"server", "schema_migration", "sqlite_sequence", "resource_text"}
    fields = [
        (f"{model._meta.table_name}.{field.column_name}", tables[model._meta.table_name].get(field.column_name), field)
        for model in all_models()
        if model._meta.table_name in tables
        for field in model._meta.sorted_fields
    ]
    assert [name for name, column, _ in fields if column is None] == []
    assert [name for name, column, field in fields if field.null and not column.null] == []


def test_every_foreign_key_has_an_index(app, tables):
    first_columns = """
        SELECT part.name FROM pragma_index_list(?) list, pragma_index_info(list.name) part WHERE part.seqno = 0
    """
    with app.world.active():
        db = app.world.db
        indexed = {name: {"id", *(row[0] for row in db.execute_sql(first_columns, (name,)))} for name in tables}
        missing = [
            f"{name}.{key.column}"
            for name in tables
            for key in db.get_foreign_keys(name)
            if key.column not in indexed[name]
        ]
    assert missing == []


# The digest of the schema, by its number. A change of the schema is a new step with a new number: versions that do not
# know it refuse the database.
DIGESTS = {6: "15f99a34f61842d9"}


def test_each_change_of_the_schema_raises_its_number(app):
    own = """
        SELECT sql FROM sqlite_master WHERE sql NOTNULL
        AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'resource_index_%' AND name != 'schema_migration'
        ORDER BY sql
    """
    with app.world.active():
        statements = app.world.db.execute_sql(own).fetchall()
    text = "\n".join(" ".join(sql.split()) for (sql,) in statements)
    assert {LATEST: hashlib.sha256(text.encode()).hexdigest()[:16]} == DIGESTS


A_LATER_STEP = """
def up(migrator, db):
    db.execute_sql("ALTER TABLE team ADD COLUMN motto TEXT")
"""


def test_an_older_data_directory_gets_the_steps_that_it_lacks_and_keeps_its_rows(tmp_path, monkeypatch):
    settings = Settings(data_dir=tmp_path / "world", scenario="empty")
    with contextlib.closing(create_app(settings)) as app, app.world.active():
        (team,) = app.world.db.execute_sql("SELECT id FROM team").fetchall()
    steps = tmp_path / "migrations"
    shutil.copytree(HERE, steps)
    (steps / f"{LATEST + 1:04}_later.py").write_text(A_LATER_STEP)
    monkeypatch.setattr(migrations, "HERE", steps)
    monkeypatch.setattr(migrations, "LATEST", LATEST + 1)
    with contextlib.closing(create_app(settings)) as app, app.world.active():
        assert app.world.db.execute_sql("SELECT id, motto FROM team").fetchall() == [(*team, None)]
        assert app.world.db.pragma("user_version") == LATEST + 1
