// A link to a line that lies in a tab that is not open opens that tab first.

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || link.closest(".tabs-list")) return;
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const panel = target?.closest('[role="tabpanel"][hidden]');
  if (!panel) return;
  document.getElementById(panel.getAttribute("aria-labelledby"))?.click();
  requestAnimationFrame(() => target.scrollIntoView({ block: "center" }));
});

// On a narrow page the result stands below the form: lead there when it has come.
document.addEventListener("htmx:after:swap", (event) => {
  const source = event.target;
  const result = document.getElementById("run");
  if (!(source instanceof HTMLFormElement) || !result?.querySelector(".result-of-run")) return;
  if (!event.detail?.ctx?.hx?.retarget) return;
  if (result.getBoundingClientRect().top > innerHeight) result.scrollIntoView({ block: "start" });
});

// A press that was not answered loses nothing: say so above the form, which stays as it is.
document.addEventListener("htmx:response:error", (event) => {
  const form = document.getElementById("trial");
  const status = event.detail?.ctx?.response?.status ?? 0;
  if (!form || status === 422 || status === 429) return;
  const notice = document.createElement("p");
  notice.className = "notice notice-bad";
  notice.setAttribute("role", "alert");
  notice.textContent =
    status === 403 ? "You are no longer signed in. Sign in on another page, then press again: nothing you typed is lost."
    : status === 413 ? "That is more than can be sent at once. Nothing you typed is lost."
    : "The site could not answer just now. Nothing you typed is lost; press again.";
  form.querySelector(":scope > .notice-bad")?.remove();
  form.prepend(notice);
});

// What is unfolded or folded stays so when the form is drawn again.
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
