/* Patches of cloth, special patches, buttons and tokens, drawn into SVG without ids, styles or
   references, so that a drawing can be copied, moved and saved as it is. Lengths are in squares
   of `Looks.square`; `colours` is Looks.light or Looks.dark. */

import * as Dom from "./dom.js";
import { Looks } from "./looks.js";

const { make } = Dom;
const SIZE = Looks.square;
/* How each orientation moves a shape of this width and height, as the matrix of SVG. */
const TURNS = {
  r0: () => [1, 0, 0, 1, 0, 0],
  r90: (width, height) => [0, 1, -1, 0, height, 0],
  r180: (width, height) => [-1, 0, 0, -1, width, height],
  r270: (width) => [0, -1, 1, 0, 0, width],
  f0: (width) => [-1, 0, 0, 1, width, 0],
  f90: (width, height) => [0, -1, -1, 0, height, width],
  f180: (width, height) => [1, 0, 0, -1, 0, height],
  f270: () => [0, 1, 1, 0, 0, 0],
};

const round = (number) => Math.floor(number * 100 + 0.5) / 100;
const draw = (name, attributes, text) => make(`svg:${name}`, attributes, text);
const colours = (dark = Dom.dark()) => (dark ? Looks.dark : Looks.light);

/* The squares of a shape as [column, row], row by row. */
const listSquares = (rows) => rows.flatMap((row, down) =>
  [...row].flatMap((mark, right) => (mark === "#" ? [[right, down]] : [])));

/* The sides of the squares on which no other of them lies: [column, row, side]. */
const listSides = (squares) => {
  const own = new Set(squares.map(([column, row]) => `${column} ${row}`));
  return squares.flatMap(([column, row]) =>
    [[0, -1, "top"], [0, 1, "bottom"], [-1, 0, "left"], [1, 0, "right"]].flatMap(([x, y, side]) =>
      (own.has(`${column + x} ${row + y}`) ? [] : [[column, row, side]])));
};

const traceOutline = (squares) => listSides(squares).map(([column, row, side]) => {
  const [x, y] = [column * SIZE, row * SIZE];
  if (side === "top") return `M${x} ${y}h${SIZE}`;
  if (side === "bottom") return `M${x} ${y + SIZE}h${SIZE}`;
  return side === "left" ? `M${x} ${y}v${SIZE}` : `M${x + SIZE} ${y}v${SIZE}`;
}).join("");

/* Four stitches along each side, a little within it; they go on along a straight edge. */
const traceStitches = (squares) => listSides(squares).map(([column, row, side]) => {
  const [x, y] = [column * SIZE, row * SIZE];
  const across = "h3.5m1.5 0h3.5m1.5 0h3.5m1.5 0h3.5";
  const down = "v3.5m0 1.5v3.5m0 1.5v3.5m0 1.5v3.5";
  if (side === "top") return `M${x + 0.75} ${y + 2.5}${across}`;
  if (side === "bottom") return `M${x + 0.75} ${y + SIZE - 2.5}${across}`;
  return `M${side === "left" ? x + 2.5 : x + SIZE - 2.5} ${y + 0.75}${down}`;
}).join("");

const fillSquares = (squares) => squares.map(([column, row]) =>
  `M${column * SIZE} ${row * SIZE}h${SIZE}v${SIZE}h-${SIZE}z`).join("");

const drawButton = (x, y, radius, look) => {
  const hole = round(radius * 0.3);
  const dots = [[-1, -1], [1, -1], [-1, 1], [1, 1]].map(([right, down]) =>
    `M${round(x + right * hole)} ${round(y + down * hole)}h0.01`).join("");
  const group = draw("g", { class: "button" });
  group.append(
    draw("circle", { cx: round(x), cy: round(y), r: radius, fill: look.cream }),
    draw("circle", { cx: round(x), cy: round(y), r: round(radius * 0.84), fill: look.button }),
    draw("path", {
      d: dots, stroke: look.cream, "stroke-width": round(radius * 0.28), "stroke-linecap": "round", fill: "none",
    }),
  );
  return group;
};

/* As many buttons as a patch earns, spread over its squares; one with a number if there are more. */
const drawIncome = (squares, income, look) => {
  const middle = ([column, row]) => [(column + 0.5) * SIZE, (row + 0.5) * SIZE];
  if (income > squares.length) {
    const [x, y] = middle(squares[Math.floor(squares.length / 2)]);
    const count = draw("text", {
      x, y: y + 3, "text-anchor": "middle", "font-size": 8, "font-weight": "bold", fill: look.cream,
    }, `×${income}`);
    return [drawButton(x, y, 9, look), count];
  }
  return Array.from({ length: income }, (_, number) =>
    drawButton(...middle(squares[Math.floor((number + 0.5) * squares.length / income)]), 6.5, look));
};

