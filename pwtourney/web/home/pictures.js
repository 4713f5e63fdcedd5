/* The pictures of the invitations: small quilts of the product's own cloths. */
import { SIZE, drawPatch, drawToken, findLook, traceOutline } from "../shared/cloth.js";
import { draw } from "../shared/dom.js";

/** @import { Look, Pair, Seat } from "../types.d.ts" */

const [WIDTH, HEIGHT] = [320, 170];

/** A quilt of ten columns: each letter is a patch, a dot is a free square. */
const QUILT = ["AABBBCCDDD", "AEEBFCCGDH", "IEEFFFGGHH", "IIJJKLLGMH", "IJJKKLLMMM", "NNNNKOOOOP"];

/** The number of each letter's cloth, and how many buttons it earns. */
/** @type {Record<string, [cloth: number, income: number]>} */
const CLOTHS = {
  A: [1, 0],
  B: [2, 1],
  C: [3, 0],
  D: [5, 1],
  E: [8, 0],
  F: [6, 0],
  G: [10, 1],
  H: [4, 0],
  I: [7, 1],
  J: [13, 0],
  K: [9, 0],
  L: [12, 1],
  M: [14, 0],
  N: [16, 0],
  O: [18, 1],
  P: [11, 0],
};

/** The margins that two bots expect, as the heights of points. */
const CURVES = [
  [96, 90, 101, 84, 92, 70, 76, 58, 66, 44, 50, 30],
  [104, 96, 93, 99, 84, 88, 104, 96, 84, 66, 58, 40],
];

/**
 * Return the squares of a letter.
 * @param {string[]} quilt
 * @param {string} letter
 * @returns {Pair[]}
 */
function findSquares(quilt, letter) {
  return quilt.flatMap((row, down) =>
    [...row].flatMap((cell, across) =>
      cell === letter ? [/** @type {Pair} */ ([across, down])] : [],
    ),
  );
}

/**
 * Draw the patch of a letter where it lies.
 * @param {string} letter
 * @param {Look} look
 */
function drawLetter(letter, look) {
  const squares = findSquares(QUILT, letter);
  const [left, top] = [0, 1].map((axis) => Math.min(...squares.map((square) => square[axis])));
  const [right, bottom] = [0, 1].map((axis) => Math.max(...squares.map((square) => square[axis])));
  const rows = Array.from({ length: bottom - top + 1 }, (_, down) =>
    Array.from({ length: right - left + 1 }, (__, across) =>
      QUILT[top + down][left + across] === letter ? "#" : ".",
    ).join(""),
  );
  const [cloth, income] = CLOTHS[letter];
  const group = draw("g", { transform: `translate(${left * SIZE} ${top * SIZE})` });
  group.append(drawPatch(cloth, [rows, 0, 0, income], "r0", look));
  return group;
}

/**
 * Draw a board with the patches of some letters.
 * @param {string} letters
 * @param {[column: number, row: number, columns: number, rows: number]} part of the quilt
 * @param {string} frame the transformation of the board
 * @param {Look} look
 */
function drawBoard(letters, [column, row, columns, rows], frame, look) {
  const box = { x: column * SIZE, y: row * SIZE, width: columns * SIZE, height: rows * SIZE };
  const squares = Array.from(
    { length: columns * rows },
    (_, number) =>
      /** @type {Pair} */ ([column + (number % columns), row + Math.floor(number / columns)]),
  );
  const group = draw("g", { transform: frame });
  group.append(
    draw("rect", { ...box, fill: look.board, stroke: look.rim, "stroke-width": 3, rx: 1 }),
    draw("path", { d: traceGrid(squares), fill: "none", stroke: look.grid, "stroke-width": 0.8 }),
    ...[...letters].map((letter) => drawLetter(letter, look)),
  );
  return group;
}

/** @param {Pair[]} squares */
function traceGrid(squares) {
  return squares.map((square) => traceOutline([square])).join("");
}

/**
 * A quilt with one patch in the air, about to be placed.
 * @param {Look} look
 */
function drawPlay(look) {
  const hand = draw("g", { class: "lifted", transform: "translate(64 -24) rotate(8 120 70)" });
  hand.append(drawLetter("L", look));
  const board = draw("g", { transform: "translate(60 22)" });
  board.append(
    drawBoard("ABCDEFGHIJKMNOP", [0, 0, 10, 6], "", look),
    draw("path", {
      d: traceOutline(findSquares(QUILT, "L")),
      fill: "none",
      stroke: look.accent,
      "stroke-width": 2.5,
      "stroke-dasharray": "5 3",
    }),
    hand,
  );
  return [board];
}

/**
 * Two boards with the tokens of their players, and the margin that they expect.
 * @param {Look} look
 */
function drawWatch(look) {
  /** @param {Seat} seat */
  const token = (seat) => {
    const group = draw("g", { transform: `translate(${seat ? 292 : 28} 24) scale(1.4)` });
    group.append(drawToken(seat, look));
    return group;
  };
  const bar = { x: 48, y: 18, height: 12, rx: 3 };
  return [
    drawBoard("AIEJ", [0, 0, 5, 6], "translate(46 44) scale(.95)", look),
    drawBoard("DHGMOP", [5, 0, 5, 6], "translate(84 44) scale(.95)", look),
    draw("rect", { ...bar, width: 224, fill: look.seats[1] }),
    draw("rect", { ...bar, width: 142, fill: look.seats[0] }),
    token(0),
    token(1),
  ];
}

/**
 * A quilt behind the curves of two bots, with a mark at a mistake.
 * @param {Look} look
 */
function drawAnalyse(look) {
  const board = drawBoard("ABCDEFGHIJKLMNOP", [0, 0, 10, 6], "translate(60 22)", look);
  board.setAttribute("opacity", ".38");
  const curves = CURVES.map((heights, seat) => {
    const points = heights.map((height, index) => `${20 + (index * 280) / 11},${height}`).join(" ");
    const line = { fill: "none", stroke: look.seats[seat], "stroke-width": 4 };
    return draw("polyline", { points, ...line, "stroke-linejoin": "round" });
  });
  const mark = { cx: 20 + (6 * 280) / 11, cy: 104, r: 11, fill: look.paper, stroke: look.seats[1] };
  const words = {
    x: mark.cx,
    y: 109,
    "text-anchor": "middle",
    "font-size": 14,
    "font-weight": "bold",
    fill: look.seats[1],
  };
  return [
    board,
    draw("path", { d: "M12 112H308", stroke: look.ink, "stroke-dasharray": "4 4" }),
    ...curves,
    draw("circle", { ...mark, "stroke-width": 2.5 }),
    draw("text", words, "?"),
  ];
}

/** @type {Record<string, (look: Look) => SVGElement[]>} */
const PICTURES = { play: drawPlay, watch: drawWatch, analyse: drawAnalyse };

/**
 * Draw the picture of an invitation.
 * @param {string} name
 */
export function drawInvitation(name) {
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" };
  const svg = draw("svg", box);
  svg.append(...PICTURES[name](findLook()));
  return svg;
}
