/* The frame of curves of expected margins: lines at round numbers of points, and a cursor. */
import { draw } from "./dom.js";
import { formatPoints } from "./gauges.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 10, 22];
const MOST = 200; // the limit of the scale; no final margin is larger, but bots may say more

const LINE = 14; // pixels that the number of a grid line takes
const MOST_LINES = 2.5; // on each side of 0, as long as there is room

/**
 * Return the distance between grid lines, and the outermost line, for some margins.
 * @param {number[]} margins
 * @param {number} [lines] that fit on each side of 0
 */
export function findScale(margins, lines = MOST_LINES) {
  const most = Math.min(MOST, Math.max(10, ...margins.map(Math.abs)));
  const step = [5, 10, 20, 25, 50, 100].find((each) => most / each <= lines) ?? 100;
  return { step, most: Math.ceil(most / step) * step };
}

/**
 * Make an empty drawing for margins at places from `first` to `last`. Return it with the functions
 * that convert a place and a margin to coordinates, and a function that moves the cursor to a
 * number of places after the first. A click calls `go` with such a number.
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
  const { step, most } = findScale(margins, Math.min(MOST_LINES, down / 2 / LINE));
  const across = width - LEFT - RIGHT;
  /** @param {number} place */
  const x = (place) => LEFT + (across * (place - first)) / (last - first);
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
  return { svg, x, y, mark };
}
