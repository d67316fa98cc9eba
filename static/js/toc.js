// Mark the section that is being read in the table of contents, and unfold or load the target of a link.

const wanted = () => decodeURIComponent(location.hash.slice(1));

function unfold() {
  const target = location.hash.length > 1 && document.getElementById(wanted());
  if (!target) return;
  const folds = [...target.querySelectorAll(":scope > details")];
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
  for (const fold of folds) fold.open = true;
  if (folds.length > 0) target.scrollIntoView();
}

/** Sections that have pages of their own now, and properties that are described once for all variants. */
function follow() {
  if (location.hash.length < 2 || document.getElementById(wanted())) return;
  const moved = document.querySelector("[data-moved]")?.dataset.moved.split(" ") ?? [];
  const page = moved.find((one) => wanted().startsWith(one.split("#")[1]));
  if (page) {
    location.replace(page.split("#")[0] + location.hash);
    return;
  }
  for (let anchor = wanted(); anchor.includes("."); ) {
    anchor = anchor.slice(0, anchor.lastIndexOf("."));
    if (document.getElementById(anchor)) {
      location.replace(`#${anchor}`);
      return;
    }
  }
}

function find() {
  follow();
  unfold();
}
window.addEventListener("hashchange", find);
find();

const list = document.querySelector(".with-toc > .toc");
const links = new Map();
for (const link of list?.querySelectorAll("a") ?? []) {
  const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (section) links.set(section, link);
}

if (links.size > 0) {
  const seen = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      }
      const present = [...links.keys()].find((section) => seen.has(section));
      for (const [section, link] of links) {
        if (section === present) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-15% 0px -55% 0px" },
  );
  for (const section of links.keys()) if (!section.closest("aside")) observer.observe(section);
}

// the filter of a tool's properties: it also finds those that are too deep for the outline
const MAX_FOUND = 50;
const filter = document.getElementById("outline-filter");
filter?.addEventListener("input", () => {
  const words = filter.value.trim().toLowerCase();
  const outline = filter.closest("[data-outline]");
  for (const row of outline.querySelectorAll("[data-found]")) row.remove();
  let found = 0;
  for (const link of outline.querySelectorAll("[data-filter]")) {
    link.parentElement.hidden = !link.dataset.filter.toLowerCase().includes(words);
    if (!link.parentElement.hidden) found += 1;
  }
  for (const list of words ? outline.querySelectorAll("[data-deeper]") : []) {
    for (const anchor of list.dataset.deeper.split("\n")) {
      const name = anchor.slice(anchor.lastIndexOf(".") + 1);
      if (found >= MAX_FOUND || !name.toLowerCase().includes(words)) continue;
      list.append(deeperRow(outline, anchor, name));
      found += 1;
    }
  }
  outline.querySelector(".outline-empty").hidden = found > 0;
});

/** A row for a property below those of the outline: "insert_table.rows". */
function deeperRow(outline, anchor, name) {
  const row = document.createElement("li");
  const link = document.createElement("a");
  row.dataset.found = "";
  link.href = `#${anchor}`;
  let above = anchor;
  let around = null;
  while (!around && above.includes(".")) {
    above = above.slice(0, above.lastIndexOf("."));
    around = outline.querySelector(`a[href="#${CSS.escape(above)}"]`);
  }
  const parent = around?.dataset.filter ?? "";
  link.textContent = parent ? `${parent.slice(parent.lastIndexOf(".") + 1)}.${name}` : name;
  row.append(link);
  return row;
}
