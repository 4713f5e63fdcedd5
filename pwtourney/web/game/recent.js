/* Moves that were played, as pictures, and a way to look at each of them again. */
import { $, addSpoken, isDark, make, queryAll } from "../shared/dom.js";
import { count } from "../shared/sentences.js";
import { countGain, drawSketch, sketchMove } from "./sketch.js";

/** @import { Position, Seat, Seated } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @typedef {[seat: Seat, action: string, ...rest: unknown[]]} Played a ply of any kind of game */

/**
 * Return the places of the plies that the last seat has played in a row.
 * @param {Played[]} plies
 */
export function listLast(plies) {
  const seat = plies.at(-1)?.[0];
  let first = plies.length;
  while (first > 0 && plies[first - 1][0] === seat) first -= 1;
  return plies.slice(first).map((_, index) => first + index);
}

/**
 * Return the places of what both seats have played last, each seat's in a row; of a long row only
 * its last plies.
 * @param {Played[]} plies
 * @param {number} most plies of a row
 */
export function listRuns(plies, most) {
  const last = listLast(plies);
  const before = listLast(plies.slice(0, plies.length - last.length));
  return [before, last].filter((run) => run.length).map((run) => run.slice(-most));
}

/**
 * Return the function that draws a move as an item of a list.
 * @param {Boards} boards
 * @param {(index: number) => void} look shows the position after a ply
 */
function makeTile(boards, look) {
  /**
   * @param {Played[]} plies
   * @param {Position[]} positions
   * @param {string[]} sentences one for each ply
   * @param {number} index of the ply
   * @param {Seat[]} people
   */
  return (plies, positions, sentences, index, people) => {
    const [seat, action] = plies[index];
    const gained = countGain(positions[index], positions[index + 1]);
    const [picture, words] = sketchMove(action, gained);
    const kind = people.includes(seat) ? "own" : "other";
    const item = make("li", { class: `move seat-${seat} ${kind}` });
    const button = make("button", { type: "button", "data-ply": index, title: sentences[index] });
    button.append(drawSketch(boards, picture), make("span", { "aria-hidden": "true" }, words));
    addSpoken(button, sentences[index]);
    button.addEventListener("click", () => look(index));
    item.append(button);
    return item;
  };
}

/**
 * Return the function that draws all moves of a game in a row. Moves that are drawn already stay, and
 * new ones follow them; those of another game, or in other colours, replace them.
 * @param {Boards} boards
 * @param {(index: number) => void} look shows the position after a ply
 */
export function makeMoves(boards, look) {
  const drawMove = makeTile(boards, look);
  /** @type {Played[]} */
  let drawn = [];
  let inDark = false;

  /**
   * @param {Played[]} plies
   * @param {Position[]} positions
   * @param {string[]} sentences one for each ply
   */
  return (plies, positions, sentences) => {
    const dark = isDark();
    const isSame = inDark === dark && drawn.every((ply, index) => ply === plies[index]);
    if (!isSame) $("moves").replaceChildren();
    const first = isSame ? drawn.length : 0;
    const fresh = plies.slice(first).map((_, index) => first + index);
    $("moves").append(...fresh.map((index) => drawMove(plies, positions, sentences, index, [])));
    [drawn, inDark] = [plies, dark];
  };
}

/**
 * Return the function that draws what each player has played last, under the player's name.
 * @param {Seated} seated
 * @param {Boards} boards
 * @param {(index: number) => void} look shows the position after a ply
 */
export function makeRuns({ names }, boards, look) {
  const drawMove = makeTile(boards, look);

  /**
   * @param {Played[]} plies
   * @param {Position[]} positions
   * @param {string[]} sentences one for each ply
   * @param {number[][]} runs places of the plies to draw, those of one seat together
   * @param {Seat[]} people
   */
  return (plies, positions, sentences, runs, people) => {
    const items = runs.map((run) => {
      const item = make("li", { class: "run" });
      const moves = make("ol");
      moves.append(...run.map((index) => drawMove(plies, positions, sentences, index, people)));
      const name = names[plies[run[0]][0]];
      item.append(make("p", {}, `${name}: ${count(run.length, "moves")}`), moves);
      return item;
    });
    $("moves").replaceChildren(...items);
  };
}

/**
 * Mark a move in a list of all moves, and scroll the list to it; to its end for the last one.
 * @param {HTMLElement} list
 * @param {number} index of the move, from 0; below 0 for none
 */
export function markMove(list, index) {
  const buttons = queryAll(list, "button");
  buttons.forEach((button, other) => {
    if (other === index) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
  const { offsetLeft = 0, offsetWidth = 0 } = buttons[index] ?? {};
  const isLast = index === buttons.length - 1;
  const middle = offsetLeft - (list.clientWidth - offsetWidth) / 2;
  list.scrollLeft = isLast ? list.scrollWidth : middle;
}
