"""Programs that decide what a call says."""
