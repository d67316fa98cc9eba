// Signing in leaves the page, so the form is submitted first, and the site restores it afterwards. Files are not sent,
// and the site leaves out secrets.

document.addEventListener("click", (event) => {
  const form = document.querySelector("form[data-unfinished]");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!form || !isPlain || !event.target.closest?.("a[data-sign-in]")) return;
  event.preventDefault();
  for (const file of form.querySelectorAll("input[type=file]")) file.disabled = true;
  const use = document.createElement("input");
  Object.assign(use, { type: "hidden", name: "use", value: "sign-in" });
  form.append(use);
  form.submit();
});

// The Back button may show this page in the state in which it was left.
addEventListener("pageshow", () => {
  const form = document.querySelector("form[data-unfinished]");
  form?.querySelector("input[type=hidden][name=use]")?.remove();
  for (const file of form?.querySelectorAll("input[type=file]") ?? []) file.disabled = false;
});
