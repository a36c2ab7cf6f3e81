"""Answers to the questions that a flow asks about a text: a kind of value, and one finder for each kind."""
