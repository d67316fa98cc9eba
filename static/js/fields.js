// Fields made more comfortable: focus on what is wrong, files by drop, the JSON editor over a textarea.

const editorUrl = document.querySelector("script[data-json-editor]").dataset.jsonEditor;

function enhance() {
  // the summary of errors, once per summary
  const summary = document.querySelector("[data-autofocus]:not([data-focused])");
  if (summary) {
    summary.dataset.focused = "";
    summary.focus();
  }

  const textareas = document.querySelectorAll("textarea[data-json-editor]:not(.has-editor)");
  if (textareas.length > 0) {
    import(editorUrl).then(({ upgrade }) => {
      for (const textarea of textareas) if (textarea.isConnected) upgrade(textarea);
    });
  }
}

function showFiles(zone) {
  const line = zone.querySelector("[data-dropzone-files]") ?? document.querySelector("[data-dropzone-files]");
  if (!line) return;
  const { files } = zone.querySelector('input[type="file"]');
  const names = [...files].slice(0, 5).map((file) => file.name).join(", ");
  line.textContent = files.length === 0 ? "" : `${files.length === 1 ? "1 file" : `${files.length} files`}: ${names}${files.length > 5 ? ", …" : ""}`;
}

const zoneOf = (event) => event.target.closest?.("[data-dropzone]");

document.addEventListener("dragover", (event) => {
  const zone = zoneOf(event);
  if (!zone) return;
  event.preventDefault();
  zone.classList.add("is-over");
});
document.addEventListener("dragleave", (event) => {
  const zone = zoneOf(event);
  if (zone && !zone.contains(event.relatedTarget)) zone.classList.remove("is-over");
});
document.addEventListener("drop", (event) => {
  const zone = zoneOf(event);
  if (!zone) return;
  event.preventDefault();
  zone.classList.remove("is-over");
  const input = zone.querySelector('input[type="file"]');
  input.files = event.dataTransfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});
document.addEventListener("change", (event) => {
  const zone = zoneOf(event);
  if (zone) showFiles(zone);
});

enhance();
document.addEventListener("htmx:after:swap", enhance);
