"""Words of callers between their answers: they ask back, wait, or ask something in passing."""

from __future__ import annotations

from random import Random

from dryline.engine.agent_lines import statement_for
from dryline.engine.language_model import Talk

ASKING_BACK = ("Sorry, could you repeat that?", "Sorry, what was that?", "Pardon me?", "Could you say that again?")
WAITING = {
    "en": ("Okay.", "All right.", "Sure, thank you.", "Okay, thanks."),
    "de": ("Okay.", "In Ordnung.", "Gut, danke.", "Alles klar."),
    "es": ("Vale.", "De acuerdo.", "Muy bien, gracias.", "Está bien."),
}
_IN_PASSING = (
    "How much is that going to be, by the way?",
    "Oh, how much does it cost?",
    "Where exactly are you?",
    "Is there parking, by the way?",
    "How long will it take?",
    "How late are you open, by the way?",
)


def question_in_passing(talk: Talk, random: Random) -> str | None:
    """Return a question that the first prompt of the conversation answers, if this talk has another prompt."""
    if talk.prompt == talk.first_prompt:
        return None
    agent_said = [message.text for message in talk.messages if message.who == "agent"]
    questions = [each for each in _IN_PASSING if statement_for(talk.first_prompt, each, agent_said)]
    return random.choice(questions) if questions else None
