// A schema's form acts at once where, without this, a button beside the control is pressed.

const PAUSE_MS = 150;
let timer = 0;

document.addEventListener("change", (event) => {
  const control = event.target;
  if (!(control instanceof HTMLElement)) return;

  if (control.matches("[data-form-change]")) {
    const button = control.nextElementSibling;
    if (button instanceof HTMLButtonElement) button.form?.requestSubmit(button);
    return;
  }

  if (control.matches("[data-form-picker]")) {
    pick(control);
    return;
  }

  // a value on which the shape of this form depends, perhaps
  const form = control.closest("[data-form-live]");
  const button = form?.querySelector(".form-refresh button");
  if (!button) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (button.isConnected) button.form.requestSubmit(button);
  }, PAUSE_MS);
});

// A native picker writes into the text beside it, as RFC 3339 has it; the text is what is sent.
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
