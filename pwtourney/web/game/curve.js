/* The curve of a game: the margin that each bot expects before each ply, for the players and the
   asked bots. Each series has its own dashes and points, not only its own colour. */
import { $, draw, make, refresh } from "../shared/dom.js";
import { formatPoints } from "../shared/gauges.js";
import { makeFrame } from "../shared/margins.js";
import { SEATS } from "../shared/sentences.js";

/** @import { Grade, Pair, Ply, Seat } from "../types.d.ts" */
/** @typedef {{ name: string, points: Pair[], seat?: Seat, isMinor?: boolean }} Series plies with
    margins of the first seat, as a bot expects them; `seat` is that of a player, whose colour the
    series has; one that is minor is drawn below the others, without points */
/** @typedef {{ ply: number, margin: number, grade: Grade }} Mark a ply that was graded */

/** The mark of each grade.
    @type {Record<Grade, string>} */
export const MARKS = { "": "", inaccuracy: "?!", mistake: "?", blunder: "??" };

const HEIGHT = 118; // pixels, unless the styles give it more or less
const LETTER = 11; // pixels of the widest letter of the words within a drawing
const AXIS = 30; // pixels that the name of the axis takes, at the right
const [WIDE, HIGH, NEAR] = [9, 12, 7]; // pixels of a letter of a mark, and its distance from its point
const MOST_POINTS = 80; // a longer series is drawn as a line without points
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "4 2", "12 5"];
const COLOURS = ["c2", "c3", "c4", "c5"]; // of bots that were asked

/** The shapes of points: each returns a path around a place, for a size.
    @type {((x: number, y: number, size: number) => string)[]} */
const SHAPES = [
  (x, y, size) =>
    `M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0z`,
  (x, y, size) => `M${x - size} ${y - size}h${2 * size}v${2 * size}h${-2 * size}z`,
  (x, y, size) => `M${x} ${y - size * 1.2}l${size * 1.2} ${size * 2.1}h${-size * 2.4}z`,
  (x, y, size) => {
    const far = size * 1.4;
    return `M${x} ${y - far}l${far} ${far}l${-far} ${far}l${-far} ${-far}z`;
  },
];
const [, SQUARE] = SHAPES;

/**
 * Return the series of both players: the margins that they expected before their plies.
 * @param {string[]} names
 * @param {{ seat: Seat, margin: number | null }[]} plies with margins of the first seat
 * @returns {Series[]}
 */
export function listOfPlayers(names, plies) {
  return names.map((name, seat) => ({
    name,
    seat,
    points: plies.flatMap((ply, index) =>
      ply.seat === seat && ply.margin !== null
        ? [/** @type {Pair} */ ([index + 1, ply.margin])]
        : [],
    ),
  }));
}

/**
 * Return the series of both bots of a stored game, in which each gives the margin from its own side,
 * or none.
 * @param {string[]} names
 * @param {Ply[]} plies
 */
export function listPlayed(names, plies) {
  const turned = plies.map(([seat, , , , margin = null]) => ({
    seat,
    margin: margin && seat ? -margin : margin,
  }));
  return listOfPlayers(names, turned);
}

/**
 * Return the item for a series by its index; items repeat if there are more series.
 * @template T
 * @param {T[]} all
 * @param {number} index
 */
function pick(all, index) {
  return all[index % all.length];
}

/**
 * Return a series as it is seen from the side of a seat.
 * @param {Series} series of margins of the first seat
 * @param {Seat} side
 * @returns {Series}
 */
function turn(series, side) {
  if (!side) return series;
  return { ...series, points: series.points.map(([ply, margin]) => [ply, -margin]) };
}

/**
 * Describe the first and the last expectation of each series in words.
 * @param {Series[]} series
 */
function describeSeries(series) {
  return series
    .map(({ name, points }) => {
      const [first, last] = [points[0], points[points.length - 1]];
      const begin = `${formatPoints(first[1])} before ply ${first[0]}`;
      return `${name}: ${begin}, ${formatPoints(last[1])} before ply ${last[0]}`;
    })
    .join("; ");
}

/**
 * @param {Series} series
 * @param {number} index of the series
 */
function pickColour({ seat }, index) {
  return seat === undefined ? pick(COLOURS, index) : `c${seat}`;
}

/**
 * @param {Series} series with points in coordinates of the drawing
 * @param {number} index of the series
 */
function drawSeries(series, index) {
  const { points, isMinor = false } = series;
  const kind = `${pickColour(series, index)}${isMinor ? " minor" : ""}`;
  const group = draw("g", { class: `series ${kind}` });
  const line = draw("polyline", {
    points: points.map((point) => point.join()).join(" "),
    fill: "none",
    "stroke-width": 2,
    "stroke-dasharray": pick(DASHES, index),
  });
  group.append(line);
  if (points.length < MOST_POINTS && !isMinor) {
    const shape = pick(SHAPES, index);
    group.append(...points.map(([x, y]) => draw("path", { d: shape(x, y, 2.4) })));
  }
  return group;
}

/**
 * Cut a long name in the middle, because versions of a bot differ at the end.
 * @param {string} name
 * @param {number} most letters
 */
