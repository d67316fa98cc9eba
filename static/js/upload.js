// The upload page shows what publishing will do. It sends the form for a preview at once when text is pasted, a file is
// chosen or a fix is applied, and after a pause while the person types or another preview is on its way.

const PAUSE_MS = 300;
const TYPED = 3; // characters that one event of typing adds or removes at most; more are pasted or chosen
const MAX_BYTES = 1024 * 1024; // as the site: larger files are checked with a button

const form = document.querySelector("form[data-upload-preview]");
const text = document.getElementById("text");
let pane = document.getElementById("preview");
const blank = pane?.cloneNode(true);
let timer = 0;
let running = null;
let sizeBefore = 0;
let textBefore = text?.value; // the text whose preview is on the page or on its way
let showsFiles = false; // files were chosen, and their preview is on its way

const files = () => form.querySelector("input[type=file]").files;
const checkedFiles = () => [...form.querySelectorAll("[name=checked]:checked")]; // of an earlier check
const sizeOfFiles = () =>
  [...files()].reduce((sum, file) => sum + file.size, 0) +
  checkedFiles().reduce((sum, { dataset }) => sum + Number(dataset.size), 0);
const size = () => text.value.length + sizeOfFiles();
const isEmpty = () => sizeOfFiles() === 0 && text.value.trim() === "";

function checkSoon({ target }) {
  if (target.closest(".connection") && target.name !== "connect") return; // its fields change nothing in the preview
  if (pane.hasAttribute("data-needs-press") && target !== text && target.type !== "file") return; // a preview reads no URL
  if (target === text && text.value === textBefore) return; // leaving the editor changes nothing
  if (target.localName === "json-editor") return; // its textarea fires an event of its own when the text changes
  if (target.type === "file") showsFiles = true;
  const isPasted = Math.abs(size() - sizeBefore) > TYPED;
  checkAfter(isPasted && !pane.hasAttribute("aria-busy") ? 0 : PAUSE_MS);
}

function checkAfter(pause) {
  clearTimeout(timer);
  running?.abort();
  timer = setTimeout(check, pause);
  sizeBefore = size();
  textBefore = text.value;
}

async function check() {
  if (isEmpty()) {
    show(blank.cloneNode(true));
    return;
  }
  if (size() > MAX_BYTES && checkedFiles().length) return; // the button checks them again
  const own = (running = new AbortController());
  pane.setAttribute("aria-busy", "true");
  try {
    const body = new FormData(form);
    if (size() > MAX_BYTES) {
      body.delete("files");
      body.set("text", "");
      body.set("unsent_bytes", String(size()));
    }
    const answer = await fetch(form.dataset.uploadPreview, { method: "POST", body, signal: own.signal });
    if (answer.status === 429 && pane.querySelector("[name=new_id]")) {
      checkAfter(1000 * (Number(answer.headers.get("Retry-After")) || 5)); // the fields stay while the person types
      return;
    }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("preview");
    if (own.signal.aborted) return;
    show(fresh && !answer.redirected ? document.importNode(fresh, true) : blank.cloneNode(true));
  } catch (error) {
    if (error.name !== "AbortError" && running === own) pane.removeAttribute("aria-busy");
    if (error.name !== "AbortError" && !(error instanceof TypeError)) throw error; // TypeError: the site does not answer
  }
}

