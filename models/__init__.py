"""The API's nouns: records with their invariants, state changes and queries, one module an area."""
