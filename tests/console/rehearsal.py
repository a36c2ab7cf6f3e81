"""Rehearsals: the numbered steps of a guide, each with a function that does what it says.

A guide names what one presses, chooses and types in quotation marks and as code. These names hold the steps together
with their functions; the other words may change.
"""

from __future__ import annotations

import re
import subprocess
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import expect

from dryline.tests.console.browser_tab import QUICK

ROOT = Path(__file__).parent.parent.parent
_NAME = re.compile(r'"([^"]*)"|`([^`]*)`')


class Rehearsal:
    """The numbered lists of a guide, or of some of its sections."""

    def __init__(self, document, *headings):
        text = (ROOT / document).read_text()
        if headings:
            sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n?)*)", text, re.MULTILINE))
            text = "\n".join(sections[heading] for heading in headings)
        items = re.findall(r"^\d+\. (.*(?:\n {3}\S.*)*)", text, re.MULTILINE)
        pairs = _NAME.findall(" ".join(" ".join(items).split()))
        self.names = [quoted or code for quoted, code in pairs]
        self._actions = []

    def does(self, *names):
        """Register the function for the next step, in which the guide has these names."""

        def register(action):
            self._actions.append((names, action))
            return action

        return register

    def play(self, page):
        """Do each step. A name of the guide that no function has, or another one has before it, fails."""
        assert [name for names, _ in self._actions for name in names] == self.names
        for _, action in self._actions:
            action(page)
            assert_fits_the_other_width(page)


def assert_fits_the_other_width(page):
    """Assert that the page, as it is now, is not wider than a telephone or a laptop, whichever it is not shown on."""
    size = page.viewport_size
    width = 390 if size["width"] > 390 else 1440
    page.wait_for_load_state()
    page.set_viewport_size(size | {"width": width})
    # Chromium lays the page out anew some time after the call, and a step's last click may still load the next page.
    expect(page.locator("html")).to_have_js_property("scrollWidth", width, timeout=5000)
    page.set_viewport_size(size)
    expect(page.locator("html")).to_have_js_property("clientWidth", size["width"])  # before the next click


def new_page(chromium, server, width, theme, **options):
    """Open the console in a window of its own, with pages that poll often."""
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, **options)
    context.set_default_timeout(20_000)
    context.add_init_script(QUICK)
    page = context.new_page()
    page.goto(f"{server.url}/")
    return page


@contextmanager
def next_page(page):
    """Do in the block what opens another page, and wait until that has replaced this one and has run its scripts.

    The other page may be of the same address, with the same texts.
    """
    page.wait_for_load_state()
    page.evaluate("document.documentElement.dataset.left = ''")
    yield
    expect(page.locator("html[data-left]")).to_have_count(0)
    page.wait_for_load_state()


def press(part, name):
    """Press a button, or follow a link that looks like one, on a page or in a part of it, once the page is loaded."""
    link = part.get_by_role("link", name=name, exact=True)
    button = part.get_by_role("button", name=name, exact=True).or_(link).first
    button.wait_for()
    getattr(part, "page", part).wait_for_load_state()
    button.click()


def open_menu(page, name):
    """Open a menu of the bar: clock, traffic or world."""
    page.wait_for_load_state()
    menu = page.locator(f"#{name}")
    if menu.get_attribute("open") is None:
        menu.locator("summary").click()
    return menu


def press_in_bar(page, name):
    """Press a button in the clock's menu, which loads the page anew."""
    with next_page(page):
        press(open_menu(page, "clock"), name)


def reset_world(page):
    """Choose "Reset the world" in the menu World."""
    with next_page(page):
        press(open_menu(page, "world"), "Reset the world")


def open_page(page, title):
    with next_page(page):
        page.locator(".menu").get_by_role("link", name=title, exact=True).click()
    expect(page.locator(".menu [aria-current]")).to_have_text(title)


def set_calls_per_minute(page, number):
    menu = open_menu(page, "traffic")
    menu.get_by_label("Calls per minute").fill(number)
    with next_page(page):
        press(menu, "Set")
    notice = f"{number} calls a minute from now on." if number != "0" else "No more calls come in."
    expect(page.get_by_text(notice)).to_be_visible()


def wait_for(page, locator):
    """Let the world's time pass, a few seconds at once, until something is on the page."""
    page.wait_for_load_state()
    for _ in range(60):
        if locator.is_visible():
            return
        page.request.post(urljoin(page.url, "/_dryline/clock/advance"), data={"seconds": 3})
        page.evaluate("poll()")
        expect(page.locator(".htmx-request")).to_have_count(0)  # its parts are fetched
    raise AssertionError(f"{locator} did not come up")


def run_curl(page, tail=""):
    """Run the curl command of the page, or that of an earlier one, with `tail` behind it. Return what it prints."""
    code = page.locator("section", has=page.get_by_role("heading", name="curl", exact=True)).locator("code")
    if code.count():
        page.curl = code.text_content()
    return subprocess.run(page.curl + tail, shell=True, capture_output=True, text=True).stdout
