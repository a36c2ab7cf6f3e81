"""The database's schema: what the migrations make is what the models say, and an older data directory is brought up."""

import contextlib
import importlib
import pkgutil
import shutil
import sqlite3

import peewee
import pytest
from playhouse.migrations import Runner

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


def test_every_column_of_every_model_is_in_the_schema(tables):
    missing = [
        f"{model._meta.table_name}.{field.column_name}"
        for model in all_models()
        if model._meta.table_name in tables
        for field in model._meta.sorted_fields
        if field.column_name not in tables[model._meta.table_name]
    ]
    assert missing == []


def test_every_table_has_a_model(tables):
    modelled = {model._meta.table_name for model in all_models()}
    others = {name for name in tables if name not in modelled and not name.startswith("resource_index")}  # FTS5
    assert others <= {"server", "schema_migration", "sqlite_sequence", "resource_text"}


def test_an_optional_column_may_be_null_in_the_schema(tables):
    wrong = [
        f"{model._meta.table_name}.{field.column_name}"
        for model in all_models()
        if model._meta.table_name in tables
        for field in model._meta.sorted_fields
        if field.null and not tables[model._meta.table_name][field.column_name].null
    ]
    assert wrong == []


def test_every_foreign_key_has_an_index(app, tables):
    with app.world.active():
        db = app.world.db
        first_columns = {name: {index.columns[0] for index in db.get_indexes(name) if index.columns} for name in tables}
        unique = {
            name: {
                row[2]
                for i in db.execute_sql(f'PRAGMA index_list("{name}")').fetchall()
                for row in db.execute_sql(f'PRAGMA index_info("{i[1]}")').fetchall()
                if row[0] == 0
            }
            for name in tables
        }
        missing = [
            f"{name}.{key.column}"
            for name in tables
            for key in db.get_foreign_keys(name)
            if key.column not in first_columns[name] | unique[name] | {"id"}
        ]
    assert missing == []


def test_the_migrations_are_recorded_and_the_version_is_the_last(app):
    with app.world.active():
        db = app.world.db
        names = [row[0] for row in db.execute_sql("SELECT name FROM schema_migration ORDER BY id").fetchall()]
        assert names == sorted(path.stem for path in HERE.glob("[0-9]*.py"))
        assert db.pragma("user_version") == LATEST


def test_a_new_database_is_as_the_steps_one_by_one_make_it(app, tmp_path):
    one_by_one = peewee.SqliteDatabase(tmp_path / "one_by_one.sqlite3")
    Runner(one_by_one, str(HERE)).up()
    of_all = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    with app.world.active():
        made = app.world.db.execute_sql(of_all).fetchall()
    assert made == one_by_one.execute_sql(of_all).fetchall()
    one_by_one.close()


# Statements that make a database one that has still to be brought up to date.
OLDER_SCHEMA = ("PRAGMA user_version = 0",)
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


def test_steps_that_are_recorded_are_not_run_again(tmp_path):
    settings = Settings(data_dir=tmp_path, scenario="empty")
    create_app(settings).close()
    with contextlib.closing(sqlite3.connect(tmp_path / "dryline.sqlite3")) as db:
        db.executescript(";".join(OLDER_SCHEMA))
    with contextlib.closing(create_app(settings)) as app, app.world.active():
        assert app.world.db.pragma("user_version") == LATEST
