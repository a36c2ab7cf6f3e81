"""Which condition of a talk an utterance satisfies, by rules and the phrases of callers; docs/flows.md describes it."""
