/* The points of a finished game: what each score consists of. */
import { make } from "../shared/dom.js";
import { formatPoints, formatScore } from "../shared/gauges.js";

/** @import { Edition, Points } from "../types.d.ts" */

/**
 * Return the rows of the table of points: a heading, and the points of both seats; "" where a seat
 * has none, as the Automa.
 * @param {Edition} edition
 * @param {(Points | null)[]} points
 * @param {number[]} totals
 * @returns {[heading: string, first: string, second: string][]}
 */
export function listPoints(edition, points, totals) {
  /** @param {(points: Points) => string} write */
  const formatAll = (write) => points.map((seatPoints) => (seatPoints ? write(seatPoints) : ""));
  /** @type {[string, ...string[]][]} */
  const rows = [[edition.currency, ...formatAll(([buttons]) => String(buttons))]];
  if (edition.tile) rows.push(["special tile", ...formatAll(([, tile]) => String(tile))]);
  const heading = `empty squares, ${formatPoints(edition.empty)} each`;
  rows.push([heading, ...formatAll(([, , empty]) => formatPoints(empty))]);
  rows.push(["total", ...totals.map(formatScore)]);
  return /** @type {[string, string, string][]} */ (rows);
}

/**
 * Draw a table of points.
 * @param {HTMLElement[]} heads the heads of the columns of both seats
 * @param {ReturnType<typeof listPoints>} rows
 */
export function drawPoints(heads, rows) {
  const table = make("table");
  const head = make("tr", { class: "heads" });
  head.append(make("td"), ...heads);
  const body = rows.map(([heading, ...cells]) => {
    const row = make("tr", { class: heading === "total" ? "total" : "" });
    const values = cells.map((cell) => make("td", {}, cell));
    row.append(make("th", { scope: "row" }, heading), ...values);
    return row;
  });
  table.append(head, ...body);
  return table;
}
