"""The end of a conversation: the reason that its log names, and the milestones that the run of a flow has reached."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dryline.flow.model.caller_words import role_of
from dryline.simulator.analysis import WANTED_TRANSFER, milestones_of
from dryline.simulator.flow_source import TOO_LONG

# Milestones with which a conversation ends by a condition.
IS_OVER = ("done", "missed", "transferred", "voicemail")
# Reasons of the end, by the engine's word for it. A call that nobody answered has its own reason for it.
REASONS = {
    "end of the flow": "agent_hangup",
    "end_call": "agent_hangup",
    "transfer": "call_transfer",
    "hung up": "user_hangup",
    "failed": "error",
    TOO_LONG: "max_duration",
}
_COMPLETE = ("end of the flow", "end_call", "transfer")  # ends with which a flow has done what it was to do
_BY_ENDING = {"done", "transferred", "voicemail"}  # milestones that a flow's end reaches, whatever its words are
_NOT = re.compile(r"^(no|not|never)\b|\b(not|cannot|can't|declin\w+|refus\w+|without|unable)\b", re.IGNORECASE)


def milestones_of_run(ended: str, taken: Sequence[str], extracted: Mapping[str, Any]) -> set[str]:
    """Return the milestones that a run of a flow has reached: by its end, its conditions and the values it extracted.

    A value that is False denies the milestones that its name stands for.
    """
    if ended not in _COMPLETE:
        return set()
    is_transferred = ended == "transfer"
    if taken and not is_transferred and role_of(taken[-1]) == "missed":
        return {"missed"}

    reached: set[str] = set()
    for condition in taken:
        if not _NOT.search(condition):
            reached.update(milestones_of(condition))
    denied: set[str] = set()
    for name, value in extracted.items():
        if value is False:
            denied.update(milestones_of(name))
        elif value not in (0, None, ""):  # 0 is no count of anything
            reached.update(milestones_of(name))

    by_end = {"transferred", WANTED_TRANSFER} if is_transferred else {"done"}
    return (reached - denied - _BY_ENDING) | by_end
