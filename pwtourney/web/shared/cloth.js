/* Patches of cloth, special patches, buttons and tokens, drawn into SVG without ids, styles or
   references, so that a drawing can be copied, moved and saved as it is. A square is `SIZE` units
   wide. */
import { draw, isDark } from "./dom.js";
import { LOOKS } from "./looks.js";
import { listSquares } from "./shapes.js";

/** @import { Look, Orientation, Pair, Patch, Seat } from "../types.d.ts" */
/** @typedef {[column: number, row: number, side: "top" | "bottom" | "left" | "right"]} Side */

export const SIZE = LOOKS.square;

const HUES = /** @type {[string, string][]} */ (LOOKS.hues);
const MOTIFS = /** @type {[string, number][]} */ (LOOKS.motifs);

/**
 * How each orientation moves a shape of this width and height, as the matrix of SVG.
 * @type {Record<Orientation, (width: number, height: number) => number[]>}
 */
const TURNS = {
  r0: () => [1, 0, 0, 1, 0, 0],
  r90: (_, height) => [0, 1, -1, 0, height, 0],
  r180: (width, height) => [-1, 0, 0, -1, width, height],
  r270: (width) => [0, -1, 1, 0, 0, width],
  f0: (width) => [-1, 0, 0, 1, width, 0],
  f90: (width, height) => [0, -1, -1, 0, height, width],
  f180: (_, height) => [1, 0, 0, -1, 0, height],
  f270: () => [0, 1, 1, 0, 0, 0],
};

/** @type {[x: number, y: number, side: Side[2]][]} */
const NEIGHBOURS = [
  [0, -1, "top"],
  [0, 1, "bottom"],
  [-1, 0, "left"],
  [1, 0, "right"],
];

/**
 * Round a number to two decimals.
 * @param {number} number
 */
export function round(number) {
  return Math.floor(number * 100 + 0.5) / 100;
}

/**
 * Return the colours for dark or light pages; by default for the reader's preference.
 * @param {boolean} [dark]
 * @returns {Look}
 */
export function findLook(dark = isDark()) {
  return dark ? LOOKS.dark : LOOKS.light;
}

/**
 * Return the sides of squares that no other of the squares touches.
 * @param {Pair[]} squares
 * @returns {Side[]}
 */
export function listSides(squares) {
  const own = new Set(squares.map(([column, row]) => `${column} ${row}`));
  return squares.flatMap(([column, row]) =>
    NEIGHBOURS.filter(([x, y]) => !own.has(`${column + x} ${row + y}`)).map(
      ([, , side]) => /** @type {Side} */ ([column, row, side]),
    ),
  );
}

/**
 * Return the path around squares.
 * @param {Pair[]} squares
 */
export function traceOutline(squares) {
  /** @param {Side} place */
  const trace = ([column, row, side]) => {
    const [x, y] = [column * SIZE, row * SIZE];
    if (side === "top") return `M${x} ${y}h${SIZE}`;
    if (side === "bottom") return `M${x} ${y + SIZE}h${SIZE}`;
    return side === "left" ? `M${x} ${y}v${SIZE}` : `M${x + SIZE} ${y}v${SIZE}`;
  };
  return listSides(squares).map(trace).join("");
}

/**
 * Return the path of four stitches along each side, slightly inside; they continue along a straight
 * edge.
 * @param {Pair[]} squares
 */
function traceStitches(squares) {
  const across = "h3.5m1.5 0h3.5m1.5 0h3.5m1.5 0h3.5";
  const down = "v3.5m0 1.5v3.5m0 1.5v3.5m0 1.5v3.5";
  /** @param {Side} place */
  const trace = ([column, row, side]) => {
    const [x, y] = [column * SIZE, row * SIZE];
    if (side === "top") return `M${x + 0.75} ${y + 2.5}${across}`;
    if (side === "bottom") return `M${x + 0.75} ${y + SIZE - 2.5}${across}`;
    return `M${side === "left" ? x + 2.5 : x + SIZE - 2.5} ${y + 0.75}${down}`;
  };
  return listSides(squares).map(trace).join("");
}

