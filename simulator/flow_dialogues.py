"""The dialogue of a flow's run with its results: ending, milestones, facts and summary."""

import re
from collections.abc import Iterator
from typing import Any

from dryline.flow.model.caller_utterances import closes, gives_value, is_of_group, predicate
from dryline.flow.model.kinds import kind_of_question, milestones_of
from dryline.flow.model.understanding import read_condition
from dryline.simulator.analysis import KNOWN, NUMBERS, WANTED_TRANSFER, fact_of
from dryline.simulator.flow_runner import HUNG_UP, FlowRun
from dryline.simulator.script_dialogues import DONE, Dialogue
from dryline.simulator.slots import Slots

_ENDINGS = {"transfer": "call_transfer", "failed": "error"}
_MATTERS = 4  # that a summary names
_BY_ENDING = {"done", "transferred", "voicemail"}  # milestones that a run's end reaches, whatever its words are
_WANTS = re.compile(r"^\w+ (?:to |for |about )?(?:an? |the )?", re.IGNORECASE)
_FURTHER = re.compile(r"(?:,| or (?=\w+s )).*")  # alternatives of a condition: "wants a visit, or is in pain"
_NOT = re.compile(r"^(no|not|never)\b|\b(not|cannot|can't|declin\w+|refus\w+|without|unable)\b", re.IGNORECASE)
_TO_FIVE = re.compile(r"\b(?:to|of|out of) (?:5|five)\b")


def dialogue_of(run: FlowRun, facts: Slots, *, left: str) -> Dialogue:
    """Return the dialogue of a run, with its results, and add the facts that the caller gave to `facts`.

    `left` is the ending of a conversation that the user, or the channel, broke off.
    """
    last = run.taken[-1] if run.taken else ""
    ending = left if run.ended == HUNG_UP or run.is_late else _ENDINGS.get(run.ended, DONE)
    steps = [("U" if event.type == "heard" else "A", event["text"], frozenset[str]())
             for event in run.events if event.type in ("said", "heard")]  # fmt: skip
    wish = _WANTS.sub("", predicate(run.taken[0])) if run.taken else "unknown"
    intent = "_".join(re.findall(r"\w+", wish.lower())[:6])
    dialogue = Dialogue(intent, last, "voicemail_reached" if run.outcome == "voicemail" else ending, steps)
    dialogue.mentioned |= _learn(run, facts)
    dialogue.reached = {"voicemail"} if run.machine else _reached(run, last)
    if rating := _rating(run):
        facts["rating"] = rating
        dialogue.reached.add("rated")
    is_known = any(value and fact_of(key) == "name" for key, value in run.extracted.items())
    summary = "Reached a voicemail." if run.machine else _summary(run, facts["name"] if is_known else "The caller")
    dialogue.summary = f"{summary} {dialogue.summary}".strip()
    return dialogue


def _reached(run: FlowRun, last: str) -> set[str]:
    """Return the milestones that the end, the conditions and the extracted values name, but for those denied."""
    is_transferred = run.ended == "transfer"
    if run.is_late or not (is_transferred or run.came_to_its_end):
        return set()
    if last and not is_transferred and is_of_group(last, "missed intents"):
        return {"missed"}
    texts = [text for text in run.taken if not _NOT.search(text)]
    texts += [key for key, value in run.extracted.items() if value not in (False, None, "")]
    denied = {name for key, value in run.extracted.items() if value is False for name in milestones_of(key)}
    reached = {name for text in texts for name in milestones_of(text)} - denied - _BY_ENDING
    reached |= {"unsolved"} if "solved" in denied else set()
    wishes = (part for text in run.taken for part in re.split(r",| or ", text))
    if is_transferred and any(is_of_group(wish, "person intents") for wish in wishes):
        reached.add(WANTED_TRANSFER)
    return reached | {"transferred" if is_transferred else "done"}


def _learn(run: FlowRun, facts: Slots) -> set[str]:
    """Add the facts that the caller gave to the flow, and return their names."""
    learned: set[str] = set()
    for event in run.events:
        if event.type not in ("asked", "extracted"):
            continue
        name, question = ("", str(event["question"])) if event.type == "asked" else (str(event["key"]), "")
        for key, value in _leaves(name, event["value"]):
            fact = fact_of(key, question)
            if fact not in learned | NUMBERS | KNOWN and isinstance(value, str) and value:
                facts[fact] = value
                learned.add(fact)
    if "name" in learned:
        first, _, last = facts["name"].partition(" ")
        facts |= {"first": first, "last": last}
        learned |= {"first", "last"} if last else {"first"}
    return learned


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _leaves(str(key), member)
    elif isinstance(value, list):
        for member in value[:3]:
            yield from _leaves(name, member)
    else:
        yield name, value


def _summary(run: FlowRun, who: str) -> str:
    """Return the summary that the flow extracts, else what the caller wants; and whether a person took over."""
    texts = [text for text in dict.fromkeys(run.wishes or run.taken) if not gives_value(text) and not closes(text)]
    wishes = [_FURTHER.sub("", predicate(text)) for text in texts if not read_condition(text, "en").is_catch_all]
    wish = ", and then ".join(wishes[:_MATTERS]) or "does not say what it is about"
    summary = str(run.extracted.get("summary") or f"{who} {wish}.")
    return f"{summary} A person took over." if run.ended == "transfer" else summary


def _rating(run: FlowRun) -> int | None:
    """Return the rating that the caller gave, on a scale to 10."""
    for event in run.events:
        if event.type == "asked" and kind_of_question(str(event["question"])) == "rating":
            scale = 2 if _TO_FIVE.search(str(event["question"])) else 1
            numbers = [value for _, value in _leaves("", event["value"]) if type(value) in (int, float)]
            return max(1, min(10, round(numbers[0] * scale))) if numbers else None
    return None
