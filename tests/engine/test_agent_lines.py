"""The agent's utterances without a model: what a prompt makes it say."""

from __future__ import annotations

from itertools import pairwise

import pytest

GENERAL = {"How can I help you?", "What can I do for you?", "Tell me, what is it about?"}
LOOP = "loop:\n    talk({prompt!r}, True)\nuntil 'the moon is made of cheese':\n    pass\n"


def agent(talked):
    return [event["text"] for event in talked.of("said")]


@pytest.fixture
def opening(talk):
    """Return what the agent says first with a prompt."""
    return lambda prompt: agent(talk(LOOP.format(prompt=prompt)))[0]


@pytest.mark.parametrize(
    "prompt",
    [
        "How satisfied are you with the delivery, from 1 to 5?",
        "Hi there! What's your preferred contact method?",
        "I have 9:30 AM or 2 PM on Monday. Which would you like?",
        "Let me look at it with you. What is your account number? It has eight digits.",
        "Please switch the printer off and on again. Does it work now?",
        "Stay calm, we can help. Is your animal awake and breathing?",
        "I found your booking: Monday at nine. Shall I move it?",
        "Which describes you: a family member, a health plan, or a fitness center?",
    ],
)
def test_a_question_in_the_prompt_is_asked_as_it_stands(opening, prompt):
    assert opening(prompt) == prompt


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("You are the receptionist. Find out what the caller needs.", "What do you need?"),
        ("Ask Ada Park to confirm Monday at 11:30 AM.", "Could you confirm Monday at 11:30 AM?"),
        ("Ask whether the customer has an account", "Do you have an account?"),
        ("Confirm the caller's number.", "Could you confirm your number?"),
        (
            "Be brief. Confirm they can make it. If they need another day, collect their preferred time.",
            "Can you make it?",
        ),
        ("Offer Ada two of these slots, agree on one.", "I can offer you two of these slots."),
        ("Offer Ada a free time. Ask whether it suits them.", "I can offer you a free time. Does it suit you?"),
        (
            "Ask the customer Before we go, how was it, from 1 to 5? and wait. Then thank them.",
            "Before we go, how was it, from 1 to 5?",
        ),
        ("Ask the customer something like: Do you need your ID? I can email it.", "Do you need your ID?"),
        ("Have a conversation with the user and ask about their day", "Could you tell me about your day?"),
        (
            "Thank the customer for sharing. To assist better, ask for the customer's name.",
            "Thank you for sharing. Could you tell me your name?",
        ),
        ("Ask them if they'd like help with anything else.", "Would you like help with anything else?"),
        ("You're now collecting the caller's name and phone number.", "Could you tell me your name and phone number?"),
        (
            "You're now helping the caller choose a service and time. Services: wash",
            "Which service and time would you like?",
        ),
        ("Ask how you can help with shipment tracking.", "How can I help you with shipment tracking?"),
        ("Opening hours: 9 to 5. Ask for their name.", "Could you tell me your name?"),
        ("Take the customer's food order.", "What would you like to order?"),
        ("Determine if the caller needs sales or service.", "Do you need sales or service?"),
        ("Ask what we can do for them. Be warm.", "What can we do for you?"),
        ("Ask whether Thursday at 2 PM suits them.", "Does Thursday at 2 PM suit you?"),
        ("Ask what does not work.", "What does not work?"),
        (
            "Offer Ada two times. Ask which of them suits her.",
            "I can offer you two times. Which of them suits you?",
        ),
        ("Ask for the account number, then explain the latest invoice.", "Could you tell me the account number?"),
        ("Ask how happy they are with us, from 1 to 10.", "How happy are you with us, from 1 to 10?"),
        (
            "Tell the user you were unable to find their account. Reconfirm they have an account.",
            "I was unable to find your account. Do you have an account?",
        ),
        (
            "The order has been placed. Wrap up the call naturally.",
            "The order has been placed. Thank you, and goodbye!",
        ),
        ("Ask if there's anything else you can help with.", "Is there anything else I can help with?"),
        ("Ask whether they received the package.", "Did you receive the package?"),
        ("Ask when the issue started and how severe it is.", "When did the issue start, and how severe is it?"),
        ("Gather what happened: what happened, where and when.", "What happened, where and when?"),
        ("Get name, email", "Could you tell me your name and email?"),
        ("You need date, time and party size.", "Could you tell me the date, time and party size?"),
        ("Qualify the lead: ask about budget and timeline.", "Could you tell me about your budget and timeline?"),
        ("Talk to the user about their bill and try to help.", "Could you tell me about your bill?"),
        ("Verify the date of birth before continuing.", "Could you confirm the date of birth?"),
        ("Ask to speak to Maria Lopez.", "May I speak to Maria Lopez?"),
        ("Book an appointment with the patient.", "Which day and time would suit you?"),
        ("Free slots: Monday 9am, Tuesday 2pm.", "I have Monday 9am or Tuesday 2pm. Which would suit you?"),
        ("Offer a 10% discount if they renew today.", "I can offer you a 10% discount if you renew today."),
        (
            "Apologize for the delay and ask for the address.",
            "I'm sorry about the delay. Could you tell me the address?",
        ),
        ("Remind them of their check-up at 10 AM.", "I'd like to remind you of your check-up at 10 AM."),
        ("Tell them about our plans: Basic is $10. Ask which they want.", "Basic is $10. Which do you want?"),
        ("Support agent for ACME. The caller may want to pay, ask for a loan or leave. Find out which.", "How can I"),
        ("Begin the call with 'Thanks for calling Acme, how can I help?'", "Thanks for calling Acme, how can I help?"),
        ('Say "This is Acme. How can I help?" and wait.', "This is Acme. How can I help?"),
    ],
)
def test_an_instruction_becomes_a_sentence_to_the_user(opening, prompt, words):
    assert opening(prompt).startswith(words)


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Greet the caller of Fast Pipes, a plumbing company. Ask what they need.", "Hello, this is Fast Pipes."),
        ("You are Ava, an assistant for Green Energy. Ask how you can help.", "Hello, this is Ava from Green Energy."),
        ("Welcome the caller to Mario's Pizza and take their order.", "Hello, this is Mario's Pizza. What would you"),
        ("Greet the customer warmly.", "Hello! "),
        ("Greet John by name and ask if now is a good time.", "Hello, John! Is now a good time?"),
        ("Greet the caller. Hi there! How can I help?", "Hi there! How can I help?"),
        (
            "Du bist Lena von der Praxis Roth. Begrüße den Anrufer und frage, wie du helfen kannst.",
            "Guten Tag, hier ist Lena",
        ),
        (
            "Eres Sofía de Clínica Sol. Saluda al paciente y pregunta qué necesita.",
            "Hola, le habla Sofía de Clínica Sol.",
        ),
    ],
)
def test_the_agent_greets_once_with_the_name_and_company_of_the_prompt(talk, prompt, words):
    first, second = agent(talk(LOOP.format(prompt=prompt), "elephants"))
    assert first.startswith(words)
    assert not second.startswith(("Hello", "Hi", "Guten Tag", "Hola"))


