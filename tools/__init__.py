"""What makes `data/`. Not in the wheel: only what it makes is."""
