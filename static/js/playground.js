// A link to a line in a closed tab opens that tab first.

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || link.closest(".tabs-list")) return;
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const panel = target?.closest('[role="tabpanel"][hidden]');
  if (!panel) return;
  document.getElementById(panel.getAttribute("aria-labelledby"))?.click();
  requestAnimationFrame(() => target.scrollIntoView({ block: "center" }));
});

// If a request fails, the form keeps its entries, and a notice above it explains what to do.
document.addEventListener("htmx:response:error", (event) => {
  const form = document.getElementById("trial");
  const response = event.detail?.ctx?.response;
  const status = response?.status ?? 0;
  if (!form || (status === 429 && response.headers?.get("HX-Reswap") !== "none")) return;
  const notice = document.createElement("p");
  notice.className = "notice notice-bad";
  notice.setAttribute("role", "alert");
  notice.textContent =
    status === 403 ? "You are no longer signed in. Sign in in another tab, then try again: your entries are not lost."
    : status === 413 ? "The request is too large. Shorten your entries, which are not lost, and try again."
    : status === 429 ? "Your address has sent too many forms. Your entries are not lost; try again in a minute."
    : "The server did not respond. Your entries are not lost; try again.";
  form.querySelector(":scope > .notice-bad")?.remove();
  form.prepend(notice);
});

// Folds stay open or closed when the form is drawn again.
let folds = [];
document.addEventListener("htmx:before:swap", () => {
  folds = [...document.querySelectorAll("#trial details[id]")].map(({ id, open }) => [id, open]);
});
document.addEventListener("htmx:after:swap", () => {
  for (const [id, open] of folds) {
    const details = document.getElementById(id);
    if (details) details.open = open;
  }
});
