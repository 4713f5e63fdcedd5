/* The circle of patches, clockwise from the neutral token at the top, with the track in it. */

import * as Cloth from "./cloth.js";
import { Looks } from "./looks.js";
import * as Track from "./track.js";

const { SIZE, round, draw } = Cloth;
const { side: SIDE, radius: RADIUS, depth: DEPTH, track: INNER, most: MOST } = Looks.ring;
const MIDDLE = SIDE / 2;
const LARGEST = 0.9; // of a patch on a quilt board, so that the last few do not fill the ring
const OFFERED = 1.35; // how much more of the circle a patch on offer has

const turnAt = (share) => share * 2 * Math.PI;
const place = (share, radius) => [
  round(MIDDLE + radius * Math.sin(turnAt(share))), round(MIDDLE - radius * Math.cos(turnAt(share))),
];

/* Where each patch lies, as a share of the circle, and how much of it it has. */
const divide = (count, offer) => {
  const widths = Array.from({ length: count }, (_, at) => (at < offer ? OFFERED : 1));
  const total = widths.reduce((sum, width) => sum + width, 1); // 1 is for the neutral token
  let passed = 0.5;
  return widths.map((width) => {
    passed += width;
    return { middle: (passed - width / 2) / total, width: width / total };
  });
};

/* The scale at which the widest patch has room in its part; a patch lies with its long side
   towards the middle. */
const findScale = (patches, slots) => Math.min(LARGEST, ...patches.map(([rows], at) => {
  const sides = [rows.length, rows[0].length];
  return Math.min(DEPTH / (Math.max(...sides) * SIZE),
    2 * Math.PI * RADIUS * slots[at].width * 0.8 / (Math.min(...sides) * SIZE));
}));

/* The part of the ring in which the patches on offer lie. */
const traceOffer = (slots) => {
  const [first, last] = [slots[0], slots[slots.length - 1]];
  const [from, to] = [first.middle - first.width / 2, last.middle + last.width / 2];
  const [near, far] = [RADIUS - DEPTH / 2, SIDE / 2 - 2];
  const large = to - from > 0.5 ? 1 : 0;
  return `M${place(from, far).join(" ")}A${far} ${far} 0 ${large} 1 ${place(to, far).join(" ")}`
    + `L${place(to, near).join(" ")}A${near} ${near} 0 ${large} 0 ${place(from, near).join(" ")}z`;
};

const drawPlace = (number, patch, slot, scale, look) => {
  const [rows, cost, time] = patch;
  const [height, width] = [rows.length * SIZE, rows[0].length * SIZE];
  const [x, y] = place(slot.middle, RADIUS);
  const turn = round(slot.middle * 360) + (width > height ? 90 : 0);
  const shape = draw("g", {
    transform: `translate(${x} ${y}) rotate(${round(turn)}) scale(${scale}) translate(${-width / 2} ${-height / 2})`,
  });
  shape.append(Cloth.drawPatch(number, patch, "r0", look));
  const [left, top] = place(slot.middle, RADIUS + DEPTH / 2 + 12);
  const price = draw("text", {
    class: "price", x: left, y: round(top + 3.5), "text-anchor": "middle", "font-size": 10.5, fill: look.ink,
  }, `${cost}/${time}`);
  return [shape, price];
};

/* All of the circle, as the children of a drawing `Looks.ring.side` wide and high. */
const drawRing = (edition, state, before, look) => {
  const shown = state.circle.slice(0, MOST);
  const patches = shown.map((number) => edition.patches[number]);
  const slots = divide(shown.length, edition.offer);
  const parts = [draw("circle", { cx: MIDDLE, cy: MIDDLE, r: MIDDLE - 2, fill: look.table })];
  if (shown.length) {
    parts.push(draw("path", {
      class: "offered", d: traceOffer(slots.slice(0, edition.offer)), fill: look.offer, stroke: look.accent,
    }));
  }
  const pawn = Cloth.drawPawn(look);
  pawn.setAttribute("transform", `translate(${MIDDLE} ${MIDDLE - RADIUS}) scale(1.3)`);
  parts.push(pawn);
  const scale = round(findScale(patches, slots));
  shown.forEach((number, at) => parts.push(...drawPlace(number, patches[at], slots[at], scale, look)));
  if (state.circle.length > MOST) {
    parts.push(draw("text", {
      x: MIDDLE, y: MIDDLE - RADIUS + 30, "text-anchor": "middle", "font-size": 10.5, fill: look.ink,
    }, `+${state.circle.length - MOST}`));
  }
  const across = Track.findSide(edition.last) * Track.CELL;
  const track = draw("svg", {
    x: MIDDLE - INNER / 2, y: MIDDLE - INNER / 2, width: INNER, height: INNER,
    viewBox: `-1 -1 ${across + 2} ${across + 2}`,
  });
  track.append(...Track.drawTrack(edition, state, before, look));
  parts.push(track);
  return parts;
};

export { SIDE, drawRing };
