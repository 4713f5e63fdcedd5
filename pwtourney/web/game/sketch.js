/* A move as a picture with a few words: in the list of the last moves, the list of a game, and the
   lines of bots. */
import { drawUpright } from "../shared/band.js";
import { drawLeather, findLook } from "../shared/cloth.js";
import { draw, make } from "../shared/dom.js";

/** @import { Position } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

/** What a move is drawn as: a patch, a special patch, or null for none.
    @typedef {number | "leather" | null} Picture */

/**
 * Return what a move is drawn as, and the words next to it.
 * @param {string} action
 * @param {number} [gained] the buttons that the player receives, if they are known
 * @returns {[picture: Picture, words: string]}
 */
export function sketchMove(action, gained) {
  const words = action.split(":");
  if (words[0] === "leather") return ["leather", words[1]];
  if (words[0] === "card") {
    const choice = words.at(-1);
    return choice === "pass" ? [null, "passes"] : [Number(choice), `card ${words[1]}`];
  }
  if (words.length === 3) return [Number(words[0]), words[2]];
  const isCounted = words[0] === "advance" && gained !== undefined;
  return [null, isCounted ? `advance +${gained}` : words[0]];
}

/**
 * Return the buttons that the player to move gains by a move.
 * @param {Position} before
 * @param {Position} after
 */
export function countGain(before, after) {
  const seat = before.toMove;
  return after.players[seat].buttons - before.players[seat].buttons;
}

/**
 * Draw the picture of a move, with squares as wide as the letters around it are high.
 * @param {Boards} boards
 * @param {Picture} picture
 */
export function drawSketch(boards, picture) {
  if (picture === null) return make("span", { class: "no-cloth" }, "→");
  if (picture !== "leather") return drawUpright(boards, picture);
  const size = { width: "1em", height: "1em", viewBox: "-1 -1 22 22", "aria-hidden": "true" };
  const svg = draw("svg", { class: "patch-alone", ...size });
  svg.append(drawLeather(findLook()));
  return svg;
}
