// Copy buttons: `data-copy="#id"` copies the text of that element; the button says that it is done.

const DONE_MS = 1600;

function textOf(element) {
  if ("value" in element) return element.value;
  // the lines of a JSON block alone, without the notes that are pinned to them
  const lines = element.querySelectorAll(".json-line");
  if (lines.length > 0) return [...lines].map((line) => line.textContent.replace(/\n$/, "")).join("\n");
  return element.textContent.replace(/\n$/, "");
}

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // a page over plain HTTP on another machine has no clipboard
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.querySelector(button.dataset.copy);
  if (!source) return;
  const done = await write(textOf(source));
  const words = button.querySelector("[data-copy-words]");
  words.textContent = done ? "Copied" : "Press Ctrl+C";
  button.classList.toggle("is-done", done);
  if (!done) getSelection().selectAllChildren(source);
  setTimeout(() => {
    words.textContent = "Copy";
    button.classList.remove("is-done");
  }, DONE_MS);
});
