"""The questions and statements of a prompt, and the sentences for its instructions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from dryline.flow.model.kinds import language_of
from dryline.storage.files import read_json

SENTENCE_END = re.compile(
    r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bSt\.)(?<!e\.g\.)(?<!i\.e\.)(?<!a\.m\.)(?<!p\.m\.)"
    r"(?:(?<=[.!?])|(?<=[.!?][\"\u201d']))\s+(?=[\"\u201c'(¿¡A-ZÄÖÜÁÉÍÓÚÑ0-9-])"
)
_END_OUTSIDE_QUOTES = re.compile(SENTENCE_END.pattern + r'(?=[^"]*(?:"[^"]*"[^"]*)*$)')
_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_QUOTED = r"[\"'\u201c](?P<line>[^\"\u201c\u201d]+)[\"'\u201d]"
_MOST_TO_SAY = 3  # a prompt with more statements is a reference: they are said only where they answer the user
_LONGEST_PROMPT = 8_000  # characters that are read


class Frames(dict[str, Any]):
    """The agent's sentences in one language, and the forms in which prompts ask for them, by name."""

    def __init__(self, language: str) -> None:
        super().__init__(read_json(Path(__file__).with_name("agent.json"))[language])
        self.language = language
        self._forms: dict[str, re.Pattern[str]] = {}

    def form(self, form: str) -> re.Pattern[str]:
        """Return a form as a pattern, in which `[ask]` stands for the frame of that name."""
        if form not in self._forms:
            source = form
            for _ in range(2):
                source = re.sub(r"\[(\w+)\]", lambda match: str(self.get(match[1], match[0])), source)
            self._forms[form] = re.compile(source, re.IGNORECASE)
        return self._forms[form]

    def fits(self, name: str, sentence: str) -> bool:
        return self.form(self[name]).match(sentence) is not None


frames_of = lru_cache(maxsize=3)(Frames)


@dataclass(slots=True)
class Prompt:
    """The sentences of a prompt. `statements` stand before its first question, `facts` are all of them."""

    frames: Frames
    questions: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    greeting: str = ""
    is_closing: bool = False

    def read(self, sentence: str) -> None:
        """Add what a sentence lets the agent say."""
        frames = self.frames
        if "?" not in sentence and frames.fits("conditional", sentence):
            return
        if quoted := frames.form(rf"(?:[says]) {_QUOTED}").match(sentence):
            self.add(quoted["line"])
        elif "?" in sentence:
            request = frames.form(r"(?:[ask]|say\b)\s*(?=(?-i:[A-ZÄÖÜ¿]))").match(sentence)
            if request or not ('"' in sentence or "\u201c" in sentence or frames.fits("skipped", sentence)):
                question = sentence[request.end() if request else 0 :]
                self.questions.append(question[: question.rindex("?") + 1])
        elif frames.fits("spoken", sentence):
            self.add(sentence, is_question="your" in sentence)
        else:
            self.is_closing = self.is_closing or frames.fits("closing", sentence)
            clauses = frames.form(frames["clause"]).split(sentence.rstrip(" .!"))
            for clause in map(str.strip, clauses):
                self.read_clause(clause, sentence if len(clauses) == 1 else f"{clause}.")

    def read_clause(self, clause: str, sentence: str) -> None:
        """Add what a clause lets the agent say: the sentence for an instruction, or the `sentence` that it is."""
        frames = self.frames
        if not clause or frames.fits("skipped", clause):
            request = frames.form(r"(.+?),? (?:[forbids])\b").match(clause)
            if not request or not frames.fits("ask", clause):
                return
            clause = request[1]
        for form, line in frames["instructions"]:
            if match := frames.form(form).fullmatch(clause):
                line = line.format(as_agent(match.groupdict().get("what") or "", frames))
                for longer, shorter in frames["shorter"]:  # "Do you need it?" for "Could you tell me whether …?"
                    line = re.sub(f"^{longer}$", shorter, line)
                return self.add(line)
        if not frames.fits("manner", clause):
            self.add(sentence)

    def add(self, line: str, *, is_question: bool = False) -> None:
        """Keep a question, or a statement; a label such as "Opening hours: 9 to 5" is said only where it answers."""
        line = line[:1].upper() + line[1:]
        if is_question or line.endswith("?"):
            self.questions.append(line)
        elif len(line) <= 240 and not line.endswith((":", ":.")) and re.search(r"\w \w|!", line):
            line = line if line[-1] in ".!" else f"{line}."
            self.facts.append(line)
            if not self.questions and not self.frames.fits("label", line):
                self.statements.append(line)


@lru_cache(maxsize=64)
def read_prompt(text: str) -> Prompt:
    """Return the questions and statements of a prompt."""
    text = text.replace("\u2019", "'")[:_LONGEST_PROMPT]
    prompt = Prompt(frames_of(language_of(text)))
    paragraphs = [list(_sentences(paragraph, prompt.frames)) for paragraph in re.split(r"\n\s*\n", text)]
    prompt.greeting = _greeting([sentence for paragraph in paragraphs for sentence in paragraph], prompt.frames)
    for paragraph in paragraphs:
        before = len(prompt.statements)
        for sentence in paragraph:
            prompt.read(sentence)
        if len(prompt.facts) > _MOST_TO_SAY:
            prompt.statements = prompt.statements[before:][-2:] if prompt.questions else []
    return prompt


def _sentences(text: str, frames: Frames) -> Iterator[str]:
    """Yield the sentences of a text; an item of a list of what to ask is an instruction to ask for it."""
    asks, paragraph = False, ""
    for line in [*text.splitlines(), ""]:
        item = _LIST_ITEM.sub("", line).strip() if _LIST_ITEM.match(line) else ""
        stripped = line.strip()
        if paragraph and stripped and not item and (stripped[0].islower() or stripped[0].isdigit()):
            paragraph = f"{paragraph} {stripped}"
            continue
        yield from filter(None, _END_OUTSIDE_QUOTES.split(paragraph))
        is_list_head = paragraph.endswith(":") and frames.form(frames["list_head"]).search(paragraph) is not None
        asks = is_list_head or bool(item and asks)
        small = item if item[:2].isupper() else item[:1].lower() + item[1:]
        paragraph = frames["list_item"].format(small) if item and asks else item or stripped


def _greeting(sentences: Sequence[str], frames: Frames) -> str:
    """Return the greeting that a prompt asks for in words ("Greet the caller"), or by a name and a company."""
    about = " ".join(each for each in sentences if frames.fits("manner", each) or frames.fits("name", each))
    matches = {part: frames.form(f"(?-i:{frames[part]})").search(about) for part in ("name", "company")}
    names = [match[part].rstrip(".") for part, match in matches.items() if match]
    asks = any(frames.form(frames["greets"]).search(sentence) for sentence in sentences)
    if len(names) == 2 or (asks and names):
        return str(frames["this_is"].format(f" {frames['from']} ".join(names)))
    return str(frames["hello"]) if asks else ""


def as_agent(words: str, frames: Frames) -> str:
    """Return words of a prompt as the agent says them: its "you" is the agent, its "they" the user."""
    words = words.strip(" ,.!")
    for form, by in frames["as_agent"]:
        words = re.sub(form, by, words, flags=re.IGNORECASE)
    return words
