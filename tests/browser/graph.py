"""Looking at and pressing what is drawn on the graph's canvas."""

from __future__ import annotations

import base64
import time
from typing import Any

from playwright.sync_api import Locator, Page, expect

from components import query_graph
from components.look import asset

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
_MOUNT = """async (script) => {
  const { default: draw } = await import(script);
  window.asked = [];
  const setTriggerValue = (name, value) => window.asked.push([name, value]);
  window.send = (data) => draw({ data, parentElement: document.querySelector("#host"), setTriggerValue });
}"""
_SEND = """(data) => { window.asked.length = 0; window.send(data); return window.asked; }"""
_DRAWN = """(root) => {
  const { nodes, edges } = root.network.body.data;
  const place = (id) => Object.values(root.network.getPosition(id));
  return {
    nodes: Object.fromEntries(nodes.get().map((node) => [node.id, [node.label, ...place(node.id), node.opacity]])),
    edges: edges.getIds().sort(),
  };
}"""

_WATCH = """(root) => {
  const pen = root.querySelector("canvas").getContext("2d");
  const write = pen.fillText.bind(pen);
  root.written = [];
  root.network.on("beforeDrawing", () => (root.written.length = 0));
  pen.fillText = (text, x, y) => {
    const { a, d, e, f } = pen.getTransform();
    const [wide, high] = [pen.measureText(text).width * a, parseFloat(pen.font) * d];
    const right = { center: wide / 2, left: wide }[pen.textAlign];
    const [left, top] = [x * a + e + right - wide, y * d + f];
    root.written.push({ text, colour: pen.fillStyle, left, top, right: left + wide, bottom: top + high });
    write(text, x, y);
  };
}"""


def root(page: Page) -> Locator:
    """The graph's own element, once it is drawn."""
    found = page.locator(".graph")
    expect(found).to_be_visible()
    return found


def state(page: Page) -> dict[str, Any]:
    """Ids, places, zoom and selection as they are drawn."""
    found: dict[str, Any] = root(page).evaluate(_STATE)
    return found


def wait_until(page: Page, holds: str, seconds: float = 15) -> None:
    """Wait until something holds: JavaScript about `nodes`, what is drawn, and `network`, the drawing."""
    script = f"({{ network }}) => {{ const nodes = network?.body.data.nodes; return !!nodes && ({holds}) }}"
    end = time.monotonic() + seconds
    while not root(page).evaluate(script):
        assert time.monotonic() < end, f"never: {holds}"
        page.wait_for_timeout(50)


def press(page: Page, node_id: str) -> None:
    """Click a node on the canvas."""
    page.mouse.click(*_where(page, node_id))


def hover(page: Page, node_id: str) -> None:
    """Point at a node on the canvas."""
    page.mouse.move(*_where(page, node_id))


def _where(page: Page, node_id: str) -> tuple[float, float]:
    graph = root(page)
    graph.scroll_into_view_if_needed()
    wait_until(page, f"nodes.get({node_id!r})")
    page.wait_for_timeout(400)  # the view may still be moving to its place, for at most 250 ms
    x, y = graph.evaluate(_PLACE, node_id)
    return x, y


def mount(page: Page) -> None:
    """The drawing by itself, without the app: `send` takes the place of the server."""
    style, drawing = asset("query_graph.css"), asset("query_graph.html")
    page.set_content(f'<style>{style}</style><div id="host" style="width: 900px; height: 600px">{drawing}</div>')
    page.add_script_tag(content=query_graph._library().rpartition("export default")[0])
    script = base64.b64encode(asset("query_graph.js").encode()).decode()
    page.evaluate(_MOUNT, f"data:text/javascript;base64,{script}")


def send(page: Page, data: dict[str, Any]) -> list[list[Any]]:
    """Send what the server would; what the drawing asks or tells at once, as name and value."""
    asked: list[list[Any]] = page.evaluate(_SEND, data)
    return asked


def written(page: Page) -> list[dict[str, Any]]:
    """The texts on the canvas when it is drawn once more, each with its colour and its box in pixels."""
    root(page).evaluate(_WATCH)
    found: list[dict[str, Any]] = root(page).evaluate("(root) => { root.network.redraw(); return root.written }")
    return found


def drawn(page: Page) -> dict[str, Any]:
    """Nodes with label, place and opacity, and the ids of the lines, as they are drawn."""
    found: dict[str, Any] = root(page).evaluate(_DRAWN)
    return found


def some(page: Page, seconds: float = 15) -> list[str]:
    """Ids of the nodes, once there are some."""
    end = time.monotonic() + seconds
    while not (ids := state(page)["ids"]):
        assert time.monotonic() < end, "no node is drawn"
        page.wait_for_timeout(50)
    found: list[str] = ids
    return found
