"""The page Connect."""

import subprocess
import sys

import pytest
from playwright.sync_api import expect

from dryline.tests.console.visitor import snippets


@pytest.mark.parametrize(
    ("language", "command"),
    [
        ("Python", [sys.executable, "-c"]),
        ("JavaScript", ["node", "--input-type=module", "-e"]),
    ],
)
def test_a_snippet_lists_the_workers(demo, language, command):
    done = subprocess.run([*command, snippets(demo, "/connect")[0][language]], capture_output=True, text=True)
    assert "Bayside Dental" in done.stdout, done.stderr


def test_copy_works_where_the_browser_keeps_the_clipboard_from_scripts(tab, demo):
    """Browsers do so over plain HTTP, except on loopback."""
    seen = tab(demo)
    page = seen.go("/connect")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined}); window.setTimeout = () => 0")
    button = page.locator("section[aria-labelledby=curl] [data-copies]")
    button.click()
    page.get_by_text("Copied").wait_for()
    expect(button).to_be_focused()
    page.evaluate("main.append(document.createElement('textarea'))")
    page.locator("main textarea").press("Control+V")
    assert page.locator("main textarea").input_value().startswith("curl -s http://")
    assert seen.wrong == []
