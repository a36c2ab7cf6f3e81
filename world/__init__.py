"""The machine below the API: world, database, clock, ids, records' base, errors, faults, request record, files.

It knows no area. What the API's nouns are is `models/`'s business.
"""