/**
 * Return the path that fills squares.
 * @param {Pair[]} squares
 */
export function fillSquares(squares) {
  return squares
    .map(([column, row]) => `M${column * SIZE} ${row * SIZE}h${SIZE}v${SIZE}h-${SIZE}z`)
    .join("");
}

/**
 * Draw a button around a point.
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {Look} look
 */
export function drawButton(x, y, radius, look) {
  const hole = round(radius * 0.3);
  const dots = [-1, 1]
    .flatMap((down) => [-1, 1].map((right) => [right, down]))
    .map(([right, down]) => `M${round(x + right * hole)} ${round(y + down * hole)}h0.01`)
    .join("");
  const group = draw("g", { class: "button" });
  group.append(
    draw("circle", { cx: round(x), cy: round(y), r: radius, fill: look.cream }),
    draw("circle", { cx: round(x), cy: round(y), r: round(radius * 0.84), fill: look.button }),
    draw("path", {
      d: dots,
      stroke: look.cream,
      "stroke-width": round(radius * 0.28),
      "stroke-linecap": "round",
      fill: "none",
    }),
  );
  return group;
}

/**
 * Draw as many buttons as a patch earns, spread over its squares. If there are more buttons than
 * squares, draw one button with the number.
 * @param {Pair[]} squares
 * @param {number} income
 * @param {Look} look
 */
function drawIncome(squares, income, look) {
  /** @param {number} index */
  const middle = (index) => {
    const [column, row] = squares[Math.floor(index)];
    return [(column + 0.5) * SIZE, (row + 0.5) * SIZE];
  };
  if (income <= squares.length) {
    return Array.from({ length: income }, (_, number) => {
      const [left, top] = middle(((number + 0.5) * squares.length) / income);
      return drawButton(left, top, 6.5, look);
    });
  }
  const [x, y] = middle(squares.length / 2);
  const words = {
    x,
    y: y + 3,
    "text-anchor": "middle",
    "font-size": 8,
    "font-weight": "bold",
    fill: look.cream,
  };
  return [drawButton(x, y, 9, look), draw("text", words, `×${income}`)];
}

/**
 * Draw a patch at the origin: its cloth with the figure, stitches, outline and buttons.
 * @param {number} number
 * @param {Patch} patch
 * @param {Orientation} orientation
 * @param {Look} look
 */
export function drawPatch(number, [rows, , , income], orientation, look) {
  const squares = listSquares(rows);
  const [ground, figure] = HUES[(number - 1) % HUES.length];
  const [motif, line] = MOTIFS[(number - 1) % MOTIFS.length];
  const pattern = squares
    .map(([column, row]) => `M${column * SIZE} ${row * SIZE}${motif}`)
    .join("");
  const group = draw("g", { class: "patch", "data-patch": number });
  if (orientation !== "r0") {
    const matrix = TURNS[orientation](rows[0].length * SIZE, rows.length * SIZE);
    group.setAttribute("transform", `matrix(${matrix.join(" ")})`);
  }
  group.append(
    draw("path", { d: fillSquares(squares), fill: ground }),
    draw(
      "path",
      line
        ? { d: pattern, fill: "none", stroke: figure, "stroke-width": line }
        : { d: pattern, fill: figure },
    ),
    drawStitches(squares, look.thread),
    drawEdge(squares, look),
    ...drawIncome(squares, income, look),
  );
  return group;
}

/**
 * @param {Pair[]} squares
 * @param {string} colour
 */
function drawStitches(squares, colour) {
  return draw("path", {
    d: traceStitches(squares),
    fill: "none",
    stroke: colour,
    "stroke-width": 0.9,
  });
}

/**
 * @param {Pair[]} squares
 * @param {Look} look
 */
function drawEdge(squares, look) {
  return draw("path", {
    d: traceOutline(squares),
    fill: "none",
    stroke: look.edge,
    "stroke-width": 1.6,
    "stroke-linecap": "round",
  });
}

/**
 * Draw a special patch: one square of leather.
 * @param {Look} look
 */
