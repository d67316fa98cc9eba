// The list of sections beside a page marks the one that is being read; and a link into something folded opens it.

function unfold() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folds = [];
  for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
  for (const fold of folds) fold.open = true;
  if (folds.length > 0) target.scrollIntoView();
}
window.addEventListener("hashchange", unfold);
unfold();

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
