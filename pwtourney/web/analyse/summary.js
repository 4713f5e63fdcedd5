/* How well both players of an evaluated game did: a column for each, whose counts lead to the first such
   ply, and whose plies "next mistake" stops at. */
import { MARKS } from "../game/curve.js";
import { listGraded } from "../game/evaluations.js";
import { $, make, makeButton, query, queryAll } from "../shared/dom.js";
import { count } from "../shared/sentences.js";

/** @import { AskedBot, Evaluated, Grade, PlayerSummary, Seat } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

/** @typedef {"blunders" | "mistakes" | "inaccuracies"} Counted */

/** The grades with a row each, the worst first, and the key of their count.
    @type {[grade: Grade, key: Counted][]} */
const GRADES = [
  ["blunder", "blunders"],
  ["mistake", "mistakes"],
  ["inaccuracy", "inaccuracies"],
];

/**
 * Return the points that a ply of a player has lost on average, and the accuracy; "–" if no ply of
 * the player could be graded.
 * @param {PlayerSummary} player
 */
export function describeSkill({ plies, mean_loss: loss, accuracy }) {
  if (!plies) return ["–", "–"];
  return [(loss ?? 0).toFixed(1), `${Math.round(100 * (accuracy ?? 0))} %`];
}

/**
 * Say what accuracy is, and whether the evaluator is one of the players.
 * @param {string} evaluator
 * @param {string[]} names of the players
 * @param {number} least the smallest cost that has a grade
 */
export function explainAccuracy(evaluator, names, least) {
  const own = names.includes(evaluator) ? `; ${evaluator} evaluates its own moves, too` : "";
  return `Accuracy: the share of plies that cost less than ${least} points${own}.`;
}

/**
 * Return the next ply after a number that is a mistake or a blunder of one of some seats, or the first
 * one; undefined for none.
 * @param {AskedBot | null} bot
 * @param {number} after
 * @param {Seat[]} seats
 * @returns {Evaluated | undefined}
 */
export function findMistake(bot, after, seats) {
  const mistakes = listGraded(bot).filter(
    ({ grade, seat }) => grade !== "inaccuracy" && seats.includes(seat),
  );
  return mistakes.find(({ number }) => number > after) ?? mistakes[0];
}

/** Return the seats at whose mistakes the reader wants to stop. */
export function readSeats() {
  const boxes = queryAll($("players-evaluated"), "input");
  return boxes.flatMap((box, seat) =>
    box instanceof HTMLInputElement && box.checked ? [seat] : [],
  );
}

/**
 * Draw the number of plies of a seat with a grade: a button that leads to the first one.
 * @param {AskedBot} bot
 * @param {PlayerSummary} player
 * @param {[Grade, Counted]} row
 * @param {string} name of the player
 * @param {(ply: number) => void} go
 */
function drawCount(bot, player, [grade, key], name, go) {
  const cell = make("td", { "data-count": key, "data-seat": player.seat });
  const first = listGraded(bot).find((ply) => ply.seat === player.seat && ply.grade === grade);
  if (!first) {
    cell.append(player.plies ? "0" : "–");
    return cell;
  }
  const words = `${count(player[key], key)} of ${name}: go to the first`;
  const act = () => go(first.number);
  const attributes = { class: `plain grade ${grade}`, title: words, "aria-label": words };
  cell.append(makeButton(String(player[key]), act, attributes));
  return cell;
}

/**
 * Draw the heading of a player's column: whether "next mistake" stops at the player's plies.
 * @param {Seat} seat
 * @param {{ names: string[], boards: Boards, isOn: boolean }} drawing
 */
function drawPlayer(seat, { names, boards, isOn }) {
  const name = names[seat];
  const heading = make("th", { scope: "col" });
  const title = `“next mistake” stops at those of ${name}`;
  const label = make("label", { class: "check", title });
  const box = make("input", { type: "checkbox" });
  box.checked = isOn;
  label.append(box, boards.icons.token(seat), make("span", { class: "who" }, name));
  heading.append(label);
  return heading;
}

/**
 * @param {(string | Node)[]} heading
 * @param {HTMLElement[]} cells
 */
function drawRow(heading, cells) {
  const row = make("tr");
  const named = make("th", { scope: "row" });
  named.append(...heading);
  row.append(named, ...cells);
  return row;
}

/**
 * Draw how well both players did, as a bot evaluates it.
 * @param {AskedBot} bot
 * @param {{ names: string[], boards: Boards, go: (ply: number) => void, least: number }} drawing `go`
 *   shows a ply, `least` is the smallest cost that has a grade
 */
export function drawSummary(bot, { names, boards, go, least }) {
  const table = $("players-evaluated");
  const head = query(table, "thead tr");
  const chosen = head.children.length > 1 ? readSeats() : [0, 1];
  const players = bot.players ?? [];
  const headings = players.map(({ seat }) =>
    drawPlayer(seat, { names, boards, isOn: chosen.includes(seat) }),
  );
  head.replaceChildren(head.children[0], ...headings);
  const skills = players.map(describeSkill);
  const rows = ["points lost a ply", "accuracy"].map((heading, index) => {
    const cells = skills.map((skill) => make("td", {}, skill[index]));
    return drawRow([heading], cells);
  });
  const counts = GRADES.map(([grade, key]) => {
    const mark = make("span", { class: `grade ${grade}`, "aria-hidden": "true" }, MARKS[grade]);
    const cells = players.map((player) =>
      drawCount(bot, player, [grade, key], names[player.seat], go),
    );
    return drawRow([mark, key], cells);
  });
  query(table, "tbody").replaceChildren(...rows, ...counts);
  $("accuracy-note").textContent = explainAccuracy(bot.name, names, least);
}

/** Forget which players were chosen: another game was opened. */
export function clearSummary() {
  const head = query($("players-evaluated"), "thead tr");
  head.replaceChildren(head.children[0]);
}
