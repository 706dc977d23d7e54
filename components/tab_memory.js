// Keeps ids in the tab's own storage, which a reload leaves and another tab does not see. What the page has forgotten
// since it was loaded goes; what is kept here and not known there is told once. Nothing is asked of any server. Also
// tells the browser, and so a screen reader, the language of the page, and keeps its Back button working.

const PLACE = "memory-bank-sessions";
let told = "";
keepOneStepBack();

export default function ({ data, setStateValue }) {
  document.documentElement.lang = data.language;
  const gone = new Set(data.gone);
  const kept = [...new Set([...data.ids, ...read()])].filter((id) => !gone.has(id));
  write(kept);
  const all = JSON.stringify(kept);
  if (kept.length === data.ids.length) told = "";
  else if (all !== told) {
    told = all;
    setStateValue("kept", kept);
  }
}

function read() {
  try {
    const found = JSON.parse(sessionStorage.getItem(PLACE) ?? "[]");
    return Array.isArray(found) ? found.filter((id) => typeof id === "string") : [];
  } catch {
    return []; // the browser keeps nothing, or somebody wrote something else there
  }
}

function write(ids) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(ids));
  } catch {
    // the browser keeps nothing: the list then ends with the next reload
  }
}

// The navigation's links do not name the session; the page then adds it to its address. Streamlit makes that a step of
// its own in the history, and Back would come to the address without it, which at once got it again.
function keepOneStepBack() {
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) => {
    const next = new URL(url ?? location.href, location.href);
    const added = next.pathname === location.pathname && !location.search && next.searchParams.has("run");
    if (added) history.replaceState(state, title, url);
    else push(state, title, url);
  };
}
