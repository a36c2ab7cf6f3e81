"""Flows to begin with: the templates of new workers."""

from typing import Any, NamedTuple


class FlowTemplate(NamedTuple):
    """A flow to copy. `about` says in a sentence what it does."""

    name: str
    about: str
    code: str
    variables: dict[str, Any]

    def variables_of(self, worker_name: str) -> dict[str, Any]:
        """Return the variables for a worker; the name of the business is the worker's."""
        return self.variables | ({"business": worker_name} if "business" in self.variables else {})


_MESSAGES = """\
say("Good morning, how can I help?")
loop:
    res = talk("Ask what they are calling about.", False)
until "caller wants to leave a message":
    note = res.ask("Who is it, and what is the message?", {"name": "", "message": ""})
    extract("note", note)
    say(f"Thank you, {note['name']}.")
until "caller wants a person":
    say("One moment, please.")
say("Goodbye.")
"""

# One loop whose conditions are always open. The variables hold what is still missing.
_APPOINTMENTS = """\
name, day, question = None, None, "How can I help you?"

say(f"Thank you for calling {variables['business']}.")
while question:
    loop:
        res = talk(question, True)
    until "caller wants to book an appointment":
        details = res.ask("Who is calling, and for which day?", {"name": "Ada Park", "day": "Thursday"})
        name, day = details["name"] or name, details["day"] or day
    until "caller gives their name":
        name = res.ask("What is the caller's full name?", "Ada Park") or name
    until "caller names a day":
        day = res.ask("Which day?", "Thursday") or day
    until "caller asks about hours or the address":
        return f"We are at {variables['address']}, open {variables['hours']}. {question}"
    until "caller asks for a person":
        say("I'm connecting you. One moment, please.")
        transfer(variables["desk"])
    until "caller needs nothing else":
        question = None
        say("Thank you for calling. Goodbye!")

    if question and not name:
        question = "May I have your first and last name, please?"
    elif question and not day:
        question = f"Thank you, {name.split()[0]}. Which day would suit you best?"
    elif question:
        extract("appointment", {"name": name, "day": day})
        question = f"I've noted {day} for {name}. Is there anything else I can do for you?"
"""

TEMPLATES = {
    "messages": FlowTemplate("Takes messages", "It asks who is calling, and notes the message.", _MESSAGES, {}),
    "appointments": FlowTemplate(
        "Books appointments",
        "It asks for a name and a day, knows the opening hours, and connects to a person.",
        _APPOINTMENTS,
        {
            "business": "Maple Street Clinic",
            "address": "12 Maple Street",
            "hours": "Monday to Friday 9 to 5",
            "desk": "+14155550199",
        },
    ),
}
