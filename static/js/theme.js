// Apply the chosen theme, mark that JavaScript runs, and apply what this browser remembers of views, before the first paint: so this is a plain script, not a module.

(() => {
  const root = document.documentElement;
  root.classList.add("js");
  if (window.PublicKeyCredential) root.classList.add("passkeys");
  let theme = null;
  try {
    theme = localStorage.getItem("toolshelf-theme");
    const tab = localStorage.getItem("toolshelf.tab.result");
    if (tab) root.dataset.resultTab = tab; // see tabs.js
  } catch {
    // storage is not available: use the system's theme
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
      // storage is not available: the choice applies to this page only
    }
    show();
  }

  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-theme-switch]")) change();
  });
  document.addEventListener("toolshelf:theme", change);
})();
