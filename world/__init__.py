"""One running stand-in: world, clock, ids, outgoing HTTP, data directory. Knows no area of the API."""
