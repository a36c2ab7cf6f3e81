"""Conversations with flows that a world stores: the engine's sessions as rows, and the logs that they write."""
