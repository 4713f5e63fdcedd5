/* Sentences that describe positions and plies, for screen readers and for the page. All views use
   the same ones. */
import { findPlaced, nameColumn, nameSquare } from "./shapes.js";

/** @import { Edition, Player, Position, Quilt, Seat } from "../types.d.ts" */

export const SEATS = ["first", "second"];

/** @type {Record<string, string>} */
const SECOND_PERSON = { is: "are", has: "have" };

/**
 * Return a number with a noun, which is given in the plural.
 * @param {number} number
 * @param {string} word
 */
export function count(number, word) {
  return `${number} ${number === 1 ? word.replace(/s$/, "") : word}`;
}

/**
 * Say why a game that was not finished has no winner: it is void, or both bots failed.
 * @param {string} verdict of the first fault, unless the game is void
 * @param {boolean} isVoid
 */
export function tellNobody(verdict, isVoid) {
  return isVoid ? `Void: ${verdict}` : `Both failed; first fault: ${verdict}`;
}

/**
 * Return the name of the patch that covers a square.
 * @param {Edition} edition
 * @param {number} mark
 */
function nameMark(edition, mark) {
  if (mark < 0) return "special patch";
  if (!mark) return "empty";
  return edition.patches[mark] ? `patch ${mark}` : "covered";
}

/**
 * Return the names of squares, as a list.
 * @param {Edition} edition
 * @param {number[]} squares
 */
function nameSquares(edition, squares) {
  return squares.map((square) => nameSquare(edition, square)).join(", ");
}

/**
 * Describe a quilt board, and what was placed since `before`.
 * @param {Edition} edition
 * @param {string} name
 * @param {Quilt} quilt
 * @param {Quilt | null} before
 */
export function describeQuilt(edition, name, quilt, before) {
  const covered = quilt.filter(Boolean).length;
  const placed = findPlaced(before, quilt);
  const last = placed.length
    ? `; just placed: ${nameMark(edition, quilt[placed[0]])} on ${nameSquares(edition, placed)}`
    : "";
  return `Quilt board of ${name}: ${covered} of ${quilt.length} squares covered${last}`;
}

/**
 * Return the runs of equal marks of one row.
 * @param {number[]} marks
 */
function listRuns(marks) {
  /** @type {{ mark: number, start: number, end: number }[]} */
  const runs = [];
  marks.forEach((mark, column) => {
    const run = runs.at(-1);
    if (run?.mark === mark) run.end = column;
    else runs.push({ mark, start: column, end: column });
  });
  return runs;
}

/**
 * Describe each row, squares of one patch together: "Row 1: a to c patch 12, d to i empty".
 * @param {Edition} edition
 * @param {Quilt} quilt
 */
export function describeRows(edition, quilt) {
  const { columns, rows } = edition;
  return Array.from({ length: rows }, (_, row) => {
    const words = listRuns(quilt.slice(row * columns, (row + 1) * columns)).map(
      ({ mark, start, end }) => {
        const to = end > start ? ` to ${nameColumn(end)}` : "";
        return `${nameColumn(start)}${to} ${nameMark(edition, mark)}`;
      },
    );
    return `Row ${row + 1}: ${words.join(", ")}`;
  });
}

/**
 * Describe what a patch costs and earns.
 * @param {Edition} edition
 * @param {number} number
 */
export function describePatch(edition, number) {
  const [, cost, time, income] = edition.patches[number];
  return `patch ${number}: costs ${cost}, time ${time}, income ${income}`;
}

/**
 * Describe the spaces of the tokens and of the special patches.
 * @param {Edition} edition
 * @param {Position} position
 */
export function describeTrack(edition, { players, toMove, leathers }) {
  const [first, second] = players.map((player) => player.space);
  const tokens =
    first === second
      ? `both tokens on ${first} of ${edition.last}, that of the ${SEATS[toMove]} seat on top`
      : `first on ${first}, second on ${second} of ${edition.last}`;
  return `Time track: ${tokens}; special patches left at ${leathers.join(", ") || "no space"}`;
}

/**
 * Describe what a player has.
 * @param {Edition} edition
 * @param {Player} player
 */
export function describePurse(edition, player) {
  return `${count(player.buttons, edition.currency)}, income ${player.income}`;
}

