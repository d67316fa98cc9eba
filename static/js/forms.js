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

  // a value on which the shape of this form depends, perhaps
  const form = control.closest("[data-form-live]");
  const button = form?.querySelector(".form-refresh button");
  if (!button) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (button.isConnected) button.form.requestSubmit(button);
  }, PAUSE_MS);
});
