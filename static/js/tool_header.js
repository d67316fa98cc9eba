// On narrow screens the tabs of a tool scroll: show the current one.

const tabs = document.querySelector(".tool-tabs ul");
const current = tabs?.querySelector("[aria-current]");
if (current) {
  const [list, tab] = [tabs.getBoundingClientRect(), current.getBoundingClientRect()];
  tabs.scrollLeft += tab.left - list.left - (list.width - tab.width) / 2;
}
