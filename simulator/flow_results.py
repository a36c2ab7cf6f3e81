"""The results of a flow's run: its ending, milestones, facts and summary."""

import re
from collections.abc import Iterator
from typing import Any

from dryline.engine.caller_utterances import answers_agent, capitalized, closes, gives_value, intent_of, past_tense
from dryline.simulator import analysis
from dryline.simulator.flow_runner import HUNG_UP, LOST, FlowRun
from dryline.simulator.flow_timeline import comes_to_its_end
from dryline.simulator.script_dialogues import DONE, Dialogue
from dryline.simulator.slots import Slots

_ENDINGS = {"transfer": "call_transfer", "failed": "error", LOST: "error"}
_MATTERS = 4  # that a summary names
_MISSED = ("wrong_number", "deny_identity", "not_available", "no_time_now")  # the contact was not reached after all
_RATING = re.compile(r"\b(?:rat(?:e|ing)|score|stars|happy|satisf\w+|from 1 to|from one to)\b", re.IGNORECASE)
_NOTED_LONGEST = 60  # characters of a value that a summary tells; of a longer one it has the name
# What a condition, or the key of an extraction, says has come of it: the marks of simulator/analysis.py.
_MARKS = tuple(
    (mark, re.compile(pattern, re.IGNORECASE))
    for mark, pattern in (
        ("booked", r"\bbook|schedul|appointment|reserv"),
        ("moved", r"resched|\bmov(e|ing)|another (day|time)|new time"),
        ("confirmed", r"confirm|agree|accept"),
        ("promised", r"promis|will pay|\bpays? (by|on|later)"),
        ("paid", r"\bpaid|\bpays?\b|payment"),
        ("instalments", r"instal"),
        ("returned", r"refund|return"),
        ("delivery", r"deliver|shipp|parcel"),
        ("complained", r"complain|angry|upset|frustrat"),
        ("callback", r"call ?back"),
        ("case", r"\bcase\b|ticket"),
        ("solved", r"solv|fix|works? again"),
        ("explained", r"question|hours|explain|underst|answered|knows"),
        ("rated", r"\brat(e|ed|es|ing)\b"),
        ("found", r"found|identif|verif"),
    )
)
_SUBJECT = re.compile(
    r"^(if |when |the |a )*\w+('s)? (wants|needs|asks|would like|wishes)( to| for| about)?( an?| the)? ", re.IGNORECASE
)
_SOLVED = re.compile(r"(?<!un)(?<!unre)solved", re.IGNORECASE)
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
        dialogue.reached |= {"missed"} if is_missed else {"done", *_marks(run, conditions)}
        if any(value is False and _SOLVED.search(key) for key, value in run.extracted.items()):
            dialogue.reached.add("unsolved")
    elif run.ended == "transfer":
        dialogue.reached |= {"transferred", *_marks(run, conditions)}
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


def _marks(run: FlowRun, conditions: list[str]) -> Iterator[str]:
    texts = [text for text in conditions if not _NOT.search(text)]
    texts += [key.replace("_", " ") for key, value in run.extracted.items() if value not in (False, None, "")]
    denied = {key.replace("_", " ") for key, value in run.extracted.items() if value is False}
    for mark, pattern in _MARKS:
        if any(map(pattern.search, texts)) and not any(map(pattern.search, denied)):
            yield mark


def _learn(run: FlowRun, facts: Slots) -> set[str]:
    """Add the facts that the caller gave to the flow, and return their names."""
    learned = set()
    for event in run.events:
        if event.type in ("asked", "extracted"):
            name = event["question"] if event.type == "asked" else event["key"]
            for key, value in _leaves(str(name), event["value"]):
                fact = analysis.fact_of(key)
                if fact and fact not in learned and isinstance(value, str) and value:
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
    return any(value and analysis.fact_of(key) == "name" for key, value in run.extracted.items())


def _listed(texts: list[str]) -> str:
    *before, last = texts
    return f"{', '.join(before)}, and then {last}" if before else last


def _means(condition: str, intents: tuple[str, ...]) -> bool:
    intent = intent_of(condition)
    return intent is not None and intent.name in intents


def _rating(run: FlowRun) -> int | None:
    """Return the rating that the caller gave, on a scale to 10."""
    for event in reversed(run.events):
        if event.type == "asked" and _RATING.search(str(event["question"])):
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
