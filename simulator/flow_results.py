"""The results of a flow's run: its ending, milestones, facts and summary."""

import re
from collections.abc import Iterator
from typing import Any

from dryline.engine.caller_utterances import answers_agent, capitalized, closes, gives_value, intent_of, past_tense
from dryline.flow.model.kinds import kind_of_question, milestones_of
from dryline.simulator.fact_names import KNOWN, NUMBERS, fact_of
from dryline.simulator.flow_runner import HUNG_UP, LOST, FlowRun
from dryline.simulator.flow_timeline import comes_to_its_end
from dryline.simulator.script_dialogues import DONE, Dialogue
from dryline.simulator.slots import Slots

_ENDINGS = {"transfer": "call_transfer", "failed": "error", LOST: "error"}
_MATTERS = 4  # that a summary names
_MISSED = ("wrong_number", "deny_identity", "not_available", "no_time_now")  # the contact was not reached after all
_NOTED_LONGEST = 60  # characters of a value that a summary tells; of a longer one it has the name
_BY_ENDING = ("done", "transferred", "voicemail")  # milestones that a run's end reaches, whatever its words are
_SUBJECT = re.compile(
    r"^(if |when |the |a )*\w+('s)? (wants|needs|asks|would like|wishes)( to| for| about)?( an?| the)? ", re.IGNORECASE
)
_NOT = re.compile(r"^(no|not|never)\b|\b(not|cannot|can't|declin\w+|refus\w+|without|unable)\b", re.IGNORECASE)


def dialogue_of(run: FlowRun, facts: Slots, *, left: str) -> Dialogue:
    """Return the dialogue of a run, with its results, and add the facts that the caller gave to `facts`.

    `left` is the ending of a conversation that the user, or the channel, broke off.
    """
    conditions = [event["condition"] for event in run.events if event.type == "taken"]
    dialogue = Dialogue(_intent(conditions), conditions[-1] if conditions else "", _ending(run, left), _steps(run))
    dialogue.mentioned |= _learn(run, facts)
    rating = _rating(run)
    if rating is not None:
        facts["rating"] = rating
        dialogue.reached.add("rated")
    if comes_to_its_end(run) and conditions:
        is_missed = _means(conditions[-1], _MISSED)
        dialogue.reached |= {"missed"} if is_missed else {"done", *_milestones(run, conditions)}
        if any(value is False and "solved" in milestones_of(key) for key, value in run.extracted.items()):
            dialogue.reached.add("unsolved")
    elif run.ended == "transfer":
        dialogue.reached |= {"transferred", *_milestones(run, conditions)}
    if run.machine:
        dialogue.reached = {"voicemail"}
    summary = _summary(run, conditions, facts)
    dialogue.summary = f"{summary} {dialogue.summary}".strip()
    return dialogue


def _steps(run: FlowRun) -> list[tuple[str, str, frozenset[str]]]:
    who = {"said": "A", "heard": "U"}
    return [(who[event.type], event["text"], frozenset()) for event in run.events if event.type in who]


def _ending(run: FlowRun, left: str) -> str:
    if run.machine and not run.fault:
        return "voicemail_reached"
    return left if run.ended == HUNG_UP else _ENDINGS.get(run.ended, DONE)


def _intent(conditions: list[str]) -> str:
    """Return the first condition as a word: `caller wants to book a table` is book_a_table."""
    first = _SUBJECT.sub("", conditions[0] if conditions else "")
    return "_".join(re.findall(r"\w+", first.lower())[:6]) or "unknown"


def _milestones(run: FlowRun, conditions: list[str]) -> set[str]:
    """Return the milestones that the conditions and the extracted values name, without those that a value denies."""
    texts = [text for text in conditions if not _NOT.search(text)]
    texts += [key for key, value in run.extracted.items() if value not in (False, None, "")]
    denied = [key for key, value in run.extracted.items() if value is False]
    return _named(texts) - _named(denied) - set(_BY_ENDING)


def _named(texts: list[str]) -> set[str]:
    return {milestone for text in texts for milestone in milestones_of(text)}


def _learn(run: FlowRun, facts: Slots) -> set[str]:
    """Add the facts that the caller gave to the flow, and return their names."""
    learned: set[str] = set()
    for event in run.events:
        if event.type in ("asked", "extracted"):
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


def _summary(run: FlowRun, conditions: list[str], facts: Slots) -> str:
    """Return a sentence or two: what the caller wanted, what came of it, and what was noted."""
    if run.machine:
        return "Reached a voicemail."
    matters = list(dict.fromkeys(text for text in conditions if not gives_value(text) and not closes(text)))
    matters = _without_repeats([text for text in matters if not answers_agent(text)]) or matters[-1:]
    who = facts["name"] if "name" in facts and _gave_name(run) else "The caller"
    sentences = [f"{who} {_listed([past_tense(text) for text in matters[:_MATTERS]])}."] if matters else []
    if conditions and _means(conditions[-1], ("wrong_number", "deny_identity")):
        sentences = ["It was the wrong number."]
    if not sentences:
        sentences = [f"{who} said what was asked." if conditions else "Nothing came of it."]
    extracted = {key.replace("_", " "): value for key, value in run.extracted.items() if value != who}
    results = [key for key, value in extracted.items() if value is True and key.endswith("ed")]
    sentences += [f"{capitalized(key)}." for key in results if key not in sentences[0]]
    if noted := [text for key, value in extracted.items() for text in _noted(key, value)]:
        sentences.append(f"Noted: {', '.join(noted)}.")
    numbers = [event["number"] for event in run.events if event.type == "transferred"]
    if numbers:
        sentences.append(f"Transferred to {numbers[0]}.")
    return " ".join(sentences)


def _without_repeats(conditions: list[str]) -> list[str]:
    """Return the first condition of each intent: who wanted to pay a bill and then to pay by card wanted to pay."""
    by_intent: dict[object, str] = {}
    for condition in conditions:
        by_intent.setdefault(intent_of(condition) or condition, condition)
    return list(by_intent.values())


def _gave_name(run: FlowRun) -> bool:
    return any(value and fact_of(key) == "name" for key, value in run.extracted.items())


def _listed(texts: list[str]) -> str:
    *before, last = texts
    return f"{', '.join(before)}, and then {last}" if before else last


def _means(condition: str, intents: tuple[str, ...]) -> bool:
    intent = intent_of(condition)
    return intent is not None and intent.name in intents


def _rating(run: FlowRun) -> int | None:
    """Return the rating that the caller gave, on a scale to 10."""
    for event in reversed(run.events):
        if event.type == "asked" and kind_of_question(str(event["question"])) == "rating":
            numbers = [value for _, value in _leaves("", event["value"]) if isinstance(value, (int, float))]
            numbers = [number for number in numbers if not isinstance(number, bool)]
            if numbers:
                to_five = re.search(r"\b(?:to|of|out of) (?:5|five)\b", str(event["question"]))
                return max(1, min(10, round(numbers[0] * (2 if to_five else 1))))
    return None


def _noted(name: str, value: Any) -> Iterator[str]:
    """Yield an extraction in a few words: "service check-up", "callback: no". "Booked" is a sentence of its own."""
    if isinstance(value, bool):
        if not name.endswith("ed"):
            yield f"{name}: {'yes' if value else 'no'}"
    elif isinstance(value, (str, int, float)) and 0 < len(str(value)) <= _NOTED_LONGEST:
        yield f"{name} {value:.2f}" if isinstance(value, float) else f"{name} {value}"
    elif value:
        yield name
