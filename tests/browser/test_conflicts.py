"""What a person does on the Conflicts page."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visitors, settle
from tests.browser.serving import Served

WORK_MS = 30_000


def conflicts_of(page: Page, served: Served, session_id: str) -> Page:
    page.goto(f"{served.url}/conflicts?run={session_id}")
    expect(page.get_by_text("1 disputed · 1 resolved")).to_be_visible()
    settle(page)
    return page


def card(page: Page, conflict_id: str) -> Locator:
    """One conflict on the page."""
    return page.locator(f".st-key-conflict-{conflict_id}")


def merged_into(dispute: Locator, *earlier: str) -> str:
    """The node that the two sides became: another one than those of earlier decisions."""
    merged = re.compile(rf"Merged into (?!(?:{'|'.join(earlier) or 'none'}):)(n\d+):")
    expect(dispute).to_contain_text(merged, timeout=WORK_MS)
    return merged.findall(dispute.inner_text())[0]


def test_overturned_taken_back_made_anew_and_reopened(page: Page, served: Served, own_demo: str) -> None:
    conflicts_of(page, served, own_demo)
    dam = card(page, "x2")
    first = merged_into(dam)
    dam.get_by_role("button", name="Overturn").click()
    dam.get_by_text("The first statement holds").click()
    dam.get_by_role("textbox", name="Why?").fill("The builders say so.")
    dam.get_by_role("button", name="Record the decision").click()

    second = merged_into(dam, first)
    expect(dam).to_contain_text("the first statement holds · by a person")
    expect(dam).to_contain_text("The builders say so.")
    expect(dam).to_contain_text(re.compile(r"agent: second \(0\.\d\d\) → person: first"))
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=WORK_MS)
    dam.get_by_role("button", name="See the answer").click()
    expect(page.get_by_text("“The Aswan High Dam was completed in 1968.”").first).to_be_visible()

    page.get_by_role("link", name="Conflicts").click()
    dam.get_by_role("button", name="Reopen").click()
    dam.get_by_role("button", name="Verify again").click()
    merged_into(dam, first, second)
    verified_again = re.compile(r"→ person: first → to be verified again → agent: second \(0\.\d\d\)")
    expect(dam).to_contain_text(verified_again)
    expect(page.get_by_text("finished", exact=True)).to_be_visible(timeout=WORK_MS)
    dam.get_by_role("button", name="See the answer").click()
    expect(page.get_by_text("“The Aswan High Dam was completed in 1970").first).to_be_visible()
    expect(page.get_by_text("In dispute: no evidence settles it")).to_be_visible()


def test_a_statement_leads_to_its_page_and_a_merge_shows_before_and_after(
    page: Page, served: Served, finished_demo: str
) -> None:
    conflicts_of(page, served, finished_demo)
    dam = card(page, "x2")
    expect(dam.locator(".mb-side mark").first).to_have_text("1968")
    dam.get_by_role("button", name="brochure.pdf, p. 2").click()
    expect(dam.locator(".mb-passage mark")).to_have_text("The Aswan High Dam was completed in 1968.")
    expect(dam.get_by_role("img").first).to_be_visible(timeout=WORK_MS)
    merged = merged_into(dam)
    dam.get_by_text(f"Merged into {merged}: before and after").click()
    merge = dam.locator(".mb-merge")
    expect(merge.nth(0)).to_contain_text("left out: The Aswan High Dam was completed in 1968.")
    expect(merge.nth(1)).to_contain_text("After")
    expect(merge.nth(1)).not_to_contain_text("completed in 1968")
    dam.get_by_role("button", name=f"Open the merged node {merged}").click()
    expect(page).to_have_url(f"{served.url}/query_graph?run={finished_demo}")


def test_what_is_being_written_outlives_the_redraws_of_a_running_session(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Try the demo").click()
    expect(page.get_by_text("running", exact=True)).to_be_visible(timeout=WORK_MS)
    page.get_by_role("link", name="Conflicts").click()
    decide = page.get_by_role("button", name="Decide").first
    expect(decide).to_be_visible(timeout=2 * WORK_MS)
    decide.click()
    page.get_by_text("It cannot be decided").first.click()
    why = page.get_by_role("textbox", name="Why?")
    why.press_sequentially("Both are written.", delay=150)
    expect(why).to_have_value("Both are written.")
    expect(page.get_by_role("radio", name="It cannot be decided")).to_be_checked()
    page.get_by_role("button", name="Record the decision").click()
    expect(page.get_by_text("not decided: not enough evidence · by a person")).to_be_visible(timeout=2 * WORK_MS)


def test_two_tabs_see_the_same_decision(visitors: Visitors, served: Served, own_demo: str) -> None:
    one, other = (conflicts_of(visitors.page(), served, own_demo) for _ in range(2))
    river = card(one, "x1")
    river.get_by_role("button", name="Decide").click()
    river.get_by_text("Both hold, with a distinction").click()
    river.get_by_role("button", name="Record the decision").click()
    expect(river.get_by_text("Write how the two statements differ")).to_be_visible()
    river.get_by_role("textbox", name="Why?").fill("Two ways to choose the source.")
    river.get_by_role("button", name="Record the decision").click()
    expect(river).to_contain_text("both hold: they are compatible · by a person", timeout=WORK_MS)
    other.reload()
    expect(card(other, "x1")).to_contain_text("both hold: they are compatible · by a person")


def test_on_a_phone_nothing_is_cut_off(visitors: Visitors, served: Served, finished_demo: str) -> None:
    page = visitors.page({"viewport": {"width": 390, "height": 844}})
    page.goto(f"{served.url}/conflicts?run={finished_demo}")
    expect(page.get_by_text("1 disputed · 1 resolved")).to_be_visible()
    card(page, "x2").get_by_role("button", name="Overturn").click()
    expect(card(page, "x2").get_by_role("radio").first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
