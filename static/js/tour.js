// The first steps on the first page: once dismissed, they stay away in this browser (theme.js hides them early).

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-tour-dismiss]")) return;
  document.documentElement.dataset.tour = "done";
  document.getElementById("main").focus(); // the button that had the focus is hidden
  try {
    localStorage.setItem("toolshelf-tour", "done");
  } catch {
    // storage is not available: they are back on the next visit
  }
});
