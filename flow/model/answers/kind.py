"""The base of all kinds of values."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple

from dryline.flow.model.answers.slots import Slot

Case = tuple[str, Any, Any]  # what is said, the example, and the value that is read


class Span(NamedTuple):
    """The part of a text in which a value stands."""

    start: int
    end: int


class ValueKind(ABC):
    """A kind of value: how it is recognized in words, invented, and said.

    `CASES` are sentences with an example and the value that is read from them; their test runs each.
    """

    name: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ()  # the ends of members' names that ask for it
    asked_by: ClassVar[tuple[str, ...]] = ()  # phrases of questions that ask for it
    question: ClassVar[str] = ""  # with which the agent asks for it
    sentences: ClassVar[tuple[str, ...]] = ()  # of callers who give a `{value}`
    CASES: ClassVar[Sequence[Case]] = ()

    def is_example(self, text: str) -> bool:
        """Return whether a text is certainly an example of this kind, whatever its member is called."""
        return False

    @abstractmethod
    def read(self, said: str, context: Slot) -> Any:
        """Return the value that was said, in the format of the example; None for none."""

    def read_all(self, said: str, context: Slot) -> list[Any]:
        """Return all values that were said, in their order: "from Monday to Thursday" has two days."""
        value = self.read(said, context)
        return [] if value is None else [value]

    @abstractmethod
    def make(self, random: Random, context: Slot) -> Any:
        """Return an invented value in the format of the example, at the time `context.now`."""

    def say(self, value: Any) -> str:
        """Return a value as a caller says it."""
        return str(value)


class MultiValueKind(ValueKind):
    """A kind of which a text may have several values. Where one is asked for, the last one counts."""

    @abstractmethod
    def read_all(self, said: str, context: Slot) -> list[Any]: ...

    def read(self, said: str, context: Slot) -> Any:
        values = self.read_all(said, context)
        return values[-1] if values else None


def blanked(text: str, spans: Sequence[Span]) -> str:
    """Return the text with bars in place of each span, so that offsets stay and nothing is read across it."""
    pieces, position = [], 0
    for start, end in sorted(spans):
        pieces += [text[position:start], "|" * (end - max(position, start))]
        position = max(position, end)
    return "".join((*pieces, text[position:]))
