// Files dropped beside an uploader go into the one that is named. Without this the browser would leave the page and open
// the file, and what was written would be gone. An uploader takes what is dropped on it itself.

export default function ({ data }) {
  const field = () => document.querySelector(`.st-key-${CSS.escape(data.field)} input[type="file"]`);
  const ours = (event) =>
    event.dataTransfer?.types.includes("Files") &&
    !event.target.closest?.("[data-testid=stFileUploader]") &&
    field() !== null;
  const show = (on) => document.documentElement.classList.toggle("mb-dropping", on);
  const over = (event) => {
    show(ours(event));
    if (!ours(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  };
  const leave = (event) => event.relatedTarget === null && show(false);
  const drop = (event) => {
    show(false);
    if (!ours(event)) return;
    event.preventDefault();
    const input = field();
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const handlers = { dragover: over, dragleave: leave, drop };
  for (const [name, handler] of Object.entries(handlers)) document.addEventListener(name, handler);
  return () => {
    show(false);
    for (const [name, handler] of Object.entries(handlers)) document.removeEventListener(name, handler);
  };
}
