"""Fixtures for the console: an HTML parser that follows links and sends forms, and a browser."""

from __future__ import annotations

import os

import pytest
from jinja2 import FileSystemBytecodeCache

from dryline.blueprints.console.app import Console
from dryline.serving.server import in_thread
from dryline.settings import Settings
from dryline.tests.console.browser_tab import Tab, browser_path
from dryline.tests.console.visitor import Visitor

DEMO = Settings(ephemeral=True, scenario="demo", port=0, seed=1, speech="tones")


@pytest.fixture(scope="package", autouse=True)
def compiled_templates(tmp_path_factory):
    """Compile each template once: for each test's server it would take half of the whole time."""
    cache = FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))
    options, Console.jinja_options = Console.jinja_options, {"bytecode_cache": cache}
    yield
    Console.jinja_options = options


@pytest.fixture
def visitor(app):
    """Return a person on this machine."""
    return Visitor(app.test_client())


@pytest.fixture(scope="package")
def chromium():
    """Yield a browser. Without one tests are skipped, with DRYLINE_TEST_BROWSER they fail.

    While it runs, playwright keeps an event loop in this thread. Tests of async clients need their own, so this is
    not a fixture of the session.
    """
    path = browser_path()
    if path is None:
        reason = "There is no chromium on the PATH: apt-get install chromium-headless-shell."
        pytest.fail(reason) if os.environ.get("DRYLINE_TEST_BROWSER") else pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium):
    """Return a function that opens a tab on a server, in a width and a theme."""
    contexts = []

    def open_tab(server, width=1280, theme="light", script=True):
        contexts.append(chromium.new_context(java_script_enabled=script))
        return Tab(contexts[-1], server, width, theme)

    yield open_tab
    for context in contexts:
        context.close()


@pytest.fixture(scope="package")
def demo():
    """Yield a server with the demo world, shared by tests that do not change it."""
    with in_thread(DEMO) as server:
        yield server


@pytest.fixture(scope="package")
def reset_server():
    """Yield a server for tests that change its world. It analyses each flow of the demo once."""
    with in_thread(DEMO) as server:
        yield server


@pytest.fixture
def served(reset_server):
    """Yield a server with the demo world as it is at the start."""
    assert reset_server.app.test_client().post("/_dryline/reset").status_code == 204
    return reset_server
