// Beside each operation of the API's documentation: a form that sends it. The OpenAPI document is loaded when the first
// form is opened. The curl command follows what is filled in; a token that is pasted stays in this page.

const SHOWN_HEADERS = ["content-type", "location", "etag", "deprecation", "retry-after", "ratelimit", "x-request-id"];
const MAX_SHOWN = 200_000; // characters of a response
const ASKS_FOR = new Set(["publish", "admin"]); // scopes of operations that change what others see
let loading = null;
let token = "";

function load() {
  loading ??= fetch("/api/v1/openapi.json")
    .then((response) => response.json())
    .then((document_) => {
      const operations = new Map();
      for (const [path, methods] of Object.entries(document_.paths)) {
        for (const [method, operation] of Object.entries(methods)) {
          operations.set(operation.operationId, { ...operation, path, method: method.toUpperCase() });
        }
      }
      return { operations, schemas: document_.components.schemas };
    });
  loading.catch(() => {
    loading = null; // the next form tries again
  });
  return loading;
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function exampleOf(content, schemas) {
  if ("example" in content) return content.example;
  const named = Object.values(content.examples ?? {})[0];
  if (named) return named.value;
  const schema = content.schema?.$ref ? schemas[content.schema.$ref.split("/").pop()] : content.schema;
  return schema?.example ?? schema?.examples?.[0];
}

const typesOf = (schema = {}) => schema.anyOf?.flatMap(typesOf) ?? [schema.type];

function controlOf(parameter) {
  const { schema = {} } = parameter;
  const choices = schema.enum ?? (typesOf(schema).includes("boolean") ? ["true", "false"] : null);
  if (choices) {
    const empty = parameter.required ? [] : [element("option", { value: "", textContent: "Not sent" })];
    const options = choices.map((choice) => element("option", { value: choice, textContent: choice }));
    return element("select", { className: "input input-small" }, ...empty, ...options);
  }
  if (typesOf(schema).includes("array")) {
    return element("textarea", { className: "input input-small", rows: 2, placeholder: "One per line" });
  }
  return element("input", {
    className: "input input-small",
    autocomplete: "off",
    placeholder: schema.default === undefined || schema.default === null ? "" : String(schema.default),
  });
}

function field(id, name, hint, control, isRequired) {
  Object.assign(control, { id, name, required: isRequired });
  const label = element("label", { className: "field-label", htmlFor: id }, name);
  label.append(element("span", { className: "field-flag", textContent: hint }));
  return element("div", { className: "field" }, label, control);
}

function formOf(operation, schemas) {
  const form = element("form", { className: "api-try-form stack" });
  const parameters = operation.parameters ?? [];
  for (const [index, parameter] of parameters.entries()) {
    const hint = ` ${parameter.in}${parameter.required ? ", required" : ""}`;
    const id = `try-${operation.operationId}-${index}`;
    form.append(field(id, parameter.name, hint, controlOf(parameter), Boolean(parameter.required)));
  }
  const content = operation.requestBody?.content ?? {};
  const id = `try-${operation.operationId}-body`;
  if ("multipart/form-data" in content) {
    form.append(field(id, "files", " body", element("input", { type: "file", multiple: true, className: "input" }), true));
  } else if ("application/json" in content) {
    const example = exampleOf(content["application/json"], schemas);
    const text = typeof example === "string" ? example : JSON.stringify(example ?? {}, null, 2);
    const rows = Math.min(16, text.split("\n").length + 1);
    const control = element("textarea", { className: "input input-mono", rows, spellcheck: false, value: text });
    form.append(field(id, "body", " JSON", control, Boolean(operation.requestBody.required)));
  }
  const secret = element("input", { type: "password", className: "input input-small", autocomplete: "off", value: token });
  const session = isSignedIn() ? " optional: your session is used without it" : " optional for reading";
  form.append(field(`try-${operation.operationId}-token`, "token", session, secret, false));
  form.append(
    element("div", { className: "button-row" }, element("button", { className: "button button-primary", textContent: "Send" })),
    element("output", { className: "api-try-answer stack" }),
  );
  return form;
}

const csrfToken = () => document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
const isSignedIn = () => csrfToken() !== "";

/** What the form says: {url, headers, body, files}; a path parameter that is empty stays as it is in the path. */
function requestOf(form, operation) {
  const query = new URLSearchParams();
  const headers = {};
  let { path } = operation;
  for (const [index, parameter] of (operation.parameters ?? []).entries()) {
    const { value } = form.elements[`try-${operation.operationId}-${index}`];
    if (value === "") continue;
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (parameter.in === "header") headers[parameter.name] = value;
    else if (typesOf(parameter.schema).includes("array")) {
      for (const each of value.split("\n").filter(Boolean)) query.append(parameter.name, each);
    } else query.append(parameter.name, value);
  }
  const control = form.elements[`try-${operation.operationId}-body`];
  const url = `${path}${query.size ? `?${query}` : ""}`;
  return { url, headers, body: control?.type === "file" ? "" : (control?.value ?? ""), files: [...(control?.files ?? [])] };
}

/** In quotes if a shell needs them: the rule of Python's shlex.quote. */
const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\"'\"'")}'`);

