/* The frame of curves of expected margins: lines at round numbers of points, and a cursor. */
import { draw } from "./dom.js";
import { formatPoints } from "./gauges.js";

/** The space around the lines: above and below there is room for words, which no curve crosses. */
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 19, 20];
const MOST = 200; // the limit of the scale; no final margin is larger, but bots may say more
const LEAST = 10;

const LINE = 14; // pixels that the number of a grid line takes
const MOST_LINES = 3; // on each side of 0, as long as there is room
const STEPS = [5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200];

/**
 * Return the distance between grid lines, and the outermost line, for some margins: the shortest scale
 * that has them all, with several lines on each side of 0 if they fit.
 * @param {number[]} margins
 * @param {number} [room] how many lines fit on each side of 0
 */
export function findScale(margins, room = MOST_LINES) {
  const needed = Math.min(MOST, Math.max(LEAST, ...margins.map(Math.abs)));
  const counts = room < 2 ? [1] : [2, 3].filter((count) => count <= Math.min(room, MOST_LINES));
  const scales = STEPS.flatMap((step) => counts.map((count) => ({ step, most: step * count })));
  const wide = scales.filter(({ most }) => most >= needed);
  return wide.reduce((best, scale) => (scale.most < best.most ? scale : best));
}

/**
 * Make an empty drawing for margins at places from `first` to `last`. Return it with the functions
 * that convert a place and a margin to coordinates, and a function that moves the cursor to a
 * number of places after the first. A click calls `go` with such a number. Words at `left`, with their
 * base at `above` or `below`, are off the lines, which are in `range`.
 * @param {{
 *   width: number,
 *   height: number,
 *   margins: number[],
 *   first: number,
 *   last: number,
 *   label: string,
 *   go: (count: number) => void,
 * }} options
 */
export function makeFrame({ width, height, margins, first, last, label, go }) {
  const down = height - TOP - BOTTOM;
  const { step, most } = findScale(margins, down / 2 / LINE);
  const across = width - LEFT - RIGHT;
  /** @param {number} ply */
  const x = (ply) => LEFT + (across * (ply - first)) / (last - first);
  /** @param {number} margin */
  const y = (margin) => {
    const shown = Math.max(-most, Math.min(most, margin));
    return TOP + (down * (1 - shown / most)) / 2;
  };
  const viewBox = `0 0 ${width} ${height}`;
  const svg = draw("svg", { role: "img", width, height, viewBox, "aria-label": label });
  const right = width - RIGHT;
  for (let margin = -most; margin <= most; margin += step) {
    const line = { class: margin ? "grid" : "zero", d: `M${LEFT} ${y(margin)}H${right}` };
    const words = { class: "soft", x: LEFT - 6, y: y(margin) + 4, "text-anchor": "end" };
    svg.append(draw("path", line), draw("text", words, formatPoints(margin)));
  }
  const cursor = draw("path", { class: "cursor" });
  const axis = { class: "soft", x: right, y: height - 6, "text-anchor": "end" };
  svg.append(draw("text", axis, "ply"), cursor);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const clicked = ((event.clientX - box.left) * width) / box.width;
    go(Math.round(((clicked - LEFT) / across) * (last - first)));
  });
  /** @param {number} count */
  const mark = (count) => {
    cursor.setAttribute("d", `M${x(first + count)} ${TOP}V${height - BOTTOM}`);
  };
  const [above, below] = [TOP - 7, height - 6]; // the bases of words above and below the lines
  /** @type {[top: number, bottom: number]} */
  const range = [TOP, height - BOTTOM];
  return { svg, x, y, mark, above, below, left: LEFT, range };
}
