"""English sentences of a prompt, as questions and statements to the user."""

import re

from dryline.engine.prompt_parts import VERB_OF_STATEMENT, PromptParts, add_statement
from dryline.engine.questions import as_agent, question_forms

_USER = (
    "(?:(?:the |a )?(?:user|caller|customer|patient|client|guest|tenant|member|prospect)s?"
    "|(?:the |a )(?:driver|contact|person|lead)s?)"
)
_NAMED = (
    r" (?-i:[A-Z])[\w.'-]*(?: (?-i:[A-Z])[\w.'-]*){0,2}"
    r"(?= (?:to|for|about|whether|if|which|what|when|how|a|an|the|one|two)\b)"
)
_TO_WHOM = rf"(?: (?:{_USER}|them|him|her)\b(?!'s)|{_NAMED})?"
_VERBS = (
    "ask|inquire|understand|identify|clarify|collect|get|find out|figure out|gather|request"
    "|obtain|confirm|reconfirm|determine|learn|see|check|verify|collecting|gathering|asking"
)
_LEAD = (
    r"(?:(?:please|then|first|next|finally|now|also|always|try to|gently|politely|kindly|instead|and|so)\b,? "
    r"|to assist better, "
    r"|(?:your (?:job|goal|task|role|purpose) is|you (?:should|must|need|have|are|want)) (?:to |now )?"
    r"|you(?:'re| are) now |you(?:'re| are) calling (?:[\w'.-]+ ){1,4}?to )*"
)
_REQUEST = re.compile(
    rf"^(?!see you\b){_LEAD}(?P<verb>{_VERBS})\b{_TO_WHOM}(?:,? ?something like:?|:)?"
    r"(?P<link> for| about| to (?P<do>[a-z]+)|) (?P<object>.{2,200}?)[.!]?$",
    re.IGNORECASE | re.DOTALL,
)
_CHOICE = re.compile(
    rf"^{_LEAD}(?:you(?:'re| are) )?(?:now )?help(?:ing)?{_TO_WHOM} (?:choose|pick|select) (?:a|an|the"
    rf"|their) (?P<what>[^.!?]+)",
    re.IGNORECASE,
)
_ORDER = re.compile(
    rf"^{_LEAD}take (?:(?:the|their|an)(?: (?:customer|caller)'s)? )?(?:food )?orders?\b", re.IGNORECASE
)
_OFFER = re.compile(
    rf"^{_LEAD}(?:offer|propose|suggest)\b{_TO_WHOM} (?P<to>to )?(?P<what>[^.!?;:,]{{3,90}})", re.IGNORECASE
)
_TELL = re.compile(
    rf"^{_LEAD}(?:tell|inform|remind|explain to|let|say(?: to)?|explain)\b{_TO_WHOM}(?: know)?,?(?: that\b"
    rf"|:)? (?P<what>.+)$",
    re.IGNORECASE,
)
_REMIND = re.compile(rf"^{_LEAD}(?:call .{{0,30}}\bto )?remind\b{_TO_WHOM} (?:of|about) (?P<what>.+)$", re.IGNORECASE)
_INVITE = re.compile(rf"^{_LEAD}invite\b{_TO_WHOM} to (?P<what>.+)$", re.IGNORECASE)
_APOLOGIZE = re.compile(rf"^{_LEAD}apologi[sz]e(?: to (?:{_USER}|them))? (?:for|about) (?P<what>.+)$", re.IGNORECASE)
_THANK = re.compile(rf"^{_LEAD}thank\b{_TO_WHOM} for (?P<what>(?!(?:their time|calling)\b).+)$", re.IGNORECASE)
_STATEMENTS = {
    _REMIND: "I'd like to remind you of",
    _INVITE: "I'd like to invite you to",
    _APOLOGIZE: "I'm sorry about",
    _THANK: "Thank you for",
}
# Said to the user as it stands: "Please say your first and last name."
_SPOKEN_REQUEST = re.compile(
    r"^please (?:say|tell (?:me|us)|give (?:me|us)|enter|choose|describe|share|rate|spell|confirm)\b(?=.*\byour\b)",
    re.IGNORECASE,
)
_CHAT = re.compile(
    rf"^{_LEAD}(?:have (?:a|some) (?:\w+ )?(?:conversation|chat|small talk)|chat|make small talk)\b", re.IGNORECASE
)
_ABOUT = re.compile(
    rf"^{_LEAD}(?:have a (?:\w+ )?conversation|talk|speak|chat|discuss)\b(?: (?:to|with)\b{_TO_WHOM})?"
    r" about (?P<what>.+)$",
    re.IGNORECASE,
)
_SCHEDULE = re.compile(
    rf"^{_LEAD}(?:schedule|book|arrange|set up) (?:a|an|the|their) "
    r"(?:\w+ ){0,2}(?:appointment|meeting|demo|visit|viewing|call|callback|consultation|service|inspection)\b",
    re.IGNORECASE,
)
_FREE_TIMES = re.compile(
    r"^(?:the )?(?:available|free|open) (?:slots?|times?|appointments?|dates?|days?)(?: are)?:? (?P<what>[^.]+)\.?$",
    re.IGNORECASE,
)
_NEED = re.compile(
    r"^you(?:'ll| will)? (?:also )?need (?!to (?!know\b))(?:to know )?(?P<what>[^.]+?)\.?$", re.IGNORECASE
)
_QUOTED = re.compile(
    rf"^{_LEAD}(?:(?:begin|start|open|greet|answer)\b[^\"']{{0,60}}?\b(?:with|by saying)|say|ask):? "
    r"[\"'\u201c](?P<line>.+)[\"'\u201d][.!]?$",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"^(?:an? )?(?:[\w-]+ ){1,4}(?:agent|assistant|bot|receptionist|representative)\b(?!.*\b(?:is|will|can)\b)",
    re.IGNORECASE,
)
_DIRECT = re.compile(
    rf"^{_LEAD}(?:ask|say)\b{_TO_WHOM}(?:,? ?something like)?:? ?(?=[\"'\u201c]?(?-i:[A-Z]))", re.IGNORECASE
)
_QUOTES = re.compile(r"[\"\u201c\u201d]([^\"\u201c\u201d]+)[\"\u201c\u201d]")
_CLOSING = re.compile(
    rf".*\bsay (?:good)?bye\b|{_LEAD}(?:wrap up|thank\b{_TO_WHOM}|(?:end|close) the (?:call|conversation))\b",
    re.IGNORECASE,
)
# An instruction about the manner of asking. It names nothing to ask for.
_MANNER = re.compile(
    r"\b(?:(?:clarifying|follow-up|further|open|open-ended|any) questions?|questions?\b|one (?:\w+ )*at a time"
    r"|each\b|everything"
    r"|one by one\b|one (?:piece|thing|step)\b|.*\b(?:a good fit|qualif\w+))",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"\b(?:never|don't|do not|must not|mustn't|should not|shouldn't|avoid|cannot|can't|without|refrain|not)\b",
    re.IGNORECASE,
)
_NEVER = re.compile(r"^(?:never|don't|do not)\b", re.IGNORECASE)
_CONDITIONAL = re.compile(
    r"^(?:and |but |only )?(?:if|when|whenever|once|after|before|unless|until|in case|should the|where)\b",
    re.IGNORECASE,
)
_CONDITION_BEHIND = re.compile(
    r"\b(?:if|when|where|unless|as) (?:it is |it's )?"
    r"(?:needed|necessary|required|possible|appropriate|unsure|unclear|applicable|confused)\b"
    r"|.\b(?:if|when|unless|once|until) (?:the (?:caller|user|customer)|they|you|it|something)\b",
    re.IGNORECASE,
)
_ABOUT_THE_AGENT = re.compile(
    r"^(?:you(?:'(?:re|ll|ve))?\b|your (?:job|goal|task|role|name|purpose|tone|objective)\b|here (?:is|are)\b)",
    re.IGNORECASE,
)
_ABOUT_THE_USER = re.compile(rf"^(?:the |a |this |each |all )?(?:{_USER}|they|he|she)\b(?!'s)", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"^(?!let (?:me|us)\b|let's\b|thank you\b|see you\b|have a\b|stay .*, (?:we|I)\b|don't worry\b)"
    r"(?:please |then |always |first |next )*(?:don't|be|keep|speak|use|answer|greet|introduce|welcome|listen"
    r"|help|assist|provide|give"
    r"|offer|suggest|propose|take|have|make|stay|do|tell|let|inform|remind|explain|say|thank|apologi[sz]e|wrap"
    r"|end|close|start|begin"
    r"|route|transfer|call|wait|read|repeat|handle|try|work|walk|follow|talk|host|act|respond|reply|mention"
    r"|note|remember|only|always"
    r"|never|weave|gently|display|acknowledge|proceed|continue|go|ensure|guide|show|set|book|schedule|troubleshoot"
    r"|resolve|qualify|manage|cancel|update|discuss|survey|encourage|convince|persuade|diagnose|identify|understand|engage|recommend|sell|pitch|upsell|summarize|clarify|express|welcome|wish|invite|conduct|"
    + _VERBS
    + r")\b",
    re.IGNORECASE,
)
_ADDITION = re.compile(r"(?:it|that|this|they|these) (?!is not)", re.IGNORECASE)  # to the question before