def test_an_agent_that_has_spoken_before_does_not_greet(talk):
    code = "say('Acme, good morning.')\n" + LOOP.format(
        prompt="You are Ava from Acme. Greet the caller. Ask for the name."
    )
    assert agent(talk(code))[1] == "Could you tell me the name?"


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("You are Sam. Never ask for the card number.", GENERAL),
        ("Do not ask for the PIN. Ask how you can help.", {"How can I help you?"}),
        ("Ask for their name, never for the card number.", {"Could you tell me your name?"}),
        ("If the caller sounds angry, ask for the manager. Ask what happened.", {"What happened?"}),
        ("When customers ask what you have, suggest 2-3 items\nrather than reading the entire menu.", GENERAL),
        ("Help the caller. Ask clarifying questions if needed. Ask for their name.", {"Could you tell me your name?"}),
        (
            "Ask for one piece of information at a time. Collect the caller's address.",
            {"Could you tell me your address?"},
        ),
        ("Don't ask for everything at once, have a natural conversation.", GENERAL),
    ],
)
def test_the_agent_asks_for_nothing_that_is_forbidden_conditional_or_a_matter_of_style(opening, prompt, words):
    assert opening(prompt) in words


def test_a_statement_before_the_question_is_said_with_it_once(talk):
    talked = talk(LOOP.format(prompt="Orders arrive within two days. Ask for the order number."), "elephants")
    first, second = agent(talked)
    assert first == "Orders arrive within two days. Could you tell me the order number?"
    assert "two days" not in second


