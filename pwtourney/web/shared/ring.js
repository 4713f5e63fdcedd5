/* The circle of patches, clockwise from the neutral token at the top, with the track in it. */
import { SIZE, drawPatch, drawPawn, round } from "./cloth.js";
import { draw } from "./dom.js";
import { LOOKS } from "./looks.js";
import { drawTrack, findSide } from "./track.js";

/** @import { Edition, Look, Pair, Patch, Position } from "../types.d.ts" */
/** @typedef {{ middle: number, width: number }} Slot */

const { side: SIDE, radius: RADIUS, depth: DEPTH, track: INNER, most: MOST } = LOOKS.ring;
const MIDDLE = SIDE / 2;
const LARGEST = 0.9; // relative to a quilt board, so that the last few patches do not fill the ring
const OFFERED = 1.35; // the width of a patch on offer, relative to other patches

/** The width and height of the drawing of a circle. */
export const RING_SIDE = SIDE;

/**
 * Return the point at a share of the circle, clockwise from the top.
 * @param {number} share
 * @param {number} radius
 * @returns {Pair}
 */
function placeAt(share, radius) {
  const turn = share * 2 * Math.PI;
  return [round(MIDDLE + radius * Math.sin(turn)), round(MIDDLE - radius * Math.cos(turn))];
}

/**
 * Return the middle and the width of each patch, as shares of the circle.
 * @param {number} count
 * @param {number} offer
 * @returns {Slot[]}
 */
export function divide(count, offer) {
  /** @type {number[]} */
  const widths = Array.from({ length: count }, (_, index) => (index < offer ? OFFERED : 1));
  const total = widths.reduce((sum, width) => sum + width, 1); // 1 is for the neutral token
  let passed = 0.5;
  return widths.map((width) => {
    passed += width;
    return { middle: (passed - width / 2) / total, width: width / total };
  });
}

/**
 * Return the scale at which the widest patch fits its part of the ring. The long side of a patch
 * points to the middle.
 * @param {Patch[]} patches
 * @param {Slot[]} slots
 */
export function findScale(patches, slots) {
  const scales = patches.map(([rows], index) => {
    const sides = [rows.length, rows[0].length];
    const room = 2 * Math.PI * RADIUS * slots[index].width * 0.8;
    return Math.min(DEPTH / (Math.max(...sides) * SIZE), room / (Math.min(...sides) * SIZE));
  });
  return Math.min(LARGEST, ...scales);
}

/**
 * Return the path around the patches on offer.
 * @param {Slot[]} slots
 */
function traceOffer(slots) {
  const [first, last] = [slots[0], slots[slots.length - 1]];
  const [from, to] = [first.middle - first.width / 2, last.middle + last.width / 2];
  const [near, far] = [RADIUS - DEPTH / 2, SIDE / 2 - 2];
  const large = to - from > 0.5 ? 1 : 0;
  return [
    `M${placeAt(from, far).join(" ")}A${far} ${far} 0 ${large} 1 ${placeAt(to, far).join(" ")}`,
    `L${placeAt(to, near).join(" ")}A${near} ${near} 0 ${large} 0 ${placeAt(from, near).join(" ")}z`,
  ].join("");
}

/**
 * Draw a patch in its part of the ring, with its cost and time.
 * @param {number} number
 * @param {Patch} patch
 * @param {Slot} slot
 * @param {number} scale
 * @param {Look} look
 */
function drawPlace(number, patch, slot, scale, look) {
  const [rows, cost, time] = patch;
  const [height, width] = [rows.length * SIZE, rows[0].length * SIZE];
  const [x, y] = placeAt(slot.middle, RADIUS);
  const turn = round(round(slot.middle * 360) + (width > height ? 90 : 0));
  const centre = `translate(${-width / 2} ${-height / 2})`;
  const shape = draw("g", {
    transform: `translate(${x} ${y}) rotate(${turn}) scale(${scale}) ${centre}`,
  });
  shape.append(drawPatch(number, patch, "r0", look));
  const [left, top] = placeAt(slot.middle, RADIUS + DEPTH / 2 + 12);
  const words = {
    class: "price",
    x: left,
    y: round(top + 3.5),
    "text-anchor": "middle",
    "font-size": 10.5,
    fill: look.ink,
  };
  return [shape, draw("text", words, `${cost}/${time}`)];
}

/**
 * @param {Edition} edition
 * @param {Position} position
 * @param {Position | null} before
 * @param {Look} look
 */
function drawInnerTrack(edition, position, before, look) {
  const side = findSide(edition);
  const track = draw("svg", {
    x: MIDDLE - INNER / 2,
    y: MIDDLE - INNER / 2,
    width: INNER,
    height: INNER,
    viewBox: `-1 -1 ${side + 2} ${side + 2}`,
  });
  track.append(...drawTrack(edition, position, before, look));
  return track;
}

/**
 * Draw the circle, as the children of a drawing `RING_SIDE` wide and high. `before` is the position
 * one ply before, or null.
 * @param {Edition} edition
 * @param {Position} position
 * @param {Position | null} before
 * @param {Look} look
 * @returns {SVGElement[]}
 */
export function drawRing(edition, position, before, look) {
  const shown = position.circle.slice(0, MOST);
  const patches = shown.map((number) => edition.patches[number]);
  const slots = divide(shown.length, edition.offer);
  /** @type {SVGElement[]} */
  const parts = [draw("circle", { cx: MIDDLE, cy: MIDDLE, r: MIDDLE - 2, fill: look.table })];
  if (shown.length) {
    const outline = traceOffer(slots.slice(0, edition.offer));
    const painted = { fill: look.offer, stroke: look.accent };
    parts.push(draw("path", { class: "offered", d: outline, ...painted }));
  }
  const pawn = drawPawn(look);
  pawn.setAttribute("transform", `translate(${MIDDLE} ${MIDDLE - RADIUS}) scale(1.3)`);
  parts.push(pawn);
  const scale = round(findScale(patches, slots));
  shown.forEach((number, index) => {
    parts.push(...drawPlace(number, patches[index], slots[index], scale, look));
  });
  if (position.circle.length > MOST) {
    const words = { x: MIDDLE, y: MIDDLE - RADIUS + 30, "text-anchor": "middle" };
    const painted = { "font-size": 10.5, fill: look.ink };
    parts.push(draw("text", { ...words, ...painted }, `+${position.circle.length - MOST}`));
  }
  parts.push(drawInnerTrack(edition, position, before, look));
  return parts;
}
