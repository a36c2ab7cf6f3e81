"""The agent's utterances without a model: from the prompt, the conversation, and what a `return` handed back.

What the prompt quotes or asks is said as it stands; an instruction becomes the sentence that `agent.json` has for it.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dryline.flow.model.encoder import similarity, stems
from dryline.flow.model.kinds import language_of, read_values
from dryline.flow.model.prompts import SENTENCE_END, Prompt, as_agent, frames_of, read_prompt

if TYPE_CHECKING:
    from dryline.flow.language.language_model import Talk

NOT_MET = "no condition was met"
_MOST_OPTIONS = 6


def agent_line(talk: "Talk", utterance: str | None) -> tuple[str, str]:
    """Return the agent's next utterance and its source. `utterance` is what has just met no condition."""
    agent = _Agent(talk)
    if utterance is not None:
        return agent.reply(utterance)
    return (_note(talk.note), "what return handed back") if talk.note else (agent.opening(), "the prompt")


def words_to_answer(talk: "Talk") -> str:
    """Return the agent's words that the user's next ones answer: not the options that it has named, say."""
    agent = _Agent(talk)
    waiting = read_values(agent.language)["agent_waits"]
    texts = [agent.without_help(text).replace(waiting, "") for text in agent.unanswered or agent.said[-1:]]
    return next((text for text in reversed(texts) if text and text != agent.frames["general"]), "")


def invites_any_request(question: str) -> bool:
    """Return whether a question names no matter of its own, such as "Is there anything else?"."""
    return frames_of(language_of(question)).fits("invites", question)


def statement_for(prompt: str, utterance: str, agent_said: list[str]) -> str | None:
    """Return the statement of a prompt that answers the user's question, unless it was said before."""
    answer = _answer(read_prompt(prompt).facts, utterance, agent_said) if prompt else None
    return None if answer is None or any(answer in text for text in agent_said) else answer


def _answer(facts: list[str], utterance: str, agent_said: list[str]) -> str | None:
    """Return the statement that answers a question, a new one first; None if none shares a word or kind with it."""
    language = language_of(utterance)
    frames = frames_of(language)
    subjects = _subjects(utterance, language)
    near: list[tuple[bool, bool, float, str]] = []
    for fact in facts if frames.fits("asks_something", utterance) else ():
        fits = any(  # "how long": "45 minutes"
            re.search(rf"\b(?:{asks})\b", utterance, re.I) and re.search(rf"(?:\b|\W)(?:{answers})", fact, re.I)
            for asks, answers in frames["answers_to"]
        )
        if fits or subjects & _subjects(fact, language):
            is_new = not any(fact in text for text in agent_said)
            near.append((is_new, fits, similarity(utterance, fact, language), fact))
    return max(near)[-1] if near else None


def _subjects(text: str, language: str) -> set[str]:
    """Return the stems of a text but those of words such as "the" and "have", which are in any text."""
    return {*stems(text, language)} - {*stems(" ".join(read_values(language)["marks"]), language), ""}


def _note(note: str) -> str:
    """Return what the agent says of a value that a `return` handed back: all of it, its instructions as questions."""
    prompt = read_prompt(note)
    clauses = prompt.frames.form(prompt.frames["clause"]).split(note)
    asks = any(prompt.frames.fits("ask", clause.strip()) for clause in clauses)
    return (" ".join([*prompt.facts, *prompt.questions]) if asks else "") or note


