"""The kinds of values: one class for each, with its patterns and the cases that its test runs."""