def test_a_statement_that_answers_the_user_is_said_before_the_next_question(talk):
    prompt = "A cleaning is 120 dollars. A visit takes about 45 minutes. How can I help?"
    assert "45 minutes" in agent(talk(LOOP.format(prompt=prompt), "how long does a cleaning take?"))[1]
    prompt = "You help customers of a shop. Ask what we can do for them. Returns are free. We are open from 9 to 5."
    talked = talk(LOOP.format(prompt=prompt), "when are you open?", "how much is a return?", "when do you open?")
    assert agent(talked)[1:] == [
        "We are open from 9 to 5. What can we do for you?",
        "Returns are free. What can we do for you?",
        "We are open from 9 to 5. What can we do for you?",
    ]
    prompt = "You help customers of a shop. The warehouse is at 77 Alder Road. What is your order number?"
    assert "Alder Road" not in agent(talk(LOOP.format(prompt=prompt), "where is it"))[-1]


@pytest.mark.parametrize(
    "prompt",
    [
        "Gather the following, one by one: First name, ZIP code, and date of birth.",
        "Be kind.\nThings to ask:\n- First name\n- ZIP code\n- Date of birth\n",
        "Ask for the first name. Then ask for the ZIP code. Then ask for the date of birth.",
    ],
)
def test_several_questions_are_asked_one_after_the_other(talk, prompt):
    talked = agent(talk(LOOP.format(prompt=prompt), "Ada", "12345", "hm"))
    for text, member in zip(talked, ("first name", "ZIP code", "date of birth", "date of birth"), strict=True):
        assert member in text


@pytest.mark.parametrize(
    ("prompt", "asks", "goes_on"),
    [
        ("Frage nach dem Namen.", "Darf ich Sie nach dem Namen fragen?", "nach dem Namen fragen?"),
        (
            "Frage, was der Kunde möchte. Frage nie nach der Karte.",
            "Können Sie mir sagen, was Sie möchten?",
            "möchten?",
        ),
        ("Frage, was wir tun können.", "Was können wir für Sie tun?", "tun?"),
        ("Frage den Kunden, welchen Termin du absagen sollst.", "Welchen Termin soll ich absagen?", "absagen?"),
        ("Frage den Anrufer, ob wir ihn zurückrufen sollen.", "Sollen wir Sie zurückrufen?", "zurückrufen?"),
        ("Du hilfst Kunden. Sei freundlich und frage nicht nach der PIN.", "?", "?"),
        ("Pregunta por el nombre del cliente.", "¿Me puede decir su nombre?", "nombre?"),
        ("Eres la recepcionista. Pregunta qué necesita el cliente.", "¿Me puede decir qué necesita?", "necesita?"),
    ],
)
def test_german_and_spanish_prompts_get_lines_in_their_language(talk, prompt, asks, goes_on):
    first, second = agent(talk(LOOP.format(prompt=prompt), "hm"))
    assert first.endswith(asks)
    assert second.endswith(goes_on)
    assert not {"you", "me", "the"} & set(f"{first} {second}".lower().replace("?", "").split()) - {"me"}


ASKS_DAY = """
loop:
    res = talk("Ask what we can do for them.", True)
until "caller wants to book an appointment":
    visit = res.ask("When do they want to come?", {"day": "Monday"})
    if not visit["day"]:
        return "On which day?"
    say(f"See you on {visit['day']}.")
until "caller wants to move an appointment":
    return "Moved. Is there anything else I can do?"
until "caller asks where an order is":
    pass
until "caller asks about hours or prices":
    pass
until "caller wants a human":
    pass
"""


def test_a_bare_answer_to_a_question_that_return_handed_back_meets_its_condition(talk):
    talked = talk(ASKS_DAY, "I'd like an appointment", "elephants", "Wednesday")
    assert [event["condition"] for event in talked.of("taken")] == ["caller wants to book an appointment"] * 2
    assert agent(talked)[1:] == ["On which day?", "Sorry, I didn't get that. On which day?", "See you on Wednesday."]


