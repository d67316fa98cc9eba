// The JSON editor: CodeMirror over a <textarea>, inside a shadow root, so that its styles pass a strict
// Content-Security-Policy (they are constructed style sheets there). The textarea stays the form's value.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import {
  HighlightStyle, bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
import { linter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--json-key)" },
  { tag: tags.string, color: "var(--json-string)" },
  { tag: tags.number, color: "var(--json-number)" },
  { tag: [tags.bool, tags.null], color: "var(--json-literal)" },
  { tag: tags.punctuation, color: "var(--json-mark)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const look = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--text)", fontSize: "var(--text-sm)", maxHeight: "var(--code-height)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "var(--leading-code)" },
  ".cm-content, .cm-gutter": { minHeight: "var(--editor-height, 8rem)" },
  ".cm-content": { caretColor: "var(--text)", padding: "var(--space-2) 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--surface-sunken)", color: "var(--text-faint)", border: "0", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--surface-hover)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--mark)", color: "var(--on-mark)", outline: "none" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--surface-hover)", border: "1px solid var(--line-strong)", color: "var(--text-soft)" },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--surface-raised)", color: "var(--text)", border: "1px solid var(--line-strong)" },
  ".cm-panel input, .cm-panel button": { font: "inherit", color: "inherit", background: "var(--surface)", border: "1px solid var(--edge)", borderRadius: "var(--radius-sm)" },
  ".cm-searchMatch": { backgroundColor: "var(--mark)", color: "var(--on-mark)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
});

/** What is wrong with the text; nothing while it is empty, since an empty field means "absent". */
const parseProblems = (view) => (view.state.doc.toString().trim() === "" ? [] : jsonParseLinter()(view));

/**
 * Put an editor over `textarea`; what is typed is written to the textarea at once.
 *
 * @param {HTMLTextAreaElement} textarea
 * @returns {EditorView} the editor; the same one when the textarea has one already
 */
export function upgrade(textarea) {
  if (textarea.jsonEditor) return textarea.jsonEditor;

  const host = document.createElement("div");
  host.className = "json-editor";
  const root = host.attachShadow({ mode: "open" });
  textarea.after(host);
  textarea.classList.add("has-editor");

  let writing = false;
  const label = textarea.getAttribute("aria-label") || textarea.labels?.[0]?.textContent.trim() || "JSON";
  const attributes = { "aria-label": label };
  if (textarea.getAttribute("aria-invalid") === "true") attributes["aria-invalid"] = "true";

  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: textarea.value,
      extensions: [
        lineNumbers(), foldGutter(), codeFolding(), highlightSpecialChars(), history(), drawSelection(), indentUnit.of("  "),
        EditorState.readOnly.of(textarea.readOnly || textarea.disabled),
        indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(),
        highlightSelectionMatches(), json(), linter(parseProblems, { delay: 400 }), syntaxHighlighting(colours), look,
        EditorView.lineWrapping, EditorView.contentAttributes.of(attributes),
        // Tab is not taken: it moves on to the next control, as everywhere in a form.
        keymap.of([...closeBracketsKeymap, ...defaultKeymap.filter((binding) => binding.key !== "Mod-Enter"),
          ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || writing) return;
          textarea.value = update.state.doc.toString();
          textarea.dispatchEvent(new Event("input", { bubbles: true }));
        }),
        EditorView.domEventHandlers({
          blur: () => { textarea.dispatchEvent(new Event("change", { bubbles: true })); },
        }),
      ],
    }),
  });

  // A label or an error summary focuses the textarea; the editor takes the focus over.
  textarea.addEventListener("focus", () => view.focus());
  // Whoever sets the textarea's value says so with this event; the editor follows.
  textarea.addEventListener("json-editor:sync", () => {
    if (view.state.doc.toString() === textarea.value) return;
    writing = true;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: textarea.value } });
    writing = false;
  });
  textarea.jsonEditor = view;
  return view;
}

/** Take the editor off again; the textarea keeps what was typed. */
export function release(textarea) {
  const view = textarea.jsonEditor;
  if (!view) return;
  const host = view.dom.getRootNode().host;
  view.destroy();
  host?.remove();
  textarea.classList.remove("has-editor");
  delete textarea.jsonEditor;
}
