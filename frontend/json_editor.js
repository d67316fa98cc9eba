// The JSON editor: CodeMirror in the shadow root of a <json-editor>, so that its styles pass a strict
// Content-Security-Policy (they are constructed style sheets there) and a morphed page leaves it alone. The <textarea>
// inside the element stays the form's value.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import {
  HighlightStyle, bracketMatching, codeFolding, ensureSyntaxTree, foldGutter, foldKeymap, indentOnInput, indentUnit,
  syntaxHighlighting, syntaxTree,
} from "@codemirror/language";
import { lintGutter, lintKeymap, linter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
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
  "&": { backgroundColor: "var(--surface)", color: "var(--text)", fontSize: "var(--text-sm)", height: "100%", maxHeight: "var(--code-height)" },
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
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", color: "var(--text-faint)" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-tooltip.cm-completionInfo": { maxWidth: "22rem", padding: "var(--space-2)", fontFamily: "var(--font)" },
  ".cm-searchMatch": { backgroundColor: "var(--mark)", color: "var(--on-mark)" },
  // Its own markers and lines are images from data: URLs, which the policy refuses.
  ".cm-lint-marker-error": { content: "normal", backgroundColor: "var(--bad)", borderRadius: "50%", width: "0.6em", height: "0.6em", marginTop: "0.5em" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
  ".cm-lint-marker-warning": { content: "normal", backgroundColor: "var(--warn)", borderRadius: "1px", width: "0.6em", height: "0.6em", marginTop: "0.5em" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)" },
});

const hidden = new CSSStyleSheet();
hidden.replaceSync(
  ".original { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }",
);

/** The problems that the site found in the text; each one goes when its part of the text is edited. */
const STRING = /^"(?:[^"\\]|\\.)*"?/; // with its quotation marks, as far as its line has it

const setProblems = StateEffect.define();
const siteProblems = StateField.define({
  create: () => [],
  update(problems, transaction) {
    for (const effect of transaction.effects) if (effect.is(setProblems)) return effect.value;
    if (!transaction.docChanged) return problems;
    const { changes } = transaction;
    return problems.filter(({ from, to }) => !changes.touchesRange(from, to))
      .map((problem) => ({ ...problem, from: changes.mapPos(problem.from, 1), to: changes.mapPos(problem.to, -1) }));
  },
});

/** The problems in `data-problems` of the textarea, [{line, column, message}], at the first word of their values. */
function problemsOf(textarea, doc) {
  return JSON.parse(textarea.dataset.problems ?? "[]").filter(({ line }) => line <= doc.lines).map(({ line, column, message }) => {
    const text = doc.line(line);
    const before = [...text.text].slice(0, column - 1).join("").length; // columns count characters, not UTF-16 units
    const word = /^("(?:[^"\\]|\\.)*"|[\w.+-]+|.)?/.exec(text.text.slice(before))[0];
    return { from: text.from + before, to: text.from + before + word.length, message, severity: "error" };
  });
}

/** What is wrong with the text; nothing while it is empty, since an empty field means "absent". */
const problemsIn = (view) => (
  view.state.doc.toString().trim() === "" ? [] : [...jsonParseLinter()(view), ...view.state.field(siteProblems)]
);
const isToBeChecked = (update) => update.transactions.some(({ effects }) => effects.some((effect) => effect.is(setProblems)));

/** A JSON string's value; the text without quotes while it is not complete. */
function unquoted(text) {
  try { return JSON.parse(text); } catch { return text.replace(/^"|"$/g, ""); }
}

const nameOf = (property, doc) => {
  const name = property.getChild("PropertyName");
  return name && unquoted(doc.sliceString(name.from, name.to));
};

/**
 * The place of a position in JSON text that is being written: {path, kind, from, to, names, followed}. `path` is written
 * like the paths of controls ("/.name", "/@0") and leads to the object whose member is named there (kind "name", with
 * the `names` of its members), or to the value (kind "value"). `from` to `to` is what a completion replaces.
 */
