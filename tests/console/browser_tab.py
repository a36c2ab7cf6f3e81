"""A tab of a browser, which notes errors and checks accessibility."""

from __future__ import annotations

import shutil

from axe_playwright_python.base import AXE_SCRIPT

# The widths and themes in which a page is checked.
LOOKS = ((1440, "light"), (390, "dark"))
# Without `preload`, which reads style sheets for a rule that is not used. Contrast takes longer than all other rules.
RULES = """(rules) => axe.run({preload: false, resultTypes: ["violations"], ...rules})
    .then((found) => found.violations.map((one) => [one.id, one.nodes[0].html]))"""
ALL_BUT_CONTRAST = {"rules": {"color-contrast": {"enabled": False}}}
CONTRAST = {"runOnly": ["color-contrast"]}

# The elements in the tab order that are out of order, or without an outline when focused.
LOST = """() => {
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
        .filter((one) => one.tabIndex >= 0 && one.type !== "hidden" && !one.disabled && one.checkVisibility());
    return all.filter((one) => {
        if (one.tabIndex > 0) return true;
        one.focus();
        return document.activeElement !== one || parseFloat(getComputedStyle(one).outlineWidth) < 2
            || getComputedStyle(one).outlineStyle === "none";
    }).map((one) => ["lost", one.outerHTML.slice(0, 200)]);
}"""

# Makes a page poll five times as often, so that a test of it takes less time.
QUICK = "const every = setInterval; window.setInterval = (does, ms, ...rest) => every(does, ms / 5, ...rest)"

# The first has no windows, so a tab of it opens in a third of the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def browser_path():
    """Return the path of a browser on this machine, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Tab:
    """A tab. `wrong` has the console's errors and requests to other servers."""

    def __init__(self, context, server, width=1280, theme="light"):
        context.set_default_timeout(30_000)
        self.page, self.base, self.wrong = context.new_page(), server.url, []
        self.page.add_init_script(QUICK)
        self.page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url))
        self._look(width, theme)

    def _note(self, url):
        if not url.startswith((self.base, "data:", "blob:")):
            self.wrong.append(f"fetched {url}")

    def _look(self, width, theme):
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=theme)

    def go(self, address=""):
        """Open a page below /console."""
        self.page.goto(f"{self.base}/console{address}")
        return self.page

    def poll(self):
        """Poll for changes now, as the page does every 1.5 s. A page that a click opened may still load its scripts."""
        self.page.wait_for_load_state()
        self.page.evaluate("poll()")

    def faults(self, contrast=True):
        """Return what keeps people from the page in each look, and what else is wrong.

        Rules but for contrast are checked in the first look only.
        """
        faults = []
        self.page.evaluate(AXE_SCRIPT)
        self.page.keyboard.press("Tab")  # shows the outline of the focused element from now on
        for width, theme in LOOKS:
            self._look(width, theme)
            rules = [ALL_BUT_CONTRAST] if (width, theme) == LOOKS[0] else []
            if contrast:
                rules = [*rules, CONTRAST]
            violations = [violation for each in rules for violation in self.page.evaluate(RULES, each)]
            faults += [(width, theme, *each) for each in violations + self.page.evaluate(LOST)]
            if not self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"):
                faults.append((width, "wider than the window"))
        return faults + self.wrong
