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
    ("prompt", "words"),
    [
        ("Hi there! What's your contact method?", "Hi there! What's your contact method?"),
        (
            "I found your booking: Monday at nine. Shall I move it?",
            "I found your booking: Monday at nine. Shall I move",
        ),
        ("Begin the call with 'Thanks for calling Acme, how can I help?'", "Thanks for calling Acme, how can I help?"),
        ('Say "This is Acme. How can I help?" and wait.', "This is Acme. How can I help?"),
        ("Ask the customer something like: Do you need your ID?", "Do you need your ID?"),
        (
            "Ask Before we go, how was it, from 1 to 5? and wait. Then thank them.",
            "Before we go, how was it, from 1 to",
        ),
        ("Please say your full name, or say 'Anonymous'.", "Please say your full name, or say 'Anonymous'."),
    ],
)
def test_what_the_prompt_quotes_or_asks_is_said_as_it_stands(opening, prompt, words):
    assert opening(prompt).startswith(words)


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("You are the receptionist. Find out what the caller needs.", "What do you need?"),
        ("Ask whether the customer has an account", "Could you tell me whether you have an account?"),
        ("Ask Ada Park to confirm Monday at 11:30 AM.", "Could you confirm Monday at 11:30 AM?"),
        ("Confirm the caller's number.", "Could you confirm your number?"),
        ("You're now collecting the caller's name and phone number.", "Could you tell me your name and phone number?"),
        ("You need date, time and party size.", "Could you tell me the date, time and party size?"),
        ("Ask how you can help with shipment tracking.", "How can I help you with shipment tracking?"),
        ("Ask if there's anything else you can help with.", "Is there anything else I can help with?"),
        ("Ask to speak to Maria Lopez.", "May I speak to Maria Lopez?"),
        ("Take the customer's food order.", "What would you like to order?"),
        ("Book an appointment with the patient.", "Which day and time would suit you?"),
        ("Free slots: Monday 9am, Tuesday 2pm.", "I have Monday 9am, Tuesday 2pm. Which would suit you?"),
        ("You're helping the caller choose a service and time.", "Which service and time would you like?"),
        ("Have a conversation with the user and ask about their day", "Could you tell me about your day?"),
        ("Offer Ada two times. Ask which of them suits her.", "I can offer you two times. Which of them suits you?"),
        ("Tell the user you were unable to find their account.", "I was unable to find your account."),
        ("Remind them of their check-up at 10 AM.", "I'd like to remind you of your check-up at 10 AM."),
        ("Apologize for the delay and ask for the address.", "I'm sorry about the delay. Could you tell me the addr"),
        ("Thank the customer for sharing. Ask for their name.", "Thank you for sharing. Could you tell me your name?"),
        ("The order has been placed. Wrap up the call.", "The order has been placed. Thank"),
        (
            "Orders arrive within two days. Ask for the order number.",
            "Orders arrive within two days. Could you tell me",
        ),
        ("Frage nach dem Namen.", "Darf ich Sie nach dem Namen fragen?"),
        ("Frage, was der Kunde möchte. Frage nie nach der Karte.", "Können Sie mir sagen, was Sie möchten?"),
        ("Pregunta por el nombre del cliente.", "¿Me puede decir su nombre?"),
    ],
)
def test_an_instruction_becomes_a_sentence_to_the_user(opening, prompt, words):
    said = opening(prompt)
    assert said.startswith(words) or (
        words.startswith("Could you tell me whether") and said == "Do you have an account?"
    )


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("You are Sam. Never ask for the card number.", GENERAL),
        ("Do not ask for the PIN. Ask how you can help.", {"How can I help you?"}),
        ("Ask for their name, never for the card number.", {"Could you tell me your name?"}),
        ("If the caller sounds angry, ask for the manager. Ask how you can help.", {"How can I help you?"}),
        ("When customers ask what you have, suggest 2-3 items\nrather than the entire menu.", GENERAL),
        ("Help the caller. Ask clarifying questions if needed. Ask for their name.", {"Could you tell me your name?"}),
        ("The caller may want to pay, ask for a loan or leave. Find out which.", GENERAL),
    ],
)
def test_what_is_forbidden_conditional_or_a_matter_of_style_is_not_asked(opening, prompt, words):
    assert opening(prompt) in words


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Greet the caller of Fast Pipes, a plumbing company. Ask what they need.", "Hello, this is Fast Pipes."),
        ("You are Ava, an assistant for Green Energy. Ask how you can help.", "Hello, this is Ava from Green Energy."),
        ("Greet the caller. Hi there! How can I help?", "Hi there! How can I help?"),
        ("Du bist Lena von der Praxis Roth. Begrüße den Anrufer.", "Guten Tag, hier ist Lena"),
        ("Eres Sofía de Clínica Sol. Saluda al paciente y pregunta qué necesita.", "Hola, le habla Sofía de Clínica"),
    ],
)
def test_the_agent_greets_once_with_the_name_and_company_of_the_prompt(talk, prompt, words):
    first, second = agent(talk(LOOP.format(prompt=prompt), "elephants"))
    assert first.startswith(words)
    assert not second.startswith(("Hello", "Hi", "Guten Tag", "Hola"))


