/* Tables: sort by a click on a heading, and fit the window unless all columns are shown. */
import { $, queryAll } from "../shared/dom.js";
import { compareCells } from "./order.js";

let isAll = false; // whether all columns are shown, even if they do not fit

/**
 * Return the sort key of a row.
 * @param {HTMLTableRowElement} row
 * @param {number} column
 */
function readCell(row, column) {
  const cell = row.cells[column];
  return cell.dataset.value ?? cell.textContent ?? "";
}

/**
 * @param {HTMLTableElement} table
 * @param {HTMLTableCellElement} head
 */
function sortBy(table, head) {
  const isDown = head.getAttribute("aria-sort") !== "descending";
  queryAll(table, "th[aria-sort]").forEach((each) => each.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const body = table.tBodies[0];
  const column = head.cellIndex;
  const rows = [...body.rows].sort((one, two) =>
    compareCells(readCell(one, column), readCell(two, column), isDown),
  );
  body.append(...rows);
}

/** @param {HTMLTableElement} table */
function makeSortable(table) {
  queryAll(table, "thead th button").forEach((button) => {
    const head = /** @type {HTMLTableCellElement} */ (button.parentElement);
    button.addEventListener("click", () => sortBy(table, head));
  });
}

/**
 * Make a table narrower by a step: "brief" shortens cells, "wrap" breaks names, and a number hides
 * that column.
 * @param {HTMLTableElement} table
 * @param {string} step
 */
function narrow(table, step) {
  if (step === "brief" || step === "wrap") table.classList.add(step);
  else [...table.rows].forEach((row) => row.cells[Number(step)].classList.add("left-out"));
}

/**
 * Apply the steps of a table in order until it fits its container.
 * @param {HTMLTableElement} table
 */
function fitTable(table) {
  table.classList.remove("brief", "wrap");
  queryAll(table, ".left-out").forEach((cell) => cell.classList.remove("left-out"));
  if (isAll) return;
  for (const step of (table.dataset.leaving ?? "").split(" ")) {
    if (table.offsetWidth <= (table.parentElement?.clientWidth ?? Infinity)) return;
    narrow(table, step);
  }
}

/**
 * Return the tables that match a selector.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLTableElement[]}
 */
function findTables(root, selector) {
  return /** @type {HTMLTableElement[]} */ (queryAll(root, selector));
}

function fitAll() {
  const tables = findTables(document, "table[data-leaving]");
  if (!tables.length) return;
  tables.forEach(fitTable);
  const left = Math.max(0, ...tables.map((table) => queryAll(table, "thead .left-out").length));
  $("columns").hidden = !isAll && !left;
  $("columns").setAttribute("aria-pressed", String(isAll));
  const total = tables[0].rows[0].cells.length;
  $("shown-columns").textContent = left ? `${total - left} of ${total} columns fit.` : "";
}

/** Return true if all columns are shown, even if they do not fit. */
export function areAllShown() {
  return isAll;
}

/**
 * Show all columns, or only those that fit.
 * @param {boolean} wanted
 */
export function showAllColumns(wanted) {
  isAll = wanted;
  fitAll();
}

/**
 * Set up the tables of a page, or of a section that was replaced. `changed` is called when the
 * reader shows all columns, or only those that fit.
 * @param {ParentNode} section
 * @param {() => void} changed
 */
export function beginTables(section, changed) {
  findTables(section, "table.sortable").forEach(makeSortable);
  const button = section.querySelector("#columns");
  if (!button) return;
  button.addEventListener("click", () => {
    showAllColumns(!isAll);
    changed();
  });
  fitAll();
}

/** Fit tables again after each change of the window's width. */
export function followWidth() {
  addEventListener("resize", () => {
    if (document.getElementById("columns")) fitAll();
  });
}
