/* The frame of curves of expected margins: lines at round numbers of points, and a cursor. */

import * as Dom from "./dom.js";

const { make } = Dom;
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 10, 22];
const MOST = 200; // no final margin is larger; what bots say may be

const sign = (margin) => `${margin > 0 ? "+" : ""}${Number(margin.toFixed(1))}`;

const scale = (margins) => {
  const most = Math.min(MOST, Math.max(10, ...margins.map(Math.abs)));
  const step = [5, 10, 20, 25, 50, 100].find((each) => most / each <= 2.5) ?? 100;
  return { step, most: Math.ceil(most / step) * step };
};

/* Returns an empty drawing with room for margins at places from `first` to `last`, the functions
   that say where a place and a margin lie in it, and what moves the cursor to so many places
   behind the first. A click goes there. */
const frame = ({ width, height, margins, first, last, label, go }) => {
  const { step, most } = scale(margins);
  const across = width - LEFT - RIGHT;
  const x = (place) => LEFT + across * (place - first) / (last - first);
  const y = (margin) => TOP + (height - TOP - BOTTOM)
    * (1 - Math.max(-most, Math.min(most, margin)) / most) / 2;
  const svg = make("svg:svg", {
    role: "img", width, height, viewBox: `0 0 ${width} ${height}`, "aria-label": label,
  });
  for (let margin = -most; margin <= most; margin += step) {
    svg.append(
      make("svg:path", { class: margin ? "grid" : "zero", d: `M${LEFT} ${y(margin)}H${width - RIGHT}` }),
      make("svg:text", { class: "soft", x: LEFT - 6, y: y(margin) + 4, "text-anchor": "end" }, sign(margin)));
  }
  const cursor = make("svg:path", { class: "cursor" });
  svg.append(
    make("svg:text", { class: "soft", x: width - RIGHT, y: height - 6, "text-anchor": "end" }, "ply"), cursor);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const clicked = (event.clientX - box.left) * width / box.width;
    go(Math.round((clicked - LEFT) / across * (last - first)));
  });
  const mark = (count) => cursor.setAttribute("d", `M${x(first + count)} ${TOP}V${height - BOTTOM}`);
  return { svg, x, y, mark };
};

export { frame, sign };
