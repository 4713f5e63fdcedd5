/* Tables: sort by a click on a heading; the standings have a second table with all columns. */
import { queryAll } from "../shared/dom.js";
import { compareCells } from "./order.js";

let isAll = false; // whether the table with all columns is shown

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
 * @param {boolean} isDown
 */
function sortBy(table, head, isDown) {
  queryAll(table, "th[aria-sort]").forEach((heading) => heading.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const body = table.tBodies[0];
  const column = head.cellIndex;
  const rows = [...body.rows].sort((first, second) =>
    compareCells(readCell(first, column), readCell(second, column), isDown),
  );
  body.append(...rows);
}

/** @param {HTMLTableElement} table */
function makeSortable(table) {
  queryAll(table, "thead th button").forEach((button) => {
    const head = /** @type {HTMLTableCellElement} */ (button.parentElement);
    button.addEventListener("click", () =>
      sortBy(table, head, head.getAttribute("aria-sort") !== "descending"),
    );
  });
}

/**
 * @param {ParentNode} root
 * @returns {HTMLTableElement[]}
 */
function findTables(root) {
  return /** @type {HTMLTableElement[]} */ (queryAll(root, "table.sortable"));
}

/**
 * Sort the tables of a part of the page as those of the older part that it replaces.
 * @param {ParentNode} old
 * @param {ParentNode} fresh
 */
export function sortAlike(old, fresh) {
  const tables = findTables(fresh);
  findTables(old).forEach((table, index) => {
    const head = table.querySelector("th[aria-sort]");
    const cells = tables[index]?.tHead?.rows[0].cells;
    if (!(head instanceof HTMLTableCellElement) || !cells?.[head.cellIndex]) return;
    const isDown = head.getAttribute("aria-sort") === "descending";
    sortBy(tables[index], cells[head.cellIndex], isDown);
  });
}

/** Return true if the table with all columns is shown. */
export function areAllShown() {
  return isAll;
}

/**
 * Show the table with all columns, or hide it.
 * @param {boolean} isShown
 */
export function showAllColumns(isShown) {
  isAll = isShown;
  document.getElementById("all-columns")?.classList.toggle("shown", isShown);
  document.getElementById("columns")?.setAttribute("aria-expanded", String(isShown));
}

/**
 * Set up the tables of a page, or of a part that was replaced. `changed` is called when the reader
 * shows or hides the table with all columns.
 * @param {ParentNode} section
 * @param {() => void} changed
 */
export function beginTables(section, changed) {
  findTables(section).forEach(makeSortable);
  const button = section.querySelector("#columns");
  if (!button) return;
  showAllColumns(isAll);
  button.addEventListener("click", () => {
    showAllColumns(!isAll);
    changed();
  });
}
