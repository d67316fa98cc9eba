// Buttons that select all boxes of their form, or none (`data-select` is the name of the boxes, `value` "all" or "").

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-select]");
  if (!button) return;
  const boxes = [...button.form.querySelectorAll(`input[type=checkbox][name="${button.dataset.select}"]`)];
  for (const box of boxes) box.checked = button.value === "all";
  boxes[0]?.dispatchEvent(new Event("change", { bubbles: true }));
});