export function cutName(name, most) {
  if (name.length <= most) return name;
  const tail = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - tail)}…${name.slice(name.length - tail)}`;
}

/**
 * Draw the words that say who is ahead above and below the middle.
 * @param {string[]} players
 * @param {Seat} side
 * @param {number} width of the drawing
 * @param {{ above: number, below: number, left: number }} frame
 */
function nameHalves(players, side, width, { above, below, left }) {
  const most = Math.floor((width - left - AXIS) / LETTER) - "▲  ahead".length;
  return [
    { name: players[side], sign: "▲", y: above },
    { name: players[1 - side], sign: "▼", y: below },
  ].map(({ name, sign, y }) => {
    const words = `${sign} ${cutName(name, most)} ahead`;
    const half = draw("g", {});
    half.append(draw("title", {}, name));
    half.append(draw("text", { class: "half", x: left, y }, words));
    return half;
  });
}

/**
 * Return where marks stand without covering each other or the words of the frame: each near its point,
 * above it if that is free. Where there is no room at all, a mark stands on the others.
 * @param {Pair[]} points
 * @param {string[]} marks
 * @param {[top: number, bottom: number]} range of the lines
 * @returns {Pair[]}
 */
export function placeMarks(points, marks, [top, bottom]) {
  /** @type {[x: number, y: number, width: number][]} */
  const boxes = [];
  const rows = Math.floor((bottom - top) / HIGH);
  return points.map(([x, y], index) => {
    const width = marks[index].length * WIDE;
    const above = Array.from({ length: rows }, (_, row) => y - NEAR - row * HIGH);
    const below = Array.from({ length: rows }, (_, row) => y + NEAR + HIGH + row * HIGH);
    const candidates = above.flatMap((base, row) => [base, below[row]]);
    const within = candidates.filter((base) => base - HIGH >= top && base <= bottom);
    const free = within.find((base) =>
      boxes.every(
        ([other, row, wide]) =>
          Math.abs(other - x) >= (wide + width) / 2 || Math.abs(row - base) >= HIGH,
      ),
    );
    const base = free ?? within[0] ?? y;
    boxes.push([x, base, width]);
    return [x, base];
  });
}

/** Return the item of the legend for the square at the end of the curve. */
function explainResult() {
  const item = make("li");
  const svg = draw("svg", { viewBox: "0 0 10 10", class: "of-result", "aria-hidden": "true" });
  svg.append(draw("path", { d: SQUARE(5, 5, 4), class: "result" }));
  item.append(svg, "result");
  return item;
}

/**
 * List the series, and what marks the result if there is one.
 * @param {Series[]} series
 * @param {boolean} isOver
 */
function drawLegend(series, isOver) {
  const items = series.map((curve, index) => {
    const { name } = curve;
    const item = make("li");
    const svg = draw("svg", {
      viewBox: "0 0 30 10",
      class: `series ${pickColour(curve, index)}${curve.isMinor ? " minor" : ""}`,
      "aria-hidden": "true",
    });
    const line = { d: "M0 5h30", "stroke-width": 2, "stroke-dasharray": pick(DASHES, index) };
    svg.append(draw("path", line));
    if (!curve.isMinor) svg.append(draw("path", { d: pick(SHAPES, index)(15, 5, 3) }));
    item.append(svg, name);
    return item;
  });
  if (isOver) items.push(explainResult());
  $("curve-legend").replaceChildren(...items);
}

/**
 * Draw the series of a game and mark graded plies; hide the figure if there is nothing to draw.
 * Return a function that marks the current ply.
 * @param {{
 *   players: string[],
 *   series: Series[],
 *   plies: number,
 *   result: number | null,
 *   marks?: Mark[],
 *   side?: Seat,
 *   go: (ply: number) => void,
 * }} curve `plies` is the length of the game, `result` the margin of the first seat at the end,
 *   if it is known; margins are shown from the `side` of a seat; a click calls `go`
 * @returns {(ply: number) => void}
 */
export function drawMarginCurve({ players, series, plies, result, marks = [], side = 0, go }) {
  const figure = $("curve");
  const shown = series.filter(({ points }) => points.length).map((curve) => turn(curve, side));
  figure.hidden = !shown.length || !plies;
  if (figure.hidden) return () => {};
  const end = result === null ? [] : [side ? -result : result];
  const ended = end.map((margin) => `; the game ended ${formatPoints(margin)}`).join("");
  const width = Math.max(240, $("curve-drawing").clientWidth || 600);
  const height = $("curve-drawing").clientHeight || HEIGHT;
  const frame = makeFrame({
    width,
    height,
    first: 1,
    last: plies + 1,
    go,
    margins: [...shown.flatMap(({ points }) => points.map(([, margin]) => margin)), ...end],
    label: `Expected margin of the ${SEATS[side]} seat. ${describeSeries(shown)}${ended}`,
  });
  const { svg, x, y, mark } = frame;
  svg.append(...nameHalves(players, side, width, frame));
  const drawn = shown.map((curve, index) => {
    const points = curve.points.map(([ply, margin]) => /** @type {Pair} */ ([x(ply), y(margin)]));
    return drawSeries({ ...curve, points }, index);
  });
  svg.append(...drawn.reverse()); // the first one lies on top
  end.forEach((margin) => {
    svg.append(draw("path", { d: SQUARE(x(plies + 1), y(margin), 5), class: "result" }));
  });
  /** @type {Pair[]} */
  const graded = marks.map(({ ply, margin }) => [x(ply), y(side ? -margin : margin)]);
  const words = marks.map(({ grade }) => MARKS[grade]);
  placeMarks(graded, words, frame.range).forEach(([left, base], index) => {
    const attributes = { class: `grade ${marks[index].grade}`, x: left, y: base };
    svg.append(draw("text", { ...attributes, "text-anchor": "middle" }, words[index]));
  });
  refresh($("curve-drawing"), svg);
  drawLegend(shown, end.length > 0);
  return mark;
}
