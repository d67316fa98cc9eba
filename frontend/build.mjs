// Writes static/vendor/ and tests/browser/vendor/ from the packages that package-lock.json pins, with their records.
// Run by `make vendor`. The same lock gives the same bytes.

import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "node_modules");
const site = join(here, "..", "static", "vendor");
const tests = join(here, "..", "tests", "browser", "vendor");

const ICONS = [
  "archive", "arrow-down", "arrow-right", "arrow-up", "book-open", "braces", "check", "chevron-down", "chevron-left",
  "chevron-right", "circle-check", "circle-dashed", "circle-question-mark", "circle-slash", "circle-x", "clock", "copy",
  "download", "ellipsis", "external-link", "eye", "file", "file-json", "flask-conical", "git-compare", "hash",
  "history", "hourglass", "house", "info", "key", "keyboard", "layers", "link", "list", "list-filter", "list-tree",
  "log-in", "log-out", "menu", "minus", "monitor", "moon", "package", "pencil", "play", "plug", "plus", "rotate-ccw",
  "search", "settings-2", "shield-alert", "square", "sun", "table", "terminal", "trash", "triangle-alert", "upload",
  "user", "x", "zap",
];

const CODEMIRROR = [
  "@codemirror/autocomplete", "@codemirror/commands", "@codemirror/lang-json", "@codemirror/language", "@codemirror/lint",
  "@codemirror/search", "@codemirror/state", "@codemirror/view", "@lezer/common", "@lezer/highlight", "@lezer/json",
  "@lezer/lr", "@marijn/find-cluster-break", "crelt", "style-mod", "w3c-keyname",
];

const manifest = async (name) => JSON.parse(await readFile(join(modules, name, "package.json"), "utf8"));
const sha256 = async (path) => createHash("sha256").update(await readFile(path)).digest("hex");

/** VENDOR.md says what each file is and where it comes from; LICENSES.txt holds their licences' texts. */
async function record(folder, lines) {
  const rows = [];
  const packages = [...new Set(lines.flatMap(([, names]) => names))].sort();
  const licences = await Promise.all(packages.map(async (name) => {
    const text = await readFile(join(modules, name, "LICENSE"), "utf8");
    return `${name} ${(await manifest(name)).version}\n\n${text.trim()}\n`;
  }));
  await writeFile(join(folder, "LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
  for (const [file, names, licence] of lines) {
    const versions = await Promise.all(names.map(async (name) => `${name} ${(await manifest(name)).version}`));
    rows.push(`| \`${file}\` | ${versions.join(", ")} | ${licence} | \`${await sha256(join(folder, file))}\` |`);
  }
  const text = [
    "# Vendored files", "", "Other people's files, unchanged or bundled, so that nothing comes from a third party while the site runs.",
    "`make vendor` rebuilds every one from `frontend/package-lock.json`; do not edit them by hand.", "",
    "| file | made from | licence | SHA-256 |", "| --- | --- | --- | --- |", ...rows, "",
  ].join("\n");
  await writeFile(join(folder, "VENDOR.md"), text);
}

for (const folder of [site, tests]) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}

// htmx says "sourceMappingURL" at its end, which the hashed static files would look for in vain.
const htmx = await readFile(join(modules, "htmx.org/dist/htmx.min.js"), "utf8");
await writeFile(join(site, "htmx.min.js"), htmx.replace(/\n?\/\/# sourceMappingURL=.*\n?$/, "\n"));

await build({
  entryPoints: [join(here, "json_editor.js")], outfile: join(site, "json_editor.min.js"),
  bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "none", charset: "utf8",
});

const symbols = await Promise.all(ICONS.map(async (name) => {
  const svg = await readFile(join(modules, "lucide-static/icons", `${name}.svg`), "utf8");
  const shapes = svg.slice(svg.indexOf(">", svg.indexOf("<svg")) + 1, svg.lastIndexOf("</svg>"));
  return `<symbol id="${name}" viewBox="0 0 24 24">${shapes.replace(/\s+/g, " ").trim()}</symbol>`;
}));
await writeFile(join(site, "icons.svg"), `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join("\n")}\n</svg>\n`);

await copyFile(join(modules, "axe-core/axe.min.js"), join(tests, "axe.min.js"));

await record(site, [
  ["htmx.min.js", ["htmx.org"], "0BSD"],
  ["json_editor.min.js", CODEMIRROR, "MIT"],
  ["icons.svg", ["lucide-static"], "ISC, and MIT for those from Feather"],
]);
await record(tests, [["axe.min.js", ["axe-core"], "MPL-2.0"]]);
