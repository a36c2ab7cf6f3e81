"""Programs that read from the real service: `pull` and `drift`."""
