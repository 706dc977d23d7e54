// Draws blocks of text with parts that can be pressed. Everything shown goes through textContent.

const drawn = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".blocks");
  const state = drawn.get(parentElement) ?? { tell: null, shown: "" };
  state.tell = (link) => setTriggerValue("pressed", link);
  const wanted = JSON.stringify(data);
  if (state.shown !== wanted || root.childElementCount === 0) {
    const focused = parentElement.activeElement?.dataset.link;
    fill(root, data, state);
    state.shown = wanted;
    if (focused) [...root.querySelectorAll("button")].find((b) => b.dataset.link === focused)?.focus();
  }
  drawn.set(parentElement, state);
}

function fill(root, data, state) {
  root.replaceChildren(...data.blocks.map((block) => paragraph(block, data.pressed, state)));
}

function paragraph(block, pressed, state) {
  const box = element("div", `block ${block.kind}`);
  if (block.title) {
    const title = element("div", "title");
    if (block.glyph) {
      const glyph = element("span", "glyph", block.glyph);
      glyph.style.color = block.colour;
      glyph.setAttribute("aria-hidden", "true");
      title.append(glyph);
    }
    title.append(block.title);
    box.append(title);
  }
  box.append(block.rows.length ? table(block.rows, pressed, state) : words("p", block.segments, pressed, state));
  return box;
}

function words(tag, segments, pressed, state) {
  const text = element(tag, "words");
  for (const segment of segments) text.append(piece(segment, pressed, state));
  return text;
}

// The first row is the head, the first cell of every other row names it.
function table(rows, pressed, state) {
  const made = element("table", "");
  rows.forEach((cells, row) => {
    const line = element("tr", "");
    cells.forEach((segments, column) => {
      const cell = words(row && column ? "td" : "th", segments, pressed, state);
      if (cell.tagName === "TH") cell.scope = row ? "row" : "col";
      line.append(cell);
    });
    made.append(line);
  });
  return made;
}

function piece(segment, pressed, state) {
  if (segment.marked) return element("mark", "", segment.text);
  if (segment.link === null) return document.createTextNode(segment.text);
  const button = element("button", segment.link === pressed ? "open" : "", segment.text);
  button.type = "button";
  button.dataset.link = segment.link;
  button.setAttribute("aria-pressed", String(segment.link === pressed));
  if (segment.label) {
    button.setAttribute("aria-label", segment.label);
    button.title = segment.label;
  }
  button.addEventListener("click", () => state.tell(segment.link));
  return button;
}

function element(tag, className, text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}
