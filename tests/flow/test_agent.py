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
        ("Ask for the caller's name and phone number.", "Could you tell me your name and phone number?"),
        ("Ask for a callback number.", "Could you tell me a callback number?"),
        ("Ask for order numbers, then ask when it was sent.", "Could you tell me your order numbers?"),
        ("Offer Ada two times. Ask which of them suits her.", "Which of them suits you?"),
        ("Ask whether they have a car.", "Do you have a car?"),
        ("Ask if they can come on Friday.", "Can you come on Friday?"),
        ("Ask whether Friday suits them.", "Does Friday suit you?"),
        ("Ask whether Friday still suits them.", "Does Friday still suit you?"),
        ("Ask if the customer is happy.", "Are you happy?"),
        ("Ask what happened, and find out when.", "What happened?"),
        ("Ask how they would like to pay.", "How would you like to pay?"),
        ("Ask them what the problem is.", "Could you tell me what the problem is?"),
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
    prompt = "Be kind. Ask for the first name. Ask for the ZIP code. Ask when they were born."
    said = agent(talk(LOOP.format(prompt=prompt), "Ada", "12345", "hm", "well", "so"))
    for text, member in zip(said, ("first name", "ZIP code", "born", "Sorry", "Sorry", "Sorry"), strict=True):
        assert member in text


def test_the_agent_asks_again_after_an_utterance_about_nothing(talk):
    talked = talk(LOOP.format(prompt="Ask what they need."), "elephants")
    assert agent(talked)[1] == "Sorry, I didn't get that. What do you need?"
    assert talked.events[-1]["how"] == "no condition was met"


def test_the_agent_offers_a_person_after_a_second_failure_if_a_condition_leads_to_one(talk):
    code = "loop:\n    talk('Ask for the day.')\nuntil 'the moon is made of cheese':\n    pass\n"
    offers = f"{code}until 'caller wants to speak to a human':\n    say('One moment.')\n"
    _, sorry, again = agent(talk(code, "elephants", "monkeys"))
    assert (sorry, again) == ("Sorry, I didn't get that. Could you tell me the day?",) * 2
    _, sorry, offer, moment = agent(talk(offers, "elephants", "monkeys", "yes please"))
    assert sorry == "Sorry, I didn't get that. Could you tell me the day?"
    assert (offer, moment) == ("Sorry, I didn't get that. Would you like to talk to a person?", "One moment.")


@pytest.mark.parametrize(
    ("condition", "question"),
    [
        ("caller gives their phone number", "What is your phone number?"),
        ("caller gives their name and the day", "May I have your name, please?"),
        ("caller names a day", "Which day would suit you?"),
        ("caller gives a reason", "How can I help you?"),
        ("caller wants to buy a car", "How can I help you?"),
    ],
)
def test_a_prompt_without_a_question_asks_for_the_value_of_a_condition(talk, condition, question):
    code = f"loop:\n    talk('Be kind.', True)\nuntil {condition!r}:\n    pass\n"
    assert agent(talk(code)) == [question]


def test_statements_of_a_prompt_for_the_agent_are_never_said(talk):
    prompt = (
        "You are Nora. The office is at 510 Canyon Road, and parking is free. Never hurry. How can I help you today?"
    )
    said = agent(talk(LOOP.format(prompt=prompt), "do you have anything free?", "where is the office?"))
    assert "free" not in " ".join(said) and "Canyon" not in " ".join(said)
    assert said[0] == "How can I help you today?"


def test_a_prompt_without_an_instruction_is_said_whole(opening):
    prompt = "Sure, a cleaning. For Monday, I have 10 AM or 1:30 PM. Which would you like?"
    assert opening(prompt) == prompt


@pytest.mark.parametrize(
    ("conditions", "words"), [("until 'x y':\n    pass\n", "How can"), ("", "Thank you, and goodbye!")]
)
def test_a_closing_talk_says_goodbye(talk, conditions, words):
    code = f"loop:\n    talk('Be kind.')\n{conditions}" if conditions else "talk('Say goodbye to the caller.')\n"
    assert agent(talk(code))[0].startswith(words)


def test_a_returned_value_is_spoken_whole_and_its_instructions_as_questions(talk):
    code = "loop:\n    talk('Help.', False)\nuntil 'no time':\n    return 'Monday is full, ask for another day'\n"
    assert agent(talk(code, "/no time")) == ["Monday is full. Could you tell me another day?"]
