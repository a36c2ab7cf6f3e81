"""The agent's utterances without a model: what a prompt makes it say."""

from itertools import pairwise

import pytest

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
        ('Say "This is Acme. How can I help?" and wait.', "This is Acme. How can I help?"),
        ("Please say your full name, or say 'Anonymous'.", "Please say your full name, or say 'Anonymous'."),
    ],
)
def test_what_the_prompt_quotes_or_asks_is_said_as_it_stands(opening, prompt, words):
    assert opening(prompt).startswith(words)


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("You are the receptionist. Find out what the caller needs.", "What do you need?"),
        ("Ask Ada Park to confirm Monday at 11:30 AM.", "Could you confirm Monday at 11:30 AM?"),
        ("You're now collecting the caller's name and phone number.", "Could you tell me your name and phone number?"),
        ("Take the customer's food order.", "What would you like to order?"),
        ("Offer Ada two times. Ask which of them suits her.", "I can offer you two times. Which of them suits you?"),
        ("Frage nach dem Namen.", "Darf ich Sie nach dem Namen fragen?"),
        ("Pregunta por el nombre del cliente.", "¿Me puede decir su nombre?"),
    ],
)
def test_an_instruction_becomes_a_sentence_to_the_user(opening, prompt, words):
    assert opening(prompt).startswith(words)


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Ask for their name, never for the card number.", "Could you tell me your name?"),
        ("If the caller sounds angry, ask for the manager. Ask how you can help.", "How can I help you?"),
    ],
)
def test_what_is_forbidden_conditional_or_a_matter_of_style_is_not_asked(opening, prompt, words):
    assert opening(prompt) == words


def test_the_agent_greets_once_with_the_name_and_company_of_the_prompt(talk):
    prompt = "You are Ava, an assistant for Green Energy. Ask how you can help."
    first, second = agent(talk(LOOP.format(prompt=prompt), "elephants"))
    assert first.startswith("Hello, this is Ava from Green Energy.") and not second.startswith("Hello")


def test_a_statement_of_the_prompt_answers_the_users_question(talk):
    prompt = "You help customers of a shop. Ask what we can do for them. Returns are free. We are open from 9 to 5."
    talked = talk(LOOP.format(prompt=prompt), "when are you open?", "how much is a return?", "where is it")
    assert agent(talked)[1].startswith("We are open from 9 to 5.")
    assert agent(talked)[2].startswith("Returns are free.")
    assert not any(text in agent(talked)[3] for text in ("Returns", "9 to 5"))


def test_several_questions_are_asked_one_after_the_other(talk):
    prompt = "Be kind.\nThings to ask:\n- First name\n- ZIP code\n- Date of birth\n"
    said = agent(talk(LOOP.format(prompt=prompt), "Ada", "12345", "hm"))
    for text, member in zip(said, ("first name", "ZIP code", "date of birth", "date of birth"), strict=True):
        assert member in text


@pytest.mark.parametrize(
    ("utterance", "line"),
    [
        ("one moment please", "Of course, take your time."),
        ("sorry, I didn't catch that", "What do you need?"),
        ("hi, how are you?", "I'm doing well, thank you. What do you need?"),
        ("elephants", "Sorry, I didn't get that. What do you need?"),
    ],
)
def test_an_utterance_about_nothing_is_answered_as_people_do(talk, utterance, line):
    talked = talk(LOOP.format(prompt="Ask what they need."), utterance)
    assert agent(talked)[1] == line
    assert talked.events[-1]["how"] == "no condition was met"


def test_the_second_time_the_agent_names_the_options_and_never_repeats_a_line(talk):
    conditions = ["caller wants to book a room", "caller asks about prices", "caller wants a human"]
    code = "loop:\n    talk('How can I help?', True)\n" + "".join(f"until {each!r}:\n    pass\n" for each in conditions)
    lines = agent(talk(code, *["elephants"] * 5))
    assert lines[2] == "You can: book a room, ask about prices or talk to a human."
    assert all(one != other for one, other in pairwise(lines))


def test_a_returned_value_is_spoken_whole_and_its_instructions_as_questions(talk, take):
    code = "loop:\n    talk('Help.', False)\nuntil 'no time':\n    return 'Monday is full, ask for another day'\n"
    assert agent(talk(code, take("no time"))) == ["Monday is full. Could you tell me another day?"]


def test_the_right_person_hears_why_the_agent_calls(talk):
    prompt = "You're calling Ana to remind them about their visit on Friday at 9 AM. Confirm they can make it."
    loop = f"loop:\n    talk({prompt!r}, False)\nuntil 'contact wants to cancel':\n    pass\n"
    talked = talk(f"say('Hi, is this Ana? This is Riley.')\n{loop}", "yes, that's me")
    assert agent(talked)[1] == "I'd like to remind you of your visit on Friday at 9 AM. Can you make it?"
