"""A tab of a browser, which notes errors and checks accessibility."""

from __future__ import annotations

import shutil

from axe_playwright_python.base import AXE_SCRIPT

# The widths and themes in which a page is checked, and axe's rules there besides contrast: None for all. On a telephone
# parts of a page scroll, and texts are hidden that name a control.
NAMES = ["button-name", "label", "link-name", "scrollable-region-focusable", "select-name", "summary-name"]
LOOKS = ((1440, "light", None), (768, "dark", []), (390, "dark", NAMES))
# Without `preload`, which reads style sheets for a rule that is not used.
RULES = """(rules) => axe.run({preload: false, resultTypes: ["violations"],
    ...(rules ? {runOnly: rules} : {rules: {"color-contrast": {enabled: false}}})})
    .then((found) => found.violations.map((one) => [one.id, one.nodes[0].html]))"""
# Contrast takes axe longer than all other rules. It depends on an element's style alone, so each style is checked once.
CONTRAST = """async (checked) => {
    const backgrounds = new Map([[null, ""]]);
    const background = (one) => {
        if (!backgrounds.has(one)) {
            const {backgroundColor, backgroundImage, opacity} = getComputedStyle(one);
            const own = [backgroundColor, backgroundImage, opacity].join();
            const has_none = own === "rgba(0, 0, 0, 0),none,1";
            backgrounds.set(one, background(one.parentElement) + (has_none ? "" : ` ${own}`));
        }
        return backgrounds.get(one);
    };
    const styles = new Map();
    for (const one of document.body.querySelectorAll("*")) {
        const has_text = one.matches("input, select, textarea")
            || [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!has_text || !one.checkVisibility()) continue;
        const {color, fontSize, fontWeight} = getComputedStyle(one);
        const style = [one.tagName, one.className, color, fontSize, fontWeight, background(one)].join("|");
        if (!checked.includes(style) && !styles.has(style)) styles.set(style, one);
    }
    const options = {preload: false, resultTypes: ["violations"], runOnly: ["color-contrast"]};
    const found = styles.size ? (await axe.run({include: [...styles.values()]}, options)).violations : [];
    return [found.flatMap((one) => one.nodes.map((node) => [one.id, node.html])), [...styles.keys()]];
}"""

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

    def __init__(self, context):
        self.page = context.new_page()
        self.page.add_init_script(QUICK)
        self.base, self.wrong = "", []
        self._checked_styles = []
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

    def faults(self):
        """Return what keeps people from the page in each look, and what else is wrong."""
        faults = []
        self.page.evaluate(AXE_SCRIPT)
        self.page.keyboard.press("Tab")  # shows the outline of the focused element from now on
        for width, theme, rules in LOOKS:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(color_scheme=theme)
            violations, styles = self.page.evaluate(CONTRAST, self._checked_styles)
            self._checked_styles += styles
            violations += self.page.evaluate(RULES, rules) if rules != [] else []
            violations += self.page.evaluate(LOST) if rules is None else []
            faults += [(width, theme, *each) for each in violations]
            if not self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"):
                faults.append((width, "wider than the window"))
        return faults + self.wrong
