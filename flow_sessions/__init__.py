"""Conversations with flows that a world keeps: the engine's sessions as rows, and what they leave behind."""
