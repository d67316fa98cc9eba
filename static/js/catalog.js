// The list of tools: arrow keys between the search field and the results.

const field = document.getElementById("q");

const links = () => [...document.querySelectorAll(".result-name a")];

/** Focus the result `step` after the focused one; before the first one is the search field. */
function walk(step) {
  const all = links();
  const next = all.indexOf(document.activeElement) + step;
  if (next < 0) field.focus();
  else all[Math.min(next, all.length - 1)]?.focus();
}

field.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.key === "ArrowDown" && links().length) {
    event.preventDefault();
    links()[0].focus();
  } else if (event.key === "Escape") {
    event.preventDefault(); // the browser would clear the field and stay in it
    field.blur();
  }
});

document.getElementById("catalog").addEventListener("keydown", (event) => {
  if (!event.target.matches(".result-name a") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    walk(event.key === "ArrowDown" ? 1 : -1);
  }
});

// The default order is by relevance if there are words. Otherwise runnable tools come first, and the option of that name
// is hidden.

const [byDefault, runnable] = field.form.elements.sort.options;

field.addEventListener("input", () => {
  const hasWords = field.value.trim() !== "";
  byDefault.textContent = hasWords ? byDefault.dataset.relevanceLabel : runnable.textContent;
  if (!hasWords && runnable.selected) byDefault.selected = true;
  runnable.hidden = !hasWords;
});

// Choices about the list that this browser remembers; theme.js applies them before the first paint.

const root = document.documentElement;

function showChoices() {
  for (const button of document.querySelectorAll("[data-remember]")) {
    button.setAttribute("aria-pressed", String(root.dataset[button.dataset.remember] === "on"));
  }
}

function toggle(name) {
  if (root.dataset[name]) delete root.dataset[name];
  else root.dataset[name] = "on";
  try {
    localStorage.setItem(`toolshelf-${name}`, root.dataset[name] ?? "off");
  } catch {
    // storage is not available: the choice applies to this page only
  }
  showChoices();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-remember]");
  if (!button) return;
  toggle(button.dataset.remember);
  previewAny();
});
showChoices();

// The preview of a tool beside the list, on wide screens.

const PREVIEW_PAUSE_MS = 120;
const pane = document.getElementById("tool-preview");
let shown = "";
let timer = 0;

function preview(link) {
  if (!link || !pane.checkVisibility()) return;
  clearTimeout(timer);
  for (const row of document.querySelectorAll(".result[data-previewed]")) delete row.dataset.previewed;
  link.closest(".result").dataset.previewed = "";
  if (link.href === shown) return;
  timer = setTimeout(() => {
    shown = link.href;
    htmx.ajax("GET", new URL("preview/", link.href).pathname, { target: pane, swap: "innerHTML" });
    pane.scrollTop = 0;
  }, PREVIEW_PAUSE_MS);
}

/** Preview the focused result, or the first one. */
function previewAny() {
  const all = links();
  const focused = all.find((link) => link === document.activeElement);
  if (!all.length) {
    pane.replaceChildren();
    shown = "";
  }
  preview(focused ?? all.find((link) => link.href === shown) ?? all[0]);
}

function follow(event) {
  preview(event.target.closest(".result")?.querySelector(".result-name a"));
}

document.getElementById("catalog").addEventListener("focusin", follow);
document.getElementById("catalog").addEventListener("pointermove", (event) => {
  if (event.movementX || event.movementY) follow(event); // not if the rows were scrolled under the pointer
});
document.addEventListener("htmx:after:swap", (event) => {
  if (event.target !== pane) previewAny();
});
window.addEventListener("DOMContentLoaded", previewAny);
window.addEventListener("resize", previewAny);
