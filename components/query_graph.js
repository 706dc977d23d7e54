// One vis-network for the life of the mount. New data changes it in place: what is there keeps its position, the
// zoom and the selection stay, only new nodes look for a place. Labels and titles are text, never markup.

const graphs = new WeakMap();
const MERGE_MS = 280;
const REACH = 105; // about how far apart nodes come to lie
const PULL = 1.6; // how strongly the middle draws
const FLAT = 0.75; // labels are wider than high

export default function ({ data, parentElement, setTriggerValue }) {
  let graph = graphs.get(parentElement);
  if (!graph) graphs.set(parentElement, (graph = new Graph(parentElement)));
  graph.tell = (id) => setTriggerValue("picked", id);
  graph.show(data);
  return () => {
    graphs.delete(parentElement);
    graph.end();
  };
}

class Graph {
  constructor(parent) {
    this.root = parent.querySelector(".graph");
    this.canvas = this.root.querySelector(".canvas");
    this.known = { nodes: new Map(), edges: new Map() };
    this.touched = false; // once a person has moved or zoomed, the view is theirs
    this.waiting = null;
    this.drawing = null;
    this.selected = null;
    this.ended = false;
    for (const button of this.root.querySelectorAll(".tools button"))
      button.addEventListener("click", () => this.tool(button.dataset.do));
  }

  // Draws the newest data, one after another: what comes while it is busy waits, and only the last of it is drawn.
  async show(data) {
    this.waiting = data;
    if (this.drawing) return;
    this.drawing = true;
    try {
      const vis = await library();
      while (this.waiting && !this.ended) {
        const next = this.waiting;
        this.waiting = null;
        if (!this.network) this.begin(vis);
        await this.update(next);
      }
    } finally {
      this.drawing = false;
    }
  }

  begin(vis) {
    this.nodes = new vis.DataSet();
    this.edges = new vis.DataSet();
    this.network = new vis.Network(this.canvas, { nodes: this.nodes, edges: this.edges }, options());
    this.root.network = this.network; // for whoever drives the page from outside
    this.network.on("click", ({ nodes }) => {
      if (nodes.length) this.pick(nodes[0]);
      else this.select(this.selected);
    });
    for (const event of ["zoom", "dragStart"]) this.network.on(event, () => (this.touched = true));
    this.observer = new ResizeObserver(() => this.touched || this.fit(false));
    this.observer.observe(this.canvas);
  }

  async update(data) {
    this.root.style.height = `${data.height}px`;
    this.canvas.setAttribute("aria-label", data.said);
    this.root.querySelector(".empty").hidden = data.nodes.length > 0;
    this.paint();
    const nodes = new Map(data.nodes.map((node) => [node.id, this.dress(node)]));
    const edges = new Map(data.edges.map((edge) => [edge.id, this.dressEdge(edge)]));
    const fresh = [...nodes.values()].filter((node) => !this.known.nodes.has(node.id));
    await this.join(fresh);
    const places = this.place(fresh, nodes, data.edges);
    this.change(this.nodes, this.known.nodes, nodes, (node) => ({ ...node, ...places.get(node.id) }));
    this.change(this.edges, this.known.edges, edges, (edge) => edge);
    if (fresh.length && !this.touched) this.fit(true);
    if (data.selected !== this.selected) {
      this.select(data.selected);
      if (this.selected) this.reveal(); // chosen elsewhere on the page
    } else if (this.selected && this.nodes.get(this.selected)) this.network.selectNodes([this.selected]);
  }

  // Brings a data set to what is wanted, touching only what differs.
  change(set, known, wanted, make) {
    const gone = [...known.keys()].filter((id) => !wanted.has(id));
    if (gone.length) set.remove(gone);
    for (const id of gone) known.delete(id);
    const fresh = [];
    const changed = [];
    for (const [id, item] of wanted) {
      const text = JSON.stringify(item);
      if (known.get(id) === text) continue;
      if (known.has(id)) changed.push(item);
      else fresh.push(make(item));
      known.set(id, text);
    }
    if (changed.length) set.update(changed.map(withTitle));
    if (fresh.length) set.add(fresh.map(withTitle));
  }

