"""HTTP traffic: faults, rate limits, path patterns and the request log."""
