"""Yes or no."""

import re
from collections.abc import Sequence
from functools import lru_cache
from random import Random

from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.slots import Slot

# Words and phrases with which a text begins that says yes, or no.
YES = (
    *("yes", "yeah", "yep", "yup", "sure", "ok", "okay", "correct", "right", "of course", "absolutely", "definitely"),
    *(
        "certainly",
        "exactly",
        "please do",
        "go ahead",
        "sounds good",
        "that works",
        "works for me",
        "that's fine",
        "fine",
    ),
    *("perfect", "great", "i do", "i am", "i have", "i did", "i had", "i was", "i can", "i got", "we can", "we did"),
    *("we had", "i will", "i would", "we do", "we have", "we are", "it is", "they do", "affirmative", "uh huh", "mhm"),
    *("i agree", "agreed", "deal", "confirmed", "i confirm", "why not", "i don't see why not", "no problem"),
    *(
        "i'd love to",
        "gladly",
        "you bet",
        "all good",
        "let's do it",
        "please",
        "go for it",
        "indeed",
        "true",
        "that's it",
    ),
    *("alright", "all right", "i guess so", "i suppose", "totally", "go on then", "go on", "if you like"),
    *(
        "wouldn't say no",
        "may as well",
        "might as well",
        "by all means",
        "that'd be lovely",
        "that would be lovely",
        "aye",
    ),
)
NO = (
    *(
        "no",
        "nope",
        "nah",
        "not",
        "don't",
        "do not",
        "doesn't",
        "isn't",
        "aren't",
        "wasn't",
        "haven't",
        "hasn't",
        "won't",
    ),
    *(
        "can't",
        "cannot",
        "never",
        "none",
        "rather not",
        "no thanks",
        "without",
        "skip",
        "decline",
        "refuse",
        "negative",
    ),
    *("leave off", "hold the", "neither", "no need", "i'm good", "i'm fine", "i'll pass", "wouldn't", "didn't"),
    *("forget it", "false", "absolutely not", "hardly", "couldn't", "nothing", "uninsured", "disagree", "i'm alright"),
    "don't bother",
)

_FILLERS = r"(?:(?:um|uh|er|hm+|well|oh|so|okay so|hi|hello|i think|i guess|actually|honestly)\b[,.]? ?)*"


def _either(phrases: Sequence[str]) -> str:
    """Return phrases as alternatives of a pattern, the longest first."""
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))


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
        rf"{_FILLERS}(?:why not|not (?:a problem|bad)|i don't (?:see why not|mind)|wouldn't say no|can't wait"
        r"|(?:no,? )?no (?:problem|worries|objections?|doubt)"
        r"|no,? (?:no,? )?(?:that's|it's) (?:fine|right|okay|ok|perfect|correct))\b"
    )
    begins_with_yes = re.compile(rf"{_FILLERS}(?:{_either(YES)})\b(?! not\b)")
    begins_with_no = re.compile(
        rf"{_FILLERS}(?:(?:that's |that is |it's )?(?:wrong|incorrect|not (?:right|true))|i'm all set"
        r"|(?:definitely|certainly|of course) not|(?:i|we) (?:don't|do not|didn't|can't|cannot|won't|wouldn't|haven't)"
        rf"|please don't|i'd rather not|{_either(NO)})\b"
    )
    yes_inside = re.compile(
        r"\b(?:yes|yeah|i think so|i guess|i suppose|i agree|i accept|i'd love to|i would love to|count me in"
        r"|let's do it"
        r"|go for it|why not|you're right|sounds (?:good|great|fine|right|perfect)"
        r"|that's (?:fine|right|correct|good|great|it|perfect)"
        r"|(?:it|that|this) (?:is|would be|sounds|works|looks) (?:fine|good|great|perfect|right|correct|lovely"
        r"|for me))\b"
    )
    no_inside = re.compile(
        r"\b(?:not|won't work|doesn't work|don't think so|rather not|afraid not|i decline|i refuse|disagree|no thanks"
        r"|no thank you|not interested|no need|don't (?:want|need|bother|have)|can't|cannot|isn't|aren't|wasn't)\b"
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

        answer = self._answer_at_beginning(text) if context.is_asked else None
        if answer is None:
            answer = self._answer_about_topic(text, context)
        if answer is None and context.is_asked and len(text.split()) <= self._longest_answer:
            answer = self._answer_inside(text)
        return answer

    def _answer_at_beginning(self, text: str) -> bool | None:
        """Return the yes or no with which a text begins."""
        if self.yes_despite_no.match(text):
            return True
        if self.begins_with_no.match(text):
            return False
        return True if self.begins_with_yes.match(text) else None

    def _answer_about_topic(self, text: str, context: Slot) -> bool | None:
        """Return the answer in the first clause with a word of the member's name: a yes, unless it denies something.

        Where the name says nothing, and the answer has no other member, the words of the flow's question count.
        """
        topic = _stems(context.label) - self.no_matters
        if not topic and context.is_only:
            topic = _stems(context.question) - self.no_matters
        for clause in self._clause_end.split(text):
            if not topic.isdisjoint(_stems(clause)):
                return self.denies.search(clause) is None
        return None

    def _answer_inside(self, text: str) -> bool | None:
        """Return what a phrase anywhere in a short answer says."""
        if self.no_inside.search(text):
            return False
        return True if self.yes_inside.search(text) else None

    def make(self, random: Random, context: Slot) -> bool:
        return random.random() < 0.6

    def say(self, value: bool) -> str:
        return "Yes" if value else "No"


@lru_cache(maxsize=256)
def _cached_stems(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z]{4,}", text)
    return frozenset(re.sub(r"(?:ance|ed|ing|es|s|e)$", "", word)[:8] for word in words) | frozenset(words)


def _stems(text: str) -> frozenset[str]:
    """Return the words of a text of four letters and more, and their stems."""
    return _cached_stems(text.lower()) if len(text) < 500 else _cached_stems.__wrapped__(text.lower())
