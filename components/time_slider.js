// A slider that may grow while it is held: what arrives changes its range and never takes it out of a person's hand.

const sliders = new WeakMap();
const REST_MS = 150; // so long a slider rests before the page follows it
const ANSWER_MS = 2000; // so long the page may take to follow

export default function ({ data, parentElement, setTriggerValue }) {
  let slider = sliders.get(parentElement);
  if (!slider) sliders.set(parentElement, (slider = new Slider(parentElement.querySelector("input"))));
  slider.tell = (seq) => setTriggerValue("moved", seq);
  slider.take(data);
}

class Slider {
  constructor(input) {
    this.input = input;
    this.held = false;
    this.timer = null;
    this.sent = null;
    input.addEventListener("input", () => this.moved());
    input.addEventListener("change", () => this.send());
    input.addEventListener("pointerdown", () => (this.held = true));
    for (const end of ["pointerup", "pointercancel", "blur"]) input.addEventListener(end, () => (this.held = false));
  }

  take(data) {
    this.data = data;
    if (this.held || this.timer !== null) return;
    if (this.sent !== null && this.sent !== data.at && Date.now() < this.until) return; // not followed yet
    this.sent = null;
    this.input.max = data.last;
    this.input.value = data.at;
    this.input.setAttribute("aria-label", data.label);
    this.paint(data.said);
  }

  moved() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), REST_MS);
    this.paint(this.data.words.replace("{number}", this.input.value));
  }

  send() {
    clearTimeout(this.timer);
    this.timer = null;
    const seq = Number(this.input.value);
    if (seq === (this.sent ?? this.data.at)) return;
    this.sent = seq;
    this.until = Date.now() + ANSWER_MS;
    this.tell(seq);
  }

  paint(said) {
    const { min, max, value } = this.input;
    this.input.setAttribute("aria-valuetext", said);
    this.input.style.setProperty("--done", `${(100 * (value - min)) / Math.max(1, max - min)}%`);
  }
}
