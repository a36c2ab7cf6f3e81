"""A tab of a real browser, and what is wrong with what it shows."""

from __future__ import annotations

import shutil

from axe_playwright_python.base import AXE_SCRIPT

# In which width and theme a page is looked at, and for what. Colours do not depend on the width, but what is seen does;
# all else does not depend on the theme.
LOOKS = (
    (1440, "light", None),
    (1440, "dark", ["color-contrast"]),
    (390, "dark", None),
    (390, "light", ["color-contrast"]),
)
# Style sheets are not fetched for axe anew: only a rule for rotated phones, which is not on, would read them.
FINDINGS = """(rules) => axe.run({preload: false, resultTypes: ["violations"], ...(rules ? {runOnly: rules} : {})})
    .then((found) => found.violations.map((one) => [one.id, one.nodes[0].html]))"""

# A page asks every 1.5 s whether anything changed: to see that it asks by itself, nobody has to wait so long.
QUICK = "const every = setInterval; window.setInterval = (does, ms, ...given) => every(does, ms / 5, ...given)"

LENGTH = """new Promise((known) => {
    const audio = document.getElementById("recording");
    if (audio.readyState > 2) known(audio.duration);
    else audio.addEventListener("canplay", () => known(audio.duration));
})"""

# The first shows nothing: it has no window to draw around each tab, and takes a third of the others' time for one.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def found_browser():
    """The path of a browser on this machine, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Tab:
    """A browser's tab, on one server after the other, which notes what a page must not do."""

    def __init__(self, context):
        self.page = context.new_page()
        self.page.add_init_script(QUICK)
        self.base, self.wrong = "", []
        self.page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda asked: self._note(asked.url))

    def _note(self, url):
        if not url.startswith((self.base, "data:", "blob:")):
            self.wrong.append(f"fetched {url}")

    def turn_to(self, server, width=1280, theme="light"):
        """Be the tab on this server from now on."""
        self.base = server.url
        self.wrong.clear()
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=theme)
        return self

    def leave(self):
        """Leave the server and what was agreed for its pages."""
        self.page.unroute_all()
        self.page.goto("about:blank")

    def go(self, address=""):
        """Open a page below /console."""
        self.page.goto(f"{self.base}/console{address}")
        return self.page

    def pulse(self):
        """Ask now whether anything changed, as the page does every 1.5 s."""
        self.scripted().evaluate("pulse()")

    def scripted(self):
        """The page once its scripts run: one that a click led to can be used before, and then does without them."""
        self.page.wait_for_load_state()
        return self.page

    def length(self):
        """The seconds of the page's recording, once the browser can play it from where it was told to."""
        return self.page.evaluate(LENGTH)

    def faults(self):
        """What of the page keeps somebody from using it, wide or narrow, light or dark, and what it did wrong."""
        found = []
        self.page.evaluate(AXE_SCRIPT)
        for width, theme, rules in LOOKS:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(color_scheme=theme)
            found += [(width, theme, *each) for each in self.page.evaluate(FINDINGS, rules)]
            if not self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"):
                found.append((width, "wider than the window"))
        return found + self.wrong
