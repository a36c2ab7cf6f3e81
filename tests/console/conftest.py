"""The console as a browser sees it: with a parser that follows links and fills in forms, and with a real one."""

from __future__ import annotations

import os
import shutil
import threading
from html.parser import HTMLParser

import pytest

from dryline.app import create_app
from dryline.server import Server
from dryline.settings import Settings


class Page(HTMLParser):
    """An answer's HTML: its links, its forms with their fields, and its text."""

    def __init__(self, answer):
        super().__init__()
        self.answer, self.status = answer, answer.status_code
        self.links, self.forms, self.fetched, self.ids = [], [], [], []
        self.text, self._within = "", []
        self._select, self._options = None, []
        self.feed(answer.get_data(as_text=True))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a":
            self.links.append(given.get("href"))
        if tag in ("script", "img", "audio", "source", "link", "iframe"):
            self.fetched.append(given.get("src") or given.get("href"))
        if tag == "form":
            self.forms.append({"action": given.get("action", ""), "method": given.get("method", "get"), "fields": {}})
        if tag in ("input", "select", "textarea") and given.get("name") and self.forms:
            self._select = given["name"] if tag == "select" else None
            if given.get("type") not in ("radio", "checkbox") or "checked" in given:
                self.forms[-1]["fields"].setdefault(given["name"], given.get("value", ""))
        if tag == "option" and self._select and self.forms:
            self._options.append(given)
        self._within.append(tag)

    def handle_endtag(self, tag):
        if tag == "select" and self._select and self._options:
            chosen = next((each for each in self._options if "selected" in each), self._options[0])
            self.forms[-1]["fields"][self._select] = chosen.get("value", "")
        if tag == "select":
            self._select, self._options = None, []

    def handle_data(self, data):
        if not self._within or self._within[-1] not in ("script", "style"):
            self.text += data

    def form(self, action, last=False):
        """The first form, or the last, that goes to an address that ends like this."""
        found = [form for form in self.forms if form["action"].partition("?")[0].endswith(action)]
        return found[-1 if last else 0]


class Visitor:
    """A person without script: follows links, sends the forms of the page last seen."""

    def __init__(self, client):
        self.client, self.page = client, None

    def go(self, address, **headers):
        """Open a page below /console."""
        self.page = Page(self.client.get(f"/console{address}", headers=headers, follow_redirects=True))
        return self.page

    def send(self, action, **fields):
        """Send the form of this page that goes to `action`, with these fields filled in, and follow where it leads."""
        form = self.page.form(action)
        answer = self.client.post(form["action"], data={**form["fields"], **fields}, follow_redirects=True)
        self.page = Page(answer)
        return self.page


@pytest.fixture
def visitor(app):
    """A person on this machine."""
    return Visitor(app.test_client())


@pytest.fixture(scope="module")
def chromium():
    """A browser. Where `.ci/run` says that there is one, a missing one is a failure.

    A module's, not the session's: while it is there, playwright keeps an event loop running in this thread, and tests
    of async clients need one of their own.
    """
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        told = "There is no chromium on the PATH: apt-get install chromium."
        pytest.fail(told) if os.environ.get("DRYLINE_TEST_BROWSER") else pytest.skip(told)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # to see that something never comes; what comes is not waited for so long
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def demo():
    """A server with the demo world, for those who only look: shared by a module's tests."""
    with _serving(Settings(ephemeral=True, scenario="demo", port=0, seed=1)) as server:
        yield server


@pytest.fixture
def served():
    """A server of its own with the demo world."""
    with _serving(Settings(ephemeral=True, scenario="demo", port=0, seed=1)) as server:
        yield server


class _serving:
    def __init__(self, settings):
        self.app = create_app(settings)

    def __enter__(self):
        self.server = Server(self.app)
        self.app.jobs.start()
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        return self.server

    def __exit__(self, *args):
        self.server.stop()
        self.thread.join()
        self.app.close()


class Tab:
    """A browser's tab on one server, which notes what a page must not do."""

    def __init__(self, context, base):
        self.page = context.new_page()
        self.base, self.wrong = base, []
        self.page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda asked: self._note(asked.url))

    def _note(self, url):
        if not url.startswith((self.base, "data:", "blob:")):
            self.wrong.append(f"fetched {url}")

    def go(self, address=""):
        """Open a page below /console."""
        self.page.goto(f"{self.base}/console{address}")
        return self.page

    def faults(self):
        """What of the page keeps somebody from using it, wide or narrow, light or dark, and what it did wrong."""
        from axe_playwright_python.sync_playwright import Axe

        found = []
        for width, theme in ((1440, "light"), (1440, "dark"), (390, "dark"), (390, "light")):
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(color_scheme=theme)
            told = Axe().run(self.page).response["violations"]
            found += [(width, theme, each["id"], each["nodes"][0]["html"]) for each in told]
            if not self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"):
                found.append((width, "wider than the window"))
        return found + self.wrong


@pytest.fixture
def tab(chromium):
    """Gives a function that opens a tab on a server, in a width and a theme."""
    contexts = []

    def open_tab(server, width=1280, theme="light", script=True):
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, java_script_enabled=script
        )
        context.set_default_timeout(30_000)
        contexts.append(context)
        return Tab(context, server.url)

    yield open_tab
    for context in contexts:
        context.close()
