"""Looking at and pressing what is drawn on the graph's canvas."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

_PLACE = """(root, id) => {
  const at = root.network.canvasToDOM(root.network.getPosition(id));
  const box = root.querySelector('.canvas').getBoundingClientRect();
  return [box.x + at.x, box.y + at.y];
}"""
_STATE = """(root) => ({
  ids: root.network.body.data.nodes.getIds(),
  places: root.network.getPositions(),
  scale: root.network.getScale(),
  view: root.network.getViewPosition(),
  selected: root.network.getSelectedNodes(),
})"""


def root(page: Page) -> Locator:
    """The graph's own element, once it is drawn."""
    found = page.locator(".graph")
    expect(found).to_be_visible()
    return found


def state(page: Page) -> dict[str, Any]:
    """Ids, places, zoom and selection as they are drawn."""
    found: dict[str, Any] = root(page).evaluate(_STATE)
    return found


def press(page: Page, node_id: str) -> None:
    """Click a node on the canvas."""
    graph = root(page)
    graph.scroll_into_view_if_needed()
    page.wait_for_timeout(400)  # the view may still be moving to its place, for at most 250 ms
    x, y = graph.evaluate(_PLACE, node_id)
    page.mouse.click(x, y)