def is_instruction(sentence: str) -> bool:
    """Return whether a part of the sentence tells the agent to ask, tell, offer or avoid something."""
    return any(pattern.match(clause) for clause in _clauses(sentence) for pattern in (_REQUEST, _TELL, _OFFER, _NEVER))


def read_sentence(sentence: str, parts: PromptParts) -> None:
    if _SPOKEN_REQUEST.match(sentence):
        parts.questions.append((sentence,))
        return
    if _ADDITION.match(sentence) and parts.questions and parts.follows_question:
        parts.questions[-1] = tuple(f"{form} {sentence}" for form in parts.questions[-1])
        return
    parts.follows_question = False
    if quoted := _QUOTED.match(sentence):
        line = quoted["line"]
        if line.endswith("?"):
            parts.questions.append((line,))
        else:
            add_statement(line, parts)
        return
    if free_times := _FREE_TIMES.match(sentence):
        listed = re.sub(r", (?=[^,]*$)", " or ", free_times["what"].replace(" and ", " or "))
        parts.questions.append((f"I have {listed}. Which would suit you?",))
        return
    if "?" in sentence:
        if question := _direct_question(sentence):
            parts.questions.append((question,))
            parts.follows_question = question == sentence
        return
    if _CONDITIONAL.match(sentence) or _ROLE.match(sentence):
        return
    if needed := _NEED.match(sentence):
        what = needed["what"]
        parts.questions.append(question_forms(what if " " in what.partition(",")[0] else f"the {what}"))
        return
    if _CLOSING.match(sentence):
        parts.is_closing = True
    is_instruction = any(pattern.match(sentence) for pattern in (_IMPERATIVE, _ABOUT_THE_AGENT, _REQUEST))
    clauses = _clauses(sentence)
    if not is_instruction:
        if _ABOUT_THE_USER.match(sentence):
            return
        if not any(map(_REQUEST.match, clauses[1:])):
            add_statement(sentence, parts)
            return
        add_statement(clauses[0], parts)  # "Monday is full, ask for another day"
    for clause in clauses:
        if not _is_excepted(clause):
            _read_instruction(clause, parts)


