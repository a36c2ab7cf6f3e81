"""Yes or no."""

import re
from functools import lru_cache
from random import Random

from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.slots import Slot

_FILLERS = r"(?:(?:um|uh|er|hm+|well|oh|so|okay so|hi|hello|i think|i guess|actually|honestly)\b[,.]? ?)*"


class YesNo(ValueKind):
    """Yes or no, to the agent's question or about what the member's name says ("no newsletter, please").

    A text that begins with a yes or a no has its answer there. Otherwise a clause about the member's own matter is a
    yes, unless it has a "not" or "no"; and in a short answer a phrase such as "I'd love to" or "that won't work" does.
    """

    name = "yes_no"
    keys = ("confirmed", "agreed", "ok", "accepted", "interested", "available", "insured", "consent")
    question = "Is that right?"

    undecided = re.compile(
        r"\b(?:not (?:so |really |too |quite )?sure|don't know|no idea|it depends|can't (?:say|decide)|undecided"
        r"|(?:have to|let me|need to) (?:check|think|ask))\b"
    )
    yes_despite_no = re.compile(
        rf"{_FILLERS}(?:why not|(?:no,? )?no (?:problem|worries|objections?|doubt)|not (?:a problem|bad)"
        rf"|i don't (?:see why not|mind)"
        r"|wouldn't say no|can't wait|no,? (?:no,? )?(?:that's|it's) (?:fine|right|okay|ok|perfect|correct))\b"
    )
    begins_with_yes = re.compile(
        rf"{_FILLERS}(?:yes|yeah|yep|yup|ya|sure|ok|okay|alright|all right|correct|right|exactly|absolutely"
        rf"|definitely|certainly"
        r"|of course|gladly|please|please do|go ahead|sounds good|that works|works for me|perfect|great|fine"
        r"|agreed|deal"
        r"|uh huh|mhm|indeed|true|totally|you bet|by all means|confirmed|i confirm|(?:i|we) (?:do|am|are|did"
        r"|can|will|would))\b(?! not\b)"
    )
    begins_with_no = re.compile(
        rf"{_FILLERS}(?:(?:that's |that is |it's )?(?:wrong|incorrect|not (?:right|true))|no|nope|nah|never"
        rf"|not|none|neither|negative|i'm (?:good|fine|all set)|i'll pass|absolutely not"
        r"|definitely not|of course not|certainly not|(?:i|we) (?:don't|do not|didn't|can't|cannot|won't"
        r"|wouldn't|haven't)"
        r"|don't|please don't|forget it|rather not|i'd rather not|false)\b"
    )
    yes_inside = re.compile(
        r"\b(?:i think so|i guess|sounds (?:good|great|fine|right|perfect)|you're right|i'd love to"
        r"|i would love to|i agree|i accept|i suppose|count me in|let's do it|go for it|why not"
        r"|(?:it|that|this) (?:is|would be|sounds|works|looks) (?:fine|good|great|perfect|right|correct|lovely|for me)"
        r"|that's (?:fine|right|correct|good|great|it|perfect)|yes|yeah)\b"
    )
    no_inside = re.compile(
        r"\b(?:won't work|doesn't work|don't think so|rather not|afraid not|i decline|i refuse|disagree"
        r"|no thanks|no thank you"
        r"|not interested|no need|don't (?:want|need|bother|have)|can't|cannot|isn't|aren't|wasn't|not)\b"
    )
    denies = re.compile(r"\b(?:no|not|never|without|none|\w+n't|skip|leave off|hold the|missing)\b")
    no_matters = frozenset(
        [
            "want",
            "have",
            "does",
            "they",
            "with",
            "this",
            "that",
            "like",
            "need",
            "complete",
            "user",
            "caller",
            "customer",
            "would",
            "there",
            "their",
            "them",
            "from",
            "your",
            "confirm",
            "agree",
            "accept",
            "confirmed",
            "agreed",
            "accepted",
            "interested",
            "available",
            "right",
            "okay",
        ]
    )

    CASES = (
        ("yes", True, True),
        ("yeah, sure", True, True),
        ("um, okay, why not", True, True),
        ("no problem", True, True),
        ("I think so", True, True),
        ("no no, that's fine", True, True),
        ("no, that's fine", True, True),
        ("Sounds good to me", False, True),
        ("that would be lovely", True, True),
        ("no", True, False),
        ("that's wrong", True, False),
        ("nope, thanks", True, False),
        ("I'm afraid that won't work", True, False),
        ("I'd rather not", True, False),
        ("don't bother", False, False),
        ("I don't think so", True, False),
        ("absolutely not", True, False),
        ("I need to think, I'm not sure", True, None),
        ("what does it cost?", True, None),
        ("my name is Ada Park", True, None),
        ("it depends", True, None),
        ("the blue one", True, None),
        ("could you say that again?", True, None),
        ("on Tuesday at nine", True, None),
        ("hm", True, None),
        ("is that right?", True, None),
    )

    _clause_end = re.compile(r"(?<=[.;!?,])\s+|\bbut\b|\band\b")
    _longest_answer = 8  # words

    def read(self, said: str, context: Slot) -> bool | None:
        text = said.lower().replace("\u2019", "'").strip()
        sentences = [each for each in re.split(r"(?<=[.!?])\s+", text) if not each.endswith("?")]
        text = " ".join(sentences)
        if not text or self.undecided.search(text):
            return None
        if context.is_asked:
            if self.yes_despite_no.match(text):
                return True
            if self.begins_with_no.match(text):
                return False
            if self.begins_with_yes.match(text):
                return True
        topic = _stems(context.label) - self.no_matters
        topic = topic or (_stems(context.question) - self.no_matters if context.is_only else frozenset())
        for clause in self._clause_end.split(text):
            if not topic.isdisjoint(_stems(clause)):
                return self.denies.search(clause) is None
        if not context.is_asked or len(text.split()) > self._longest_answer:
            return None
        if self.no_inside.search(text):
            return False
        return True if self.yes_inside.search(text) else None

    def make(self, random: Random, context: Slot) -> bool:
        return random.random() < 0.6

    def say(self, value: bool) -> str:
        return "Yes" if value else "No"


@lru_cache(maxsize=256)
def _kept_stems(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z]{4,}", text)
    return frozenset(re.sub(r"(?:ance|ed|ing|es|s|e)$", "", word)[:8] for word in words) | frozenset(words)


def _stems(text: str) -> frozenset[str]:
    """Return the words of a text of four letters and more, and their stems."""
    return _kept_stems(text.lower()) if len(text) < 500 else _kept_stems.__wrapped__(text.lower())
