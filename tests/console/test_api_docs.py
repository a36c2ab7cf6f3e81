"""The API documentation, reached from the console."""

from playwright.sync_api import expect

from dryline.tests.console.browser_tab import AXE_SCRIPT, LOOKS
from dryline.tests.console.demo_rows import demo_id

WORKER = demo_id("workers")


def test_the_documentation_passes_axe_in_the_colours_of_the_console(demo, tab):
    page = tab(demo).go()
    background = "getComputedStyle(document.documentElement).getPropertyValue('--accent')"
    accents = []
    for width, theme in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        page.goto(f"{demo.url}/console")
        accents.append(page.evaluate(background))
        page.goto(f"{demo.url}/docs")
        assert page.evaluate(background) == accents[-1]
        page.locator(".opblock-tag", has_text="Assets").click()
        page.locator(".opblock-summary-post .opblock-summary-control").first.click()
        expect(page.locator(".opblock.is-open pre.example").first).to_be_visible()
        page.evaluate(AXE_SCRIPT)
        violations = page.evaluate("axe.run({preload: false}).then((result) => result.violations.map((one) => one.id))")
        assert violations == [], (width, theme)
    assert len(set(accents)) == 2
