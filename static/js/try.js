// The page to try a tool: borders to drag, the live preview, Run that is Cancel during a run, and the history.

const page = document.querySelector("[data-try]");
const form = () => document.getElementById("trial");
const result = document.getElementById("run");
const isRunning = () => result.querySelector(".run-progress") !== null;

// -- the border between input and result: by pointer and by keyboard, in percent of the page's width, which the browser remembers

const SIZE = "toolshelf.try-input";
const [LEAST, MOST] = [25, 75];
const border = page.querySelector("[data-border]");

function resize(percent) {
  const size = Math.round(Math.min(MOST, Math.max(LEAST, percent)));
  border.setAttribute("aria-valuenow", String(size));
  page.style.setProperty("--try-input", `${size}fr`);
  page.style.setProperty("--try-result", `${100 - size}fr`);
}

function remember() {
  try {
    localStorage.setItem(SIZE, border.ariaValueNow);
  } catch {
    // the browser stores nothing; the size lasts as long as the page
  }
}

try {
  const stored = Number(localStorage.getItem(SIZE));
  if (stored) resize(stored);
} catch {
  // likewise
}

border.addEventListener("pointerdown", (event) => {
  border.setPointerCapture(event.pointerId);
  border.classList.add("is-dragged");
  event.preventDefault();
  border.focus();
});
border.addEventListener("pointermove", (event) => {
  if (!border.hasPointerCapture(event.pointerId)) return;
  const box = page.getBoundingClientRect();
  resize((100 * (event.clientX - box.left)) / box.width);
});
for (const end of ["pointerup", "pointercancel"]) {
  border.addEventListener(end, () => {
    border.classList.remove("is-dragged");
    remember();
  });
}
border.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
  const edge = { Home: LEAST, End: MOST }[event.key];
  if (step === undefined && edge === undefined) return;
  event.preventDefault();
  resize(edge ?? Number(border.ariaValueNow) + step);
  remember();
});

// -- narrow pages: input or result

function show(zone) {
  page.dataset.shown = zone;
  for (const button of page.querySelectorAll(".try-tabs [data-show]")) {
    button.setAttribute("aria-pressed", String(button.dataset.show === zone));
    if (button.dataset.show === zone && !document.activeElement.checkVisibility()) button.focus({ preventScroll: true });
  }
}
page.addEventListener("click", (event) => {
  const button = event.target.closest("[data-show]");
  if (button) show(button.dataset.show);
});

// -- what stands beside the form: what is typed is read by the site, which knows how it is sent

const PAUSE_MS = 120;
let timer = 0;
let latest = 0;
let hasTyped = false; // since the form's last request

document.addEventListener("input", (event) => previewSoon(event.target));
document.addEventListener("change", (event) => previewSoon(event.target));

function previewSoon(control) {
  if (control && control.form !== form()) return;
  if (control) hasTyped = true;
  clearTimeout(timer);
  timer = setTimeout(preview, PAUSE_MS);
}

// A run sends what is typed, so the preview shows it without a pause.
document.addEventListener("submit", (event) => {
  if (event.target !== form() || event.submitter?.name !== "run") return;
  clearTimeout(timer);
  preview();
}, true);

// What another request of the form sends is shown by its answer, which an older preview that is still on its way must
// not replace. What is typed meanwhile is not in the answer.
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (ctx?.sourceElement !== form() || ctx.request.submitter?.name === "run") return;
  clearTimeout(timer);
  latest += 1;
  hasTyped = false;
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx?.sourceElement?.id === "trial" && hasTyped) previewSoon();
});

async function preview() {
  const body = new FormData(form());
  if ([...body.values()].some((value) => value instanceof File && value.size > 0)) return; // too long to send often
  body.append("use", "preview");
  const number = ++latest;
  let text;
  try {
    const response = await fetch(form().action, { method: "POST", body, headers: { "HX-Request": "true" } });
    if (!response.ok) return;
    text = await response.text();
  } catch {
    return; // without a connection, the preview waits for the next change
  }
  if (number !== latest) return;
  const drawn = new DOMParser().parseFromString(text, "text/html");
  for (const block of drawn.querySelectorAll("pre[id]")) {
    const present = document.getElementById(block.id);
    if (present && present.textContent !== block.textContent) present.textContent = block.textContent;
  }
  for (const part of drawn.querySelectorAll("[data-live]")) {
    const present = document.getElementById(part.id);
    if (present && present.innerHTML !== part.innerHTML) present.replaceChildren(...part.childNodes);
  }
  markUnread();
  compareInput();
}

