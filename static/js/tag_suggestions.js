// Buttons that add a suggested tag to a field of tags, or remove it. A half-typed tag narrows the list, and a suggestion
// that begins with it replaces it.

const SHOWN = 8;

for (const list of document.querySelectorAll("[data-tags-of]")) {
  const field = document.getElementById(list.dataset.tagsOf);
  const buttons = [...list.querySelectorAll("button")];

  const tags = () => field.value.split(",").map((tag) => tag.trim()).filter(Boolean);
  const isSame = (one, other) => one.toLowerCase() === other.toLowerCase();
  const begins = (tag, start) => tag.toLowerCase().startsWith(start.toLowerCase());

  /** The last tag of the field, unless it is a whole suggestion. */
  function halfTyped() {
    const last = field.value.split(",").at(-1).trim();
    return buttons.some((button) => isSame(button.value, last)) ? "" : last;
  }

  function show() {
    const matching = buttons.filter((button) => begins(button.value, halfTyped()));
    const shown = (matching.length > 0 ? matching : buttons).slice(0, SHOWN);
    for (const button of buttons) {
      const isChosen = tags().some((tag) => isSame(tag, button.value));
      button.setAttribute("aria-pressed", String(isChosen));
      button.hidden = !isChosen && !shown.includes(button);
    }
  }

  list.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    const start = halfTyped();
    const typed = tags();
    const others = typed.filter((tag) => !isSame(tag, button.value));
    if (others.length === typed.length) {
      if (start && begins(button.value, start)) others.pop();
      others.push(button.value);
    }
    field.value = others.join(", ");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  field.addEventListener("input", show);
  show();
}
