"""The agent's utterances without a model: from the prompt, the conversation, and what a `return` handed back.

What the prompt quotes or asks is said as it stands; an instruction becomes the sentence that `agent.json` has for it.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from dryline.flow.language.language_model import Talk
from dryline.flow.model.encoder import dot, stems, vector
from dryline.flow.model.kinds import language_of, read_values
from dryline.flow.model.prompts import SENTENCE_END, as_agent, frames_of, read_prompt

NOT_MET = "no condition was met"
_MOST_OPTIONS = 6


def agent_line(talk: Talk, utterance: str | None) -> tuple[str, str]:
    """Return the agent's next utterance and its source. `utterance` is what has just met no condition."""
    agent = _Agent(talk)
    if utterance is not None:
        return agent.reply(utterance)
    return (_note(talk.note), "what return handed back") if talk.note else (agent.opening(), "the prompt")


def words_to_answer(talk: Talk) -> str:
    """Return the agent's words that the user's next ones answer: not the options that it has named, say."""
    agent = _Agent(talk)
    waiting = read_values(agent.frames.language)["agent_waits"]
    texts = [agent.without_help(text).replace(waiting, "") for text in agent.unanswered or agent.said[-1:]]
    questions = [text for text in texts if "?" in text and text != agent.frames["general"]]
    return next(filter(None, reversed(questions or texts)), "")


def invites_any_request(question: str) -> bool:
    """Return whether a question names no matter of its own, such as "Is there anything else?"."""
    return frames_of(language_of(question)).fits("invites", question)


def _answer(facts: Sequence[str], utterance: str) -> str | None:
    """Return the statement that answers a question; None if none shares a word or a kind with it."""
    language = language_of(utterance)
    frames, subjects = frames_of(language), _subjects(utterance, language)
    kinds = [answers for asks, answers in frames["answers_to"] if re.search(rf"\b(?:{asks})\b", utterance, re.I)]
    near: list[tuple[bool, float, str]] = []
    own = vector(utterance)
    for fact in facts if frames.fits("asks_something", utterance) else ():
        is_of_kind = any(re.search(rf"(?:\b|\W)(?:{answers})", fact, re.I) for answers in kinds)
        if is_of_kind or subjects & _subjects(fact, language):
            near.append((is_of_kind, dot(own, vector(fact)), fact))
    return max(near)[-1] if near else None


def _subjects(text: str, language: str) -> set[str]:
    """Return the stems of a text but those of words such as "the" and "have", which are in any text."""
    return {*stems(text)} - {*stems(" ".join(read_values(language)["marks"])), ""}


def _note(note: str) -> str:
    """Return what the agent says of a value that a `return` handed back: all of it, its instructions as questions."""
    prompt = read_prompt(note)
    clauses = prompt.frames.form(prompt.frames["clause"]).split(note)
    asks = any(prompt.frames.fits("ask", clause.strip()) for clause in clauses)
    return (" ".join([*prompt.facts, *prompt.questions]) if asks else "") or note


