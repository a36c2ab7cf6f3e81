"""What knows the whole world: the state document, scenarios, save points. Contract: state.md."""
