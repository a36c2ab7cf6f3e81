"""Flows to begin with: the templates of new workers, with their code in `templates/`."""

from functools import cached_property
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "templates"


class FlowTemplate:
    """A flow to copy. `about` says in a sentence what it does."""

    def __init__(self, file: str, name: str, about: str, **variables: str) -> None:
        self.file, self.name, self.about, self.variables = file, name, about, variables

    @cached_property
    def code(self) -> str:
        return (_FOLDER / self.file).read_text()

    def variables_of(self, worker_name: str) -> dict[str, Any]:
        """Return the variables for a worker; the name of the business is the worker's."""
        return self.variables | ({"business": worker_name} if "business" in self.variables else {})


TEMPLATES = {
    "messages": FlowTemplate("messages.based", "Takes messages", "It asks who is calling, and notes the message."),
    "appointments": FlowTemplate(
        "appointments.based",
        "Books appointments",
        "It asks for a name and a day, knows the opening hours, and connects to a person.",
        business="",
        address="12 Maple Street",
        hours="Monday to Friday 9 to 5",
        desk="+14155550199",
    ),
}