/* A patch at the origin: its cloth with the figure, stitches, outline and buttons. */
const drawPatch = (number, [rows, , , income], orientation, look) => {
  const squares = listSquares(rows);
  const [width, height] = [rows[0].length * SIZE, rows.length * SIZE];
  const [ground, figure] = Looks.hues[(number - 1) % Looks.hues.length];
  const [motif, line] = Looks.motifs[(number - 1) % Looks.motifs.length];
  const pattern = squares.map(([column, row]) => `M${column * SIZE} ${row * SIZE}${motif}`).join("");
  const group = draw("g", { class: "patch", "data-patch": number });
  const turned = TURNS[orientation](width, height);
  if (orientation !== "r0") group.setAttribute("transform", `matrix(${turned.join(" ")})`);
  group.append(
    draw("path", { d: fillSquares(squares), fill: ground }),
    draw("path", line
      ? { d: pattern, fill: "none", stroke: figure, "stroke-width": line }
      : { d: pattern, fill: figure }),
    draw("path", { d: traceStitches(squares), fill: "none", stroke: look.thread, "stroke-width": 0.9 }),
    draw("path", {
      d: traceOutline(squares), fill: "none", stroke: look.edge, "stroke-width": 1.6, "stroke-linecap": "round",
    }),
    ...drawIncome(squares, income, look),
  );
  return group;
};

/* A special patch: one square of leather. */
const drawLeather = (look) => {
  const group = draw("g", { class: "leather" });
  group.append(
    draw("path", { d: fillSquares([[0, 0]]), fill: look.leather }),
    draw("path", { d: traceStitches([[0, 0]]), fill: "none", stroke: look.hide, "stroke-width": 0.9 }),
    draw("path", {
      d: "M7 7l6 6m0 -6l-6 6", fill: "none", stroke: look.hide, "stroke-width": 1.6, "stroke-linecap": "round",
    }),
    draw("path", {
      d: traceOutline([[0, 0]]), fill: "none", stroke: look.edge, "stroke-width": 1.6, "stroke-linecap": "round",
    }),
  );
  return group;
};

/* Squares of which only is known that they are covered. */
const drawCovered = (squares, look) => {
  const group = draw("g", { class: "covered" });
  group.append(
    draw("path", { d: fillSquares(squares), fill: look.covered }),
    draw("path", { d: traceOutline(squares), fill: "none", stroke: look.edge, "stroke-width": 1.6 }),
  );
  return group;
};

/* The token of a seat around the origin: round for the first, square for the second. */
const drawToken = (seat, look) => {
  const group = draw("g", { class: "token", "data-seat": seat });
  const painted = { fill: look.seats[seat], stroke: look.halo, "stroke-width": 1.4 };
  group.append(
    seat ? draw("rect", { x: -7, y: -7, width: 14, height: 14, rx: 3, ...painted })
      : draw("circle", { cx: 0, cy: 0, r: 7.6, ...painted }),
    draw("text", {
      x: 0, y: 3.6, "text-anchor": "middle", "font-size": 10, "font-weight": "bold", fill: look.label,
    }, seat + 1),
  );
  return group;
};

/* The special tile, 40 wide: as many squares across as it asks for, and its points. */
const drawTile = ([size, points], look) => {
  const group = draw("g", { class: "tile" });
  const lines = Array.from({ length: Math.min(size, 12) - 1 }, (_, number) => {
    const place = round(3 + (number + 1) * 34 / Math.min(size, 12));
    return `M3 ${place}h34M${place} 3v34`;
  }).join("");
  group.append(
    draw("rect", { x: 1, y: 1, width: 38, height: 38, rx: 4, fill: look.gold, stroke: look.seam, "stroke-width": 1.5 }),
    draw("path", { d: lines, fill: "none", stroke: look.seam, "stroke-width": 0.4 }),
    draw("circle", { cx: 20, cy: 20, r: 11, fill: look.gold, stroke: look.seam }),
    draw("text", {
      x: 20, y: 25, "text-anchor": "middle", "font-size": 14, "font-weight": "bold", fill: look.seam,
    }, points),
  );
  return group;
};

/* The neutral token around the origin: a wooden pawn, 22 high. */
const drawPawn = (look) => draw("path", {
  class: "pawn", fill: look.pawn, stroke: look.bark, "stroke-width": 1.4, "stroke-linejoin": "round",
  d: "M-9 12q0 -4 4 -5q3 -5 2 -9a5 5 0 1 1 6 0q-1 4 2 9q4 1 4 5z",
});

export { SIZE, round, draw, colours, listSquares, traceOutline, fillSquares, drawButton, drawPatch, drawLeather, drawCovered, drawToken, drawTile, drawPawn };
