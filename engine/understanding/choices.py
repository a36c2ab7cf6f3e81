"""A choice among options that the agent offered, where each option is a condition: "picks Monday", "picks Tuesday"."""

import re

from dryline.engine.understanding.menus import Menu
from dryline.engine.understanding.words import plain
from dryline.flow.model.answers.choices import find_choice

_TAKES = re.compile(r"(?:takes?|accepts?|prefers?|go(?:es)? (?:for|with)) ")
_WORD = re.compile(r"[a-z0-9:]+(?:'[a-z]+)?")


def offered_options(menu: Menu, agent: str, ordinary: frozenset[str]) -> dict[str, int]:
    """Return the options that conditions ask for and that the agent's message names, in its order, with the condition.

    Empty if there is only one.
    """
    words_of = {
        index: [word for word in _WORD.findall(part.gives or part.text) if word not in ordinary]
        for index, (part, *_) in enumerate(menu.parts)
        if not part.is_negated and (part.gives or _TAKES.match(part.text))
    }
    message = _WORD.findall(plain(agent))
    offered: list[tuple[int, int, str]] = []
    for index, words in words_of.items():
        others = {word for other, theirs in words_of.items() if other != index for word in theirs}
        own = [word for word in words if word not in others and word in message]
        if own:
            offered.append((message.index(own[0]), index, " ".join(own)))
    return {option: index for _, index, option in sorted(offered)} if len(offered) > 1 else {}


def chosen_condition(options: dict[str, int], utterance: str) -> int | None:
    """Return the condition whose option an utterance chooses, by name, by a word of it, or by its place."""
    choice = find_choice(utterance, list(options))
    if choice is not None:
        return options[choice]
    words = {word: index for option, index in options.items() for word in option.split()}
    word = find_choice(utterance, list(words))
    return None if word is None else words[word]
