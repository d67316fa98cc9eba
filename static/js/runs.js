// The list of runs: two runs of one tool can be compared; the hint says what is missing.

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