/** Replace the preview; folds stay open, and a box or the field of an id keeps the focus and its place on the screen. */
function show(fresh) {
  const open = [...pane.querySelectorAll("details[id][open]")].map((details) => details.id);
  const focused = pane.contains(document.activeElement) ? document.activeElement : null;
  const top = focused?.getBoundingClientRect().top;
  const scrolled = pane.querySelector(".panel-body").scrollTop;
  const hadImports = importsIn(pane);
  pane.replaceWith(fresh);
  pane = fresh;
  for (const id of open) pane.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
  const body = pane.querySelector(".panel-body");
  body.scrollTop = scrolled;
  const again = focused?.dataset.key && sameControl(focused);
  if (again) {
    again.closest("details:not([open])")?.setAttribute("open", "");
    if (again.name === "new_id") again.value = focused.value; // the site removes outer spaces
    again.focus({ preventScroll: true });
    if (again.name === "new_id") again.setSelectionRange(focused.selectionStart, focused.selectionEnd);
    const moved = again.getBoundingClientRect().top - top;
    if (getComputedStyle(body).overflowY === "visible") window.scrollBy(0, moved);
    else body.scrollTop += moved;
  }
  if (importsIn(pane) && !hadImports) document.getElementById("import-options").open = true;
  for (const button of pane.querySelectorAll("[data-edit-file]")) button.hidden = !fileOf(button) || text.value.trim() !== "";
  markProblems();
  // On a phone the preview is below the editor: lead to what the chosen files do.
  const column = pane.parentElement; // the options of imported tools are above the preview
  if (showsFiles && !isEmpty() && column.getBoundingClientRect().top > window.innerHeight / 2) column.scrollIntoView();
  showsFiles = false;
}

const importsIn = (preview) => preview.querySelector(".import-choice") !== null;

/** The box or the field in the new preview for the tool of `control`. */
const sameControl = ({ name, dataset }) =>
  [...pane.querySelectorAll("[data-key]")].find((one) => one.name === name && one.dataset.key === dataset.key);

const fileOf = (button) => [...files()].find((file) => file.name === button.dataset.editFile);

/** Move the text of a chosen file into the editor. */
async function edit(button) {
  const input = form.querySelector("input[type=file]");
  const moved = fileOf(button);
  const rest = new DataTransfer();
  for (const file of input.files) if (file !== moved) rest.items.add(file);
  const content = await moved.text();
  input.files = rest.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  write(content);
  text.focus();
}

function write(content) {
  editor().write(content);
  checkAfter(0);
}

const editor = () => text.closest("json-editor");

/** Mark the problems of the preview in the editor. */
function markProblems() {
  const problems = [...pane.querySelectorAll("a[data-line]")].map((link) => ({
    line: Number(link.dataset.line),
    column: Number(link.dataset.column),
    message: link.closest(".problem, .entry").querySelector(".problem-message").textContent.trim(),
    severity: link.closest(".problem-warning") ? "warning" : "error",
  }));
  editor().mark(problems);
}

/** Set an option that lets rejected tools in, or lead to it if something must be typed. */
function choose(option) {
  option.closest("details").open = true;
  option.focus();
  if (option.type !== "checkbox") return;
  option.checked = true;
  option.dispatchEvent(new Event("change", { bubbles: true }));
}

if (form && pane) {
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.name !== "new_id") return;
    event.preventDefault(); // it would publish
    if (pane.hasAttribute("data-needs-press")) form.requestSubmit(pane.querySelector("[name=dry_run]"));
    else checkAfter(0);
  });
  form.addEventListener("input", checkSoon);
  form.addEventListener("change", checkSoon);
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    running?.abort();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#upload a[data-line]");
    const button = event.target.closest?.("#upload [data-edit-file]");
    const way = event.target.closest?.("#upload a[data-option]");
    const quick = event.target.closest?.("#upload [data-old]");
    if (link) {
      event.preventDefault();
      editor().goTo(Number(link.dataset.line), Number(link.dataset.column));
    } else if (way) {
      event.preventDefault();
      choose(document.querySelector(way.hash));
    } else if (quick) {
      const { line, column, old, replacement } = quick.dataset;
      editor().replace(Number(line), Number(column), old, replacement);
      checkAfter(0);
    } else if (button) {
      edit(button);
    }
  });
  if (!isEmpty() && !pane.hasAttribute("data-needs-press") && !pane.querySelector(".entry")) checkAfter(0); // restored by the browser or after signing in
}
