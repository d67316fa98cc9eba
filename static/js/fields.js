// Enhanced fields: focus on errors, drag and drop of files, the JSON editor over a textarea.

const editorUrl = document.querySelector("script[data-json-editor]").dataset.jsonEditor;

/** A function that asks what may stand at a place of the textarea's value; undefined if nothing knows. */
function completionsFor(textarea) {
  const address = textarea.closest("[data-completions]")?.dataset.completions;
  if (!address || !textarea.name.includes(":")) return undefined;
  const known = new Map();
  return (path) => {
    if (!known.has(path)) {
      const query = new URLSearchParams({ control: textarea.name, path });
      known.set(path, fetch(`${address}?${query}`).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null));
    }
    return known.get(path);
  };
}

/** A textarea for JSON; once the editor is loaded, CodeMirror replaces it. Lines and columns count from 1. */
class JsonEditor extends HTMLElement {
  get textarea() {
    return this.querySelector("textarea");
  }

  async connectedCallback() {
    const { textarea } = this;
    if (!textarea) return;
    const { mount } = await import(editorUrl);
    if (!this.isConnected || this.shadowRoot) return;
    this.editor = mount(this, textarea, completionsFor(textarea));
    this.shadowRoot.querySelector(".cm-content").tabIndex = 0; // what scrolls is then known to have a focus
    if (this.problems) this.mark(this.problems);
    if (this.target) this.goTo(...this.target);
  }

  goTo(line, column) {
    if (!this.editor) this.target = [line, column]; // it is on its way
    this.select(offsetOf(this.textarea.value, line, column));
  }

  select(at) {
    const { textarea, editor } = this;
    if (editor) {
      editor.select(at);
      return;
    }
    textarea.focus();
    textarea.setSelectionRange(at, at);
  }

  /** Mark problems in the text, each {line, column, message, severity: "error" | "warning"}. */
  mark(problems) {
    this.problems = problems;
    const { value } = this.textarea;
    this.editor?.mark(problems.map((problem) => ({ ...problem, at: offsetOf(value, problem.line, problem.column) })));
  }

  write(content) {
    this.textarea.value = content;
    this.editor?.sync();
    this.textarea.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Replace a part of the text, unless it has changed since. */
  replace(line, column, old, replacement) {
    const { value } = this.textarea;
    const at = offsetOf(value, line, column);
    if (!value.startsWith(old, at)) return;
    this.write(value.slice(0, at) + replacement + value.slice(at + old.length));
    this.select(at + replacement.length);
  }
}
customElements.define("json-editor", JsonEditor);

function enhance() {
  for (const textarea of document.querySelectorAll("textarea[data-json-editor]")) {
    if (textarea.closest("json-editor")) continue;
    const host = document.createElement("json-editor");
    textarea.before(host);
    host.append(textarea);
    host.connectedCallback();
  }
  for (const host of document.querySelectorAll("json-editor")) host.editor?.sync();

  // unfold everything that contains an error
  for (const wrong of document.querySelectorAll('[aria-invalid="true"]')) unfold(wrong);

  const summary = document.querySelector("[data-autofocus]:not([data-focused])");
  if (summary) {
    summary.dataset.focused = "";
    summary.focus();
  }
}

function unfold(element) {
  const optional = element.closest(".form-member.is-unset")?.parentElement.querySelector(":scope > .form-optional");
  if (optional) optional.open = true;
  for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

// A link of the error summary focuses its field.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.(":is(.error-summary, .notice, .json-problems) a[href^='#']");
  const id = link?.hash.slice(1);
  const field = link && (document.getElementById(id) ?? document.getElementById(decodeURIComponent(id)));
  if (!field) return;
  event.preventDefault();
  unfold(field);
  field.scrollIntoView({ block: "center" });
  const editor = field.closest("json-editor")?.editor;
  if (editor && link.dataset.line) editor.select(offsetOf(field.value, Number(link.dataset.line), Number(link.dataset.column)));
  else field.focus({ preventScroll: true });
});

/** The offset of a line and column, which count from 1, columns in characters. */
function offsetOf(text, line, column) {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  return before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
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
  zone.classList.add("is-dragged-over");
});
document.addEventListener("dragleave", (event) => {
  const zone = zoneOf(event);
  if (zone && !zone.contains(event.relatedTarget)) zone.classList.remove("is-dragged-over");
});
document.addEventListener("drop", (event) => {
  const zone = zoneOf(event);
  if (!zone) return;
  event.preventDefault();
  zone.classList.remove("is-dragged-over");
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
