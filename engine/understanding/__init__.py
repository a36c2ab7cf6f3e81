"""The choice of the condition that an utterance satisfies, by rules and the phrases of callers (docs/flows.md)."""
