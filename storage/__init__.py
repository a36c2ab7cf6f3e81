"""SQLite and files: database, base record, statements, migrations, signatures, domain errors."""