class _Agent:
    """The agent of a talk at one moment."""

    def __init__(self, talk: "Talk") -> None:
        self._talk = talk
        self._prompt = read_prompt(talk.prompt)
        self.language, self.frames = self._prompt.language, self._prompt.frames
        self.said = [message.text for message in talk.messages if message.who == "agent"]
        # The agent's messages since a condition was last taken.
        self.unanswered = [message.text for message in talk.messages[talk.taken_at :] if message.who == "agent"]

    def opening(self) -> str:
        """Return what opens a talk: a greeting, what answers the last words or is to be told, and a question."""
        prompt, frames, talk = self._prompt, self.frames, self._talk
        latest = talk.messages[-1].text if talk.messages and talk.messages[-1].who == "user" else ""
        answer = statement_for(talk.prompt, latest, self.said)
        question = self._upcoming() or (prompt.questions or self._asks_to_give() or [""])[0]
        statements = [each for each in prompt.statements if not any(each in text for text in self.said)]
        if not statements and prompt.statements and frames.fits("refers_back", question):
            statements = prompt.statements[-1:]  # "Did that help?" alone would refer to what was said long ago
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
        answer = _answer(prompt.facts, utterance, self.said)
        answer = answer or statement_for(self._talk.first_prompt, utterance, self.said)
        upcoming = self._upcoming()
        if answer:
            following = upcoming or question
            return following if answer in following else f"{answer} {following}", "a statement of the prompt"
        if upcoming:
            thanks = [line for line in frames["next"] if not "".join(self.said[-1:]).startswith(line.format(""))]
            return self._talk.random.choice(thanks).format(upcoming), "the next question of the prompt"
        return self._fallback(utterance, question), NOT_MET

    def _reply_to_act(self, utterance: str, question: str) -> str | None:
        """Return the reply to an utterance that says nothing about the matter: a greeting, a pause, a thank-you."""
        frames, said = self.frames, utterance.strip(" \t,;:.!?\u2026")
        act = next((act for act, form in frames["acts"].items() if frames.form(form).fullmatch(said)), None)
        if act == "wait":
            return str(read_values(self.language)["agent_waits"])
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

    def _fallback(self, utterance: str, question: str) -> str:
        """Return what the agent says when it did not understand: it asks again, then names the options, and so on."""
        frames, conditions = self.frames, self._talk.conditions
        if self._prompt.is_chat and not frames.fits("asks_something", utterance):
            return self._unlike_before(frames["listening"])
        either = frames["either"].format(self._options([conditions[index] for index in self._talk.candidates]))
        if len(self._talk.candidates) > 1 and either not in (frames["either"].format(""), *self.said):
            return str(either)
        helped = [self.without_help(text) != text for text in reversed(self.unanswered)]
        failures = [*helped, False].index(False)
        subject, options = frames.form(frames["subject"]), self._options(conditions)
        is_yes_or_no = all(frames.fits("is_answer", subject.sub("", each)) for each in conditions)
        offer = frames["yes_or_no"] if is_yes_or_no else frames["can"].format(options) if options else ""
        if failures % 2 and offer:
            return str(offer) if frames.fits("invites", question) and not is_yes_or_no else f"{offer} {question}"
        again = [line.format(question) for line in frames["again"]]
        return self._unlike_before(again) if failures else again[0]

    def _upcoming(self) -> str | None:
        """Return the first of several questions of the prompt that was not asked yet."""
        questions = self._prompt.questions if len(self._prompt.questions) > 1 and not self._talk.note else []
        return next((each for each in questions if not any(each in text for text in self.said)), None)

    def _asks_to_give(self) -> list[str]:
        """Return the question for what the user has to give where the loop waits for nothing else."""
        prompt, conditions = Prompt(self.language), self._talk.conditions
        if len(conditions) == 1 and (match := self.frames.form("[subject][gives]").fullmatch(conditions[0])):
            prompt.read_clause(f"Ask for {match[1]}", "")
        return prompt.questions

    def _open_question(self) -> str:
        """Return the agent's last question that is not answered yet; else that of the prompt, or a general one."""
        questions = (self._question_in(self.without_help(text)) for text in reversed(self.unanswered))
        return next(filter(None, questions), (self._prompt.questions or [self.frames["general"]])[-1])

    def _question_in(self, text: str) -> str:
        """Return the last question of a text, with the sentence before it if it refers to that; else nothing."""
        sentences = SENTENCE_END.split(text)
        at = max((index for index, sentence in enumerate(sentences) if sentence.endswith("?")), default=None)
        if at is None:
            return ""
        before = sentences[at - 1] if at and self.frames.fits("refers_back", sentences[at]) else ""
        return sentences[at] if not before or self.frames.fits("acknowledges", before) else f"{before} {sentences[at]}"

    def _latest_turn(self) -> str:
        """Return what the agent told and asked before the user's last words."""
        spoken: list[str] = []
        for message in reversed(self._talk.messages[:-1]):
            if message.who == "user":
                break
            spoken.insert(0, self.without_help(message.text))
        *before, last = SENTENCE_END.split(" ".join(spoken))
        return " ".join([*(each for each in before if not self.frames.fits("acknowledges", each)), last]).strip()

    def without_help(self, text: str) -> str:
        """Return a text without the sentences that say that the agent did not understand, or name the options."""
        heads = "|".join(re.escape(line.partition("{}")[0].strip()) for line in self.frames["again"])
        can = re.escape(self.frames["can"]).replace(r"\{\}", r"[^.]+")
        return re.sub(rf"^(?:(?:{heads}|{can}|{re.escape(self.frames['yes_or_no'])})\s*)+", "", text)

    def _options(self, conditions: Sequence[str]) -> str:
        """Return conditions as what the user can do: "book an appointment, ask about prices or talk to a person"."""
        options = list(dict.fromkeys(filter(None, map(self._option, conditions))))[:_MOST_OPTIONS]
        return f" {self.frames['or']} ".join(filter(None, (", ".join(options[:-1]), *options[-1:])))

    def _option(self, condition: str) -> str | None:
        """Return a condition as what the user can do, "" if that is to end the call; None if it cannot be said."""
        does, count = self.frames.form("^[subject]").subn("", " ".join(condition.split()).rstrip("."))
        for form, line in self.frames["options"] if count else ():
            if match := self.frames.form(form).fullmatch(does):
                return str(line).format(as_agent(match[1], self.language) if match.groups() else "")
        return None

    def _unlike_before(self, lines: Sequence[str]) -> str:
        """Return one of the lines, if possible one that was not said in the last turns."""
        recent = self.said[-len(lines) + 1 :] if len(lines) > 1 else []
        return self._talk.random.choice([line for line in lines if line not in recent] or list(lines))
