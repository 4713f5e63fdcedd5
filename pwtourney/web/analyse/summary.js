/* How well both players of an evaluated game did: a row for each, whose counts lead to the first such
   ply, and whose plies "next mistake" stops at. */
import { MARKS } from "../game/curve.js";
import { listGraded } from "../game/judged.js";
import { $, addSpoken, make, makeButton, queryAll } from "../shared/dom.js";
import { count } from "../shared/sentences.js";

/** @import { AskedBot, Evaluated, Grade, PlayerSummary, Seat } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

/** The grades with a column each, the worst first, and the key of their count.
    @type {[grade: Grade, key: "blunders" | "mistakes" | "inaccuracies"][]} */
const COLUMNS = [
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
 * Return the next ply after a number that is a mistake or a blunder of one of some seats, or the first
 * one; undefined for none.
 * @param {AskedBot | undefined} bot
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
  const boxes = queryAll($("players-judged"), "input");
  return boxes.flatMap((box, seat) =>
    box instanceof HTMLInputElement && box.checked ? [seat] : [],
  );
}

/**
 * Draw the number of plies of a seat with a grade: a button that leads to the first one.
 * @param {AskedBot} bot
 * @param {PlayerSummary} player
 * @param {[Grade, "blunders" | "mistakes" | "inaccuracies"]} column
 * @param {string} name of the player
 * @param {(ply: number) => void} go
 */
function drawCount(bot, player, [grade, key], name, go) {
  const cell = make("td", { "data-count": key });
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
 * Draw the row of a player.
 * @param {AskedBot} bot
 * @param {PlayerSummary} player
 * @param {{ names: string[], boards: Boards, go: (ply: number) => void, isOn: boolean }} drawing
 */
function drawPlayer(bot, player, { names, boards, go, isOn }) {
  const name = names[player.seat];
  const heading = make("th", { scope: "row" });
  const title = `“next mistake” stops at those of ${name}`;
  const label = make("label", { class: "check", title });
  const box = make("input", { type: "checkbox" });
  box.checked = isOn;
  label.append(box, boards.icons.token(player.seat), make("span", { class: "who" }, name));
  heading.append(label);
  const row = make("tr");
  row.append(
    heading,
    ...describeSkill(player).map((value) => make("td", {}, value)),
    ...COLUMNS.map((column) => drawCount(bot, player, column, name, go)),
  );
  return row;
}

/** Draw the headings of the counts, as marks. */
function drawHeadings() {
  return COLUMNS.map(([grade, key]) => {
    const heading = make("th", { scope: "col", title: key });
    heading.append(make("span", { class: `grade ${grade}`, "aria-hidden": "true" }, MARKS[grade]));
    addSpoken(heading, key);
    return heading;
  });
}

/**
 * Draw how well both players did, as a bot evaluates it.
 * @param {AskedBot} bot
 * @param {{ names: string[], boards: Boards, go: (ply: number) => void }} drawing `go` shows a ply
 */
export function drawSummary(bot, { names, boards, go }) {
  const rows = $("players-judged");
  const chosen = rows.children.length ? readSeats() : [0, 1];
  const head = $("grade-headings");
  if (head.children.length < 4) head.append(...drawHeadings());
  rows.replaceChildren(
    ...(bot.players ?? []).map((player) =>
      drawPlayer(bot, player, { names, boards, go, isOn: chosen.includes(player.seat) }),
    ),
  );
}
