// One vis-network for the life of the mount. What arrives is the whole graph or what changed since; what is there keeps
// its place, the zoom and the selection stay. Places come from the server. Labels and titles are text, never markup.

const graphs = new WeakMap();
const MERGE_MS = 280;
const MANY = 800; // so many lines are not drawn while the view moves
const FAR = 0.75; // a scale from which on contradictions are drawn thicker than life
const [RING, MARK] = [5, 6]; // pixels on the screen: from the middle of a node to a ring, to a contradiction's corner
const [LETTERS, SMALLEST] = [13, 10]; // height of a label's letters: in the drawing, and at least on the screen
const CROWD = 300; // of more nodes in view than this, none has a label
const CORNERS = { conflicting: [[0, -1], [1, 0], [0, 1], [-1, 0]], disputed: [[0, -1], [1, 0.8], [-1, 0.8]] };
const LINE = "#8a8a8a";

export default function ({ data, parentElement, setTriggerValue }) {
  let graph = graphs.get(parentElement);
  if (!graph) graphs.set(parentElement, (graph = new Graph(parentElement)));
  graph.tell = (id) => setTriggerValue("picked", id);
  graph.ask = (version) => setTriggerValue("missed", version);
  graph.take(data);
  return () => {
    graphs.delete(parentElement);
    graph.end();
  };
}

class Graph {
  constructor(parent) {
    this.root = parent.querySelector(".graph");
    this.canvas = this.root.querySelector(".canvas");
    this.given = new Given();
    this.touched = false; // once a person has moved or zoomed, the view is theirs
    this.drawing = false;
    this.selected = null;
    this.ended = false;
    this.page = this.text = "";
    this.read = this.odd = this.against = [];
    for (const button of this.root.querySelectorAll(".tools button"))
      button.addEventListener("click", () => this.tool(button.dataset.do));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    // The style sheet has the colour pass over in no time: this tells that the page has another theme.
    this.root.addEventListener("transitionend", ({ target }) => target === this.root && this.network && this.paint());
  }

  // Takes everything in at once, in order; draws it when what came before has been drawn.
  async take(data) {
    if (!this.given.take(data)) this.ask(this.given.version);
    this.news = data;
    if (this.drawing) return;
    this.drawing = true;
    try {
      const vis = await library();
      if (!this.network && !this.ended) this.begin(vis);
      while (this.news && !this.ended) {
        const news = this.news;
        this.news = null;
        await this.update(news);
      }
    } finally {
      this.drawing = false;
    }
  }

  begin(vis) {
    this.nodes = new vis.DataSet();
    this.edges = new vis.DataSet();
    this.network = new vis.Network(this.canvas, { nodes: this.nodes, edges: this.edges }, options());
    this.network.canvas.frame.tabIndex = -1; // the canvas around it has the keyboard
    this.root.network = this.network; // for whoever drives the page from outside
    this.network.on("click", ({ nodes }) => {
      if (nodes.length) this.pick(nodes[0]);
      else this.select(this.selected);
    });
    this.network.on("beforeDrawing", (pen) => this.underline(pen));
    this.network.on("afterDrawing", (pen) => this.label(pen));
    for (const event of ["zoom", "dragStart"]) this.network.on(event, () => (this.touched = true));
    this.observer = new ResizeObserver(() => this.touched || this.fit(false));
    this.observer.observe(this.canvas);
  }

  async update(news) {
    this.root.style.height = news.height;
    this.canvas.setAttribute("aria-label", news.said);
    const empty = this.root.querySelector(".empty");
    empty.textContent = news.empty;
    empty.hidden = !news.empty;
    this.paint();
    const { drawing, nodes, edges } = this.given.changed();
    if (drawing !== this.drawn) {
      this.drawn = drawing;
      this.touched = false;
      this.nodes.clear();
      this.edges.clear();
    }
    const fresh = [...nodes].some((id) => this.given.nodes.has(id) && !this.nodes.get(id));
    await this.join(nodes);
    if (this.ended) return;
    bring(this.nodes, nodes, this.given.nodes, (node) => this.dress(node));
    bring(this.edges, edges, this.given.edges, (edge) => this.dressEdge(edge));
    this.note();
    if (fresh && !this.touched) this.fit(true);
    if (news.selected !== this.selected) {
      this.select(news.selected);
      if (this.selected) this.reveal(); // chosen elsewhere on the page
    } else if (this.selected && this.nodes.get(this.selected)) this.network.selectNodes([this.selected]);
  }

