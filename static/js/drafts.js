// The entries of a form survive a reload and the Back button: they are stored in the page's entry of the browser's
// history, and the site draws the form with them again. Secrets, texts that may contain them, and files are not stored.

const PAUSE_MS = 100;
const NOT_STORED = /hidden|file|password|submit|button/;
let timer = 0;
let draft = history.state?.trial; // until the form is drawn with it
let isReset = false;

const trial = () => document.querySelector("form:has([data-schema-form])");
const nameOf = (part) => part.id.replace(/-form$/, "");

// Pairs of names and values, by the name of each schema's form; those of all other controls under "".
function entriesOf(form) {
  const parts = {};
  for (const part of form.querySelectorAll("[data-schema-form]")) {
    const isStored = (control) => control.name && control.type !== "file" && !isSecret(control, part.dataset.secrets);
    const controls = [...part.querySelectorAll("input, textarea, select")];
    if (controls.some((control) => isWhole(control) && !isStored(control))) continue;
    parts[nameOf(part)] = controls.filter(isStored).filter(isSent).map(pair);
  }
  const around = [...form.elements].filter((control) => control.name && !control.closest("[data-schema-form]"));
  parts[""] = around.filter((control) => !NOT_STORED.test(control.type)).filter(isSent).map(pair);
  return parts;
}

const pair = (control) => [control.name, control.value];
const isSent = (control) => !/checkbox|radio/.test(control.type) || control.checked;
const isWhole = (control) => /^[^:]*:[^:]+:$/.test(control.name);

// `secrets`: the paths of secrets, each followed by "/"; undefined if the schema has none.
function isSecret(control, secrets) {
  if (control.type === "password") return true;
  if (secrets === undefined) return false;
  const [, tag, path] = /^[^:]*:([^:]*):(.*)$/s.exec(control.name) ?? [];
  if (tag === "e" || tag === "z") return true;
  if (tag === "c" || tag === "h") return false; // encrypted by the site
  return secrets.split(" ").some((secret) => secret && `${path}/`.startsWith(secret));
}

function store() {
  clearTimeout(timer);
  timer = 0;
  const form = trial();
  if (!form || draft || isReset) return;
  try {
    history.replaceState({ ...history.state, trial: entriesOf(form) }, "");
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // more than the browser stores
  }
}

function storeSoon() {
  clearTimeout(timer);
  timer = setTimeout(store, PAUSE_MS);
}

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    if (event.target.form && event.target.form === trial()) storeSoon();
  });
}
addEventListener("beforeunload", () => timer && store());

// The link leads to the current URL, which a browser may treat as a reload and restore the form.
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-afresh]")) return;
  isReset = true;
  history.replaceState({ ...history.state, trial: undefined }, "");
  trial()?.reset();
});

document.addEventListener("htmx:before:request", (event) => {
  const { ctx } = event.detail;
  const form = trial();
  if (!draft || ctx.sourceElement !== form) return;
  const body = ctx.request.body;
  for (const [part, pairs] of Object.entries(draft)) {
    const isOfPart = (name) => (part ? name.startsWith(`${part}:`) : pairs.some(([other]) => other === name));
    for (const name of new Set([...body.keys()].filter(isOfPart))) body.delete(name);
    for (const [name, value] of pairs) body.append(name, value);
  }
});

document.addEventListener("htmx:after:swap", (event) => {
  const source = event.detail.ctx?.sourceElement;
  if (source?.matches("[hx-replace-url]")) setTimeout(store); // the entries stay while another run is shown
  if (source?.id !== trial()?.id) return;
  if (draft) {
    document.getElementById("restored").hidden = false;
    for (const fold of document.querySelectorAll("details[data-open]")) fold.open = fold.dataset.open === "1";
  }
  draft = undefined;
  setTimeout(store); // after htmx has changed the history's entry
});

// Entries that the site restored after signing in are not stored in the history yet.
if (!draft && document.getElementById("restored")?.hidden === false) store();

// The form requests itself as soon as htmx listens to it.
document.addEventListener("htmx:after:init", (event) => {
  if (draft && event.target === trial()) event.target.dispatchEvent(new CustomEvent("refresh"));
});
