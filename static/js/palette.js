// The palette: Ctrl+K, then a few letters of a page's, a command's or a tool's name, then Enter. Without letters it
// offers the tools that this browser showed last.

const palette = document.getElementById("palette");
const field = document.getElementById("palette-query");
const list = document.getElementById("palette-list");
const blank = document.getElementById("palette-tool");
const empty = palette.querySelector(".palette-empty");
const status = palette.querySelector(".palette-status");
const toolsTitle = list.querySelector('[data-title="tools"]');
const recentTitle = list.querySelector('[data-title="recent"]');
const pagesTitle = list.querySelector('[data-title="pages"]');
const pages = [...list.querySelectorAll('[role="option"]')];
const catalog = new URL(palette.dataset.catalog, location.href);

const RECENT = "toolshelf-recent-tools";
const RECENT_SHOWN = 5;
const PAUSE_MS = 80;
let tools = [];
let asked = null;
let timer = 0;

const shown = () => [...list.querySelectorAll('[role="option"]:not([hidden])')];

function select(item) {
  for (const other of list.querySelectorAll('[aria-selected="true"]')) other.setAttribute("aria-selected", "false");
  if (!item) {
    field.removeAttribute("aria-activedescendant");
    return;
  }
  item.setAttribute("aria-selected", "true");
  field.setAttribute("aria-activedescendant", item.id);
  item.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const items = shown();
  if (items.length === 0) return;
  const present = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  select(items[(present + step + items.length) % items.length]);
}

function showPages(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  for (const page of pages) {
    const own = `${page.dataset.words} ${page.textContent.toLowerCase()}`.split(/\s+/);
    page.hidden = !words.every((word) => own.some((one) => one.startsWith(word)));
  }
  pagesTitle.hidden = pages.every((page) => page.hidden);
}

function showTools(items, title) {
  for (const tool of tools) tool.remove();
  tools = items.map((tool, index) => {
    const item = blank.content.firstElementChild.cloneNode(true);
    item.id = `palette-tool-${index + 1}`;
    item.dataset.href = tool.href;
    item.querySelector(".palette-name").textContent = tool.name;
    item.querySelector(".palette-id").textContent = tool.id === tool.name ? "" : tool.id;
    item.querySelector(".palette-text").textContent = tool.text ?? "";
    return item;
  });
  for (const one of [toolsTitle, recentTitle]) one.hidden = one !== title || tools.length === 0;
  title.after(...tools);
}

function recentTools() {
  try {
    const stored = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return stored.filter((tool) => typeof tool.href === "string" && tool.href.startsWith("/tools/"));
  } catch {
    return []; // storage is not available, or was changed by something else
  }
}

function remember() {
  const { toolId: id, toolName: name, toolHref: href } = document.querySelector("[data-tool-id]")?.dataset ?? {};
  if (!href) return;
  const others = recentTools().filter((tool) => tool.href !== href);
  try {
    localStorage.setItem(RECENT, JSON.stringify([{ id, name, href }, ...others].slice(0, RECENT_SHOWN)));
  } catch {
    // storage is not available: nothing is remembered
  }
}

/** Select the first entry, or keep the selection if the user has moved it to an entry that is still shown. */
function settle(keep = false) {
  const items = shown();
  empty.hidden = items.length > 0;
  const selected = keep && items.find((item) => item.getAttribute("aria-selected") === "true");
  select(selected || items[0]);
  status.textContent = items.length === 1 ? "1 entry" : `${items.length} entries`;
}

async function ask(query) {
  asked?.abort();
  asked = new AbortController();
  const url = new URL(palette.dataset.toolsUrl, location.href);
  url.searchParams.set("q", query);
  try {
    const answer = await fetch(url, { signal: asked.signal, headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const found = await answer.json();
    if (field.value.trim() !== query) return;
    showTools(found.tools, toolsTitle);
    settle(true);
  } catch (error) {
    if (error.name !== "AbortError") status.textContent = "The catalog cannot be reached.";
  }
}

function follow() {
  const query = field.value.trim();
  clearTimeout(timer);
  showPages(query);
  if (query === "") {
    asked?.abort();
    showTools(recentTools(), recentTitle);
  } else {
    if (recentTitle.hidden === false) showTools([], toolsTitle);
    timer = setTimeout(ask, PAUSE_MS, query);
  }
  settle();
}

function go(item) {
  if (!item) {
    const url = new URL(catalog);
    url.searchParams.set("q", field.value.trim());
    location.assign(url);
    return;
  }
  close();
  if (item.dataset.action) document.dispatchEvent(new CustomEvent(`toolshelf:${item.dataset.action}`));
  else if (item.dataset.signIn !== undefined) document.querySelector("a[data-sign-in]").click(); // it returns to this page
  else if (item.dataset.signOut !== undefined) document.querySelector("[data-sign-out-form]").requestSubmit();
  else location.assign(item.dataset.href);
}

const isOpen = () => palette.matches(":popover-open");
const close = () => palette.hidePopover();

// This is a popover rather than a modal dialog: a modal dialog makes the rest of the page inert, so the browser computes
// all styles again, which took half of the time until the palette was painted. The popover covers the page and keeps the
// focus, so nothing behind it can be reached.
function open() {
  if (isOpen() || document.querySelector("dialog:modal")) return;
  field.value = "";
  follow();
  palette.showPopover();
  field.focus();
}

field.addEventListener("input", follow);
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") move(1);
  else if (event.key === "ArrowUp") move(-1);
  else if (event.key === "Enter" && !event.isComposing) go(list.querySelector('[aria-selected="true"]:not([hidden])'));
  else return;
  event.preventDefault();
});
palette.addEventListener("mousedown", (event) => {
  if (event.target !== field) event.preventDefault(); // the focus stays
});
list.addEventListener("pointermove", (event) => {
  const item = event.target.closest('[role="option"]');
  if (item && item.getAttribute("aria-selected") !== "true") select(item);
});
list.addEventListener("click", (event) => {
  const item = event.target.closest('[role="option"]');
  if (!item) return;
  if (item.dataset.href && (event.ctrlKey || event.metaKey)) window.open(item.dataset.href, "_blank", "noopener");
  else go(item);
});
palette.addEventListener("click", (event) => {
  if (event.target === palette) close();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-palette-open]")) open();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Tab" && isOpen()) {
    event.preventDefault();
    field.focus();
    return;
  }
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (isOpen()) close();
  else open();
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-sign-out-form]")) return;
  try {
    localStorage.removeItem(RECENT); // another user of this browser must not see them
  } catch {
    // storage is not available: nothing was remembered
  }
});
remember();