  // What is drawn under the graph, and how much is drawn while it moves.
  note() {
    const [nodes, edges] = [[...this.given.nodes.values()], [...this.given.edges.values()]];
    this.read = nodes.filter((node) => node.used);
    this.odd = nodes.filter((node) => node.group in CORNERS && !node.faint);
    this.against = edges.filter((edge) => (edge.kind === "conflict" || edge.kind === "dispute") && !edge.faint);
    const many = edges.length > MANY;
    if (many !== this.many) this.network.setOptions({ interaction: { hideEdgesOnDrag: many, hideEdgesOnZoom: many } });
    this.many = many;
    const words = this.given.words ?? {};
    this.root.querySelector(".keys").textContent = words.keys ?? "";
    for (const button of this.root.querySelectorAll(".tools button"))
      button.title = button.ariaLabel = words[button.dataset.do] ?? "";
  }

  // Nodes that become one meet where it will be.
  async join(ids) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) return;
    const meeting = [];
    for (const id of ids) {
      const to = this.given.nodes.get(id);
      if (!to || this.nodes.get(id)) continue;
      const parts = (to.made_of ?? []).filter((part) => this.nodes.get(part) && !this.given.nodes.has(part));
      for (const part of parts) meeting.push({ part, from: this.network.getPosition(part), to });
    }
    const begun = performance.now();
    for (let share = 0; meeting.length && share < 1; ) {
      await new Promise(requestAnimationFrame);
      if (this.ended) return; // taken away meanwhile
      share = Math.min(1, (performance.now() - begun) / MERGE_MS);
      for (const { part, from, to } of meeting)
        this.network.moveNode(part, from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
    }
  }

  // Rings around what this step read; and contradictions, which must be seen from afar.
  underline(pen) {
    const scale = this.network.getScale();
    pen.save();
    pen.strokeStyle = this.text;
    pen.lineWidth = 1.5 / Math.min(1, scale);
    for (const { x, y, size, faint } of this.read) {
      pen.globalAlpha = faint ? 0.15 : 0.8;
      pen.beginPath();
      pen.arc(x, y, Math.max(size + 6, RING / scale), 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.restore();
    pen.save();
    for (const { group, x, y, size } of this.odd) {
      const wide = MARK / scale;
      if (size > wide) continue;
      pen.fillStyle = this.looks[group].colour;
      pen.beginPath();
      for (const [right, down] of CORNERS[group]) pen.lineTo(x + right * wide, y + down * wide);
      pen.fill();
    }
    for (const { from, to, color, dashes } of scale > FAR ? [] : this.against) {
      const [a, b] = [this.given.nodes.get(from), this.given.nodes.get(to)];
      if (!a || !b) continue;
      pen.strokeStyle = color;
      pen.lineWidth = (3 * FAR) / scale;
      pen.setLineDash(dashes.map((length) => (length * FAR) / scale));
      pen.beginPath();
      pen.moveTo(a.x, a.y);
      pen.lineTo(b.x, b.y);
      pen.stroke();
    }
    pen.restore();
  }

  // Labels that can be read at any scale. Where nodes lie close, a label is cut short: no two lie over each other.
  label(pen) {
    const height = Math.max(LETTERS, SMALLEST / this.network.getScale());
    pen.save();
    pen.font = `${height}px ${this.face}`;
    Object.assign(pen, { textAlign: "center", textBaseline: "top", lineJoin: "round", lineWidth: height / 4 });
    for (const [node, { rows, x, top }] of this.labels(pen, height)) {
      pen.strokeStyle = node.font.strokeColor;
      pen.fillStyle = node.font.color;
      rows.forEach((row, at) => {
        pen.strokeText(row, x, top + at * height);
        pen.fillText(row, x, top + at * height);
      });
    }
    pen.restore();
  }

  // What is written under each node, and where: its id; its first row if there is room; all rows if there is.
  labels(pen, height) {
    const [scale, labels] = [this.network.getScale(), new Map()];
    const [places, { clientWidth, clientHeight }] = [this.network.getPositions(), this.canvas];
    const [from, to] = [{ x: 0, y: 0 }, { x: clientWidth, y: clientHeight }].map((at) => this.network.DOMtoCanvas(at));
    const view = { left: from.x, top: from.y, right: to.x, bottom: to.y };
    const seen = this.nodes.get().filter(({ id }) => overlap(box(places[id].x, places[id].y, 0, 0), view));
    if (seen.length > CROWD) return labels;
    const first = ({ id, group, faint }) => (id === this.selected ? 0 : group in CORNERS ? 1 : faint ? 3 : 2);
    seen.sort((a, b) => first(a) - first(b));
    const shapes = seen.map(({ id, size }) => box(places[id].x, places[id].y - size, 2 * size, 2 * size));
    for (const much of [0, 1, 2])
      for (const node of seen) {
        const rows = shortened(node, much);
        const top = places[node.id].y + Math.max(node.size, MARK / scale) + 3 + node.font.vadjust;
        const wide = Math.max(...rows.map((row) => pen.measureText(row).width));
        const wanted = { rows, ...box(places[node.id].x, top, wide + height / 2, rows.length * height) };
        if (much && !(labels.has(node) && within(wanted, view))) continue;
        const others = [...labels].filter(([other]) => other !== node).map(([, label]) => label);
        if (![...shapes, ...others].some((other) => overlap(wanted, other))) labels.set(node, wanted);
      }
    return labels;
  }

  // A title given as text could be read as markup by the library, so it is an element that holds the text.
  dress(node) {
    const title = document.createElement("div");
    title.textContent = node.words;
    const font = { color: node.faint ? faded(this.text) : this.text, strokeColor: this.page, vadjust: node.used ? 5 : 0 };
    return { ...node, title, font, opacity: node.faint ? 0.15 : 1 };
  }

  dressEdge(edge) {
    const colour = edge.color ?? LINE;
    const font = { color: edge.faint ? faded(this.text) : this.text, strokeColor: this.page };
    const color = { color: colour, hover: colour, highlight: edge.color ?? this.text, opacity: edge.faint ? 0.12 : 1 };
    return { label: undefined, dashes: false, width: 1, ...edge, font, color };
  }

  // Takes colours and font from the page's theme; all anew where it has another.
  paint() {
    const style = getComputedStyle(this.root);
    const page = style.getPropertyValue("--st-background-color").trim() || "#ffffff";
    const looks = this.given.looks;
    if (!looks || (this.text === style.color && this.page === page && this.looks === looks)) return;
    [this.text, this.page, this.looks] = [style.color, page, looks];
    this.face = style.fontFamily;
    const font = { face: this.face };
    this.network.setOptions({ nodes: { font }, edges: { font }, groups: groups(looks, page, style.color) });
    bring(this.nodes, this.nodes.getIds(), this.given.nodes, (node) => this.dress(node));
    bring(this.edges, this.edges.getIds(), this.given.edges, (edge) => this.dressEdge(edge));
  }

  pick(id) {
    this.select(id);
    this.tell(id);
  }

  select(id) {
    this.selected = id ?? null;
    if (this.selected && this.nodes.get(this.selected)) this.network.selectNodes([this.selected]);
    else this.network.unselectAll();
  }

  // Brings the graph, and in it the selected node, into view.
  reveal() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.root.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" });
    this.show(this.selected);
  }

  show(id) {
    if (!this.nodes.get(id)) return;
    const position = this.network.getPosition(id);
    const { x, y } = this.network.canvasToDOM(position);
    const { clientWidth, clientHeight } = this.canvas;
    if (x > 0 && y > 0 && x < clientWidth && y < clientHeight) return;
    this.touched = true;
    this.network.moveTo({ position, animation: motion() });
  }

  key(event) {
    if (!this.network || event.ctrlKey || event.metaKey || event.altKey) return;
    const tools = { "+": "closer", "=": "closer", "-": "further", 0: "fit" };
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in tools) this.tool(tools[event.key]);
    else if (event.key in ways) this.pan(...ways[event.key]);
    else if (event.key === "n" || event.key === "p") this.next(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  }

  pan(right, down) {
    this.touched = true;
    const [{ x, y }, step] = [this.network.getViewPosition(), 60 / this.network.getScale()];
    this.network.moveTo({ position: { x: x + right * step, y: y + down * step } });
  }

  next(by) {
    const ids = this.nodes.getIds();
    if (!ids.length) return;
    const at = ids.indexOf(this.selected);
    this.pick(ids[(at < 0 ? (by > 0 ? 0 : -1) : at + by + ids.length) % ids.length] ?? ids.at(-1));
    this.show(this.selected);
  }

  tool(name) {
    if (!this.network) return;
    if (name === "fit") {
      this.touched = false;
      this.fit(true);
      return;
    }
    this.touched = true;
    this.network.moveTo({ scale: this.network.getScale() * (name === "closer" ? 1.25 : 0.8) });
  }

  fit(animated) {
    this.network.fit({ maxZoomLevel: 1.25, animation: animated && motion() });
  }

  end() {
    this.ended = true;
    this.observer?.disconnect();
    this.network?.destroy();
  }
}

