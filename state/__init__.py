"""The whole state of a world: the state document, scenarios, snapshots. Contract: state.md."""