def test_a_statement_of_the_prompt_answers_the_users_question(talk):
    prompt = "You help customers of a shop. Ask what we can do for them. Returns are free. We are open from 9 to 5."
    talked = talk(LOOP.format(prompt=prompt), "when are you open?", "how much is a return?", "where is it")
    assert agent(talked)[1].startswith("We are open from 9 to 5.")
    assert agent(talked)[2].startswith("Returns are free.")
    assert "Returns" not in agent(talked)[3]
    assert "9 to 5" not in agent(talked)[3]


@pytest.mark.parametrize(
    "prompt",
    [
        "Be kind.\nThings to ask:\n- First name\n- ZIP code\n- Date of birth\n",
        "Ask for the first name. Then ask for the ZIP code. Then ask for the date of birth.",
    ],
)
def test_several_questions_are_asked_one_after_the_other(talk, prompt):
    said = agent(talk(LOOP.format(prompt=prompt), "Ada", "12345", "hm"))
    for text, member in zip(said, ("first name", "ZIP code", "date of birth", "date of birth"), strict=True):
        assert member in text


@pytest.mark.parametrize(
    ("utterance", "line"),
    [
        ("one moment please", "Of course, take your time."),
        ("could you repeat that?", "What do you need?"),
        ("hi, how are you?", "I'm doing well, thank you. What do you need?"),
        ("great, thanks", "You're welcome. What do you need?"),
        ("wait, are you a robot?", "I'm an automated assistant. What do you need?"),
        ("elephants", "Sorry, I didn't get that. What do you need?"),
    ],
)
def test_an_utterance_about_nothing_is_answered_as_people_do(talk, utterance, line):
    talked = talk(LOOP.format(prompt="Ask what they need."), utterance)
    assert agent(talked)[1] == line
    assert talked.events[-1]["how"] == "no condition was met"


@pytest.mark.parametrize(
    ("prompt", "conditions", "line"),
    [
        (
            "How can I help?",
            ["caller wants to book a room", "caller asks about prices", "caller wants a human"],
            "You can: book a room, ask about prices or talk to a human.",
        ),
        (
            "Du hilfst den Kunden bei uns.",
            ["Anrufer möchte einen Tisch reservieren", "Anrufer fragt nach den Preisen"],
            "Sie können: einen Tisch reservieren oder nach den Preisen fragen.",
        ),
        ("Eres la recepcionista de la clínica.", ["el cliente quiere pedir una cita"], "Puede: pedir una cita."),
    ],
)
def test_the_second_time_the_agent_names_the_options_and_never_repeats_a_line(talk, prompt, conditions, line):
    code = f"loop:\n    talk({prompt!r}, True)\n" + "".join(f"until {each!r}:\n    pass\n" for each in conditions)
    lines = agent(talk(code, *["elephants"] * 5))
    assert lines[2] == line
    assert all(one != other for one, other in pairwise(lines))


def test_the_agent_says_again_what_it_told_and_asked(talk):
    prompt = "This bill is 86 dollars. Does that suit you?"
    assert agent(talk(LOOP.format(prompt=prompt), "sorry, I didn't catch that"))[1] == prompt


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("Monday is full, ask for another day", "Monday is full. Could you tell me another day?"),
        ("player has 10 more seconds", "player has 10 more seconds"),
        ("You're all set, Ada: Thursday at 2. Anything else?", "You're all set, Ada: Thursday at 2. Anything else?"),
    ],
)
def test_a_returned_value_is_spoken_whole_and_its_instructions_as_questions(talk, take, note, words):
    code = f"loop:\n    talk('Help.', False)\nuntil 'no time':\n    return {note!r}\n"
    assert agent(talk(code, take("no time"))) == [words]


def test_the_agent_does_not_ask_what_the_flow_has_just_asked(talk):
    greeting = "Thank you for calling. How can I help you today?"
    assert agent(talk(f"say({greeting!r})\n" + LOOP.format(prompt="Be kind."))) == [greeting]


def test_a_no_to_what_was_read_back_is_followed_by_the_right_value(talk):
    code = LOOP.format(prompt="I have parcel 12345. Is that right?")
    assert agent(talk(code, "no"))[1] == "I'm sorry. What is right, then?"


def test_the_right_person_hears_why_the_agent_calls(talk):
    prompt = "You're calling Ana to remind them about their visit on Friday at 9 AM. Confirm they can make it."
    loop = f"loop:\n    talk({prompt!r}, False)\nuntil 'contact wants to cancel':\n    pass\n"
    talked = talk(f"say('Hi, is this Ana? This is Riley.')\n{loop}", "yes, that's me")
    assert agent(talked)[1] == "I'd like to remind you of your visit on Friday at 9 AM. Can you make it?"