// The graph as the server has it, and which of its things have changed since somebody asked.
class Given {
  constructor() {
    this.version = -1;
    this.nodes = new Map();
    this.edges = new Map();
    this.forget();
  }

  forget() {
    this.stale = { nodes: new Set(), edges: new Set() };
  }

  changed() {
    const { nodes, edges } = this.stale;
    this.forget();
    return { drawing: this.drawing, nodes, edges };
  }

  // Takes in what was sent; false where something in between is missing.
  take({ drawing, version, whole, patches }) {
    const same = drawing === this.drawing;
    if (same && version <= this.version) return true;
    if (whole) {
      if (!same) this.nodes = this.edges = new Map();
      for (const kind of ["nodes", "edges"]) this.replace(kind, whole[kind]);
      this.looks = whole.looks;
      this.words = whole.words;
    } else {
      const news = patches.filter((patch) => patch.version > this.version);
      if (!same || news[0]?.version !== this.version + 1) return false;
      for (const patch of news) for (const kind of ["nodes", "edges"]) this.patch(kind, patch[kind], patch.gone[kind]);
    }
    this.drawing = drawing;
    this.version = version;
    return true;
  }

  replace(kind, things) {
    const before = this[kind];
    this[kind] = new Map(things.map((thing) => [thing.id, thing]));
    for (const [id, thing] of this[kind])
      if (JSON.stringify(before.get(id)) !== JSON.stringify(thing)) this.stale[kind].add(id);
    for (const id of before.keys()) if (!this[kind].has(id)) this.stale[kind].add(id);
  }