/** Marks each field that was left with text that cannot be read, and removes such marks from the others. */
function markUnread() {
  const unread = new Map([...document.querySelectorAll("[data-unread]")].map((line) => [line.dataset.unread, line]));
  for (const control of form().querySelectorAll("[data-marked]")) if (!unread.has(control.id)) unmark(control);
  for (const [id, line] of unread) {
    const control = document.getElementById(id);
    if (control && control !== document.activeElement && !control.closest("json-editor")) markField(control, line);
  }
}

function markField(control, line) {
  const id = `${control.id}-error`;
  let box = document.getElementById(id);
  const isDrawn = box && !("marked" in control.dataset); // by the site, with the same message
  control.dataset.marked = "";
  if (isDrawn) return;
  if (!box) {
    box = Object.assign(document.createElement("div"), { id, className: "form-errors" });
    control.before(box);
    control.setAttribute("aria-describedby", `${control.getAttribute("aria-describedby") ?? ""} ${id}`.trim());
  }
  const message = line.cloneNode(true);
  message.removeAttribute("data-unread");
  message.querySelector("[data-unread-label]").remove();
  box.replaceChildren(message);
  control.setAttribute("aria-invalid", "true");
  control.closest(".field").classList.add("has-error");
}

function unmark(control) {
  const id = `${control.id}-error`;
  document.getElementById(id)?.remove();
  const others = control.getAttribute("aria-describedby").split(" ").filter((other) => other !== id);
  if (others.length) control.setAttribute("aria-describedby", others.join(" "));
  else control.removeAttribute("aria-describedby");
  control.removeAttribute("aria-invalid");
  control.closest(".field").classList.remove("has-error");
  delete control.dataset.marked;
}

// The menu of inputs closes when one is chosen.
document.addEventListener("submit", ({ submitter }) => {
  const menu = submitter?.closest(".inputs[open]");
  if (!menu || submitter.closest(".save-input")) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}, true);

/** Marks the example that is filled in, and says whether the input is still that of the run that is shown. */
function compareInput() {
  const input = document.getElementById("input-digest").textContent;
  for (const choice of form().querySelectorAll("[data-input]")) {
    choice.setAttribute("aria-pressed", String(choice.dataset.input === input));
  }
  const notice = result.querySelector("[data-input-of-run]");
  if (notice) notice.hidden = isRunning() || notice.dataset.inputOfRun === input;
}
document.addEventListener("htmx:after:swap", () => {
  markUnread();
  compareInput();
});
compareInput();

// -- JSON that is typed: checked like the form, without a run. What is not JSON yet is marked by the editor itself.

const CHECK_PAUSE_MS = 400;
let checkTimer = 0;
let latestCheck = 0;

document.addEventListener("input", ({ target }) => {
  if (target.form !== form() || !target.closest("json-editor")) return;
  latestCheck += 1;
  clearTimeout(checkTimer);
  checkTimer = setTimeout(check, CHECK_PAUSE_MS);
});
document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  latestCheck += 1;
  clearTimeout(checkTimer);
}, true);

