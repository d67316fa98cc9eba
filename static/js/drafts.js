// What is filled in survives a reload and the way back: it is kept with the page's entry in the browser's history, and
// drawn again by the site. Secrets are not kept, nor texts that may hold them, nor files.

const PAUSE_MS = 100;
const NOT_KEPT = /hidden|file|password|submit|button/;
let timer = 0;
let draft = history.state?.trial; // until it has been drawn again
let isOver = false; // somebody begins afresh

const trial = () => document.querySelector("form:has([data-schema-form])");
const nameOf = (part) => part.id.replace(/-form$/, "");

// Pairs of names and values: of each form with a schema by its name, of what stands around them under "".
function held(form) {
  const parts = {};
  for (const part of form.querySelectorAll("[data-schema-form]")) {
    const isKept = (control) => control.name && control.type !== "file" && !isSecret(control, part.dataset.secrets);
    const controls = [...part.querySelectorAll("input, textarea, select")];
    if (controls.some((control) => isWhole(control) && !isKept(control))) continue;
    parts[nameOf(part)] = controls.filter(isKept).filter(isSent).map(pair);
  }
  const around = [...form.elements].filter((control) => control.name && !control.closest("[data-schema-form]"));
  parts[""] = around.filter((control) => !NOT_KEPT.test(control.type)).filter(isSent).map(pair);
  return parts;
}

const pair = (control) => [control.name, control.value];
const isSent = (control) => !/checkbox|radio/.test(control.type) || control.checked;
const isWhole = (control) => /^[^:]*:[^:]+:$/.test(control.name);

// `secrets`: the paths of secrets, each with a "/" after it; undefined where the schema has none.
function isSecret(control, secrets) {
  if (control.type === "password") return true;
  if (secrets === undefined) return false;
  const [, tag, path] = /^[^:]*:([^:]*):(.*)$/s.exec(control.name) ?? [];
  if (tag === "e" || tag === "z") return true;
  if (tag === "c" || tag === "h") return false; // sealed by the site
  return secrets.split(" ").some((secret) => secret && `${path}/`.startsWith(secret));
}

function keep() {
  clearTimeout(timer);
  timer = 0;
  const form = trial();
  if (!form || draft || isOver) return;
  try {
    history.replaceState({ ...history.state, trial: held(form) }, "");
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // more than the browser keeps
  }
}

function keepSoon() {
  clearTimeout(timer);
  timer = setTimeout(keep, PAUSE_MS);
}

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    if (event.target.form && event.target.form === trial()) keepSoon();
  });
}
addEventListener("beforeunload", () => timer && keep());

// The link leads to the address that one is at, which for a browser may be a reload, with all that belongs to it.
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-afresh]")) return;
  isOver = true;
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
  if (event.detail.ctx?.sourceElement?.id !== trial()?.id) return;
  if (draft) document.getElementById("restored").hidden = false;
  draft = undefined;
  setTimeout(keep); // htmx has its own word in the history first
});

// entries that the site restored after signing in are not in the page's draft yet
if (!draft && document.getElementById("restored")?.hidden === false) keep();

// the form asks for itself as soon as htmx listens to it
document.addEventListener("htmx:after:init", (event) => {
  if (draft && event.target === trial()) event.target.dispatchEvent(new CustomEvent("refresh"));
});
