"""Rehearsals: the numbered sentences of a document, each with a function that does what it says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from playwright.sync_api import expect

ROOT = Path(__file__).parent.parent.parent


class Rehearsal:
    """The sentences of the numbered lists in a document or in some of its sections, in their order."""

    def __init__(self, document, *headings):
        text = (ROOT / document).read_text()
        if headings:
            sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n?)*)", text, re.MULTILINE))
            text = "\n".join(sections[heading] for heading in headings)
        items = re.findall(r"^\d+\. (.*(?:\n {3}\S.*)*)", text, re.MULTILINE)
        self.sentences = [sentence for item in items for sentence in _split(" ".join(item.split()))]
        self._actions = []

    def does(self, sentence):
        """Register the function for the next sentence. The same sentence may stand in several places."""

        def register(action):
            self._actions.append((sentence, action))
            return action

        return register

    def play(self, *actors):
        """Do what each sentence says. A sentence without a function, or in another place, fails."""
        assert [sentence for sentence, _ in self._actions] == self.sentences
        for sentence, action in self._actions:
            try:
                action(*actors)
            except Exception as error:
                error.add_note(f"The document says: {sentence}")
                raise


def _split(text):
    return re.split(r"(?<=[.])\s+(?=[A-Z\"`])", text.replace("**", ""))


def press(page, name):
    """Press a button, or follow a link that looks like one."""
    page.get_by_role("button", name=name, exact=True).or_(page.get_by_role("link", name=name, exact=True)).first.click()


def open_page(page, title):
    """Open a page by the menu."""
    page.locator(".menu").get_by_role("link", name=title, exact=True).click()
    expect(page.locator(".menu [aria-current]")).to_have_text(title)


def set_calls_per_minute(page, number):
    """Set the number in the bar."""
    page.get_by_label("Calls per minute").fill(number)
    press(page, "Set")
    expect(page.get_by_text("The settings are saved.")).to_be_visible()


def run_curl(page):
    """Run the curl command of the page, or that of an earlier one. Return what it prints."""
    code = page.locator("section", has=page.get_by_role("heading", name="curl", exact=True)).locator("code")
    if code.count():
        page.curl = code.text_content()
    return subprocess.run(page.curl, shell=True, capture_output=True, text=True).stdout