def _is_excepted(clause: str) -> bool:
    """Return whether a clause forbids something, or holds only under a condition."""
    request = _REQUEST.match(clause)
    if request is None:
        if _OFFER.match(clause) and re.search(
            r"\bif they (?:sign|renew|book|buy|pay|order|switch|stay|join)\b", clause
        ):
            return False
        return bool(_FORBIDDEN.search(clause) or _CONDITIONAL.match(clause) or _CONDITION_BEHIND.search(clause))
    named = re.sub(r"^(?:whether|if) |\bwhen\b", "", request["object"], flags=re.IGNORECASE)
    return bool(_FORBIDDEN.search(clause[: request.start("object")]) or _CONDITION_BEHIND.search(named))


def _direct_question(sentence: str) -> str | None:
    """Return a question that stands in the prompt as it is to be asked; None if it is quoted from somebody else."""
    quoted = _QUOTES.search(sentence)
    if quoted:
        begins = _DIRECT.match(sentence) or re.match(rf"^{_LEAD}(?:ask|say)\b", sentence, re.IGNORECASE)
        return quoted[1].strip() if begins and quoted[1].strip().endswith("?") else None
    if _CONDITIONAL.match(sentence) and re.search(r"\b(?:ask|say)\b", sentence):
        return None
    sentence = sentence[: sentence.index("?") + 1]
    if _IMPERATIVE.match(sentence):
        asks = _DIRECT.match(sentence)
        if asks and not _FORBIDDEN.search(sentence[: asks.end()]):
            return sentence[asks.end() :].strip()
        request = _REQUEST.match(sentence.rstrip("?"))
        if request and not _FORBIDDEN.search(sentence[: request.start("object")]):
            return question_forms(request["object"])[0]
        if re.match(r"do (?:not|the|a|they)\b|don't|never\b", sentence, re.IGNORECASE):
            return None
    return as_agent(sentence) if re.search(rf"\b(?:does|is|has|did|do) {_USER}\b", sentence) else sentence


