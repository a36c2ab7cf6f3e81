"""Passages: the pieces of a long text that a search index holds as rows."""

from collections.abc import Iterator

LONGEST = 2_000  # characters of a passage


def passages_of(text: str) -> Iterator[str]:
    """Yield the text in passages. They end at the end of a line or a word, unless a word is longer than a passage."""
    start = 0
    while start < len(text):
        end = start + LONGEST
        if end < len(text):
            middle = start + LONGEST // 2
            end = max(text.rfind("\n", middle, end), text.rfind(" ", middle, end)) + 1 or end
        passage = text[start:end].strip()
        if passage:
            yield passage
        start = end