function isJSON(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function check() {
  const counts = [...form().querySelectorAll("[data-json-count]")];
  const texts = counts.map((count) => count.closest(".form-raw").querySelector("textarea"));
  if (!texts.length || !texts.every(({ value }) => isJSON(value))) return;
  const body = new FormData(form());
  body.append("use", "check");
  const number = latestCheck;
  let marks;
  try {
    const response = await fetch(form().action, { method: "POST", body });
    if (!response.ok) return;
    marks = await response.json();
  } catch {
    return; // without a connection, the next change is checked
  }
  if (number !== latestCheck) return;
  for (const [index, textarea] of texts.entries()) {
    const found = marks[textarea.name.split(":")[0]] ?? [];
    textarea.dataset.problems = JSON.stringify(found);
    textarea.setAttribute("aria-invalid", String(found.length > 0));
    textarea.closest("json-editor").editor?.sync();
    if (found.length && !form().elements.checked) {
      const checked = { type: "hidden", name: "checked", value: "1" }; // so that the fields show them, too
      form().append(Object.assign(document.createElement("input"), checked));
    }
    const list = textarea.closest(".form-raw").querySelector("[data-json-problems]");
    list.replaceChildren(...found.map((problem) => problemLink(textarea, problem)));
    list.hidden = found.length === 0;
    counts[index].textContent = { 0: "No problems", 1: "1 problem" }[found.length] ?? `${found.length} problems`;
  }
}

/** A link to the line of a problem, as in the summary of errors. */
function problemLink(textarea, { line, column, message }) {
  const link = Object.assign(document.createElement("a"), { href: `#${textarea.id}`, textContent: `Line ${line}: ${message}` });
  Object.assign(link.dataset, { line, column });
  const item = document.createElement("li");
  item.append(link);
  return item;
}

// -- the address of the input: copied as soon as it is there, gone as soon as it is no longer that of the input

let pressed = "";

document.addEventListener("submit", (event) => {
  if (event.target === form() && event.submitter) pressed = event.submitter.value;
}, true);
document.addEventListener("htmx:after:swap", (event) => {
  if (event.detail.ctx?.sourceElement !== form()) return;
  if (pressed === "link") document.querySelector("#input-link [data-copy='#input-address']")?.click();
  const menu = document.getElementById("inputs");
  if (pressed === "save-input") menu.open = menu.dataset.open === "1"; // a swap leaves it as it was
  pressed = "";
});
document.addEventListener("input", (event) => {
  if (event.target.form === form() && !event.target.readOnly) document.getElementById("input-link")?.remove();
});

// -- selectors that act at once

page.addEventListener("change", (event) => {
  if (!event.target.matches?.("[data-apply]")) return;
  const button = event.target.parentElement.querySelector(".form-apply");
  if (button) button.form.requestSubmit(button);
});

// -- one run at a time

let isStarting = false;

document.addEventListener("submit", (event) => {
  if (event.target !== form() || event.submitter?.name !== "run") return;
  if (isStarting || isRunning()) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  isStarting = true;
}, true);

document.addEventListener("htmx:finally:request", (event) => {
  if (event.detail?.ctx?.sourceElement === form()) isStarting = false;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || !isRunning()) return;
  if (document.querySelector(":is(dialog[open], :popover-open, details.menu[open])")) return;
  document.querySelector("[data-cancel-button]")?.click();
});

// -- after a run: the result is shown, the history is drawn again

let wasRunning = isRunning();
let latestResult = resultOnPage();
let shown = runOnPage();

/** Identifies the result that is shown: the id of a run, which a mock has too if it is not stored. */
function resultOnPage() {
  return result.querySelector(".result-of-run")?.dataset.result ?? "";
}

/** The id of the run that is shown; "" if it is not stored. */
function runOnPage() {
  return result.querySelector(".result-of-run")?.id.replace("result-", "") ?? "";
}

document.addEventListener("htmx:after:swap", () => {
  const newest = resultOnPage();
  const isNew = newest && newest !== latestResult;
  if (isNew) {
    show("result");
    const sent = document.getElementById("will-be-sent");
    if (sent && !latestResult) sent.open = false;
  }
  const run = runOnPage();
  const running = isRunning();
  const hasEnded = run && !running && (isNew || wasRunning);
  wasRunning = running;
  latestResult = newest;
  shown = run;
  mark();
  const history = document.getElementById("history");
  if (hasEnded && history && !history.querySelector(`[data-run="${run}"][data-ended]`)) {
    history.dispatchEvent(new CustomEvent("refresh-history"));
  }
});
function mark() {
  for (const bar of document.querySelectorAll("[data-run]")) {
    if (bar.dataset.run === shown) bar.setAttribute("aria-current", "true");
    else bar.removeAttribute("aria-current");
  }
}

// -- the history: a click shows a run here, with Shift it is compared with the one shown

document.addEventListener("click", (event) => {
  const bar = event.target.closest?.("[data-run]");
  if (!bar || !event.shiftKey || !shown || bar.dataset.run === shown) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  location.assign(`${document.getElementById("history").dataset.compare}&compare=${shown}&compare=${bar.dataset.run}`);
}, true);

document.querySelector(".history-bars")?.scrollTo({ left: 1e6 });

// -- the link *Try* of other pages leads to the first required field that is empty, else to the first field

if (location.hash === "#fill-in" && document.activeElement === document.body) {
  const fields = [...form().querySelectorAll(".schema-form :is(input, select, textarea)")].filter((field) => field.checkVisibility());
  const empty = fields.find((field) => field.value === "" && field.labels?.[0]?.querySelector(".is-required"));
  (empty ?? fields[0])?.focus();
}