export function drawLeather(look) {
  const group = draw("g", { class: "leather" });
  group.append(
    draw("path", { d: fillSquares([[0, 0]]), fill: look.leather }),
    drawStitches([[0, 0]], look.hide),
    draw("path", {
      d: "M7 7l6 6m0 -6l-6 6",
      fill: "none",
      stroke: look.hide,
      "stroke-width": 1.6,
      "stroke-linecap": "round",
    }),
    drawEdge([[0, 0]], look),
  );
  return group;
}

/**
 * Draw squares that are covered by an unknown patch.
 * @param {Pair[]} squares
 * @param {Look} look
 */
export function drawCovered(squares, look) {
  const group = draw("g", { class: "covered" });
  group.append(
    draw("path", { d: fillSquares(squares), fill: look.covered }),
    draw("path", {
      d: traceOutline(squares),
      fill: "none",
      stroke: look.edge,
      "stroke-width": 1.6,
    }),
  );
  return group;
}

/**
 * Draw the token of a seat around the origin: round for the first, square for the second.
 * @param {Seat} seat
 * @param {Look} look
 * @param {number} [squeeze] the width of its shape, as a part of the usual one
 */
export function drawToken(seat, look, squeeze = 1) {
  const group = draw("g", { class: "token", "data-seat": seat });
  const painted = { fill: look.seats[seat], stroke: look.halo, "stroke-width": 1.4 };
  const words = {
    x: 0,
    y: 4.2,
    "text-anchor": "middle",
    "font-size": 11.5,
    "font-weight": "bold",
    fill: look.label,
  };
  group.append(
    seat
      ? draw("rect", { x: -7 * squeeze, y: -7, width: 14 * squeeze, height: 14, rx: 3, ...painted })
      : draw("ellipse", { cx: 0, cy: 0, rx: 7.6 * squeeze, ry: 7.6, ...painted }),
    draw("text", words, seat + 1),
  );
  return group;
}

/**
 * Draw the special tile, 40 units wide: its required squares, and its points.
 * @param {[size: number, points: number]} tile
 * @param {Look} look
 */
export function drawTile([size, points], look) {
  const group = draw("g", { class: "tile" });
  const cells = Math.min(size, 12);
  const lines = Array.from({ length: cells - 1 }, (_, number) => {
    const offset = round(3 + ((number + 1) * 34) / cells);
    return `M3 ${offset}h34M${offset} 3v34`;
  }).join("");
  const words = {
    x: 20,
    y: 25,
    "text-anchor": "middle",
    "font-size": 14,
    "font-weight": "bold",
    fill: look.seam,
  };
  group.append(
    draw("rect", {
      x: 1,
      y: 1,
      width: 38,
      height: 38,
      rx: 4,
      fill: look.gold,
      stroke: look.seam,
      "stroke-width": 1.5,
    }),
    draw("path", { d: lines, fill: "none", stroke: look.seam, "stroke-width": 0.4 }),
    draw("circle", { cx: 20, cy: 20, r: 11, fill: look.gold, stroke: look.seam }),
    draw("text", words, points),
  );
  return group;
}

/**
 * Draw the mark of who has the special tile, 20 units wide: its points alone, large enough to read.
 * @param {number} points
 * @param {Look} look
 */
export function drawTileMark(points, look) {
  const group = draw("g", { class: "tile" });
  const box = { x: 1, y: 1, width: 18, height: 18, rx: 3, fill: look.gold, stroke: look.seam };
  const words = {
    x: 10,
    y: 14.6,
    "text-anchor": "middle",
    "font-size": 13,
    "font-weight": "bold",
    fill: look.seam,
  };
  group.append(draw("rect", box), draw("text", words, points));
  return group;
}

/**
 * Draw the neutral token around the origin: a wooden pawn, 22 units high.
 * @param {Look} look
 */
export function drawPawn(look) {
  return draw("path", {
    class: "pawn",
    fill: look.pawn,
    stroke: look.bark,
    "stroke-width": 1.4,
    "stroke-linejoin": "round",
    d: "M-9 12q0 -4 4 -5q3 -5 2 -9a5 5 0 1 1 6 0q-1 4 2 9q4 1 4 5z",
  });
}
