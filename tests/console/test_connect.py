"""The page that says how to connect: its snippets work as they are copied."""

import subprocess
import sys

from playwright.sync_api import expect

from dryline.tests.console.visitor import snippets


def test_the_python_snippet_lists_the_workers(demo):
    text = snippets(demo, "/connect")[0]["Python"]
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert "Bayside Dental" in done.stdout, done.stderr


def test_the_curl_snippet_lists_the_workers(demo):
    text = snippets(demo, "/connect")[0]["curl"]
    assert "Bayside Dental" in subprocess.run(text, shell=True, capture_output=True, text=True).stdout


def test_the_javascript_snippet_lists_the_workers(demo):
    text = snippets(demo, "/connect")[0]["JavaScript"]
    done = subprocess.run(["node", "--input-type=module", "-e", text], capture_output=True, text=True)
    assert "Bayside Dental" in done.stdout, done.stderr


def test_copy_puts_the_text_on_the_clipboard(tab, demo):
    page = tab(demo).go("/connect")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("window.setTimeout = () => 0")  # the word would be gone before a slow machine looks for it
    page.locator("section[aria-labelledby=curl] [data-copies]").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("curl -s http://")


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
