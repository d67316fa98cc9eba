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