def test_the_kind_of_the_question_that_return_handed_back_says_what_answers_it(talk, take):
    code = """
seen = []
loop:
    res = talk("Help.", False)
until "caller has moved":
    seen.append(res)
    if len(seen) == 1:
        return "When did you move?"
    say("Thank you.")
until "caller wants a human":
    pass
"""
    assert talk(code, take("caller has moved"), "elephants").said == []
    assert talk(code, take("caller has moved"), "on the third of May").said == ["Thank you."]


def test_words_that_do_not_answer_a_returned_question_meet_nothing(talk):
    code = ASKS_DAY.replace("Moved. Is", "Moved to Monday. Is")
    talked = talk(code, "I want to move my appointment", "Wednesday", "what was that?")
    assert len(talked.of("taken")) == 1


@pytest.mark.parametrize(
    ("turns", "line"),
    [
        (["I want to move my appointment", "yes"], "What can I do for you?"),
        (["elephants"], "Sorry, I didn't get that. What can we do for you?"),
        (["elephants", "what?"], "What can we do for you?"),
        (
            ["elephants"] * 3,
            "You can book or move an appointment, ask where an order is, ask about hours or prices, or talk to a hum",
        ),
    ],
)
def test_an_agent_that_did_not_understand_helps_the_caller_on(talk, turns, line):
    assert agent(talk(ASKS_DAY, *turns))[-1].startswith(line)


def test_of_two_conditions_that_fit_alike_the_agent_asks_which_is_meant(talk):
    code = LOOP.format(prompt="How can I help?").replace("the moon is made of cheese", "caller wants to move a visit")
    code += "until 'caller wants to move a call':\n    pass\n"
    talked = talk(code, "can we move it to Friday?", "I want to move a call")
    assert agent(talked)[1] == "Would you like to move a visit or move a call?"
    assert [event["index"] for event in talked.of("taken")] == [1]


def test_a_caller_who_asks_for_it_hears_the_name_of_the_agent_again(talk):
    code = "say('Hello, this is Nora from Acme.')\n" + LOOP.format(prompt="Am I speaking with Ada?")
    assert agent(talk(code, "who is this?"))[-1] == "Hello, this is Nora from Acme. Am I speaking with Ada?"


@pytest.mark.parametrize("heard", [["elephants"] * 3, ["I want to move my appointment"]])
def test_a_yes_to_options_or_to_anything_else_meets_no_condition(talk, heard):
    assert len(talk(ASKS_DAY, *heard, "yes").of("taken")) == len(talk(ASKS_DAY, *heard).of("taken"))


def test_a_no_to_what_was_read_back_is_followed_by_the_right_value(talk):
    code = """
loop:
    res = talk("I have parcel 12345. Is that right?", True)
until "caller says that it is right":
    pass
until "caller corrects the parcel number":
    say("Corrected.")
"""
    assert talk(code, "one moment", "yes").of("taken")[0]["index"] == 0
    assert agent(talk(code, "no", "AB123457"))[1:] == ["I'm sorry. What is right, then?", "Corrected."]


@pytest.mark.parametrize("hesitation", ["hm", "uh", "umm", "well, er"])
def test_a_hesitation_is_no_name(talk, hesitation):
    code = "loop:\n    talk('What is your name?', True)\nuntil 'caller gives their name':\n    pass\n"
    assert talk(code, hesitation).of("taken") == []


