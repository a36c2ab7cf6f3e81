"""The built-in language model."""
