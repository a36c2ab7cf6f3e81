"""The dialogue of a flow's run with its results: ending, milestones, facts and summary."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from dryline.flow.model.caller_utterances import answers_agent, capitalized, closes, gives_value, intent_of, past_tense
from dryline.flow.model.kinds import kind_of_question, milestones_of
from dryline.simulator.analysis import WANTED_TRANSFER
from dryline.simulator.fact_names import KNOWN, NUMBERS, fact_of
from dryline.simulator.flow_runner import HUNG_UP, LOST, FlowRun
from dryline.simulator.flow_timeline import comes_to_its_end
from dryline.simulator.script_dialogues import DONE, Dialogue
from dryline.simulator.slots import Slots

_ENDINGS = {"transfer": "call_transfer", "failed": "error", LOST: "error"}
_MATTERS = 4  # that a summary names
_MISSED = ("wrong_number", "deny_identity", "not_available", "no_time_now")  # the contact was not reached after all
_FOR_PERSONS = ("want_person", "want_manager", "speak_department", "complain")  # what callers want who ask for one
_NOTED_LONGEST = 60  # characters of a value that a summary tells; of a longer one it has the name
_BY_ENDING = {"done", "transferred", "voicemail"}  # milestones that a run's end reaches, whatever its words are
_SUBJECT = re.compile(
    r"^(if |when |the |a )*\w+('s)? (wants|needs|asks|would like|wishes)( to| for| about)?( an?| the)? ", re.IGNORECASE
)
_FURTHER = re.compile(r"(?:,| or (?=\w+s )).*")  # alternatives of a condition: "wants a visit, or is in pain"
_NOT = re.compile(r"^(no|not|never)\b|\b(not|cannot|can't|declin\w+|refus\w+|without|unable)\b", re.IGNORECASE)
_TO_FIVE = re.compile(r"\b(?:to|of|out of) (?:5|five)\b")


def dialogue_of(run: FlowRun, facts: Slots, *, left: str) -> Dialogue:
    """Return the dialogue of a run, with its results, and add the facts that the caller gave to `facts`.

    `left` is the ending of a conversation that the user, or the channel, broke off.
    """
    last = run.taken[-1] if run.taken else ""
    ending = left if run.ended == HUNG_UP or run.is_late else _ENDINGS.get(run.ended, DONE)
    steps = [("U" if event.type == "heard" else "A", event["text"], frozenset[str]()) for event in run.events
             if event.type in ("said", "heard")]  # fmt: skip
    intent = "_".join(re.findall(r"\w+", _SUBJECT.sub("", run.taken[0] if run.taken else "").lower())[:6])
    is_machine = run.machine and not run.fault
    dialogue = Dialogue(intent or "unknown", last, "voicemail_reached" if is_machine else ending, steps)
    dialogue.mentioned |= _learn(run, facts)
    dialogue.reached |= _reached(run, last)
    rating = _rating(run)
    if run.ended == "transfer" and any(_wants_person(text) for text in run.taken):
        dialogue.reached.add(WANTED_TRANSFER)
    if rating is not None:
        facts["rating"] = rating
        dialogue.reached.add("rated")
    if run.machine:
        dialogue.reached = {"voicemail"}
    who = facts["name"] if any(value and fact_of(key) == "name" for key, value in run.extracted.items()) else ""
    summary = "Reached a voicemail." if run.machine else _summary(run, who)
    dialogue.summary = f"{summary} {dialogue.summary}".strip()
    return dialogue


def _reached(run: FlowRun, last: str) -> set[str]:
    """Return the milestones that the end, the conditions and the extracted values name, but for those denied."""
    if comes_to_its_end(run) and (intent := intent_of(last) if last else None) and intent.name in _MISSED:
        return {"missed"}
    if run.is_late or not (run.ended == "transfer" or comes_to_its_end(run)):
        return set()
    texts = [text for text in run.taken if not _NOT.search(text)]
    texts += [key for key, value in run.extracted.items() if value not in (False, None, "")]
    denied = {name for key, value in run.extracted.items() if value is False for name in milestones_of(key)}
    named = {name for text in texts for name in milestones_of(text)} - denied - _BY_ENDING
    return named | {"transferred" if run.ended == "transfer" else "done", *(["unsolved"] if "solved" in denied else ())}


def _wants_person(condition: str) -> bool:
    intent = intent_of(_FURTHER.sub("", condition))
    return intent is not None and intent.name in _FOR_PERSONS


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
    """Return a sentence or two: what the caller wanted, what came of it, and what was noted."""
    wishes = run.wishes or run.taken
    matters = list(dict.fromkeys(text for text in wishes if not gives_value(text) and not closes(text)))
    matters = [_FURTHER.sub("", text) for text in matters if not answers_agent(text)] or matters[-1:]
    if appointment := _appointment(run, matters):
        return f"{who or 'The caller'} {appointment}."
    sentences = ["The caller said what was asked." if run.taken else "Nothing came of it."]
    if matters:
        *before, last = [past_tense(text) for text in matters[:_MATTERS]]
        sentences = [f"{who or 'The caller'} {', '.join(before)}{', and then ' if before else ''}{last}."]
    extracted = {key.replace("_", " "): value for key, value in run.extracted.items() if value != who}
    sentences += [f"{capitalized(key)}." for key, value in extracted.items() if value is True and key.endswith("ed")]
    if noted := [text for key, value in extracted.items() for text in _noted(key, value)]:
        sentences.append(f"Noted: {', '.join(noted)}.")
    numbers = [event["number"] for event in run.events if event.type == "transferred"]
    return " ".join([*sentences, *(f"Transferred to {number}." for number in numbers[:1])])


def _appointment(run: FlowRun, matters: Sequence[str]) -> str | None:
    """Return what was agreed, such as "moved an appointment to Thursday, 11 AM"; None for no appointment."""
    agreed = {name for key, value in run.extracted.items() if value is True for name in milestones_of(key)}
    values = {fact_of(key): value for key, value in run.extracted.items() if isinstance(value, str)}
    if agreed.isdisjoint(("booked", "confirmed")) or not values.get("day"):
        return None
    when = f"{values['day']}, {values['time']}" if values.get("time") else values["day"]
    named = milestones_of(matters[0]) if matters else ()
    if "moved" in named:
        return f"moved an appointment to {when}"
    if "confirmed" in agreed:
        return f"will come on {when}"
    return f"booked a {values.get('service') or 'visit'} for {when}"


def _noted(name: str, value: Any) -> Sequence[str]:
    """Return an extraction in a few words: "service check-up", "callback: no". "Booked" is a sentence of its own."""
    if isinstance(value, bool):
        return [] if name.endswith("ed") else [f"{name}: {'yes' if value else 'no'}"]
    if isinstance(value, (str, int, float)) and 0 < len(str(value)) <= _NOTED_LONGEST:
        return [f"{name} {value:.2f}" if isinstance(value, float) else f"{name} {value}"]
    return [name] if value else []


def _rating(run: FlowRun) -> int | None:
    """Return the rating that the caller gave, on a scale to 10."""
    for event in reversed(run.events):
        if event.type == "asked" and kind_of_question(str(event["question"])) == "rating":
            numbers = [value for _, value in _leaves("", event["value"]) if type(value) in (int, float)]
            if numbers:
                return max(1, min(10, round(numbers[0] * (2 if _TO_FIVE.search(str(event["question"])) else 1))))
    return None
