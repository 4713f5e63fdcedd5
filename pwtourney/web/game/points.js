/* The points of a finished game: what each score consists of. */
import { make } from "../shared/dom.js";
import { formatPoints, formatScore } from "../shared/gauges.js";
import { countEmpty } from "./players.js";

/** @import { Edition, Points, Position, Seat } from "../types.d.ts" */

/**
 * Return the points that the score of a seat consists of in a position.
 * @param {Edition} edition
 * @param {Position} position
 * @param {Seat} seat
 * @returns {Points}
 */
export function countPoints({ tile }, position, seat) {
  const player = position.players[seat];
  return {
    buttons: player.buttons,
    tile: tile && position.tile === seat ? tile[1] : 0,
    empty: -2 * countEmpty(player),
  };
}

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
  const each = (write) => points.map((one) => (one ? write(one) : ""));
  /** @type {[string, ...string[]][]} */
  const rows = [[edition.currency, ...each(({ buttons }) => String(buttons))]];
  if (edition.tile) rows.push(["special tile", ...each(({ tile }) => String(tile))]);
  rows.push(["empty squares, −2 each", ...each(({ empty }) => formatPoints(empty))]);
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
