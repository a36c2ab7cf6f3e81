"""One running stand-in: world, clock, ids, events, outgoing HTTP, data directory."""
