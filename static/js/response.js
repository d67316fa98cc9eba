// A response as a tree: search, open and close all, the path of a line, the next problem; and the title of a long run.

const INDENT = 2;
const blockOf = (element) => element.closest(".json");
const linesOf = (block) => [...block.querySelectorAll(".json-line")];

function textOf(line) {
  const nodes = [...line.childNodes].filter((node) => !node.classList?.contains("value-change"));
  return nodes.map((node) => node.textContent).join("").trimEnd();
}

const depthOf = (text) => (text.length - text.trimStart().length) / INDENT;
const isEnd = (text) => /^\s*[}\]]/.test(text);

function unfold(line) {
  for (let fold = line.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

function reveal(line) {
  unfold(line);
  line.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// -- the path of a line: from the indentation, as the block shows one member or item per line

function startOf(texts, index) {
  if (!isEnd(texts[index])) return index;
  const depth = depthOf(texts[index]);
  do index -= 1; while (index > 0 && depthOf(texts[index]) > depth);
  return Math.max(0, index);
}

function pointerOf(texts, index) {
  const tokens = [];
  for (let depth = depthOf(texts[index]); depth > 0; depth -= 1) {
    let position = 0;
    let around = index - 1;
    for (; depthOf(texts[around]) >= depth; around -= 1) {
      if (depthOf(texts[around]) === depth && !isEnd(texts[around])) position += 1;
    }
    tokens.unshift(texts[around].endsWith("[") ? String(position) : nameIn(texts[index]));
    index = around;
  }
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function nameIn(text) {
  const name = /^\s*("(?:[^"\\]|\\.)*")/.exec(text);
  return name ? JSON.parse(name[1]) : "";
}

function valueOf(texts, index) {
  const depth = depthOf(texts[index]);
  const first = texts[index].trimStart().replace(/^"(?:[^"\\]|\\.)*"\s*:\s*/, "");
  if (!/[{[]$/.test(first)) return first.replace(/,$/, "");
  let end = index + 1;
  while (end < texts.length && !(depthOf(texts[end]) === depth && isEnd(texts[end]))) end += 1;
  if (end === texts.length) return null; // the end is in the part that is not shown
  const below = texts.slice(index + 1, end + 1).map((text) => text.slice(depth * INDENT));
  return [first, ...below].join("\n").replace(/,$/, "");
}

function select(line, { focus = false } = {}) {
  const block = blockOf(line);
  const lines = linesOf(block);
  const texts = lines.map(textOf);
  const index = startOf(texts, lines.indexOf(line));
  for (const other of block.querySelectorAll(".is-current-line")) other.classList.remove("is-current-line");
  lines[index].classList.add("is-current-line");
  const pointer = pointerOf(texts, index);
  const value = valueOf(texts, index);
  block.querySelector("[data-path-shown]").textContent = pointer || "the whole response";
  block.querySelector("[data-path]").value = pointer;
  block.querySelector("[data-value]").value = value ?? "";
  block.querySelector("[data-copy-path]").disabled = false;
  block.querySelector("[data-copy-value]").disabled = value === null;
  if (focus) reveal(lines[index]);
}

document.addEventListener("click", (event) => {
  const line = event.target.closest?.(".json-tree .json-line");
  if (line) select(line);
});

document.addEventListener("keydown", (event) => {
  const region = event.target.closest?.(".json-tree .json-lines");
  if (!region || event.ctrlKey || event.metaKey || event.altKey) return;
  const block = blockOf(region);
  const current = block.querySelector(".is-current-line");
  if (event.key === "p" || event.key === "v") {
    if (!current) return;
    event.preventDefault();
    block.querySelector(event.key === "p" ? "[data-copy-path]" : "[data-copy-value]").click();
    return;
  }
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const fold = current?.parentElement.matches("details") && current.matches("summary") ? current.parentElement : null;
    if (!fold) return;
    event.preventDefault();
    fold.open = event.key === "ArrowRight";
    return;
  }
  const visible = linesOf(block).filter((line) => line.checkVisibility() && !isEnd(textOf(line)));
  const at = visible.indexOf(current);
  const next = { ArrowDown: at + 1, ArrowUp: at < 0 ? 0 : at - 1, Home: 0, End: visible.length - 1 }[event.key];
  if (next === undefined || visible.length === 0) return;
  event.preventDefault();
  select(visible[Math.max(0, Math.min(next, visible.length - 1))], { focus: true });
});

// -- search: hits are highlighted by the browser, which changes no element

const searches = new WeakMap(); // the hits of a block, {lines, at}

function search(block) {
  const field = block.querySelector("[data-find]");
  const wanted = field.value.toLowerCase();
  const hits = wanted ? linesOf(block).filter((line) => textOf(line).toLowerCase().includes(wanted)) : [];
  for (const line of hits) unfold(line);
  searches.set(block, { lines: hits, at: -1 });
  paint(hits, wanted);
  for (const button of block.querySelectorAll("[data-find-step]")) button.disabled = hits.length === 0;
  if (hits.length > 0) step(block, 1);
  else count(block, wanted ? "No hits" : "");
}

function step(block, by) {
  const found = searches.get(block);
  if (!found || found.lines.length === 0) return;
  found.at = (found.at + by + found.lines.length) % found.lines.length;
  select(found.lines[found.at], { focus: true });
  count(block, `${found.at + 1} of ${found.lines.length}`);
}

function count(block, words) {
  const isCut = block.querySelector(".json-cut") !== null;
  block.querySelector("[data-find-count]").textContent = words && isCut ? `${words} in the part shown` : words;
}

function paint(lines, wanted) {
  if (!globalThis.CSS?.highlights) return;
  const ranges = lines.flatMap((line) => [...rangesIn(line, wanted)]);
  CSS.highlights.set("response-hit", new Highlight(...ranges));
}

function* rangesIn(line, wanted) {
  const nodes = [];
  let text = "";
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest(".value-change")) continue;
    nodes.push([text.length, node]);
    text += node.data;
  }
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return; // offsets would be wrong
  const position = (offset) => {
    const [start, node] = nodes.findLast(([from]) => from <= offset);
    return [node, offset - start];
  };
  for (let from = lower.indexOf(wanted); from >= 0; from = lower.indexOf(wanted, from + wanted.length)) {
    const range = new Range();
    range.setStart(...position(from));
    const [node, offset] = position(from + wanted.length - 1);
    range.setEnd(node, offset + 1);
    yield range;
  }
}

document.addEventListener("input", (event) => {
  if (event.target.matches?.("[data-find]")) search(blockOf(event.target));
});
document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.("[data-find]")) return;
  const block = blockOf(event.target);
  if (event.key === "Enter") {
    event.preventDefault();
    step(block, event.shiftKey ? -1 : 1);
  } else if (event.key === "Escape" && event.target.value) {
    event.preventDefault();
    event.target.value = "";
    search(block);
  }
});
document.addEventListener("click", (event) => {
  const stepper = event.target.closest?.("[data-find-step]");
  if (stepper) step(blockOf(stepper), Number(stepper.dataset.findStep));
  const folder = event.target.closest?.("[data-fold-all]");
  if (!folder) return;
  const isOpen = folder.dataset.foldAll === "open";
  const [, ...below] = blockOf(folder).querySelectorAll(".json-fold");
  for (const fold of below) fold.open = isOpen;
});

