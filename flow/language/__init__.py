"""The flow language: its parser, checks and translation, and the sessions that run a flow in a sandbox."""
