"""The API documentation, reached from the console."""

from playwright.sync_api import expect

from dryline.tests.console.browser_tab import AXE_SCRIPT, LOOKS
from dryline.tests.console.demo_rows import demo_id

WORKER = demo_id("workers")


def test_a_logged_request_links_to_its_operation_which_can_be_tried(demo, tab):
    demo.app.test_client().get(f"/api/workers/{WORKER}", headers={"x-api-key": "dryline-local-key"})
    seen = tab(demo, 390)
    page = seen.go("/requests")
    page.locator("tbody tr a").first.click()
    page.get_by_role("link", name="Documentation").click()
    expect(page.locator(".opblock.is-open")).to_have_count(1)  # the others are folded
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Try it out").click()
    rows = page.locator(".opblock.is-open tr[data-param-name]")
    assert rows.first.get_attribute("data-param-in") == "path"
    rows.first.locator("input").fill(WORKER)
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table tbody .response-col_status").first).to_contain_text("200")
    page.get_by_label("Filter the operations").fill("post /exports")
    expect(page.locator(".opblock-summary-get")).to_have_count(0)
    expect(page.locator(".opblock-summary-post").first).to_be_visible()
    page.get_by_role("button", name="Authorize").click()
    expect(page.locator(".auth-container h4 code")).to_have_text(["apiKey"])
    assert seen.wrong == []


def test_the_documentation_passes_axe_in_the_colours_of_the_console(demo, tab):
    page = tab(demo).go()
    background = "getComputedStyle(document.documentElement).getPropertyValue('--accent')"
    accents = []
    for width, theme, _ in LOOKS:
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