// -- the problems of a response, one after the other

let current = -1;
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-step]");
  const result = button?.closest(".result-of-run");
  const notes = [...(result?.querySelectorAll("#response .json-note") ?? [])];
  if (notes.length === 0) return;
  const tab = document.getElementById("response-tab");
  if (tab?.getAttribute("aria-selected") === "false") tab.click();
  const by = Number(button.dataset.step);
  current = current < 0 && by < 0 ? notes.length - 1 : (current + by + notes.length) % notes.length;
  for (const line of result.querySelectorAll(".is-current-problem")) line.classList.remove("is-current-problem");
  notes[current].classList.add("is-current-problem");
  result.querySelector("[data-step-count]").textContent = `${current + 1} of ${notes.length}`;
  reveal(notes[current]);
  notes[current].scrollIntoView({ block: "center" });
});

// -- what a response is compared with: the browser remembers the choice

const COMPARED = "toolshelf.compared-with";

function chooseCompared() {
  let last = null;
  try {
    last = localStorage.getItem(COMPARED);
  } catch {
    // the browser stores nothing
  }
  for (const choice of document.querySelectorAll(".compare-choice input")) if (choice.value === last) choice.checked = true;
}

document.addEventListener("change", (event) => {
  if (!event.target.matches?.(".compare-choice input")) return;
  try {
    localStorage.setItem(COMPARED, event.target.value);
  } catch {
    // the choice lasts as long as the page
  }
});
document.addEventListener("htmx:after:swap", chooseCompared);
chooseCompared();

// -- the title: a run that takes its time, and how it ended, until the page is seen

const result = document.getElementById("run");
const title = document.title.replace(/^(Error|Queued|Running): /, "");
const isRunning = () => result.querySelector(".run-progress") !== null;
let wasRunning = false;

function entitle() {
  const running = isRunning();
  if (running) document.title = `Running… ${title}`;
  else if (wasRunning) {
    const verdict = result.querySelector(".verdict [role=status]")?.textContent.trim() ?? "Done";
    document.title = document.hidden ? `● ${verdict} · ${title}` : title;
  }
  wasRunning = running;
}

if (result) {
  entitle();
  document.addEventListener("htmx:after:swap", entitle);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !isRunning() && document.title.startsWith("●")) document.title = title;
  });
}

// A result that replaces another one has no hits yet.
document.addEventListener("htmx:after:swap", () => {
  current = -1;
  for (const field of document.querySelectorAll("[data-find]")) if (field.value) search(blockOf(field));
});
