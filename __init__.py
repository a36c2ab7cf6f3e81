"""dryline: a local, stateful stand-in for a voice-agent workers REST API."""

__version__ = "0.1.0"
