ALTER TABLE test_run ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER resource_added;
DROP TRIGGER resource_text_added;
DROP TRIGGER resource_text_removed;
DROP TRIGGER resource_text_changed;
DROP TABLE resource_index;
ALTER TABLE resource_text RENAME TO old_resource_text;

-- The searchable text of each resource, in passages. A trigger inserts the first, without a file's text in `body`.
-- `number` is declared because an undeclared rowid may change when the database is copied, and the index refers to it.
CREATE TABLE resource_text (
    number INTEGER PRIMARY KEY, resource_id TEXT NOT NULL REFERENCES resource ON DELETE CASCADE,
    name TEXT NOT NULL, link TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX resource_text_resource ON resource_text (resource_id);
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