  // Nodes that became one meet first.
  async join(fresh) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const meeting = fresh
      .map((node) => node.made_of.filter((id) => this.known.nodes.has(id)))
      .filter((ids) => ids.length > 1)
      .map((ids) => ({ ids, from: this.network.getPositions(ids) }));
    for (const one of meeting) one.to = middle(Object.values(one.from));
    this.met = new Map();
    for (const node of fresh) {
      const from = Object.values(this.network.getPositions(node.made_of.filter((id) => this.known.nodes.has(id))));
      if (from.length) this.met.set(node.id, middle(from));
    }
    if (still || document.hidden || !meeting.length) return;
    const begun = performance.now();
    for (let share = 0; share < 1; ) {
      await new Promise(requestAnimationFrame);
      share = Math.min(1, (performance.now() - begun) / MERGE_MS);
      for (const { ids, from, to } of meeting)
        for (const id of ids)
          this.network.moveNode(id, from[id].x + (to.x - from[id].x) * share, from[id].y + (to.y - from[id].y) * share);
    }
  }

  // New nodes find a place among the old ones, which hold still. A merged node stays where its parts met.
  place(fresh, nodes, edges) {
    const old = this.network.getPositions([...this.known.nodes.keys()].filter((id) => nodes.has(id)));
    const places = new Map(Object.entries(old));
    for (const node of fresh) if (this.met.has(node.id)) places.set(node.id, this.met.get(node.id));
    settle(places, fresh.map((node) => node.id).filter((id) => !this.met.has(id)), edges);
    return places;
  }

  dress(node) {
    return { ...node, color: colours(node.color, this.page, this.text), font: { color: this.text, strokeColor: this.page } };
  }

  dressEdge(edge) {
    return { ...edge, font: { color: this.text, strokeColor: this.page } };
  }

  // Takes colours and font from the page's theme.
  paint() {
    const style = getComputedStyle(this.root);
    this.text = style.color;
    this.page = style.getPropertyValue("--st-background-color").trim() || "#ffffff";
    this.network.setOptions({ nodes: { font: { face: style.fontFamily } }, edges: { font: { face: style.fontFamily } } });
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

  reveal() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.root.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
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
    const still = !animated || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.network.fit({ maxZoomLevel: 1.15, animation: still ? false : { duration: 250, easingFunction: "easeOutQuad" } });
  }

  end() {
    this.ended = true;
    this.observer?.disconnect();
    this.network?.destroy();
  }
}

// A title given as text could be read as markup by the library, so it is an element that holds the text.
function withTitle(item) {
  if (!item.words) return item;
  const title = document.createElement("div");
  title.textContent = item.words;
  return { ...item, title };
}

function colours(given, page, text) {
  const real = (colour) => (colour === "page" ? page : colour === "text" ? text : colour);
  const { highlight, hover, background, border } = given;
  const both = ({ background: inside, border: around }) => ({ background: real(inside), border: real(around) });
  return { ...both({ background, border }), highlight: both(highlight), hover: both(hover) };
}

function middle(points) {
  const sum = points.reduce((a, b) => ({ x: a.x + b.x, y: a.y + b.y }), { x: 0, y: 0 });
  return { x: sum.x / points.length, y: sum.y / points.length };
}

// Gives each of the loose ids a place: pushed away by all, drawn by its neighbours and, gently, by the middle.
// Always the same for the same graph; whatever has a place already stays there.
function settle(places, loose, edges) {
  const start = places.size ? middle([...places.values()]) : { x: 0, y: 0 };
  const near = neighbours(edges);
  loose.forEach((id) => {
    const around = (near.get(id) ?? []).filter((other) => places.has(other));
    const from = around.length ? middle(around.map((other) => places.get(other))) : start;
    // Beside what it is related to, for labels are wide; else by the golden angle, no two in one direction.
    const turn = around.length ? 0.3 + Math.PI * (places.size % 2) : 2.4 * places.size;
    const away = REACH * (around.length ? 0.8 : Math.sqrt(places.size) * 0.8);
    places.set(id, { x: from.x + away * Math.cos(turn), y: from.y + away * Math.sin(turn) });
  });
  const rounds = loose.length * places.size > 200000 ? 30 : 150;
  for (let round = 0; round < rounds; round++) {
    const most = REACH * 0.5 * (1 - round / rounds);
    const heart = middle([...places.values()]);
    for (const id of loose) push(id, places, near.get(id) ?? [], heart, most);
  }
}

function push(id, places, near, heart, most) {
  const at = places.get(id);
  let [fx, fy] = [(heart.x - at.x) * PULL, (heart.y - at.y) * PULL];
  for (const [other, its] of places) {
    if (other === id) continue;
    const [dx, dy] = [(at.x - its.x) * FLAT, at.y - its.y];
    const square = Math.max(dx * dx + dy * dy, 1);
    fx += (dx / FLAT / square) * REACH * REACH;
    fy += (dy / square) * REACH * REACH;
  }
  for (const other of near) {
    const its = places.get(other);
    if (!its) continue;
    const far = Math.hypot(its.x - at.x, its.y - at.y) / REACH / 2.5;
    fx += (its.x - at.x) * far;
    fy += (its.y - at.y) * far;
  }
  const size = Math.hypot(fx, fy) || 1;
  const step = Math.min(size * 0.2, most) / size;
  places.set(id, { x: at.x + fx * step, y: at.y + fy * step });
}

function neighbours(edges) {
  const near = new Map();
  for (const { from, to } of edges)
    for (const [a, b] of [[from, to], [to, from]]) near.set(a, [...(near.get(a) ?? []), b]);
  return near;
}

function options() {
  return {
    autoResize: true,
    layout: { randomSeed: 7, improvedLayout: false },
    interaction: { hover: true, tooltipDelay: 250, keyboard: { enabled: true, bindToWindow: false } },
    nodes: { font: { size: 13, multi: false, strokeWidth: 3 }, borderWidthSelected: 4, labelHighlightBold: false },
    edges: { smooth: false, font: { size: 12, multi: false, strokeWidth: 3, align: "horizontal" }, selectionWidth: 1 },
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