class _Agent:
    """The agent of a talk at one moment."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._prompt = read_prompt(talk.prompt)
        self.frames = self._prompt.frames
        self.said = [message.text for message in talk.messages if message.who == "agent"]
        # The agent's messages since a condition was last taken.
        self.unanswered = [message.text for message in talk.messages[talk.taken_at :] if message.who == "agent"]

    def opening(self) -> str:
        """Return what opens a talk: a greeting, what answers the last words or is to be told, and a question."""
        prompt, frames, talk = self._prompt, self.frames, self._talk
        latest = talk.messages[-1].text if talk.messages and talk.messages[-1].who == "user" else ""
        answer = _answer(self._new(prompt.facts), latest)
        question = self._upcoming() or (prompt.questions or [""])[0]
        statements = self._new(prompt.statements)
        if not question and not (self.said and frames.fits("invites", self._question_in(self.said[-1]))):
            heard = any(message.who == "user" for message in talk.messages)
            lines = frames["closings" if prompt.is_closing else "going_on" if heard else "openings"]
            only_ends = len(talk.conditions) == 1 and self._option(talk.conditions[0]) == ""
            question = frames["more"] if only_ends else self._unlike_before(lines)
        line = " ".join(filter(None, [*([answer] if answer else statements), question]))
        greets = prompt.greeting and not self.said and not frames.fits("greeted_already", line)
        return f"{prompt.greeting} {line}" if greets else line

    def reply(self, utterance: str) -> tuple[str, str]:
        """Return the reply to an utterance that met no condition, and its source."""
        prompt, frames, question = self._prompt, self.frames, self._open_question()
        if frames.fits("asks_who", question) and frames.fits("yes", utterance):
            return self.opening(), "the prompt"
        if reply := self._reply_to_act(utterance, question):
            return reply, NOT_MET
        known = (self._new(prompt.facts), prompt.facts, self._new(read_prompt(self._talk.first_prompt).facts))
        answer = next(filter(None, (_answer(facts, utterance) for facts in known)), None)
        upcoming = self._upcoming()
        if answer:
            following = upcoming or question
            return following if answer in following else f"{answer} {following}", "a statement of the prompt"
        if upcoming:
            return self._talk.random.choice(frames["next"]).format(upcoming), "the next question of the prompt"
        return self._fallback(question), NOT_MET

    def _reply_to_act(self, utterance: str, question: str) -> str | None:
        """Return the reply to an utterance that says nothing about the matter: a greeting, a pause, a thank-you."""
        frames, said = self.frames, utterance.strip(" \t,;:.!?\u2026")
        act = next((act for act, form in frames["acts"].items() if frames.form(form).fullmatch(said)), None)
        if act == "wait":
            return str(read_values(self.frames.language)["agent_waits"])
        if act == "repeat":
            return self._latest_turn() or question
        if act == "who":
            first = SENTENCE_END.split("".join(self.said[:1]))
            introduces = [each for each in first if frames.fits("introduces", each)]
            return f"{introduces[0]} {question}" if introduces else None
        if act:
            return str(frames[act]).format(SENTENCE_END.split(question)[-1] if act == "step_done" else question)
        if frames.fits("asks_for_more", question) and frames.fits("yes", utterance):
            return str(frames["general"])
        return frames["wrong"] if frames.fits("asks_if_right", question) and frames.fits("no", utterance) else None

    def _fallback(self, question: str) -> str:
        """Return what the agent says when it did not understand: it asks again, then names the options, and so on."""
        frames, conditions = self.frames, self._talk.conditions
        meant = [conditions[index] for index in self._talk.candidates]
        either = str(frames["either"].format(self._options(meant)))
        if len(meant) > 1 and all(map(self._option, meant)) and either not in self.said:
            return either
        has_failed = self.unanswered and self.without_help(self.unanswered[-1]) != self.unanswered[-1]
        has_offered = has_failed and self.unanswered[-1].startswith(frames["can"].partition("{}")[0])
        if has_failed and not has_offered and (options := self._options(conditions)):
            offer = str(frames["can"].format(options))
            return offer if frames.fits("invites", question) else f"{offer} {question}"
        again = [line.format(question) for line in frames["again"]]
        return self._unlike_before(again) if has_failed else again[0]

    def _upcoming(self) -> str | None:
        """Return the first of several questions of the prompt that was not asked yet."""
        questions = self._prompt.questions if len(self._prompt.questions) > 1 and not self._talk.note else []
        return next(iter(self._new(questions)), None)

    def _new(self, texts: Sequence[str]) -> list[str]:
        """Return the texts that the agent has not said yet."""
        return [each for each in texts if not any(each in text for text in self.said)]

    def _open_question(self) -> str:
        """Return the agent's last question that is not answered yet; else that of the prompt, or a general one."""
        questions = (self._question_in(self.without_help(text)) for text in reversed(self.unanswered))
        return next(filter(None, questions), (self._prompt.questions or [self.frames["general"]])[-1])

    def _question_in(self, text: str) -> str:
        """Return the last question of a text, with the sentence before it if it refers to that; else nothing."""
        *earlier, question = SENTENCE_END.split(text[: text.rfind("?") + 1])
        before = earlier[-1] if earlier and self.frames.fits("refers_back", question) else ""
        return question if not before or self.frames.fits("acknowledges", before) else f"{before} {question}"

    def _latest_turn(self) -> str:
        """Return what the agent told and asked before the user's last words."""
        turn = [*takewhile(lambda message: message.who == "agent", reversed(self._talk.messages[:-1]))]
        sentences = SENTENCE_END.split(" ".join(self.without_help(message.text) for message in reversed(turn)))
        return " ".join(each for each in sentences if not self.frames.fits("acknowledges", each)).strip()

    def without_help(self, text: str) -> str:
        """Return a text without the sentences that say that the agent did not understand, or name the options."""
        heads = "|".join(re.escape(line.partition("{}")[0].strip()) for line in self.frames["again"])
        can = re.escape(self.frames["can"]).replace(r"\{\}", r"[^.]+")
        return re.sub(rf"^(?:(?:{heads}|{can})\s*)+", "", text)

    def _options(self, conditions: Sequence[str]) -> str:
        """Return conditions as what the user can do: "book an appointment, ask about prices or talk to a person"."""
        options = list(dict.fromkeys(filter(None, map(self._option, conditions))))[:_MOST_OPTIONS]
        return f" {self.frames['or']} ".join(filter(None, (", ".join(options[:-1]), *options[-1:])))

    def _option(self, condition: str) -> str | None:
        """Return a condition as what the user can do, "" if that is to end the call; None if it cannot be said."""
        does, count = self.frames.form("^[subject]").subn("", " ".join(condition.split()).rstrip("."))
        for form, line in self.frames["options"] if count else ():
            if match := self.frames.form(form).fullmatch(does):
                return str(line).format(as_agent(match[1], self.frames) if match.groups() else "")
        return None

    def _unlike_before(self, lines: Sequence[str]) -> str:
        """Return one of the lines, if possible one that was not said in the last turns."""
        recent = self.said[-len(lines) + 1 :] if len(lines) > 1 else []
        return self._talk.random.choice([line for line in lines if line not in recent] or list(lines))
