"""Pictures of the console for the documents: `make screenshots`. Needs chromium on the PATH."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from dryline.testing import DrylineServer

# The page of each picture.
PAGES = {
    "overview": "",
    "calls": "/calls",
    "workers": "/workers",
    "request-log": "/requests",
    "faults": "/faults",
    "call": "/calls?status=completed",  # the last, because the request log has the recording
}


def take(folder: Path) -> None:
    """Take the pictures of a demo world with some requests and a fault rule."""
    folder.mkdir(parents=True, exist_ok=True)
    with DrylineServer(scenario="demo", seed=4010) as dryline, sync_playwright() as playwright:
        client = dryline.client()
        dryline.fault(path="/api/workers", preset="unavailable-twice")
        for worker in client.with_options(max_retries=4).workers.list():
            client.workers.retrieve(worker.id)
        chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-headless-shell", "google-chrome"))), None)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        for name, address in PAGES.items():
            page.goto(f"{dryline.url}/console{address}")
            page.wait_for_load_state("networkidle")
            if name == "call":  # the newest one that was answered, while it plays
                page.locator("tr[data-open] a").first.click()
                page.locator(".turn p").nth(3).click()
                page.wait_for_selector("#recording-state", state="hidden")
                page.locator(".code li.now").wait_for()
            page.screenshot(path=folder / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
