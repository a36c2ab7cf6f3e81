"""The database's schema: what the migrations make is what the models say, and an older data directory is brought up."""

import contextlib
import importlib
import pkgutil
import sqlite3

import peewee
import pytest
from playhouse.migrations import Runner

import dryline.models
from dryline.storage.migrations import HERE, LATEST


def all_models():
    for module in pkgutil.iter_modules(dryline.models.__path__):
        importlib.import_module(f"dryline.models.{module.name}")
    pending, found = [peewee.Model], []
    while pending:
        for model in pending.pop().__subclasses__():
            pending.append(model)
            if model.__module__.startswith("dryline."):
                found.append(model)
    return found


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


def test_what_a_model_calls_optional_may_be_null_in_the_schema(tables):
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


def test_an_older_data_directory_is_brought_up_to_date(tmp_path):
    """A directory whose database is as the first step left it, with a row in it, opens and keeps the row."""
    from dryline.app import create_app
    from dryline.settings import Settings

    settings = Settings(data_dir=tmp_path, scenario="empty")
    app = create_app(settings)
    app.close()
    with sqlite3.connect(tmp_path / "dryline.sqlite3") as db:
        team = db.execute("SELECT id FROM team").fetchone()
        # As if no step had been counted as an ordinary start counts it: the steps' own record must be enough.
        db.execute("PRAGMA user_version = 0")
    db.close()
    app = create_app(settings)
    with app.world.active():
        assert app.world.db.execute_sql("SELECT id FROM team").fetchone() == team
        assert app.world.db.pragma("user_version") == LATEST
    app.close()


# What makes a database as it was before the migrations 0003 and 0005.
AS_OF_SCHEMA_2 = (
    "DROP INDEX voice_log_call_sid",
    "DROP INDEX voice_log_external_call",
    "DROP TRIGGER voice_log_removed",
    "DROP TRIGGER voice_log_changed",
    "PRAGMA user_version = 2",
    "DELETE FROM server WHERE name = 'voice_log_changes'",
    "DELETE FROM schema_migration WHERE name LIKE '0003%'",
)
AS_OF_SCHEMA_4 = (
    "DROP INDEX voice_log_transfers",
    "CREATE INDEX voice_log_transfers ON voice_log (team_id, start_time)",
    "DELETE FROM schema_migration WHERE name LIKE '0005%'",
    "PRAGMA user_version = 4",
)


@pytest.fixture
def brought_up(tmp_path):
    """The names and the SQL of what a demo world has: when it was new, and after these statements and another start."""
    from dryline.app import create_app
    from dryline.settings import Settings

    def brought_up(statements):
        settings = Settings(data_dir=tmp_path, scenario="demo")
        create_app(settings).close()
        with contextlib.closing(sqlite3.connect(tmp_path / "dryline.sqlite3")) as db:
            new = dict(db.execute("SELECT name, sql FROM sqlite_master").fetchall())
            db.executescript(";".join(statements))
        with contextlib.closing(create_app(settings)) as app, app.world.active():
            return new, dict(app.world.db.execute_sql("SELECT name, sql FROM sqlite_master").fetchall())

    return brought_up


def test_a_world_of_the_second_schema_gets_the_indexes_and_triggers_of_the_third(brought_up):
    names = {"voice_log_call_sid", "voice_log_external_call", "voice_log_removed", "voice_log_changed"}
    _, made = brought_up(AS_OF_SCHEMA_2)
    assert names <= made.keys()


def test_a_world_of_the_fourth_schema_gets_the_transfers_index_of_the_fifth(brought_up):
    new, made = brought_up(AS_OF_SCHEMA_4)
    assert made["voice_log_transfers"] == new["voice_log_transfers"]
