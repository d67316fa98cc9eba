// Suggestions of filters and their values while a query is typed: a combobox whose list follows the word at the cursor.

const PAUSE_MS = 80;
const MIN_NAME = 3; // letters of the name of a filter, as the server expects them
const MAX_READ = 300; // characters before the cursor that the server reads
const LAST_PIECE = /(?:^|\s)-?([a-z]+)(:(?:"[^"]*|[^\s"]*))?$/i;

const list = document.getElementById("suggestions");
const blank = document.getElementById("suggestion");
const field = list?.closest("form").querySelector("[data-search]");
const filters = list?.dataset.filters.split(" ");

let asked = null;
let timer = 0;
let replaced = 0; // characters before the cursor that a suggestion replaces

const selected = () => list.querySelector('[aria-selected="true"]');

function select(option) {
  selected()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  if (option) field.setAttribute("aria-activedescendant", option.id);
  else field.removeAttribute("aria-activedescendant");
}

function show(suggestions) {
  list.replaceChildren(
    ...suggestions.map(({ text, note }, index) => {
      const option = blank.content.firstElementChild.cloneNode(true);
      option.id = `suggestion-${index + 1}`;
      option.dataset.text = text;
      option.querySelector(".suggestion-text").textContent = text;
      option.querySelector(".suggestion-note").textContent = note;
      return option;
    }),
  );
  list.hidden = suggestions.length === 0;
  field.setAttribute("aria-expanded", String(!list.hidden));
  select(null);
}

function close() {
  clearTimeout(timer);
  asked?.abort();
  if (!list.hidden) show([]);
}

/** The text before the cursor if its end may be a filter; otherwise nothing. */
function beginning() {
  const text = field.value.slice(Math.max(0, field.selectionStart - MAX_READ), field.selectionStart);
  const [, name, value] = LAST_PIECE.exec(text) ?? [];
  if (name === undefined) return null;
  const typed = name.toLowerCase();
  const isName = filters.some((filter) => filter === typed || (typed.length >= MIN_NAME && filter.startsWith(typed)));
  return value !== undefined || isName ? text : null;
}

async function ask(text) {
  asked?.abort();
  asked = new AbortController();
  const url = new URL(list.dataset.suggestions, location.href);
  url.searchParams.set("q", text);
  try {
    const answer = await fetch(url, { signal: asked.signal, headers: { Accept: "application/json" } });
    if (!answer.ok || text !== beginning() || document.activeElement !== field) return;
    const found = await answer.json();
    replaced = text.length - found.start;
    show(found.suggestions);
  } catch (error) {
    if (error.name !== "AbortError") close(); // suggestions are a help only: the search itself reports a lost connection
  }
}

function follow() {
  const text = beginning();
  if (text === null) {
    close();
    return;
  }
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE_MS, text);
}

function accept(option) {
  const text = option.dataset.text;
  const cursor = field.selectionStart;
  field.setRangeText(text.endsWith(":") ? text : `${text} `, cursor - replaced, cursor, "end");
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function start() {
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-expanded", "false");

  field.addEventListener("input", follow);
  field.addEventListener("keydown", (event) => {
    if (list.hidden || event.isComposing) return;
    const options = [...list.children];
    const at = options.indexOf(selected());
    if (event.key === "ArrowDown") select(options[Math.min(at + 1, options.length - 1)]);
    else if (event.key === "ArrowUp") select(options[at - 1]);
    else if (event.key === "Enter" && at >= 0) accept(options[at]);
    else if (event.key === "Escape") close();
    else {
      if (event.key === "Enter") close();
      return;
    }
    event.preventDefault();
  });
  field.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest('[role="option"]');
    if (option) accept(option);
  });
}

if (list) start();
