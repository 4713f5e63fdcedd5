/* The moves that were played last, as pictures, and a way to look at each of them again. */
import { drawUpright } from "../shared/band.js";
import { drawLeather, findLook } from "../shared/cloth.js";
import { $, addSpoken, draw, make } from "../shared/dom.js";

/** @import { Position, Seat, TablePly } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

/**
 * Return the places of the plies that the last seat has played in a row; at most `most`.
 * @param {TablePly[]} plies
 * @param {number} most
 */
export function listLast(plies, most) {
  const seat = plies.at(-1)?.[0];
  let first = plies.length;
  while (first > 0 && plies[first - 1][0] === seat && plies.length - first < most) first -= 1;
  return plies.slice(first).map((_, place) => first + place);
}

/**
 * Return what a move is drawn as: the patch, "leather" or null, and the words next to it.
 * @param {string} action
 * @param {Position} before
 * @param {Position} after
 * @returns {[picture: number | "leather" | null, words: string]}
 */
export function sketchMove(action, before, after) {
  const words = action.split(":");
  const seat = before.toMove;
  if (words[0] === "leather") return ["leather", words[1]];
  if (words[0] === "card") {
    const taken = words.at(-1);
    return taken === "pass" ? [null, "passes"] : [Number(taken), `card ${words[1]}`];
  }
  if (words.length === 3) return [Number(words[0]), words[2]];
  const gained = after.players[seat].buttons - before.players[seat].buttons;
  return [null, words[0] === "advance" ? `advance +${gained}` : words[0]];
}

/**
 * Return the function that draws the last moves.
 * @param {Boards} boards
 * @param {(place: number) => void} look shows the position after a ply
 */
export function makeMoves(boards, look) {
  /** @param {number | "leather" | null} picture */
  const drawPicture = (picture) => {
    if (picture === null) return make("span", { class: "no-cloth" }, "→");
    if (picture !== "leather") return drawUpright(boards, picture);
    const size = { width: "1em", height: "1em", viewBox: "-1 -1 22 22", "aria-hidden": "true" };
    const svg = draw("svg", { class: "patch-alone", ...size });
    svg.append(drawLeather(findLook()));
    return svg;
  };

  /**
   * @param {TablePly[]} plies
   * @param {Position[]} positions
   * @param {string[]} told a sentence for each ply
   * @param {number} place of the ply
   * @param {Seat[]} people
   */
  const drawMove = (plies, positions, told, place, people) => {
    const [seat, action] = plies[place];
    const [picture, words] = sketchMove(action, positions[place], positions[place + 1]);
    const kind = people.includes(seat) ? "own" : "other";
    const item = make("li", { class: `move seat-${seat} ${kind}` });
    const button = make("button", { type: "button", "data-ply": place, title: told[place] });
    button.append(drawPicture(picture), make("span", { "aria-hidden": "true" }, words));
    addSpoken(button, told[place]);
    button.addEventListener("click", () => look(place));
    item.append(button);
    return item;
  };

  /**
   * @param {TablePly[]} plies
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