/**
 * Return true if a player is called "you", which needs other verb forms: "you take", "you are".
 * @param {string} name
 */
function isReader(name) {
  return name.toLowerCase() === "you";
}

/**
 * Return the name of a player at the start of a sentence.
 * @param {string} name
 */
export function beginWith(name) {
  return isReader(name) ? "You" : name;
}

/**
 * Return the form of a verb for a player.
 * @param {string} name
 * @param {string} verb
 */
export function speakOf(name, verb) {
  if (!isReader(name)) return verb;
  return SECOND_PERSON[verb] ?? verb.replace(/s$/, "");
}

/**
 * Return a sentence that names the player to move.
 * @param {string} name
 */
export function tellTurn(name) {
  return `${name} ${speakOf(name, "is")} to move`;
}

/**
 * Describe what a player did, from the changes of buttons, squares and the track.
 * @param {Edition} edition
 * @param {string} name
 * @param {Position} before
 * @param {Position} after
 * @param {Seat} seat
 * @param {string} action
 * @param {boolean} isBrief whether the number of the patch and covered squares are left out
 */
function tellAction(edition, name, before, after, seat, action, isBrief) {
  const [word, ...rest] = action.split(":");
  const [from, to] = [before.players[seat], after.players[seat]];
  /** @param {string} verb */
  const say = (verb) => speakOf(name, verb);
  const spaces = count(to.space - from.space, "spaces");
  const way = isBrief ? spaces : `${spaces} to space ${to.space}`; // the track shows where
  /** @param {number} number */
  const receives = (number) =>
    number ? ` and ${say("receives")} ${count(number, edition.currency)}` : "";
  const gained = to.buttons - from.buttons;
  /** A reader who sees the patch on the board has no use for its number.
      @param {string} number */
  const naming = (number) => (isBrief ? "a patch" : `patch ${number}`);
  const squares = () => nameSquares(edition, findPlaced(from.quilt, to.quilt));
  if (word === "advance") return `${say("advances")} ${way}${receives(gained)}`;
  if (word === "decline") return `${say("declines")} a special patch`;
  if (word === "leather") return `${say("places")} a special patch on ${squares()}`;
  if (word === "card") {
    const [card, patch] = rest;
    const does = patch === "pass" ? "passes" : `takes ${naming(patch)}`;
    return `turns over card ${card}, ${does}, and moves to space ${to.space}${receives(gained)}`;
  }
  const [, cost] = edition.patches[word];
  const moves = `${say("moves")} ${way}`;
  const paid = gained + cost;
  const ends = paid ? `, ${moves}${receives(paid)}` : `${isBrief ? "" : ","} and ${moves}`;
  const purchase = `${say("takes")} ${naming(word)} for ${count(cost, edition.currency)}`;
  return `${purchase}${isBrief ? "" : `, ${say("places")} it on ${squares()}`}${ends}`;
}

/**
 * Describe what comes next.
 * @param {Position} position
 * @param {string} mover
 */
function tellNext({ pending, over }, mover) {
  if (!pending) return over ? "the game is over" : tellTurn(mover);
  const patches = pending === 1 ? "a special patch" : `${pending} special patches`;
  return `${mover} ${speakOf(mover, "has")} ${patches} to place`;
}

/**
 * Describe a ply in one sentence: the player, the action, its results, and the next player. A brief
 * sentence leaves out which patch covers which squares, which is seen on the board.
 * @param {Edition} edition
 * @param {string[]} names
 * @param {Position} before
 * @param {Position} after
 * @param {[seat: Seat, action: string, ...rest: unknown[]]} ply
 * @param {{ isBrief?: boolean }} [options]
 */
export function tellPly(edition, names, before, after, [seat, action], { isBrief = false } = {}) {
  const name = names[seat];
  const does = tellAction(edition, name, before, after, seat, action, isBrief);
  const parts = [`${name} ${does}`];
  if (after.tile !== null && after.tile !== before.tile) {
    const winner = names[after.tile];
    parts.push(`${winner} ${speakOf(winner, "takes")} the special tile`);
  }
  parts.push(tellNext(after, names[after.toMove]));
  const sentence = `${parts.join("; ")}.`;
  return isReader(name) ? `Y${sentence.slice(1)}` : sentence;
}
