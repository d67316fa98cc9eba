// Copy buttons: `data-copy="#id"` copies the text of that element; the button confirms it.

const DONE_MS = 1600;

// The JSON of a line, without the marks at its end; the notes of a block are not in its lines.
function lineText(line) {
  const nodes = [...line.childNodes].filter((node) => !node.classList?.contains("value-change"));
  return nodes.map((node) => node.textContent).join("").trimEnd();
}

function textOf(element) {
  if ("value" in element) return element.value;
  const lines = element.querySelectorAll(".json-line");
  if (lines.length > 0) return [...lines].map(lineText).join("\n");
  return element.textContent.replace(/\n$/, "");
}

const hasKeyboard = matchMedia("(pointer: fine)");

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // over plain HTTP, only a page on localhost may use the clipboard
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.querySelector(button.dataset.copy);
  if (!source) return;
  const done = await write(textOf(source));
  const words = button.querySelector("[data-copy-words]");
  const usual = (button.dataset.words ??= words.textContent);
  words.textContent = done ? "Copied" : hasKeyboard.matches ? "Press Ctrl+C" : "Copy the selection";
  button.classList.toggle("is-done", done);
  if (!done && source.select) source.select();
  else if (!done) getSelection().selectAllChildren(source);
  setTimeout(() => {
    words.textContent = usual;
    button.classList.remove("is-done");
  }, DONE_MS);
});

// `data-copy-now="#id"` in what a press has brought: the text is copied at once.
document.addEventListener("htmx:after:swap", () => {
  const brought = document.querySelector("[data-copy-now]");
  if (!brought) return;
  const button = document.querySelector(`[data-copy="${brought.dataset.copyNow}"]`);
  delete brought.dataset.copyNow;
  button.focus();
  button.click();
});
