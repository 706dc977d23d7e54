"""Makes the pictures of the documentation: `python -m tests.browser.screenshots`.

The demo is run once; the Session page is taken while a conflict is open, and every page when it is finished, in light
and dark, and some in Chinese and at a phone's width.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page, expect, sync_playwright

from tests.browser import long_term
from tests.browser.serving import ROOT, Served, launch, serving

IMAGES = ROOT / "docs" / "images"
EXAMPLE_IMAGES = ROOT / "pages" / "shared" / "pictures"
EXAMPLES = {
    "demo-en": ("en", "demo", ".rejected"),
    "dispute-en": ("en", "demo-dispute", ".dispute"),
    "demo-zh": ("zh-CN", "demo", ".rejected"),
    "dispute-zh": ("zh-CN", "demo-dispute", ".dispute"),
}
"""For each picture: the browser's language, the example, and the part of its answer that is taken."""
EXAMPLE_HEIGHT = 190
RUN_MS = 90_000
Theme = Literal["light", "dark"]


def main() -> None:
    """Write every picture into `docs/images`."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served, sync_playwright() as playwright:
        browser = launch(playwright)
        for theme in ("light", "dark"):
            page = browser.new_page(viewport={"width": 1366, "height": 900}, color_scheme=theme)
            run = take_demo(page, served, theme)
            take_pages(page, served, run, theme)
            page.close()
        take_chinese(browser, served, run)
        take_phone(browser, served, run)
        take_examples(browser, served)
        browser.close()


def take_demo(page: Page, served: Served, theme: Theme) -> str:
    """The start and a conflict that is open; the address of the demo's session."""
    page.goto(served.url)
    expect(page.get_by_role("button", name="Try the demo")).to_be_visible()
    shoot(page, f"start-{theme}")
    page.get_by_role("button", name="Try the demo").click()
    expect(page.get_by_text("in conflict").first).to_be_visible(timeout=RUN_MS)
    expect(page.locator(".mb-timeline li").nth(1)).to_be_visible(timeout=RUN_MS)
    shoot(page, f"conflict-{theme}")
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    return page.url.partition("?run=")[2]


def take_pages(page: Page, served: Served, run: str, theme: Theme) -> None:
    """Every page of a finished session."""
    for address, prepare in PAGES.items():
        page.goto(f"{served.url}/{address}?run={run}")
        settle(page)
        prepare(page)
        shoot(page, f"{address or 'session'}-{theme}")


def take_chinese(browser: Browser, served: Served, run: str) -> None:
    """The interface in Chinese."""
    page = browser.new_page(viewport={"width": 1366, "height": 900}, locale="zh-CN")
    page.goto(served.address(run))
    shoot(page, "session-chinese")
    page.close()


def take_phone(browser: Browser, served: Served, run: str) -> None:
    """The answer at a phone's width."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(served.address(run))
    shoot(page, "session-phone")
    page.close()


def take_examples(browser: Browser, served: Served) -> None:
    """What each example comes to, for its card on the start page: a part of its answer, in light and dark."""
    for name, (locale, example, part) in EXAMPLES.items():
        page = browser.new_page(viewport={"width": 340, "height": 900}, device_scale_factor=2, locale=locale)
        page.goto(served.url)
        page.locator(f".st-key-{example} button").click()
        shown = page.locator(f".st-key-answer {part}").first
        expect(shown).to_be_visible(timeout=RUN_MS)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.reload()
            expect(shown).to_be_visible(timeout=RUN_MS)
            settle(page)
            shown.evaluate("block => block.scrollIntoView({block: 'center'})")
            box = shown.bounding_box()
            assert box is not None
            clip = FloatRect(x=box["x"], y=box["y"], width=box["width"], height=min(box["height"], EXAMPLE_HEIGHT))
            with Image.open(io.BytesIO(page.screenshot(clip=clip))) as picture:
                picture.save(EXAMPLE_IMAGES / f"{name}-{theme}.webp", quality=70, method=6)
        page.close()


def open_its_node(page: Page) -> None:
    """Select the node of the first citation."""
    page.get_by_role("button", name="Open its node").click()
    settle(page)


def ask(page: Page) -> None:
    """Ask the demo's memory something."""
    page.get_by_label("Your question").fill("How many countries does the Nile flow through?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("button", name="Citation 1").first).to_be_visible(timeout=RUN_MS)


def remember(page: Page) -> None:
    """Keep some facts, two of which contradict each other; what was kept for the other theme goes first."""
    long_term.forget_everything(page)
    for fact in long_term.FACTS:
        long_term.add(page, *fact)
    page.reload()
    settle(page)


def nothing(page: Page) -> None:
    """The page as it opens."""


PAGES: dict[str, Callable[[Page], None]] = {
    "": open_its_node,
    "query_graph": nothing,
    "insight_doc": nothing,
    "interaction_tree": nothing,
    "conflicts": nothing,
    "ask": ask,
    "long_term_memory": remember,
    "sessions": nothing,
    "settings": nothing,
}


def settle(page: Page) -> None:
    """Wait until nothing moves."""
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
    page.wait_for_timeout(1500)


def shoot(page: Page, name: str) -> None:
    """Take a picture from the top of the page."""
    settle(page)
    page.mouse.move(0, 0)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    page.wait_for_timeout(300)
    page.screenshot(path=IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
