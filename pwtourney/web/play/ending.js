/* The end of a game at a table: who won, what the points consist of, and the way on. */
import { ask } from "../shared/asking.js";
import { $, make, messageOf, onClick } from "../shared/dom.js";
import { formatPoints, formatScore, signNumbers } from "../shared/gauges.js";

/** @import { Edition, Points, TableState } from "../types.d.ts" */

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
 * @param {Edition} edition
 * @param {string[]} names
 * @param {NonNullable<TableState["over"]>} over
 */
function drawPoints(edition, names, over) {
  const table = make("table");
  const head = make("tr");
  head.append(make("td"), ...names.map((name) => make("th", { scope: "col" }, name)));
  const rows = listPoints(edition, over.points, over.scores).map(([heading, ...cells]) => {
    const row = make("tr", { class: heading === "total" ? "total" : "" });
    const values = cells.map((cell) => make("td", {}, cell));
    row.append(make("th", { scope: "row" }, heading), ...values);
    return row;
  });
  table.append(head, ...rows);
  return table;
}

/**
 * Show the end of the game in place of the choices, if it is over.
 * @param {Edition} edition
 * @param {string[]} names
 * @param {TableState["over"]} over
 */
export function showEnd(edition, names, over) {
  $("end").hidden = !over;
  $("table").classList.toggle("over", Boolean(over)); // its place stays as large as the choices
  if (!over) return;
  $("headline").textContent = over.headline;
  $("result").textContent = signNumbers(over.text);
  // the table has the scores, which say it all unless a fault or a tie decided
  $("result").hidden = over.verdict === "finished" && over.scores[0] !== over.scores[1];
  $("points").replaceChildren(drawPoints(edition, names, over));
}

/**
 * Let the button begin a new game of the same players, who swap their seats.
 * @param {string} id of the table
 * @param {(text: string) => void} complain
 */
export function offerRematch(id, complain) {
  onClick("rematch", async () => {
    const button = $("rematch", HTMLButtonElement);
    button.disabled = true;
    try {
      location.href = `/play/${(await ask(`/play/${id}/rematch`)).id}`;
    } catch (error) {
      complain(messageOf(error));
      button.disabled = false;
    }
  });
}