def _clauses(sentence: str) -> list[str]:
    """Return the clauses of an instruction that begin with a verb of their own, and the first one."""
    parts = re.split(
        rf",? (?:and )?then |(?:,? (?:and|but)|[,;:]| [\u2013\u2014-]+)(?: instead,?)? (?=(?:{_VERBS})\b|offer\b"
        r"|suggest\b|tell\b|never\b|don't\b|do not\b|remind\b|recommend\b|apologi[sz]e\b|try to\b|thank (?:them|the)\b"
        r"|(?:take|book|schedule) (?:an?|the|their)\b"
        r"|if they (?:are|were|seem|need)|only if)",
        sentence,
        flags=re.IGNORECASE,
    )
    return [part.strip() for part in parts if part.strip()]


def _read_instruction(clause: str, parts: PromptParts) -> None:
    for pattern, beginning in _STATEMENTS.items():
        if statement := pattern.match(clause):
            add_statement(f"{beginning} {as_agent(statement['what'])}.", parts)
            if pattern is _REMIND:
                parts.task = ""  # a reminder needs no question
            return
    parts.is_chat = parts.is_chat or bool(_CHAT.match(clause))
    if about := _ABOUT.match(clause):
        parts.task = f"Could you tell me about {as_agent(about['what'])}?"
    elif _SCHEDULE.match(clause):
        parts.task = "Which day and time would suit you?"
    elif _ORDER.match(clause):
        parts.questions.append(("What would you like to order?", "What can I get for you?"))
    elif choice := _CHOICE.match(clause):
        parts.questions.append((f"Which {as_agent(choice['what']).strip()} would you like?",))
    elif offer := _OFFER.match(clause):
        what = as_agent(offer["what"])
        line = f"I can {what}, if you like." if offer["to"] else f"I can offer you {what}."
        parts.offer = parts.offer or line
        if not parts.questions:
            parts.statements.append(line)
    elif request := _REQUEST.match(clause):
        parts.questions += _questions(request)
    elif statement := _TELL.match(clause):
        what = re.sub(r"^(?:about )?[\w' ]{3,40}: (?=\S)", "", statement["what"].rstrip(".! "))
        if VERB_OF_STATEMENT.search(what) and not re.match(r"(?:what|how|why|where|when|which|who|about|to)\b", what):
            add_statement(f"{_capital(as_agent(what))}.", parts)


def _questions(request: re.Match[str]) -> list[tuple[str, ...]]:
    what = re.sub(rf" with (?:{_USER}|them)\b", "", request["object"], flags=re.IGNORECASE)
    _, colon, items = what.partition(": ")
    if colon and re.search(r"\b(?:where|when|who|why|how)$|\b(?:where|when|who|why|how),", items):
        return [question_forms(items)]
    if colon and re.match(r"wh(?:at|ich)\b", what):
        return [(f"{question_forms(what.partition(':')[0])[0][:-1]}: {items}?",)]
    if colon and "," in items and not request["do"]:
        return [question_forms(_owned(item)) for item in re.split(r",? and |, ?| or ", items) if item.strip(" .")]
    what = re.sub(
        r",? (?:one (?:\w+ )*at a time|one by one|step by step|each time|politely)\b.*", "", what, flags=re.IGNORECASE
    )
    what = re.sub(r",? before (?:continuing|proceeding|you)\b.*", "", what, flags=re.IGNORECASE)
    if _MANNER.match(what) or re.match(r"your\b|help\b|from\b|which$|what$", what, re.IGNORECASE):
        return []
    if (request["do"] or "").lower() in ("speak", "talk"):
        return [(f"May I {request['do'].lower()} {what}?",)]
    verb = request["verb"].lower()
    if request["do"]:
        return [(f"Could you {request['do'].lower()} {as_agent(what).replace(' and to ', ' and ')}?",)]
    if verb in ("confirm", "reconfirm", "verify", "check"):
        fact = re.sub(r"^(?:that|whether|if) ", "", what)
        if fact != what or re.match(r"(?:they|the caller|the user|the customer) ", what, re.IGNORECASE):
            return [question_forms(f"whether {fact}")]
        return [(f"Could you confirm {as_agent(what)}?",)]
    about = "about " if request["link"].strip() == "about" else ""
    return [question_forms(about + what)]


def _owned(item: str) -> str:
    """Return a member of a list as a thing of the user's: "first name" becomes "your first name"."""
    item = item.strip(" .")
    return (
        item
        if re.match(r"(?:your|the|their|a|an|what|how|which|when|who|whether)\b", item, re.IGNORECASE)
        else f"their {_lower(item)}"
    )


def _lower(text: str) -> str:
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