@pytest.mark.parametrize(
    ("prompt", "conditions", "line"),
    [
        ("Does it suit you?", ["caller agrees", "caller declines"], "Please answer with yes or no. Does it suit you?"),
        (
            "How can I help?",
            ["caller has no internet connection", "caller is moving house", "caller asks for a person"],
            "I can help if you have no internet connection or are moving house. You can also talk to a person.",
        ),
        ("How can I help?", ["customer wants a refund", "customer needs nothing else"], "You can ask for a refund."),
        (
            "Du hilfst den Kunden bei uns.",
            ["Anrufer möchte einen Tisch reservieren", "Anrufer fragt nach den Preisen"],
            "Sie können einen Tisch reservieren oder nach den Preisen fragen.",
        ),
        (
            "Eres la recepcionista de la clínica.",
            ["el cliente quiere pedir una cita", "el cliente pregunta por el precio"],
            "Puede pedir una cita o preguntar por el precio.",
        ),
    ],
)
def test_the_third_time_the_agent_names_the_options_of_the_menu(talk, prompt, conditions, line):
    code = f"loop:\n    talk({prompt!r}, True)\n" + "".join(f"until {each!r}:\n    pass\n" for each in conditions)
    lines = agent(talk(code, *["elephants"] * 5))
    assert lines[3] == line
    assert all(one != other for one, other in pairwise(lines))


@pytest.mark.parametrize(
    ("prompt", "conditions", "turns"),
    [
        (
            "Ihr Termin ist abgesagt. Kann ich sonst noch etwas für Sie tun?",
            ["Anrufer möchte einen Termin absagen", "Anrufer braucht nichts mehr"],
            ["ja", "nein danke"],
        ),
        (
            "Su cita está cancelada. ¿Algo más?",
            ["el paciente quiere cancelar su cita", "el paciente no necesita nada más"],
            ["sí", "no, gracias"],
        ),
    ],
)
def test_a_yes_and_a_no_to_anything_else_are_understood_in_german_and_spanish(talk, prompt, conditions, turns):
    code = f"loop:\n    talk({prompt!r}, True)\n" + "".join(f"until {each!r}:\n    pass\n" for each in conditions)
    talked = talk(code, *turns)
    assert agent(talked)[1] in ("Was kann ich für Sie tun?", "¿Qué puedo hacer por usted?")
    assert [event["index"] for event in talked.of("taken")] == [1]


def test_asking_again_uses_other_words_each_time(talk):
    talked = agent(talk(LOOP.format(prompt="Ask what they need."), *["elephants"] * 5))
    assert len(set(talked)) == 6


@pytest.mark.parametrize(
    ("utterance", "answer"),
    [
        ("one moment please", "Of course, take your time."),
        ("could you repeat that?", "What do you need?"),
        ("hello", "Hello! What do you need?"),
        ("hi, how are you?", "I'm doing well, thank you. What do you need?"),
        ("thanks", "You're welcome. What do you need?"),
        ("great, thanks", "You're welcome. What do you need?"),
        ("wait, are you a robot?", "I'm an automated assistant. What do you need?"),
        ("am I talking to a real person", "I'm an automated assistant. What do you need?"),
    ],
)
def test_an_utterance_about_nothing_is_answered_as_people_do(talk, utterance, answer):
    talked = talk(LOOP.format(prompt="Ask what they need."), utterance)
    assert agent(talked)[1] == answer
    assert talked.events[-1]["how"] == "no condition was met"


ADVICE = "Please switch the lamp off and on again. Did that help?"


@pytest.mark.parametrize(
    ("prompt", "utterance", "line"),
    [
        ("I'm glad that's clear. Shall I send the bill that you asked for?", "pardon?", "Shall I send the bill that "),
        ("Thank you, Jo. Which day would suit you?", "say that again", "Which day would suit you?"),
        ("This bill is 86 dollars. Does that suit you?", "sorry, I didn't catch that", "This bill is 86 dollars. Does"),
        (ADVICE, "ok I did that", "All right. Did that help?"),
        (ADVICE, "I've unplugged it", "All right. Did that help?"),
        (ADVICE, "ok, I turned it off and on again", "All right. Did that help?"),
        (ADVICE, "ok give me a second", "Of course, take your time."),
        ("I see, let us find out why. Is it slow everywhere?", "elephants", "Sorry, I didn't get that. Is it slow"),
        (
            "I have the card that ends in 17. May I charge it?",
            "what card?",
            "I have the card that ends in 17. May I charge",
        ),
    ],
)
def test_the_agent_says_again_what_is_asked_and_told_and_nothing_else(talk, prompt, utterance, line):
    assert agent(talk(LOOP.format(prompt=prompt), utterance))[1].startswith(line)


