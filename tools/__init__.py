"""Programs that make the files in `data/`. Not in the wheel."""
