"""The engine, which checks flows and runs them in a sandbox.

Callers need only `Engine`: it checks code (`check`, `paths`), runs it (`program`, `open`, `load`), and ends its
processes (`close`).
"""

from dryline.engine.engine import Engine
from dryline.engine.errors import CodeRefused, Finding
from dryline.engine.events import Event
from dryline.engine.program import Program
from dryline.engine.session import FlowSession, NotLoadable, SessionOver
from dryline.storage.errors import Busy

__all__ = ["Busy", "CodeRefused", "Engine", "Event", "Finding", "FlowSession", "NotLoadable", "Program", "SessionOver"]
