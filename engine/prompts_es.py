"""Spanish instructions of a prompt, as questions to the user."""

import re

_COMMON_WORDS = """
el la los las un una unos unas y o de del al que es son está eres no con por para en su sus tu tus lo le
les se si pregunta pide pregúntale pídele qué cuándo cómo dónde cuál cliente usuario nunca ayuda sé
cuando como más ha han puede quiere desea
"""
COMMON_WORDS = frozenset(_COMMON_WORDS.split())

_FORBIDDEN = re.compile(r"\b(?:nunca|jamás|no|sin|evita)\b", re.IGNORECASE)
_CONDITIONAL = re.compile(
    r"^(?:si|cuando|una vez|después|antes|en caso)\b|\bsi (?:es|fuera|hace) (?:necesario|falta)\b", re.IGNORECASE
)
_MANNER = re.compile(
    r"\b(?:preguntas|aclaraciones|uno por uno|una (?:cosa|pregunta) a la vez|a la vez|de uno en uno)\b", re.IGNORECASE
)
_WHOM = r"(?: (?:al|a la) (?:cliente|clienta|usuario|usuaria|llamante|paciente|persona))?"
_ASK = re.compile(
    rf"\b(?:pregunta|pregúntale|averigua|pide|pídele|solicita|confirma){_WHOM},?(?: por)? "
    r"(?P<what>(?:si|qué|cuándo|cuántos|cuántas|cómo|dónde|cuál|quién|por qué|el|la|los|las|su|sus|un"
    r"|una)\b[^.!?;]+)",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"^(?:por favor,? )?(?:eres\b|tu\b|tus\b|sé\b|ayuda\b|atiende\b|saluda\b|responde\b|contesta\b|habla\b"
    r"|ofrece\b|di\b|dile\b|haz\b|mantén\b|"
    r"pregunta\w*|pregúntale\b|averigua\b|pide\b|pídele\b|solicita\b|confirma\b|despídete\b|el (?:cliente"
    r"|usuario)\b|la (?:clienta|usuaria)\b)",
    re.IGNORECASE,
)
_USER = re.compile(r" (?:el|la) (?:cliente|clienta|usuario|usuaria|llamante|paciente|persona)\b", re.IGNORECASE)


def question(sentence: str) -> str | None:
    """Return the question that an instruction asks for; None if it asks for nothing."""
    if _FORBIDDEN.search(sentence) or _CONDITIONAL.search(sentence):
        return None
    match = _ASK.search(sentence)
    if not match or _MANNER.search(match["what"]):
        return None
    what = re.sub(
        r"^(?:el|la) (\w+) (?:del cliente|de la clienta|del usuario|de la persona)\b", r"su \1", match["what"]
    )
    what = _USER.sub("", what).strip()
    return f"¿Me puede decir {what}?"


def is_instruction(sentence: str) -> bool:
    """Return whether a sentence speaks to the agent or of the user, so that it is not said."""
    return bool(_INSTRUCTION.match(sentence) or _CONDITIONAL.search(sentence))
