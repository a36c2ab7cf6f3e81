"""The API's nouns: records with their invariants, state changes and queries, one module an area.

Tables, foreign keys, unique columns and indexes are declared in `storage/migrations/0001_initial.py`.
"""
