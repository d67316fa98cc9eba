// The palette: one field that searches the catalog and goes to pages, commands and tools. The button of the bar, `/` and
// Ctrl+K open it. Without letters it offers the pages of the open tool, and the tools that this browser showed last.
//
// What Enter does never depends on how fast the server answers: it opens the page or command whose name has a word that
// starts with the typed text, and otherwise searches the catalog. A tool is preselected only if its complete id is typed
// and the server has returned it; before that, Enter searches, and this tool is the first result.
//
// This is a popover rather than a modal dialog: a modal dialog makes the rest of the page inert, so the browser computes
// all styles again, which took half of the time until the palette was painted. The popover covers the page and keeps the
// focus, in its field or on Close, so nothing behind it can be reached. Its button opens it even before this script has
// loaded.

const palette = document.getElementById("palette");
const field = document.getElementById("palette-query");
const list = document.getElementById("palette-list");
const search = document.getElementById("palette-search");
const close = palette.querySelector('[popovertargetaction="hide"]');
const typed = search.querySelector(".palette-typed");
const status = palette.querySelector(".palette-status");
const pages = [...list.querySelectorAll("[data-words]")];

const RECENT = "toolshelf-recent-tools";
const RECENT_SHOWN = 5;
const PAUSE_MS = 80;
let asked = null;
let timer = 0;
let suggestions = [];
let entries = 0; // that were given an id
let isChosen = false; // whether the user has moved the selection since the last letter

const shown = () => [...list.querySelectorAll('[role="option"]:not([hidden])')];
const selected = () => list.querySelector('[aria-selected="true"]:not([hidden])');
const titleOf = (group) => list.querySelector(`[data-title="${group}"]`);
const pagesOfTool = addPagesOfTool();

function select(item) {
  for (const other of list.querySelectorAll('[aria-selected="true"]')) other.setAttribute("aria-selected", "false");
  item.id ||= `palette-entry-${(entries += 1)}`;
  item.setAttribute("aria-selected", "true");
  field.setAttribute("aria-activedescendant", item.id);
  item.scrollIntoView({ block: "nearest" });
}

function choose(item) {
  isChosen = true;
  select(item);
}

function move(step) {
  const items = shown();
  choose(items[(items.indexOf(selected()) + step + items.length) % items.length]);
}

/** The pages that the header of the open tool links to, as entries. */
function addPagesOfTool() {
  const head = document.querySelector("[data-tool-id]");
  if (!head) return [];
  const blank = document.getElementById("palette-tool").content.firstElementChild;
  const items = [...head.querySelectorAll(".tool-tabs a, .menu-list a:not([download])")].map((link) => {
    const item = blank.cloneNode(true);
    const name = [...link.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()).data.trim();
    item.querySelector(".palette-name").textContent = name;
    item.dataset.href = link.getAttribute("href");
    item.dataset.words = `${head.dataset.toolName} ${head.dataset.toolId}`.toLowerCase();
    return item;
  });
  const title = titleOf("this-tool");
  title.textContent = head.dataset.toolName;
  title.after(...items);
  return items;
}

function showMatching(group, items, words) {
  for (const item of items) {
    const own = `${item.dataset.words} ${item.textContent.toLowerCase()}`.split(/\s+/);
    item.hidden = !words.every((word) => own.some((one) => one.startsWith(word)));
  }
  titleOf(group).hidden = items.every((item) => item.hidden);
}

function showPages(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  showMatching("this-tool", pagesOfTool, words);
  showMatching("pages", pages, words);
}

const keyOf = ({ href, query }) => href ?? query;

/** Replace the entries of a group, {name, id?, text?} and where they lead: {href} or {query}. One that is shown already
 * keeps its element, which may be selected. */
function show(group, template, found) {
  const old = [...list.querySelectorAll(`[data-group="${group}"]`)];
  for (const item of old) item.remove();
  titleOf(group).hidden = found.length === 0;
  const blank = document.getElementById(template).content.firstElementChild;
  const items = found.map(({ name, text, ...data }) => {
    const item = old.find((one) => keyOf(one.dataset) === keyOf(data)) ?? blank.cloneNode(true);
    Object.assign(item.dataset, data, { group });
    item.querySelector(".palette-name").textContent = name;
    item.querySelector(".palette-text").textContent = text ?? "";
    if (data.id && data.id !== name) item.querySelector(".palette-id").textContent = data.id;
    return item;
  });
  titleOf(group).after(...items);
}

