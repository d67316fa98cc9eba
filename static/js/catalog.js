// The list of tools: arrow keys between the search field and the results.

const field = document.getElementById("q");

const links = () => [...document.querySelectorAll(".result-name a")];

/** Focus the result `step` after the focused one; before the first one is the search field. */
function walk(step) {
  const all = links();
  const next = all.indexOf(document.activeElement) + step;
  if (next < 0) field.focus();
  else all[Math.min(next, all.length - 1)]?.focus();
}

field.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.key === "ArrowDown" && links().length) {
    event.preventDefault();
    links()[0].focus();
  } else if (event.key === "Escape") {
    event.preventDefault(); // the browser would clear the field and stay in it
    field.blur();
  }
});

document.getElementById("catalog").addEventListener("keydown", (event) => {
  if (!event.target.matches(".result-name a") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    walk(event.key === "ArrowDown" ? 1 : -1);
  }
});
