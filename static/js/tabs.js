// Turn a list of links and their sections into tabs (without JavaScript all sections are visible), and show the current
// page in rows of pages.
// `data-tabs="name"`: the browser remembers the chosen tab under that name.

function remembered(name) {
  try {
    return name && localStorage.getItem(`toolshelf.tab.${name}`);
  } catch {
    return null;
  }
}

function remember(name, tab) {
  if (!name) return;
  try {
    localStorage.setItem(`toolshelf.tab.${name}`, tab);
  } catch {
    // the browser stores nothing
  }
}

const listening = new WeakSet(); // lists of tabs; one that is drawn again stays the same element

function upgrade(tabs) {
  if (tabs.dataset.ready !== undefined) return;
  const list = tabs.querySelector(":scope > .tabs-list");
  // a narrow page may have a tab more
  const linksOf = () => [...list.querySelectorAll("a")].filter((link) => getComputedStyle(link.parentElement).display !== "none");
  const links = linksOf();
  const panelOf = (link) => document.getElementById(decodeURIComponent(link.hash.slice(1)));

  function show(link, { focus = false } = {}) {
    for (const other of linksOf()) {
      const chosen = other === link;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      panelOf(other).hidden = !chosen;
    }
    if (focus) link.focus();
  }

  function choose(link, options) {
    show(link, options);
    remember(tabs.dataset.tabs, panelOf(link).id);
  }

  list.setAttribute("role", "tablist");
  for (const item of list.children) item.setAttribute("role", "presentation");
  // all of them at once: a tab that appears as the page gets narrow is one before this module hears of it
  for (const link of list.querySelectorAll("a")) link.setAttribute("role", "tab");
  for (const link of links) {
    const panel = panelOf(link);
    link.id ||= `${panel.id}-tab`;
    link.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", link.id);
  }

  if (!listening.has(list)) listen();
  listening.add(list);

  function listen() {
    list.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      choose(link);
      history.replaceState(history.state, "", link.hash);
    });
    list.addEventListener("keydown", (event) => {
      const shown = linksOf();
      const present = shown.indexOf(document.activeElement);
      const next = { ArrowRight: present + 1, ArrowLeft: present - 1, Home: 0, End: shown.length - 1 }[event.key];
      if (next === undefined || present < 0) return;
      event.preventDefault();
      choose(shown[(next + shown.length) % shown.length], { focus: true });
    });
  }

  const wanted = location.hash && links.find((link) => {
    const panel = panelOf(link);
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    return target !== null && panel.contains(target);
  });
  const last = remembered(tabs.dataset.tabs);
  const selected = links.find((link) => link.ariaSelected === "true");
  show(selected || wanted || links.find((link) => panelOf(link).id === last) || links.find((link) => link.dataset.selected !== undefined) || links[0]);
  tabs.dataset.ready = "";
}

const upgradeAll = (root) => root.querySelectorAll("[data-tabs]").forEach(upgrade);
upgradeAll(document);
document.addEventListener("htmx:after:swap", () => upgradeAll(document));
matchMedia("(width < 60rem)").addEventListener("change", () => {
  for (const tabs of document.querySelectorAll("[data-tabs]")) delete tabs.dataset.ready;
  upgradeAll(document);
});

// On narrow screens a row of pages scrolls: show the current one.
for (const list of document.querySelectorAll(".tool-tabs ul, nav.tabs-links")) {
  const current = list.querySelector("[aria-current]");
  if (!current) continue;
  const [all, one] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  list.scrollLeft += one.left - all.left - (all.width - one.width) / 2;
}
