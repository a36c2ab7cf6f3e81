"""Replies of the agent to utterances that say nothing about the matter: a greeting, a pause, a request to repeat."""

import re
from collections.abc import Sequence

from dryline.engine.agent_frames import FRAMES
from dryline.engine.events import Message
from dryline.engine.open_questions import asks_for_more
from dryline.flow.model.understanding import hear, sentences_of

_GREETING = re.compile(
    r"\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|hola|buen[oa]s \w+)"
    r"(?: there)?\W*",
    re.IGNORECASE,
)
_HOW_ARE_YOU = re.compile(
    r"(?:.{0,40}\W)?(?:how are you(?: doing)?(?: today)?|how's it going|(?:how|what) about you|and you"
    r"|(?:good|fine|well), you"
    r"|wie geht(?:'s| es)(?: ihnen)?|und (?:ihnen|selbst)|(?:y usted|qué tal|cómo está))\?",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:(?:ok(?:ay)?|great|perfect|good|wonderful|super|gut|muy bien)\W+|muchas )?"
    r"(?:thanks|thank you|danke|gracias)(?: (?:so much|very much|a lot|schön|sehr))?\W*",
    re.IGNORECASE,
)
_WAIT = re.compile(
    r"\W*(?:(?:ok(?:ay)?|sure|yes|yeah|wait)\W+)?(?:(?:give me |just |only )*(?:one|a) (?:moment|second|minute|sec)"
    r"|hold on|hang on|wait a"
    r"|let me (?:check|look|think|see)|einen (?:moment|augenblick)|moment|un momento|espere)\b.{0,30}",
    re.IGNORECASE,
)
_REPEAT = re.compile(
    r"\W*(?:sorry\W+)?(?:what|what was that|what did you (?:just )?say|pardon(?: me)?|sorry|excuse me"
    r"|come again|huh|again"
    r"|once more|one more time|(?:(?:can|could) you (?:please )?)?(?:repeat|say) (?:that|it)(?: (?:again|once more))?"
    r"|I (?:didn't|did not|couldn't) (?:quite )?(?:hear|catch|get) (?:that|you|it)|wie bitte|cómo|perdón)"
    r"(?:,? please)?\W*",
    re.IGNORECASE,
)
_STEP_DONE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|all ?right|yes|yeah|so|well)\W+)*(?:(?:I|we)(?:'ve| have)? |that's |it's )?(?:just |already )?"
    r"(?:(?:did|done|tried)(?: (?:that|it|this|so))?(?: now| already)?"
    r"|(?:un)?(?:plugged|pushed|pressed|pulled|switched|turned|clicked|connected)"
    r"(?: (?!but\b|and (?:it|nothing|now|still|no)\b)[\w']+){0,7}"
    r"|(?:restarted|reset|opened|checked)(?: (?:it|that|the \w+))?)\W*",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"\W*(?:(?:and )?who(?:'s| is) (?:this|that|calling|speaking)|who are you|who am i (?:talking|speaking) (?:to|with)"
    r"|(?:wer|mit wem) (?:ist|spreche|sind) .{1,20}|(?:con )?quién (?:es|habla|hablo).{0,20})\W*",
    re.IGNORECASE,
)
_ROBOT = re.compile(
    r"(?:.{0,30}\W)?(?:(?:are you|is this|am i (?:talking|speaking) (?:to|with)) (?:really )?(?:a |an )?(?:real )?"
    r"|(?:sind sie|spreche ich mit)(?: einem| einer| ein| eine)? (?:echte[rn]? )?"
    r"|(?:es usted|eres|hablo con) (?:una? )?)"
    r"(?:robot|bot|machine|computer|ai|human|person|recording|roboter|maschine|mensch(?:en)?|persona|máquina)\b.{0,15}",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(r"\b(?:this is|my name is|hier ist|le habla)\b", re.IGNORECASE)
_BARE = 3  # words: "no, thank you"
_ASKS_IF_RIGHT = re.compile(r"\b(?:right|correct|richtig|so|correct[oa]|cierto)\?$", re.IGNORECASE)


def reply_to_act(
    utterance: str, question: str, latest_turn: str, messages: Sequence[Message], language: str
) -> str | None:
    """Return the reply to an utterance without a matter of its own; else None.

    `question` is the open one, `latest_turn` what the agent said last.
    """
    frames = FRAMES[language]
    if _WAIT.fullmatch(utterance):
        return frames.waiting
    if _REPEAT.fullmatch(utterance) and latest_turn:
        return latest_turn
    if _STEP_DONE.fullmatch(utterance):
        return frames.next[1].format(sentences_of(question)[-1])
    if _WHO.fullmatch(utterance) and (introduction := _introduction(messages)):
        return f"{introduction} {question}"
    for pattern, line in (
        (_HOW_ARE_YOU, frames.well),
        (_ROBOT, frames.robot),
        (_GREETING, frames.greeted),
        (_THANKS, frames.thanked),
    ):
        if pattern.fullmatch(utterance):
            return line.format(question)
    if asks_for_more(question) and _is_bare(utterance, 1, language):
        return frames.general[1]
    if _ASKS_IF_RIGHT.search(question) and _is_bare(utterance, -1, language):
        return frames.wrong
    return None


def _is_bare(utterance: str, polarity: int, language: str) -> bool:
    """Return whether an utterance is a yes, or a no, and nothing else."""
    heard = hear(utterance, language)
    return heard.polarity == polarity and len(heard.words.split()) <= _BARE


def _introduction(messages: Sequence[Message]) -> str | None:
    """Return the sentence with which the agent has introduced itself."""
    first = next((message.text for message in messages if message.who == "agent"), "")
    return next((each for each in sentences_of(first) if _INTRODUCES.search(each)), None)
