// Mark the section that is being read in the table of contents, and unfold or load the target of a link.

const wanted = () => decodeURIComponent(location.hash.slice(1));

function unfold() {
  const target = location.hash.length > 1 && document.getElementById(wanted());
  const folds = [];
  for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
  for (const fold of folds) fold.open = true;
  if (folds.length > 0) target.scrollIntoView();
}

/** The target may be in a part of the page that is loaded only when the reader scrolls there. */
function find() {
  unfold();
  const parts = location.hash.length > 1 ? [...document.querySelectorAll("[data-anchors]")] : [];
  const part = parts.find((one) => wanted().startsWith(one.dataset.anchors));
  if (!part) return;
  part.scrollIntoView();
  const observer = new MutationObserver(() => {
    const target = document.getElementById(wanted());
    if (!target) return;
    observer.disconnect();
    location.replace(location.hash); // now the browser finds it, scrolls there and marks it as the target
  });
  observer.observe(part.parentElement, { childList: true, subtree: true });
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
