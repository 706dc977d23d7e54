"""Makes the pictures of the documentation: `python -m tests.browser.screenshots`.

The demo is run once in each theme, and taken while a conflict is open and when it is finished.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.serving import ROOT, Served, launch, serving

IMAGES = ROOT / "docs" / "images"
RUN_MS = 90_000


def main() -> None:
    """Write `session-*.png` and `conflict-*.png`, light and dark, into `docs/images`."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served, sync_playwright() as playwright:
        browser = launch(playwright)
        take(browser, served, "light")
        take(browser, served, "dark")
        browser.close()


def take(browser: Browser, served: Served, theme: Literal["light", "dark"]) -> None:
    """Run the demo in one theme and take its pictures."""
    page = browser.new_page(viewport={"width": 1366, "height": 1010}, color_scheme=theme)
    page.goto(served.url)
    page.get_by_role("button", name="Try the demo").click()
    expect(page.locator(".mb-timeline li").nth(1)).to_be_visible(timeout=RUN_MS)
    page.wait_for_timeout(1500)
    page.screenshot(path=IMAGES / f"conflict-{theme}.png")
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    page.get_by_role("button", name="Open its node").click()
    expect(page.get_by_text("Interaction Tree")).to_be_visible()
    page.wait_for_timeout(1500)
    page.locator("h1").scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / f"session-{theme}.png")
    page.close()


if __name__ == "__main__":
    main()
