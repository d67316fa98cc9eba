// Selectors of a schema's form act immediately; without JavaScript, a button beside them does. Entries made while a
// request is in progress are not lost when the response is drawn.

const PAUSE_MS = 150;
let timer = 0;

const isForm = (element) => element instanceof HTMLFormElement && element.matches(":has([data-schema-form])");
const isOurs = (control) => Boolean(control.name) && control.closest("[data-schema-form]") !== null;

document.addEventListener("change", (event) => {
  const control = event.target;
  if (!(control instanceof HTMLElement)) return;
  remember(control);

  if (control.matches("[data-form-picker]")) {
    pick(control);
    return;
  }
  if (control.matches("[data-form-change]")) {
    const button = control.nextElementSibling;
    if (button instanceof HTMLButtonElement) button.form?.requestSubmit(button);
    return;
  }

  // Other fields of this form may depend on the value.
  const live = control.closest("[data-form-live]")?.querySelector(".form-refresh button");
  const { form } = control; // the control may have left it when the pause is over
  if (live) refreshSoon(form, () => form.requestSubmit(document.getElementById(live.id)));
});

const redraw = (form) => form.dispatchEvent(new CustomEvent("refresh"));

// Refresh after a pause, and not during a request; any other button cancels it, because its response is newer.
function refreshSoon(form, refresh) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (!form.isConnected || known.includes(contents(form))) return;
    if (isWaiting) refreshSoon(form, refresh);
    else refresh();
  }, PAUSE_MS);
}
document.addEventListener("submit", () => clearTimeout(timer));
document.addEventListener("input", (event) => remember(event.target));

// The contents that were sent last, and those of the response: they need no refresh, so the errors stay visible.
let known = [];
const contents = (form) => JSON.stringify([...new FormData(form)].map(([name, sent]) => [name, sent.name ?? sent]));

// A request contains the entries at the moment when it is sent, even if it had to wait for another request.

const edits = new Map(); // the controls changed since then: their names and values
let isWaiting = false;

document.addEventListener("htmx:before:request", (event) => {
  const { ctx } = event.detail;
  const form = ctx?.sourceElement;
  if (!isForm(form) || !(ctx.request.body instanceof FormData)) return;
  clearTimeout(timer);
  const body = new FormData(form);
  const { submitter } = ctx.request;
  if (submitter?.name) body.append(submitter.name, submitter.value);
  ctx.request.body = body;
  known = [contents(form)];
  edits.clear();
  isWaiting = true;
});

// The new part gets the focus, unless the user is already editing another control. It is given here: a browser complains
// in its console when an element with `autofocus` arrives while another one has the focus.
let next = "";

document.addEventListener("htmx:before:swap", (event) => {
  const { ctx, tasks } = event.detail;
  if (!isForm(ctx?.sourceElement)) return;
  next = "";
  for (const { fragment } of tasks ?? []) {
    for (const element of fragment?.querySelectorAll("[autofocus]") ?? []) {
      element.removeAttribute("autofocus");
      if (!isEditing(fragment)) next ||= element.id;
    }
  }
});
document.addEventListener("htmx:after:settle", () => {
  if (next) document.getElementById(next)?.focus();
  next = "";
});

/** Whether the focus is in a text, or in a control that the new fragment has too. */
function isEditing(fragment) {
  const active = document.activeElement;
  if (!active?.name || active instanceof HTMLButtonElement) return false;
  return isText(active) || (active.id !== "" && fragment.querySelector(`#${CSS.escape(active.id)}`) !== null);
}

function remember(control) {
  if (!isWaiting || !isOurs(control)) return;
  edits.set(control.name, valuesOf(control));
}

function valuesOf(control) {
  return [...control.form.elements]
    .filter((other) => other.name === control.name)
    .map((other) => ("checked" in other && /checkbox|radio/.test(other.type) ? (other.checked ? other.value : null) : other.value));
}

/** Whether a response went into the form. After the header `HX-Retarget`, the target is a selector. */
const isWithin = (form, target) => {
  const element = typeof target === "string" ? document.querySelector(target) : target;
  return element instanceof Node && form.contains(element);
};

// The response is morphed into the form, which does not change the value of a control that the user has edited. So each
// control is set to the value in the response, except those changed since the request.

document.addEventListener("htmx:after:swap", (event) => {
  const { ctx } = event.detail;
  const form = document.getElementById(ctx?.sourceElement?.id);
  if (!isWaiting || !isForm(form) || !isWithin(form, ctx.target)) return;
  for (const control of form.elements) {
    if (!isOurs(control)) continue;
    const later = edits.get(control.name);
    if (later) restore(control, later);
    else if (control !== document.activeElement || !isText(control)) settle(control);
  }
  if (edits.size === 0) known.push(contents(form));
  document.title = (form.querySelector(".error-summary") ? "Error: " : "") + document.title.replace(/^Error: /, "");
});

// After a run has begun, draw the form again: its errors are obsolete.
document.addEventListener("htmx:after:swap", (event) => {
  const { ctx } = event.detail;
  const form = document.getElementById(ctx?.sourceElement?.id);
  if (!isForm(form) || isWithin(form, ctx.target)) return;
  if (form.querySelector(".error-summary")) setTimeout(() => redraw(form));
});
document.addEventListener("htmx:finally:request", (event) => {
  if (isForm(event.detail?.ctx?.sourceElement)) isWaiting = false;
});

const isText = (control) =>
  control instanceof HTMLTextAreaElement || (control instanceof HTMLInputElement && /text|password/.test(control.type));

function settle(control) {
  if (control instanceof HTMLSelectElement) {
    for (const option of control.options) option.selected = option.defaultSelected;
  } else if (control instanceof HTMLInputElement && /checkbox|radio/.test(control.type)) {
    control.checked = control.defaultChecked;
  } else if (isText(control) && control.value !== control.defaultValue) {
    control.value = control.defaultValue;
  }
}

function restore(control, values) {
  if (control instanceof HTMLSelectElement) {
    const option = [...control.options].find((other) => other.value === values[0]);
    if (option) option.selected = true;
    else settle(control);
  } else if (control instanceof HTMLInputElement && /checkbox|radio/.test(control.type)) {
    control.checked = values.includes(control.value);
  } else if (control.value !== values[0]) {
    control.value = values[0];
  }
}

// A native picker writes into the text control beside it, in the format of RFC 3339; only the text is sent.

function pick(picker) {
  const text = document.getElementById(picker.dataset.formPicker);
  if (!text || !picker.value) return;
  text.value = picked(picker.type, picker.value, text.value);
  text.dispatchEvent(new Event("input", { bubbles: true }));
  text.dispatchEvent(new Event("change", { bubbles: true }));
}

function picked(type, value, before) {
  if (type === "date") return value;
  const seconds = /:\d\d:\d\d/.test(value) ? value : `${value}:00`;
  const offset = /(Z|[+-]\d\d:\d\d)$/i.exec(before)?.[0];
  return seconds + (offset ?? (type === "time" ? "Z" : localOffset(new Date(value))));
}

function localOffset(date) {
  const minutes = -date.getTimezoneOffset();
  const part = (number) => String(Math.floor(Math.abs(number))).padStart(2, "0");
  return minutes === 0 ? "Z" : `${minutes < 0 ? "-" : "+"}${part(minutes / 60)}:${part(minutes % 60)}`;
}
