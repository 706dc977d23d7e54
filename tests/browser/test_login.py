"""With a login: who somebody is comes from the provider alone, and what is remembered is seen by nobody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from memory_bank.long_term.owner import read_owner
from tests.browser import long_term
from tests.browser.identity_provider import identity_provider, secrets
from tests.browser.serving import Served, serving

RUN_MS = 60_000


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The app with a login."""
    with identity_provider() as issuer, serving(tmp_path_factory.mktemp("guarded"), secrets(issuer)) as served:
        yield served


@pytest.fixture
def browsers(chromium: Browser) -> Iterator[Callable[[], Page]]:
    """Makes pages, each of a browser of its own."""
    made: list[Page] = []

    def another() -> Page:
        made.append(chromium.new_context().new_page())
        return made[-1]

    yield another
    for page in made:
        page.context.close()


def enter(page: Page, served: Served, who: str) -> Page:
    """Log in."""
    page.goto(f"{served.url}/long_term_memory")
    expect(page.get_by_text("Log in to see what is remembered for you.")).to_be_visible(timeout=RUN_MS)
    page.get_by_role("button", name="Log in").click()
    page.locator("[name=who]").fill(who)
    page.get_by_role("button", name="In").click()
    expect(page.get_by_role("button", name="Try the demo")).to_be_visible(timeout=RUN_MS)
    page.goto(f"{served.url}/long_term_memory")
    expect(page.get_by_text(f"Logged in as {who.title()}")).to_be_visible(timeout=RUN_MS)
    return page


def test_each_has_a_memory_and_sessions_of_their_own(browsers: Callable[[], Page], guarded: Served) -> None:
    ann, bob = (enter(browsers(), guarded, who) for who in ("ann", "bob"))
    long_term.add(ann, "Ann prefers trains.")
    ann.get_by_role("link", name="Session", exact=True).click()
    ann.get_by_text("Long-term memory (off").click()
    ann.get_by_text("Remember across sessions").click()
    ann.get_by_label("Task").fill("When was the dam finished?")
    ann.get_by_label("Or paste text").fill("The dam was finished in 1970.")
    ann.get_by_role("button", name="Run", exact=True).click()
    expect(ann.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    begun = ann.url
    ann.get_by_role("textbox", name="Next task").fill("How high is the dam?")
    ann.get_by_role("button", name="Ask", exact=True).click()
    expect(ann.locator(".mb-status h1")).to_have_text("How high is the dam?", timeout=RUN_MS)
    expect(ann.get_by_text("finished", exact=True)).to_be_visible(timeout=RUN_MS)
    first, second = (read_owner(guarded.store / url.partition("run=")[2]) for url in (begun, ann.url))
    assert first == second
    assert first is not None
    assert first.user.endswith(" ann")

    bob.reload()
    expect(bob.get_by_text("Nothing is kept here yet.")).to_be_visible(timeout=RUN_MS)
    for stranger in (bob, browsers()):
        stranger.goto(ann.url)
        expect(stranger.get_by_text("There is no session at this address.")).to_be_visible(timeout=RUN_MS)

    address = ann.url
    ann.goto(f"{guarded.url}/long_term_memory")
    ann.get_by_role("button", name="Log out").click()
    expect(ann.get_by_role("button", name="Log in")).to_be_visible(timeout=RUN_MS)
    ann.goto(address)
    expect(ann.get_by_text("There is no session at this address.")).to_be_visible(timeout=RUN_MS)
