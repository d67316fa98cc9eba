// The page to edit a spec: what the draft means follows its text, where it is marked, and the browser stores the draft.

const PAUSE_MS = 150;

const form = document.getElementById("edit");
const text = document.getElementById("text");
const draft = document.getElementById("draft");
const status = document.getElementById("draft-stored");
const key = form.dataset.draft;
const isTyped = form.dataset.typed !== undefined; // the text is not that of the current revision
let timer = 0;
let isDiscarded = false;

const editor = () => text.closest("json-editor");

// -- the stored draft

function stored() {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function store() {
  if (isDiscarded) return;
  const isSame = !isTyped && text.value === text.defaultValue;
  const at = new Date().toISOString();
  try {
    if (isSame) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ text: text.value, seen: form.elements.seen.value, at }));
    showStored(isSame ? null : at);
  } catch {
    showStored(null); // the browser stores nothing, or the draft is too large for it
  }
}

function showStored(at) {
  status.hidden = at === null;
  if (at === null) return;
  const time = status.querySelector("time");
  time.className = "relative";
  time.dateTime = at;
  time.textContent = "just now";
  document.dispatchEvent(new Event("toolshelf:times"));
}

function restore() {
  const found = stored();
  if (!found) return;
  if (found.text === text.value) {
    localStorage.removeItem(key); // it is the current revision
    return;
  }
  form.elements.seen.value = found.seen;
  editor().write(found.text);
  showStored(found.at);
}

// -- what the draft means

function refresh() {
  clearTimeout(timer);
  form.dispatchEvent(new CustomEvent("refresh"));
}

function refreshSoon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, PAUSE_MS);
}

/** Mark problems, breaking changes and findings in the text. */
function mark() {
  const found = [];
  for (const link of draft.querySelectorAll("a[data-column]")) {
    const item = link.closest("[data-severity]");
    const severity = item?.dataset.severity;
    if (!severity) continue;
    const message = item.querySelector(".problem-message, .change-text").textContent.trim();
    found.push({ line: Number(link.dataset.line), column: Number(link.dataset.column), message, severity });
  }
  editor().mark(found);
}

function goTo(line, column) {
  document.querySelector(".edit-spec[hidden]") && document.querySelector('.tabs-list a[href="#spec"]').click();
  editor().goTo(Number(line), Number(column));
}

function positionAt(link) {
  const positions = JSON.parse(document.getElementById("draft-positions").textContent);
  return positions[new URL(link.href).searchParams.get("at")];
}

text.addEventListener("input", () => {
  store();
  refreshSoon();
});

// If nothing is published, the page shows the draft again and stores it.
form.addEventListener("submit", ({ submitter }) => {
  if (submitter?.value === "publish") localStorage.removeItem(key);
});

// A button of the form of parameters changes only that form; a run shows its result below it.
form.addEventListener("submit", (event) => {
  const { submitter } = event;
  if (submitter?.name !== "op" && submitter?.value !== "run") return;
  event.preventDefault();
  const { name, value } = submitter;
  const pressed = Object.assign(document.createElement("input"), { type: "hidden", name, value });
  form.append(pressed);
  refresh();
  pressed.remove();
});

draft.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-column]");
  const property = event.target.closest('a[href*="?at="]');
  const fix = event.target.closest("[data-old]");
  if (!link && !property && !fix) return;
  event.preventDefault();
  if (link) goTo(link.dataset.line, link.dataset.column);
  else if (property) goTo(...(positionAt(property) ?? [1, 1]));
  else editor().replace(Number(fix.dataset.line), Number(fix.dataset.column), fix.dataset.old, fix.dataset.replacement);
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-discard]")) return;
  isDiscarded = true;
  localStorage.removeItem(key);
});

document.addEventListener("htmx:after:swap", mark);

const match = form.querySelector("[data-match]");
const earlier = match && stored();
if (earlier) {
  text.value = earlier.text;
  form.elements.seen.value = earlier.seen;
  form.requestSubmit(match);
} else if (isTyped) store();
else restore();
mark();
if (form.dataset.line) editor().goTo(Number(form.dataset.line), Number(form.dataset.column));
