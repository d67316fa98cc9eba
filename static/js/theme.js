// The theme a person chose, before the first paint; and the sign that scripts run. A plain script, not a module: it must
// run before the page is drawn.

(() => {
  const root = document.documentElement;
  root.classList.add("js");
  let theme = null;
  try {
    theme = localStorage.getItem("toolshelf-theme");
  } catch {
    // storage is closed to us: the system's theme it is
  }
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  const next = { system: "light", light: "dark", dark: "system" };
  const present = () => root.dataset.theme ?? "system";

  function show() {
    for (const button of document.querySelectorAll("[data-theme-switch]")) {
      const words = `Theme: ${present()}`;
      button.setAttribute("aria-label", words);
      button.title = words;
      const label = button.querySelector("[data-theme-label]");
      if (label) label.textContent = words;
    }
  }

  function change() {
    const chosen = next[present()];
    if (chosen === "system") delete root.dataset.theme;
    else root.dataset.theme = chosen;
    try {
      if (chosen === "system") localStorage.removeItem("toolshelf-theme");
      else localStorage.setItem("toolshelf-theme", chosen);
    } catch {
      // it holds for this page only
    }
    show();
  }

  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-theme-switch]")) change();
  });
  document.addEventListener("toolshelf:theme", change);
})();
