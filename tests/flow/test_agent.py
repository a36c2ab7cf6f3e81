"""The agent's utterances without a model: what a prompt makes it say."""

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


def test_several_questions_are_asked_one_after_the_other(talk):
    prompt = "Be kind.\nThings to ask:\n- First name\n- ZIP code\n- Date of birth\n"
    said = agent(talk(LOOP.format(prompt=prompt), "Ada", "12345", "hm"))
    for text, member in zip(said, ("first name", "ZIP code", "date of birth", "date of birth"), strict=True):
        assert member in text


def test_the_agent_asks_again_after_an_utterance_about_nothing(talk):
    talked = talk(LOOP.format(prompt="Ask what they need."), "elephants")
    assert agent(talked)[1] == "Sorry, I didn't get that. What do you need?"
    assert talked.events[-1]["how"] == "no condition was met"


@pytest.mark.parametrize(("other", "asks"), [("caller ", "Would you like to move a visit or"), ("", "Sorry, I didn't")])
def test_the_agent_asks_which_of_two_is_meant_if_it_can_say_both(talk, other, asks):
    code = "loop:\n    talk('Ask what.')\nuntil 'caller wants to move a visit':\n    pass\n"
    talked = talk(f"{code}until '{other}wants to move a call':\n    pass\n", "could we move it?")
    assert agent(talked)[1].startswith(asks)


def test_a_returned_value_is_spoken_whole_and_its_instructions_as_questions(talk):
    code = "loop:\n    talk('Help.', False)\nuntil 'no time':\n    return 'Monday is full, ask for another day'\n"
    assert agent(talk(code, "/no time")) == ["Monday is full. Could you tell me another day?"]
