/* Animations of a ply: the token moves along the track, and the cloth onto the quilt board. There
   are none for readers who prefer reduced motion. */
import { isStill } from "./dom.js";
import { listMiddles, windRibbon } from "./track.js";

/** @import { Edition, Pair, Position } from "../types.d.ts" */

const STEP = 70; // milliseconds for each space of the track
const LAYING = 260;

/**
 * Animate the token of each seat from its old space to its current one, space by space.
 * @param {Element} box
 * @param {Pair[]} middles of the spaces
 * @param {Position} before
 * @param {Position} after
 */
function moveTokens(box, middles, before, after) {
  after.players.forEach(({ space }, seat) => {
    const from = before.players[seat].space;
    const token = box.querySelector(`.ribbon .token[data-seat="${seat}"]`);
    if (!token || from >= space) return;
    const [x, y] = middles[space];
    const base = token.getAttribute("transform")?.match(/-?[\d.]+/g) ?? [];
    const [left, top] = base.map(Number);
    const frames = middles.slice(from, space + 1).map(([column, row]) => ({
      transform: `translate(${left + column - x}px, ${top + row - y}px)`,
    }));
    token.animate(frames, { duration: STEP * (frames.length - 1), easing: "linear" });
  });
}

/**
 * Animate the changes of one ply, in a drawing of the position after it.
 * @param {Element} box
 * @param {Edition} edition
 * @param {Position} before
 * @param {Position} after
 * @param {number} across cells in a row of the track
 */
export function showMotion(box, edition, before, after, across) {
  if (isStill()) return;
  const cells = windRibbon(across, edition.last + 1);
  moveTokens(box, listMiddles(edition, cells), before, after);
  box.querySelectorAll(".placed-square, .placed").forEach((part) => {
    part.animate([{ opacity: 0 }, { opacity: 1 }], { duration: LAYING, easing: "ease-out" });
  });
}