  patch(kind, things, gone) {
    for (const thing of things) this[kind].set(thing.id, thing);
    for (const id of gone) this[kind].delete(id);
    for (const id of [...things.map((thing) => thing.id), ...gone]) this.stale[kind].add(id);
  }
}

// Brings what is drawn to what is wanted.
function bring(set, ids, wanted, make) {
  const there = [...ids].filter((id) => wanted.has(id));
  set.remove([...ids].filter((id) => !wanted.has(id)));
  set.update(there.map((id) => make(wanted.get(id))));
}

// A node's label: its id alone, its first row, or all.
function shortened({ id, label }, much) {
  const rows = label.split("\n");
  if (much === 0) return [rows[0].slice(0, rows[0].indexOf(id) + id.length)];
  return much === 1 && rows.length > 1 ? [`${rows[0]} …`] : rows;
}

function box(x, top, width, height) {
  return { x, top, left: x - width / 2, right: x + width / 2, bottom: top + height };
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function within(a, b) {
  return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
}

function groups(looks, page, text) {
  const made = Object.entries(looks).map(([state, { colour, hollow, dashed }]) => {
    const background = hollow ? page : colour;
    const pressed = { background, border: text };
    const color = { background, border: colour, highlight: pressed, hover: pressed };
    const borderWidth = dashed ? 2 : hollow ? 4 : 1;
    return [state, { color, borderWidth, shapeProperties: { borderDashes: dashed && [4, 3] } }];
  });
  return Object.fromEntries(made);
}

function faded(colour) {
  return colour.replace(/^rgb\((.*)\)$/, "rgba($1, 0.3)");
}

function motion() {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return still ? false : { duration: 250, easingFunction: "easeOutQuad" };
}

function options() {
  return {
    autoResize: true,
    layout: { randomSeed: 7, improvedLayout: false },
    interaction: { hover: true, tooltipDelay: 250, keyboard: false },
    nodes: {
      font: { size: LETTERS, multi: false },
      borderWidthSelected: 4,
      scaling: { label: { drawThreshold: Infinity } }, // labels are drawn by `label`
    },
    edges: {
      smooth: false,
      color: LINE,
      font: { size: 12, multi: false, strokeWidth: 3, align: "horizontal" },
      selectionWidth: 1,
      scaling: { label: { drawThreshold: 8 } },
    },
    physics: false,
  };
}

// The library is mounted beside the graph and may arrive after it.
function library() {
  return new Promise((found) => {
    const look = () => (globalThis.vis?.Network ? found(globalThis.vis) : setTimeout(look, 25));
    look();
  });
}
