"""Reading of a talk's prompt: the questions that the agent asks, and the statements that it can make."""

import re
from collections.abc import Iterator

from dryline.engine import prompts_de, prompts_en, prompts_es
from dryline.engine.greetings import greeting
from dryline.engine.prompt_parts import PromptParts, add_statement

_LIST_HEAD = re.compile(
    r"\b(?:learn|ask|collect|gather|find out|need|know|questions?|information|order|fields?"
    r"|details?)\b",
    re.IGNORECASE,
)
_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_SENTENCE_END = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"\u201d']))\s+(?=[\"\u201c'(¿¡A-ZÄÖÜÁÉÍÓÚÑ0-9-])")
_ABBREVIATION = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St|No|e\.g|i\.e|a\.m|p\.m|etc)\.$", re.IGNORECASE)
_MOST_TO_SAY = 3  # a prompt with more statements is a reference: they are said only where they answer the user
_MOST_BEFORE_QUESTION = 2  # of such a prompt: statements that stand right before its question
_LONGEST_PROMPT = 8_000  # characters that are read: a prompt's task stands at its beginning or its end


def read_prompt(prompt: str) -> PromptParts:
    """Return the questions and statements of a prompt."""
    prompt = prompt.replace("\u2019", "'")
    if len(prompt) > _LONGEST_PROMPT:
        prompt = f"{prompt[: _LONGEST_PROMPT // 2]}\n\n{prompt[-_LONGEST_PROMPT // 2 :]}"
    parts = PromptParts(language_of(prompt))
    adjacent: list[str] = []  # the statements right before the first question, in its paragraph
    paragraphs = [list(sentences(paragraph)) for paragraph in re.split(r"\n\s*\n", prompt)]
    parts.greeting = greeting([sentence for paragraph in paragraphs for sentence in paragraph], parts.language)
    for paragraph in paragraphs:
        if not parts.questions:
            adjacent = []
        for sentence in paragraph:
            questions, statements = len(parts.questions), len(parts.statements)
            _read_sentence(sentence, parts)
            if len(parts.statements) > statements:
                adjacent += parts.statements[statements:]
            elif not questions and not parts.questions:
                adjacent = []
    if len(parts.facts) > _MOST_TO_SAY:
        parts.statements = adjacent[-_MOST_BEFORE_QUESTION:]
    return parts


def read_note(note: str) -> str:
    """Return what the agent says of a value that a `return` handed back: all of it, its instructions as questions."""
    language = language_of(note)
    spoken: list[str] = []
    for sentence in sentences(note.replace("\u2019", "'")):
        parts = PromptParts(language)
        is_instruction = language != "en" or prompts_en.is_instruction(sentence)
        if is_instruction:
            _read_sentence(sentence, parts)
            spoken += [*parts.facts, *(forms[0] for forms in parts.questions), *([parts.offer] if parts.offer else [])]
        else:
            spoken.append(sentence)
    return " ".join(dict.fromkeys(spoken)) or note


def _read_sentence(sentence: str, parts: PromptParts) -> None:
    foreign = {"de": prompts_de, "es": prompts_es}.get(parts.language)
    if foreign is None:
        prompts_en.read_sentence(sentence, parts)
    elif sentence.endswith("?"):
        parts.questions.append((sentence,))
    elif question := foreign.question(sentence):
        parts.questions.append((question,))
    elif not foreign.is_instruction(sentence):
        add_statement(sentence, parts)


def language_of(text: str) -> str:
    """Return `de`, `es` or `en`, by the commonest words."""
    words = re.findall(r"[a-zäöüßáéíóúñ]+", text[:2_000].lower())
    if not words:
        return "en"
    shares = {
        "de": sum(word in prompts_de.COMMON_WORDS for word in words),
        "es": sum(word in prompts_es.COMMON_WORDS for word in words),
    }
    language = max(shares, key=shares.__getitem__)
    return language if shares[language] >= max(1, len(words) * 0.15) else "en"


def sentences(prompt: str) -> Iterator[str]:
    """Yield the sentences of a prompt. A line that begins in lower case goes on with the one before."""
    paragraph = ""
    list_head = ""
    for line in [*prompt.splitlines(), ""]:
        text = line.strip()
        if is_item := bool(_LIST_ITEM.match(line)):
            text = _LIST_ITEM.sub("", line).strip()
        continues = bool(paragraph) and bool(text) and not is_item and (text[0].islower() or text[0].isdigit())
        if continues:
            paragraph = f"{paragraph} {text}"
            continue
        yield from _split(paragraph)
        if paragraph.endswith(":"):
            list_head = paragraph
        paragraph = text
        if is_item and _LIST_HEAD.search(list_head):
            thing = text if text[:2].isupper() else text[:1].lower() + text[1:]
            paragraph = f"Ask {'' if re.match('wh|how', thing) else 'for '}{thing}"
        elif text and not is_item and not text.endswith(":"):
            list_head = ""


def _split(paragraph: str) -> Iterator[str]:
    rest = ""
    are_quotes_paired = paragraph.count('"') % 2 == 0
    for sentence in _SENTENCE_END.split(paragraph):
        rest = f"{rest} {sentence}".strip()
        is_open_quote = are_quotes_paired and rest.count('"') % 2
        if not _ABBREVIATION.search(rest) and not is_open_quote:
            if rest:
                yield rest
            rest = ""
    if rest:
        yield rest
