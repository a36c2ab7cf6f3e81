"""One running stand-in: world, clock, ids, events, metrics, outgoing HTTP, data directory; the table of channels."""
