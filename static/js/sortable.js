// The columns of `table[data-sortable]` sort its rows: ascending, descending, then as they came.

function keyOf(row, column) {
  const cell = row.cells[column];
  const parts = [...cell.childNodes].filter((node) => !node.classList?.contains("cell-problem"));
  const text = parts.map((node) => node.textContent).join("").trim();
  const isAbsent = cell.querySelector(".cell-absent") !== null;
  return { isAbsent, text, number: cell.classList.contains("number") ? Number(text) : Number.NaN };
}

function compare(one, other) {
  if (Number.isFinite(one.number) && Number.isFinite(other.number)) return one.number - other.number;
  return one.text.localeCompare(other.text, undefined, { numeric: true });
}

function sort(table, rows, head) {
  const order = { null: "ascending", ascending: "descending" }[head.getAttribute("aria-sort")];
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  if (order) head.setAttribute("aria-sort", order);
  const keys = new Map(rows.map((row) => [row, keyOf(row, head.cellIndex)]));
  const sign = order === "descending" ? -1 : 1;
  const sorted = !order ? rows : rows.toSorted((one, other) => {
    const [a, b] = [keys.get(one), keys.get(other)];
    return a.isAbsent - b.isAbsent || sign * compare(a, b); // what is absent comes last, either way
  });
  table.tBodies[0].append(...sorted);
}

function upgrade(table) {
  if (table.querySelector(".sort")) return;
  const rows = [...table.tBodies[0].rows];
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button-link sort";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, rows, head));
    head.append(button);
  }
}

const upgradeAll = () => document.querySelectorAll("table[data-sortable]").forEach(upgrade);
upgradeAll();
document.addEventListener("htmx:after:swap", upgradeAll);