/** The command as playground/snippets/curl.py writes it, with what is filled in. */
function curlOf(form, operation) {
  const { url, headers, body, files } = requestOf(form, operation);
  const lines = [`curl ${quoted(location.origin + url)}`];
  if (operation.method !== (body || files.length > 0 ? "POST" : "GET")) lines.push(`-X ${operation.method}`);
  if (needsToken(operation) || form.elements.token.value) lines.push('-H "Authorization: Bearer $TOOLSHELF_TOKEN"');
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body) lines.push("-H 'Content-Type: application/json'", `--data ${quoted(body)}`);
  for (const file of files) lines.push(`-F ${quoted(`files=@${file.name}`)}`);
  return lines.join(" \\\n  ");
}

const scopesOf = (operation) => (operation.security ?? []).flatMap((each) => each.Token ?? []);
const needsToken = (operation) => scopesOf(operation).length > 0;

async function send(form, operation) {
  const { url, headers, body, files } = requestOf(form, operation);
  token = form.elements.token.value;
  const asks = operation.method === "DELETE" || (operation.method !== "GET" && scopesOf(operation).some((each) => ASKS_FOR.has(each)));
  if (asks && !confirm(`${operation.method} ${url} makes a change on this site. Send it?`)) return;
  const options = { method: operation.method, headers, credentials: token ? "omit" : "same-origin" };
  if (token) headers.Authorization = `Bearer ${token}`;
  else if (operation.method !== "GET") headers["X-CSRFToken"] = csrfToken();
  if (files.length > 0) {
    options.body = new FormData();
    for (const file of files) options.body.append("files", file);
  } else if (body) {
    headers["Content-Type"] = "application/json";
    options.body = body;
  }
  const answer = form.querySelector("output");
  const button = form.querySelector("button");
  button.disabled = true;
  const started = performance.now();
  try {
    const response = await fetch(url, options);
    const content = await response.blob();
    answer.replaceChildren(...(await shown(response, content, performance.now() - started)));
  } catch {
    answer.replaceChildren(element("p", { className: "field-error", textContent: "The site did not answer. Try again." }));
  } finally {
    button.disabled = false;
    button.focus({ preventScroll: true });
  }
}

async function shown(response, content, ms) {
  const isGood = response.ok || response.status === 304;
  const status = `${response.status} ${response.statusText}`.trim();
  const line = element("p", { className: "api-try-status" });
  line.append(element("b", { className: isGood ? "is-good" : "is-bad", textContent: status }), ` · ${Math.round(ms)} ms · ${content.size} bytes`);
  const names = SHOWN_HEADERS.filter((name) => response.headers.has(name));
  const headers = names.map((name) => `${name}: ${response.headers.get(name)}`).join("\n");
  const parts = [line, element("pre", { className: "code-text", tabIndex: 0, textContent: headers })];
  const type = response.headers.get("content-type") ?? "";
  if (content.size > 0 && !/json|text|yaml/.test(type)) {
    const download = element("a", { className: "button button-small", download: "", textContent: "Download the response" });
    download.href = URL.createObjectURL(content);
    parts.push(element("p", {}, download));
  } else if (content.size > 0) {
    const text = await content.text();
    const body = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : /json(;|$)/.test(type) ? indented(text) : text;
    parts.push(element("pre", { className: "code-text", tabIndex: 0, textContent: body }));
  }
  return parts;
}

/** JSON text, indented. It is not parsed: numbers stay as they are written. */
function indented(text) {
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  return tokens
    .map((each) => {
      if (each === "{" || each === "[") {
        depth += 1;
        return each + line();
      }
      if (each === "}" || each === "]") {
        depth -= 1;
        return line() + each;
      }
      return each === "," ? each + line() : each === ":" ? ": " : each;
    })
    .join("");
}

async function open(details) {
  if (details.dataset.isFilled) return;
  details.dataset.isFilled = "yes";
  const body = details.querySelector(".fold-body");
  try {
    const { operations, schemas } = await load();
    const operation = operations.get(details.dataset.operation);
    const form = formOf(operation, schemas);
    const curl = document.querySelector(`#curl-${CSS.escape(operation.operationId)} code`);
    form.addEventListener("input", () => {
      curl.textContent = curlOf(form, operation);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form, operation);
    });
    body.replaceChildren(form);
    form.querySelector("input, select, textarea").focus();
  } catch {
    delete details.dataset.isFilled;
    body.textContent = "The OpenAPI document was not loaded. Close and open this to try again.";
  }
}

/** Add "Try it" to the operation of an open fold. */
function offerToTry(fold) {
  const operation = fold.querySelector(".operation");
  if (operation.querySelector(".api-try")) return;
  const summary = element("summary", { className: "button button-primary button-small", textContent: "Try it" });
  const form = element("details", { className: "api-try" }, summary, element("div", { className: "fold-body" }));
  form.dataset.operation = operation.id;
  operation.querySelector(".operation-code > .code").after(form);
}

// `toggle` does not bubble, but is captured.
document.addEventListener(
  "toggle",
  ({ target: details }) => {
    if (!details.open) return;
    if (details.matches(".api-try")) open(details);
    if (details.matches(".operation-fold")) offerToTry(details);
  },
  true,
);

// A link to an operation opens its fold, which may happen before this script is loaded.
for (const fold of document.querySelectorAll(".operation-fold[open]")) offerToTry(fold);