const showTools = (group, tools) => show(group, "palette-tool", tools);

function showSuggestions(found) {
  suggestions = found;
  show("suggestions", "palette-suggestion", found);
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

/** The entry that Enter opens unless the user selects another one: never the one that signs out. */
function preferred(items) {
  const query = field.value.trim().toLowerCase();
  if (query === "") return items[0];
  const isNamed = (page) =>
    page.dataset.signOut === undefined && ` ${page.textContent.trim().toLowerCase()}`.includes(` ${query}`);
  return [...pages, ...pagesOfTool].find(isNamed) ?? items.find((item) => item.dataset.id?.toLowerCase() === query) ?? search;
}

function settle() {
  const items = shown();
  select((isChosen && selected()) || preferred(items));
  status.textContent = items.length === 1 ? "1 entry" : `${items.length} entries`;
}

async function ask(query) {
  asked = new AbortController();
  const url = new URL(palette.dataset.entriesUrl, location.href);
  url.searchParams.set("q", query);
  try {
    const answer = await fetch(url, { signal: asked.signal, headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const found = await answer.json();
    const before = [...query].slice(0, found.start).join("");
    showSuggestions(found.suggestions.map(({ text, note }) => ({ name: text, text: note, query: before + text })));
    showTools("tools", found.tools);
    settle();
  } catch (error) {
    if (error.name !== "AbortError") status.textContent = "The catalog cannot be reached.";
  }
}

function follow() {
  const query = field.value.trim();
  clearTimeout(timer);
  asked?.abort();
  isChosen = false;
  typed.textContent = query;
  search.hidden = query === "";
  showPages(query);
  showTools("recent", query ? [] : recentTools());
  if (query) {
    showSuggestions(suggestions.filter((one) => one.query.startsWith(field.value))); // the others no longer match
    timer = setTimeout(ask, PAUSE_MS, field.value);
  } else {
    showSuggestions([]);
    showTools("tools", []);
  }
  settle();
}

function go(item) {
  const { query, action, href, signIn, signOut } = item.dataset;
  if (query !== undefined) {
    field.value = query.endsWith(":") ? query : `${query} `;
    follow();
    return;
  }
  palette.hidePopover();
  if (item === search) field.form.requestSubmit();
  else if (action) document.dispatchEvent(new CustomEvent(`toolshelf:${action}`));
  else if (signIn !== undefined) document.querySelector("a[data-sign-in]").click(); // it returns to this page
  else if (signOut !== undefined) document.querySelector("[data-sign-out-form]").requestSubmit();
  else location.assign(href);
}

const isOpen = () => palette.matches(":popover-open");

palette.setAttribute("aria-modal", "true");
field.setAttribute("role", "combobox");
field.setAttribute("aria-expanded", "true");
field.setAttribute("aria-controls", list.id);
field.setAttribute("aria-autocomplete", "list");
field.addEventListener("input", follow);
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") move(1);
  else if (event.key === "ArrowUp") move(-1);
  else if (event.key === "Enter" && !event.isComposing) go(selected());
  else return;
  event.preventDefault();
});
palette.addEventListener("beforetoggle", (event) => {
  if (event.newState !== "open") return;
  field.value = "";
  follow();
});
palette.addEventListener("mousedown", (event) => {
  if (event.target !== field) event.preventDefault(); // the focus stays
});
list.addEventListener("pointermove", (event) => {
  const item = event.target.closest('[role="option"]');
  if (item && item !== selected()) choose(item);
});
list.addEventListener("click", (event) => {
  const item = event.target.closest('[role="option"]');
  if (!item) return;
  if (item.dataset.href && (event.ctrlKey || event.metaKey)) window.open(item.dataset.href, "_blank", "noopener");
  else go(item);
});
palette.addEventListener("click", (event) => {
  if (event.target === palette) palette.hidePopover();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Tab" && isOpen()) {
    event.preventDefault();
    (document.activeElement === field ? close : field).focus();
    return;
  }
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (!document.querySelector("dialog:modal")) palette.togglePopover();
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-sign-out-form]")) return;
  try {
    // Another user of this browser must not see them.
    const drafts = Object.keys(localStorage).filter((name) => name.startsWith("toolshelf.draft."));
    for (const name of [RECENT, ...drafts]) localStorage.removeItem(name);
  } catch {
    // storage is not available: nothing was stored
  }
});
remember();
if (isOpen()) follow();
