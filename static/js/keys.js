// Keyboard shortcuts: `/` searches (in the page's own field, or in the palette), `?` lists the shortcuts, Ctrl+Enter runs,
// j and k move through the results. A link with `aria-keyshortcuts` is pressed by its key. Enter in a field beside its own button (`data-enter`) presses that button, not the
// first of the form.

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const keysDialog = document.getElementById("keys");

if (isMac) for (const key of document.querySelectorAll("[data-modifier]")) key.textContent = "⌘";

/** Whether the user is typing into a control, which may be in the shadow root of the JSON editor. */
function isTyping(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement) || target.matches("input:is([type=checkbox], [type=radio], [type=file])")) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function walkResults(step) {
  const links = [...document.querySelectorAll(".result-name a")];
  if (links.length === 0) return;
  const next = links.indexOf(document.activeElement) + step;
  links[Math.max(0, Math.min(next, links.length - 1))].focus();
}

const plainKeys = {
  "/": () => {
    const field = [...document.querySelectorAll("[data-search]")].find((input) => input.checkVisibility());
    if (!field) return document.getElementById("palette").showPopover();
    field.focus();
    field.select();
  },
  "?": () => keysDialog.showModal(),
  j: () => walkResults(1),
  k: () => walkResults(-1),
};

/** The button that Enter presses in a field, if it is not the first of the form. */
const ownButton = (field) =>
  field instanceof HTMLInputElement ? field.closest("[data-enter]")?.querySelector("button") : null;

/** Whether a dialog or the palette lies over the page, which takes no keys then. */
const isCovered = () => document.querySelector(":is(dialog[open], :popover-open)") !== null;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const within = event.composedPath().find((node) => node instanceof HTMLFormElement && node.matches("[data-run-form]"));
    const form = within ?? document.querySelector("[data-run-form]");
    if (!form || isCovered()) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector("[data-run-button]") ?? undefined);
    return;
  }
  const button = event.key === "Enter" && !event.isComposing ? ownButton(event.target) : null;
  if (button) {
    event.preventDefault();
    button.form.requestSubmit(button);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || isCovered()) return;
  const link = document.querySelector(`a[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  const act = plainKeys[event.key] ?? (link && (() => link.click()));
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys-open]")) keysDialog.showModal();
  if (event.target === keysDialog) keysDialog.close();

  // a menu closes when something else is pressed
  for (const menu of document.querySelectorAll("details.menu[open], details.bar-menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open], details.bar-menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A menu does not stay open over what Tab leads to.
document.addEventListener("keyup", (event) => {
  if (event.key !== "Tab") return;
  for (const menu of document.querySelectorAll("details.menu[open], details.bar-menu[open]")) {
    if (!menu.contains(document.activeElement)) menu.open = false;
  }
});

document.addEventListener("toolshelf:keys", () => keysDialog.showModal());
