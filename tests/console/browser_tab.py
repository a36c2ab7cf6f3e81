"""A tab of a browser, which notes errors and checks accessibility."""

from __future__ import annotations

import shutil

from axe_playwright_python.base import AXE_SCRIPT

# The widths and themes in which axe checks a page, and by which rules. Contrast does not depend on the width, though
# it depends on what a width shows; all else does not depend on the theme. A tablet shows nothing that others do not.
LOOKS = (
    (1440, "light", None),
    (1440, "dark", ["color-contrast"]),
    (768, "light", ["scrollable-region-focusable"]),
    (390, "dark", None),
    (390, "light", ["color-contrast"]),
)
# Without `preload`, which reads style sheets for a rule that is not used.
FINDINGS = """(rules) => axe.run({preload: false, resultTypes: ["violations"], ...(rules ? {runOnly: rules} : {})})
    .then((found) => found.violations.map((one) => [one.id, one.nodes[0].html]))"""

# Makes a page poll five times as often, so that a test of it takes less time.
QUICK = "const every = setInterval; window.setInterval = (does, ms, ...rest) => every(does, ms / 5, ...rest)"

LENGTH = """new Promise((known) => {
    const audio = document.getElementById("recording");
    if (audio.readyState > 2) known(audio.duration);
    else audio.addEventListener("canplay", () => known(audio.duration));
})"""

# The first has no windows, so a tab of it opens in a third of the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def browser_path():
    """Return the path of a browser on this machine, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Tab:
    """A tab that one test after the other uses. `wrong` has the console's errors and requests to other servers."""

    def __init__(self, context):
        self.page = context.new_page()
        self.page.add_init_script(QUICK)
        self.base, self.wrong = "", []
        self.page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url))

    def _note(self, url):
        if not url.startswith((self.base, "data:", "blob:")):
            self.wrong.append(f"fetched {url}")

    def turn_to(self, server, width=1280, theme="light"):
        """Use the tab for this server from now on."""
        self.base = server.url
        self.wrong.clear()
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=theme)
        return self

    def leave(self):
        """Leave the server, and remove the routes of its pages."""
        self.page.unroute_all()
        self.page.goto("about:blank")

    def go(self, address=""):
        """Open a page below /console."""
        self.page.goto(f"{self.base}/console{address}")
        return self.page

    def poll(self):
        """Poll for changes now, as the page does every 1.5 s."""
        self.scripted().evaluate("poll()")

    def scripted(self):
        """Return the page once its scripts run. A page that a click opened can be used before that."""
        self.page.wait_for_load_state()
        return self.page

    def length(self):
        """Return the seconds of the page's recording, once the browser can play it."""
        return self.page.evaluate(LENGTH)

    def faults(self):
        """Return the violations in each look, and what else is wrong."""
        faults = []
        self.page.evaluate(AXE_SCRIPT)
        for width, theme, rules in LOOKS:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(color_scheme=theme)
            faults += [(width, theme, *each) for each in self.page.evaluate(FINDINGS, rules)]
            if not self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"):
                faults.append((width, "wider than the window"))
        return faults + self.wrong
