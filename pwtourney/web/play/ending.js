/* The end of a game at a table: who won, what the points consist of, and the way on. */
import { drawPoints, listPoints } from "../game/points.js";
import { ask } from "../shared/asking.js";
import { $, make, messageOf, onClick } from "../shared/dom.js";
import { signNumbers } from "../shared/gauges.js";

/** @import { Position, TableState } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

/**
 * Draw the head of a column of the table of points.
 * @param {Boards} boards
 * @param {string} name
 * @param {number} seat
 */
function drawHead({ icons }, name, seat) {
  const head = make("th", { scope: "col" });
  head.append(icons.token(seat), make("span", { class: "who" }, name));
  return head;
}

/**
 * Show the end of the game in place of the choices, if it is over.
 * @param {Boards} boards
 * @param {string[]} names
 * @param {TableState["over"]} over
 * @param {Position} position the last one
 */
export function showEnd(boards, names, over, { points }) {
  $("end").hidden = !over;
  $("table").classList.toggle("over", Boolean(over)); // its place stays as large as the choices
  if (!over) return;
  $("headline").textContent = over.headline;
  $("result").textContent = signNumbers(over.text);
  const isTold = points && over.scores[0] !== over.scores[1]; // by the table of points
  $("result").hidden = Boolean(isTold) || over.text === `${over.headline}.`;
  $("points").hidden = !points; // null if the game was not played to its end: points decide nothing
  if (!points) return;
  const heads = names.map((name, seat) => drawHead(boards, name, seat));
  const rows = listPoints(boards.edition, points, over.scores);
  $("points").replaceChildren(drawPoints(heads, rows));
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
