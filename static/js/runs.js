// The list of runs: two runs of one tool can be compared; the hint says what is missing. Dragging across bars of the
// chart shows the runs of all of them; so does Shift with a click, or with Enter, which extends the selection to a bar.

function check() {
  const button = document.querySelector("[data-compare-runs]");
  if (!button) return;
  const chosen = [...document.querySelectorAll(".select-run input:checked")];
  const tools = new Set(chosen.map((box) => box.dataset.tool));
  button.disabled = chosen.length !== 2 || tools.size !== 1;
  const hint = document.querySelector("[data-compare-hint]");
  hint.textContent =
    tools.size > 1 ? "These are runs of different tools. Select two runs of one tool."
    : chosen.length > 2 ? "Select only two runs."
    : chosen.length === 2 ? "Two runs selected."
    : "Select two runs of one tool.";
  hint.classList.toggle("field-error", chosen.length > 1 && button.disabled);
  hint.classList.toggle("muted", chosen.length < 2 || !button.disabled);
}

document.addEventListener("change", (event) => {
  if (event.target.matches(".select-run input")) check();
});
document.addEventListener("htmx:after:swap", check);
window.addEventListener("pageshow", check);

let dragged = null; // { slots: every bar, from and to: the indexes of the first and the latest one }

function slotAt(event) {
  return document.elementFromPoint(event.clientX, event.clientY)?.closest(".run-bars a.chart-slot");
}

const slotsBeside = (slot) => [...slot.parentNode.querySelectorAll("a.chart-slot")];

function range() {
  const [first, last] = [dragged.from, dragged.to].sort((one, other) => one - other);
  return dragged.slots.slice(first, last + 1);
}

/** Show the runs of adjacent bars. */
function showRuns(slots) {
  const [first, last] = [slots[0], slots.at(-1)].map((slot) => new URL(slot.getAttribute("href"), location.href));
  if (!first.searchParams.has("hour")) first.searchParams.set("until", last.searchParams.get("until"));
  else if (slots.length > 1) first.searchParams.set("hours", slots.length);
  location.assign(first);
}

function endDrag() {
  for (const slot of dragged?.slots ?? []) slot.classList.remove("is-dragged");
  dragged = null;
}

document.addEventListener("pointerdown", (event) => {
  const slot = event.button === 0 && slotAt(event);
  if (!slot) return;
  const slots = slotsBeside(slot);
  dragged = { slots, from: slots.indexOf(slot), to: slots.indexOf(slot) };
});
document.addEventListener("pointermove", (event) => {
  const to = dragged ? dragged.slots.indexOf(slotAt(event)) : -1;
  if (to < 0) return;
  dragged.to = to;
  const chosen = range();
  for (const slot of dragged.slots) slot.classList.toggle("is-dragged", chosen.length > 1 && chosen.includes(slot));
});
document.addEventListener("pointerup", (event) => {
  const chosen = dragged ? range() : [];
  endDrag();
  const isInside = document.elementFromPoint(event.clientX, event.clientY)?.closest(".run-bars");
  if (isInside && chosen.length > 1) showRuns(chosen); // a click on one bar follows its link
});
document.addEventListener("pointercancel", endDrag);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") endDrag();
});
document.addEventListener("click", (event) => {
  const slot = event.shiftKey && event.target.closest(".run-bars a.chart-slot");
  if (!slot) return;
  event.preventDefault(); // the browser would open a window
  const slots = slotsBeside(slot);
  const chosen = slots.filter((each) => each === slot || each.matches(".is-selected"));
  showRuns(slots.slice(slots.indexOf(chosen[0]), slots.indexOf(chosen.at(-1)) + 1));
});
document.addEventListener("dragstart", (event) => {
  if (dragged) event.preventDefault(); // the browser would drag the link
});
