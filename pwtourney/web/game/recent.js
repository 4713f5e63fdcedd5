/* Moves that were played, as pictures, and a way to look at each of them again. */
import { $, addSpoken, make } from "../shared/dom.js";
import { countGain, drawSketch, sketchMove } from "./sketch.js";

/** @import { Position, Seat } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @typedef {[seat: Seat, action: string, ...rest: unknown[]]} Played a ply of any kind of game */

/**
 * Return the places of the plies that the last seat has played in a row; at most `most`.
 * @param {Played[]} plies
 * @param {number} most
 */
export function listLast(plies, most) {
  const seat = plies.at(-1)?.[0];
  let first = plies.length;
  while (first > 0 && plies[first - 1][0] === seat && plies.length - first < most) first -= 1;
  return plies.slice(first).map((_, place) => first + place);
}

/**
 * Return the function that draws moves.
 * @param {Boards} boards
 * @param {(place: number) => void} look shows the position after a ply
 */
export function makeMoves(boards, look) {
  /**
   * @param {Played[]} plies
   * @param {Position[]} positions
   * @param {string[]} told a sentence for each ply
   * @param {number} place of the ply
   * @param {Seat[]} people
   */
  const drawMove = (plies, positions, told, place, people) => {
    const [seat, action] = plies[place];
    const gained = countGain(positions[place], positions[place + 1]);
    const [picture, words] = sketchMove(action, gained);
    const kind = people.includes(seat) ? "own" : "other";
    const item = make("li", { class: `move seat-${seat} ${kind}` });
    const button = make("button", { type: "button", "data-ply": place, title: told[place] });
    button.append(drawSketch(boards, picture), make("span", { "aria-hidden": "true" }, words));
    addSpoken(button, told[place]);
    button.addEventListener("click", () => look(place));
    item.append(button);
    return item;
  };

  /**
   * @param {Played[]} plies
   * @param {Position[]} positions
   * @param {string[]} told a sentence for each ply
   * @param {number[]} shown places of the plies to draw
   * @param {Seat[]} people
   */
  return (plies, positions, told, shown, people) => {
    const items = shown.map((place) => drawMove(plies, positions, told, place, people));
    $("moves").replaceChildren(...items);
  };
}
