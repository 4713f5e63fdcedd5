/* The time track below the boards, as a ribbon that fits its box, with the way that a token would
   go. */
import { findLook } from "../shared/cloth.js";
import { $, setMeasures } from "../shared/dom.js";
import { describeTrack } from "../shared/sentences.js";
import { drawRibbon, fitRibbon } from "../shared/track.js";

/** @import { Edition, Pair, Position, Seat } from "../types.d.ts" */

const PHONE = 700; // pixels: a narrower ribbon has smaller cells
const LEAST_CELL = { phone: 26, desktop: 30 }; // pixels
const LEGIBLE = 12.2; // pixels: no number of the track is smaller
const LEAST_SIZE = 9; // units of the drawing: the size of a number
const UNITS = 24; // of the drawing, for each cell

/**
 * Draw the track into its box, and tell the styles of the game how high it is.
 * @param {HTMLElement} root the element of the game
 * @param {Edition} edition
 * @param {Position} position
 * @param {Position | null} before the position one ply before, or null
 * @param {[Seat, Pair] | null} reach the seat that would move, from its space to another; or null
 * @returns {number} cells in a row of the ribbon
 */
export function drawTrack(root, edition, position, before, reach) {
  const box = $("track");
  const width = box.clientWidth;
  const least = width < PHONE ? LEAST_CELL.phone : LEAST_CELL.desktop;
  const across = fitRibbon(edition.last, width, least);
  const size = Math.max(LEAST_SIZE, (LEGIBLE * UNITS * across) / Math.max(1, width));
  const ribbon = drawRibbon(edition, position, before, findLook(), { across, size, reach });
  ribbon.setAttribute("aria-label", describeTrack(edition, position));
  box.replaceChildren(ribbon);
  const rows = Math.ceil((edition.last + 1) / across);
  setMeasures(root, { track: `${Math.round((rows * width) / across)}px` });
  return across;
}
