/* Tables: sorted by a click on a heading, and as wide as the window unless all columns are wanted. */

import * as Dom from "../shared/dom.js";

const { $ } = Dom;

/* By number where both cells hold one, else as words; empty cells last. */
const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
const compare = (one, two) => {
  const [a, b] = [parseFloat(one), parseFloat(two)];
  if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return Number.isNaN(a) ? one.localeCompare(two) : a - b;
};
const sortable = (table) => table.querySelectorAll("thead th button").forEach((button) => {
  button.addEventListener("click", () => {
    const head = button.parentElement;
    const down = head.getAttribute("aria-sort") !== "descending";
    table.querySelectorAll("th[aria-sort]").forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((one, two) => {
      const [a, b] = [value(one, head.cellIndex), value(two, head.cellIndex)];
      const empty = (text) => text === "" || text === "–";
      if (empty(a) !== empty(b)) return empty(a) ? 1 : -1;
      return down ? compare(b, a) : compare(a, b);
    });
    body.append(...rows);
  });
});

/* The steps, in their order, make a table narrower: "brief" shortens cells, "wrap" breaks names,
   and a number leaves out that column. */
let all = false;
const narrow = (table, step) => {
  if (step === "brief" || step === "wrap") table.classList.add(step);
  else [...table.rows].forEach((row) => row.cells[step].classList.add("left-out"));
};
const fit = (table) => {
  table.classList.remove("brief", "wrap");
  table.querySelectorAll(".left-out").forEach((cell) => cell.classList.remove("left-out"));
  if (all) return;
  for (const step of table.dataset.leaving.split(" ")) {
    if (table.offsetWidth <= table.parentElement.clientWidth) return;
    narrow(table, step);
  }
};
const fitAll = () => {
  const tables = [...document.querySelectorAll("table[data-leaving]")];
  if (!tables.length) return;
  tables.forEach(fit);
  const left = Math.max(0, ...tables.map((each) => each.tHead.querySelectorAll(".left-out").length));
  $("columns").hidden = !all && !left;
  $("columns").setAttribute("aria-pressed", all);
  const total = tables[0].tHead.rows[0].cells.length;
  $("shown-columns").textContent = left ? `${total - left} of ${total} columns fit.` : "";
};

const showAll = (wanted) => { all = wanted; fitAll(); };

/* Call it for the page, and again for a section that was replaced. */
const begin = (section, changed) => {
  section.querySelectorAll("table.sortable").forEach(sortable);
  const button = section.querySelector("#columns");
  if (!button) return;
  button.addEventListener("click", () => { showAll(!all); changed(); });
  fitAll();
};

addEventListener("resize", () => $("columns") && fitAll());
const isAll = () => all;

export { begin, showAll, isAll };