function placeOf(state, pos) {
  const { doc } = state;
  const inner = (ensureSyntaxTree(state, doc.length, 500) ?? syntaxTree(state)).resolveInner(pos, -1);
  const word = ["PropertyName", "String", "Number", "True", "False", "Null"].includes(inner.name) && inner.from < pos ? inner : null;
  let from = word ? word.from : pos;
  if (!word) from -= /[\w"]*$/.exec(doc.sliceString(Math.max(0, pos - 100), pos))[0].length;
  const to = word ? Math.max(pos, word.to) : pos;
  const path = [];
  let kind = null;
  let holder = null;
  for (let node = word ? word.parent : inner, child = word; node; child = node, node = node.parent) {
    if (node.name === "Property") {
      const name = node.getChild("PropertyName");
      const isName = name && from <= name.from;
      if (kind === null && isName) { kind = "name"; continue; }
      kind ??= "value";
      path.unshift(`/.${encodeURIComponent(nameOf(node, doc) ?? "")}`);
    } else if (node.name === "Object") {
      if (kind === null) {
        const colon = /:\s*$/.test(doc.sliceString(node.from, from)); // a value that is not there yet
        const before = colon ? node.getChildren("Property").filter((property) => property.from < from).at(-1) : null;
        kind = before ? "value" : "name";
        if (before) path.unshift(`/.${encodeURIComponent(nameOf(before, doc) ?? "")}`);
      }
      if (kind === "name") holder ??= node;
    } else if (node.name === "Array") {
      kind ??= "value";
      let index = 0;
      for (let item = node.firstChild; item; item = item.nextSibling) if (item.name === "," || item.type.isError) continue; else if (item.to <= from && !"[]".includes(item.name)) index += 1;
      path.unshift(`/@${index}`);
    }
  }
  const names = holder ? holder.getChildren("Property").filter(({ from: start }) => start !== from).map((property) => nameOf(property, doc)) : [];
  const followed = /^\s*:/.test(doc.sliceString(to, to + 20));
  return { path: path.join(""), kind: kind ?? "value", from, to, names, followed };
}

/** Completions from `ask(path)`, which answers {members, values}, each [{text, detail, description, is_required}]. */
function completing(ask) {
  return async (context) => {
    const place = placeOf(context.state, context.pos);
    const typed = context.state.sliceDoc(place.from, context.pos);
    if (!context.explicit && !typed) return null;
    const found = await ask(place.path);
    if (!found || context.aborted) return null;
    const options = place.kind === "name"
      ? found.members.filter(({ text }) => !place.names.includes(text)).map((one, index) => ({
        label: JSON.stringify(one.text), apply: JSON.stringify(one.text) + (place.followed ? "" : ": "), type: "property",
        detail: [one.detail, one.is_required && "required"].filter(Boolean).join(", "), info: one.description || undefined, boost: -index / 10,
      }))
      : found.values.map((one, index) => ({ label: one.text, type: "enum", info: one.description || undefined, boost: -index / 10 }));
    // Names and strings match with and without their first quotation mark.
    return options.length ? { from: place.from, to: place.to, options, filter: true } : null;
  };
}

/** What the textarea is called and said to be, for the editor: an id is not seen from inside a shadow root. */
function attributesOf(textarea) {
  const described = (textarea.getAttribute("aria-describedby") ?? "").split(/\s+/).filter(Boolean);
  const words = described.map((id) => document.getElementById(id)?.textContent.trim()).filter(Boolean).join(" ");
  return {
    "aria-label": textarea.getAttribute("aria-label") || textarea.labels?.[0]?.textContent.trim() || "JSON",
    "aria-invalid": textarea.getAttribute("aria-invalid") === "true" ? "true" : "false",
    ...(words && { "aria-description": words }),
  };
}

/**
 * Type over a selection ourselves: Chromium would keep the look of what is replaced by an inline style, which the policy
 * refuses.
 */
function typeOver(event, view) {
  const { main } = view.state.selection;
  if (event.inputType !== "insertText" || !event.data || main.empty || view.composing || view.state.readOnly) return false;
  event.preventDefault();
  const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type" });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, main.from, main.to, event.data, insert))) view.dispatch(insert());
  return true;
}

/**
 * Mount an editor in `host` over the textarea inside it; what is typed is written to the textarea at once.
 * With `data-json-lines` the text may be several JSON documents, one per line, and is not checked as one.
 *
 * @param {HTMLElement} host
 * @param {HTMLTextAreaElement} textarea
 * @param {(path: string) => Promise<{members: object[], values: object[]} | null>} [ask] what may stand at a place
 * @returns {{sync: () => void, focus: () => void, select: (at: number) => void, mark: (problems: object[]) => void}}
 *   `sync` after the page changed the textarea; `select` puts the cursor at an offset; `mark` marks problems, each
 *   {at: number, message: string, severity: "error" | "warning"}, in the text and in the gutter
 */
export function mount(host, textarea, ask) {
  const root = host.attachShadow({ mode: "open" });
  const original = document.createElement("div");
  original.className = "original";
  original.append(document.createElement("slot"));
  root.append(original);
  root.adoptedStyleSheets.push(hidden);

  const named = new Compartment();
  let following = false;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: textarea.value,
      extensions: [
        lineNumbers(), foldGutter(), codeFolding(), highlightSpecialChars(), history(), drawSelection(), indentUnit.of("  "),
        EditorState.readOnly.of(textarea.readOnly || textarea.disabled),
        indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(),
        highlightSelectionMatches(), json(), lintGutter(), siteProblems,
        textarea.hasAttribute("data-json-lines") ? [] : linter(problemsIn, { delay: 400, needsRefresh: isToBeChecked }), syntaxHighlighting(colours), look,
        ask ? autocompletion({ override: [completing(ask)], icons: false }) : [],
        EditorView.lineWrapping, named.of(EditorView.contentAttributes.of(attributesOf(textarea))),
        // Tab is not taken: it moves on to the next control, as everywhere in a form. Ctrl+Enter runs.
        keymap.of([...completionKeymap, ...closeBracketsKeymap, ...defaultKeymap.filter((binding) => binding.key !== "Mod-Enter"),
          ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || following) return;
          textarea.value = update.state.doc.toString();
          delete textarea.dataset.problems;
          textarea.dispatchEvent(new Event("input", { bubbles: true }));
        }),
        EditorView.domEventHandlers({
          beforeinput: typeOver,
          blur: () => { textarea.dispatchEvent(new Event("change", { bubbles: true })); },
        }),
      ],
    }),
  });

  function sync() {
    textarea.tabIndex = -1; // the editor is what one comes to by Tab
    textarea.setAttribute("aria-hidden", "true");
    const effects = named.reconfigure(EditorView.contentAttributes.of(attributesOf(textarea)));
    const present = view.state.doc.toString();
    following = true;
    if (present === textarea.value) view.dispatch({ effects });
    else view.dispatch({ effects, changes: { from: 0, to: present.length, insert: textarea.value } });
    following = false;
    // After an edit the attribute is gone, and the remaining problems keep their moved positions until the next answer.
    if (textarea.dataset.problems) view.dispatch({ effects: setProblems.of(problemsOf(textarea, view.state.doc)) });
    else if (textarea.getAttribute("aria-invalid") !== "true") view.dispatch({ effects: setProblems.of([]) });
  }

  sync();
  // A label or the summary of errors focuses the textarea; the editor takes the focus over.
  textarea.addEventListener("focus", () => view.focus());
  function select(at) {
    const anchor = Math.min(at, view.state.doc.length);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    view.focus();
  }
  function mark(problems) {
    const end = view.state.doc.length;
    const found = problems.filter(({ at }) => at <= end).map(({ at, message, severity }) => {
      const line = view.state.doc.lineAt(at);
      const string = STRING.exec(line.text.slice(at - line.from));
      const word = string ? { from: at, to: at + string[0].length } : view.state.wordAt(at);
      return { from: word?.from ?? at, to: word?.to ?? Math.min(at + 1, end), message, severity };
    });
    view.dispatch(setDiagnostics(view.state, found));
  }
  return { sync, focus: () => view.focus(), select, mark };
}
