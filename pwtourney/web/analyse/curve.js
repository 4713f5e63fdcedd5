/* The curve of a game: the margin that is expected before each ply, by the bots that played and by
   those that were asked. Each series has its own dashes and points, not only its colour. */

import * as Lines from "./lines.js";
import * as Dom from "../shared/dom.js";
import * as Margins from "../shared/margins.js";

const { $, make } = Dom;
const { sign } = Margins;
const HEIGHT = 190;
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "4 2", "12 5"];
const SHAPES = ["circle", "square", "triangle", "diamond"];
const COLOURS = ["c2", "c3", "c4", "c5", "c0", "c1"];

const drawPoint = (shape, x, y, size, attributes) => {
  if (shape === "circle") return make("svg:circle", { cx: x, cy: y, r: size, ...attributes });
  const path = {
    square: `M${x - size} ${y - size}h${2 * size}v${2 * size}h${-2 * size}z`,
    triangle: `M${x} ${y - size * 1.2}l${size * 1.2} ${size * 2.1}h${-size * 2.4}z`,
    diamond: `M${x} ${y - size * 1.4}l${size * 1.4} ${size * 1.4}l${-size * 1.4} ${size * 1.4}l${-size * 1.4} ${-size * 1.4}z`,
  }[shape];
  return make("svg:path", { d: path, ...attributes });
};

const describe = (series) => series.map(({ name, points }) => {
  const [first, last] = [points[0], points[points.length - 1]];
  return `${name}: ${sign(first[1])} before ply ${first[0]}, ${sign(last[1])} before ply ${last[0]}`;
}).join("; ");

const drawSeries = ({ points }, place, x, y) => {
  const own = { class: `series ${COLOURS[place % COLOURS.length]}` };
  const group = make("svg:g", own);
  group.append(make("svg:polyline", {
    points: points.map(([ply, margin]) => `${x(ply)},${y(margin)}`).join(" "), fill: "none",
    "stroke-width": 2, "stroke-dasharray": DASHES[place % DASHES.length],
  }));
  if (points.length < 80) {
    group.append(...points.map(([ply, margin]) => drawPoint(SHAPES[place % SHAPES.length], x(ply), y(margin), 2.4, {})));
  }
  return group;
};

const drawLegend = (series) => $("curve-legend").replaceChildren(...series.map(({ name }, place) => {
  const item = make("li");
  const svg = make("svg:svg", { viewBox: "0 0 30 10", class: `series ${COLOURS[place % COLOURS.length]}`, "aria-hidden": "true" });
  svg.append(make("svg:path", { d: "M0 5h30", "stroke-width": 2, "stroke-dasharray": DASHES[place % DASHES.length] }),
    drawPoint(SHAPES[place % SHAPES.length], 15, 5, 3, {}));
  item.append(svg, name);
  return item;
}));

/* Draws series `{ name, points: [[ply, margin of the first seat], …] }` over a game of so many
   plies, with plies that were graded marked on the first series that has them; `result` is the
   margin at the end or null. Returns how to mark the current ply. */
const draw = (series, plies, result, marks, go) => {
  const figure = $("curve");
  const shown = series.filter(({ points }) => points.length);
  figure.hidden = !shown.length || !plies;
  if (figure.hidden) return () => {};
  const width = Math.max(240, $("curve-drawing").clientWidth || 600);
  const end = result === null ? [] : [result];
  const { svg, x, y, mark } = Margins.frame({
    width, height: HEIGHT, first: 1, last: plies + 1, go,
    margins: [...shown.flatMap(({ points }) => points.map((point) => point[1])), ...end],
    label: `Expected margin of the first seat. ${describe(shown)}${end.length ? `; the game ended ${sign(end[0])}` : ""}`,
  });
  svg.append(...shown.map((each, place) => drawSeries(each, place, x, y)));
  end.forEach((margin) => svg.append(drawPoint("square", x(plies + 1), y(margin), 5, { class: "result" })));
  marks.forEach(({ ply, margin, grade }) => svg.append(
    make("svg:text", { class: `grade ${grade}`, x: x(ply), y: Math.max(12, y(margin) - 7), "text-anchor": "middle" }, Lines.MARKS[grade])));
  $("curve-drawing").replaceChildren(svg);
  drawLegend(shown);
  return mark;
};

export { draw };
