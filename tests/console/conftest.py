"""The console as a browser sees it: with a parser that follows links and fills in forms, and with a real one."""

from __future__ import annotations

import os
import threading

import pytest
from jinja2 import BytecodeCache

from dryline.app import create_app
from dryline.blueprints.console.app import Console
from dryline.serving.server import HttpServer
from dryline.settings import Settings
from dryline.tests.console.browser_tab import Tab, found_browser
from dryline.tests.console.visitor import Visitor


class _Compiled(BytecodeCache):
    """Templates as they were compiled for the server of an earlier test."""

    def __init__(self):
        self.known = {}

    def load_bytecode(self, bucket):
        if bucket.key in self.known:
            bucket.bytecode_from_string(self.known[bucket.key])

    def dump_bytecode(self, bucket):
        self.known[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="package", autouse=True)
def compiled():
    """Each server compiles its templates itself: here, where there is one a test, that were half of all the time."""
    before, Console.jinja_options = Console.jinja_options, {"bytecode_cache": _Compiled()}
    yield
    Console.jinja_options = before


@pytest.fixture
def visitor(app):
    """A person on this machine."""
    return Visitor(app.test_client())


@pytest.fixture(scope="package")
def chromium():
    """A browser. Where `.ci/run` says that there is one, a missing one is a failure.

    The package's, not the session's: while it is there, playwright keeps an event loop running in this thread, and
    tests of async clients need one of their own.
    """
    found = found_browser()
    if found is None:
        told = "There is no chromium on the PATH: apt-get install chromium-headless-shell."
        pytest.fail(told) if os.environ.get("DRYLINE_TEST_BROWSER") else pytest.skip(told)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # to see that something never comes; what comes is not waited for so long
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def profile(chromium):
    """What most tabs share, as those of one person do: a new one for each test costs as much as a page."""
    context = chromium.new_context()
    context.set_default_timeout(30_000)
    yield context
    context.close()


@pytest.fixture(scope="package")
def scriptless(chromium):
    """The profile of a person who has switched scripts off."""
    context = chromium.new_context(java_script_enabled=False)
    context.set_default_timeout(30_000)
    yield context
    context.close()


@pytest.fixture(scope="package")
def idle():
    """The tabs that wait for the next test, with script and without: to open a new one costs as much as four pages."""
    return {True: [], False: []}


@pytest.fixture(scope="module")
def demo():
    """A server with the demo world, for those who only look: shared by a module's tests."""
    with serving(Settings(ephemeral=True, scenario="demo", port=0, seed=1)) as server:
        yield server


@pytest.fixture
def served():
    """A server of its own with the demo world."""
    with serving(Settings(ephemeral=True, scenario="demo", port=0, seed=1)) as server:
        yield server


class serving:
    """A stand-in with its jobs, behind a socket."""

    def __init__(self, settings):
        self.app = create_app(settings)

    def __enter__(self):
        self.server = HttpServer(self.app)
        self.app.jobs.start()
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        return self.server

    def __exit__(self, *args):
        self.server.stop()
        self.thread.join()
        self.app.close()


@pytest.fixture
def tab(profile, scriptless, idle):
    """Gives a function that opens a tab on a server, in a width and a theme."""
    lent = []

    def open_tab(server, width=1280, theme="light", script=True):
        seen = idle[script].pop() if idle[script] else Tab(profile if script else scriptless)
        lent.append((script, seen))
        return seen.turn_to(server, width, theme)

    yield open_tab
    for script, seen in lent:
        seen.leave()
        idle[script].append(seen)
    for context in (profile, scriptless):
        context.clear_cookies()
        context.clear_permissions()