def test_a_question_that_refers_to_advice_is_asked_with_it_each_time(talk, take):
    code = "for device in ('lamp', 'lamp'):\n    " + LOOP.format(prompt=ADVICE).replace("\n", "\n    ").rstrip()
    assert agent(talk(code, take("the moon is made of cheese"))) == [ADVICE] * 2


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("ask for another day", "Could you tell me another day?"),
        ("Monday is full, ask for another day", "Monday is full. Could you tell me another day?"),
        ("player has 10 more seconds", "player has 10 more seconds"),
        (
            "You're all set, Ada: Thursday at 2. Is there anything else?",
            "You're all set, Ada: Thursday at 2. Is there anything else?",
        ),
    ],
)
def test_a_value_that_return_hands_back_is_spoken_whole_and_its_instructions_as_questions(talk, take, note, words):
    code = f"loop:\n    talk('Help.', False)\nuntil 'no time':\n    return {note!r}\n"
    assert agent(talk(code, take("no time"))) == [words]


def test_in_the_middle_of_a_conversation_the_agent_does_not_begin_again(talk, take):
    code = "loop:\n    talk('Be kind.', True)\nuntil 'a':\n"
    code += "    loop:\n        talk('Be kind.', True)\n    until 'b':\n        pass\n"
    first, *_, last = agent(talk(code, "something else", take("a")))
    assert first in GENERAL
    assert last not in GENERAL


def test_the_agent_goes_on_with_a_chat_and_does_not_ask_again(talk):
    code = LOOP.format(prompt="Have a conversation with the user and ask about their day.")
    first, *others = agent(talk(code, "we went hiking", "I read a long book", "I met my cousin"))
    assert first == "Could you tell me about your day?"
    assert len(set(others)) == 3
    assert not any("Sorry" in line or ("?" in line and "day" in line) for line in others)


def test_the_right_person_hears_why_the_agent_calls(talk):
    prompt = "You're calling Ana to remind them about their visit on Friday at 9 AM. Confirm they can make it."
    loop = f"loop:\n    talk({prompt!r}, False)\nuntil 'contact wants to cancel':\n    pass\n"
    talked = talk(f"say('Hi, is this Ana? This is Riley.')\n{loop}", "yes, that's me")
    assert agent(talked)[1] == "I'd like to remind you of your visit on Friday at 9 AM. Can you make it?"


def test_the_agent_does_not_ask_what_the_flow_has_just_asked(talk):
    greeting = "Thank you for calling. How can I help you today?"
    assert agent(talk(f"say({greeting!r})\n" + LOOP.format(prompt="Be kind."))) == [greeting]


def test_where_a_caller_can_only_be_done_the_agent_asks_for_further_questions(talk):
    code = "loop:\n    talk('Help them step by step.', True)\nuntil 'customer has no further questions':\n    pass\n"
    assert agent(talk(code)) == ["Do you have any other questions?"]


@pytest.mark.parametrize(
    ("prompt", "condition", "line"),
    [
        (
            "Your classes are right for me.",
            "user has given a rating",
            "Your classes are right for me. How would you rate that?",
        ),
        ("Be kind.", "caller provides a shipment number", "Could you tell me a shipment number?"),
        (
            "Please say your full name, or say 'Anonymous'.",
            "user says it",
            "Please say your full name, or say 'Anonymous'.",
        ),
    ],
)
def test_without_a_question_in_the_prompt_the_agent_asks_for_what_the_condition_needs(talk, prompt, condition, line):
    assert agent(talk(f"loop:\n    talk({prompt!r}, True)\nuntil {condition!r}:\n    pass\n")) == [line]


def test_a_statement_of_another_paragraph_is_not_said_before_the_question(opening):
    facts = "We have classes. Classes are free. New ones begin on Monday. Our page shows all of them."
    assert opening(f"{facts}\n\nAsk for their name.") == "Could you tell me your name?"


def test_questions_of_the_prompt_that_were_asked_are_not_asked_again_after_a_return(talk, take):
    code = "loop:\n    talk('Ask for their name. Ask for their city.', True)\nuntil 'a':\n    return\n"
    assert agent(talk(code, take("a"))) == ["Could you tell me your name?", "Could you tell me your city?"]
