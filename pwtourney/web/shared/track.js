/* The time track of any length: as a spiral from the top left corner inwards, or as a ribbon whose
   rows run to and fro. Buttons mark the lines where income is paid. Special patches are on the lines
   where the first player to pass takes them. */
import { drawButton, drawLeather, drawTile, drawToken, round } from "./cloth.js";
import { draw } from "./dom.js";
import { LOOKS } from "./looks.js";

/** @import { Edition, Look, Pair, Position, Seat } from "../types.d.ts" */

const CELL = LOOKS.cell;
const NUMBER = 9; // units: the size of the numbers of a spiral
const APART = 5.5; // units: from the middle of a shared space to that of a token
const SQUEEZE = 0.63; // both tokens fit between the walls of a shared space, with legible numbers
const FREE = 4; // the least number of cells that stay free in the middle, for the special tile

/**
 * Return the side, in cells, of the square that a track up to its last space needs.
 * @param {number} last
 */
export function countCells(last) {
  return Math.ceil(Math.sqrt(last + 1 + FREE));
}

/**
 * Return the side of the drawing of a track.
 * @param {Edition} edition
 */
export function findSide(edition) {
  return countCells(edition.last) * CELL;
}

/**
 * Return the cells of a spiral, clockwise from the top left corner.
 * @param {number} side
 * @param {number} count
 * @returns {Pair[]}
 */
export function windSpiral(side, count) {
  /** @type {Pair[]} */
  const cells = [];
  const covered = new Set();
  /**
   * @param {number} across
   * @param {number} below
   */
  const isFree = (across, below) =>
    Math.min(across, below) >= 0 &&
    Math.max(across, below) < side &&
    !covered.has(`${across} ${below}`);
  let [column, row, right, down] = [0, 0, 1, 0];
  while (cells.length < count) {
    cells.push([column, row]);
    covered.add(`${column} ${row}`);
    if (!isFree(column + right, row + down)) [right, down] = [-down, right];
    column += right;
    row += down;
  }
  return cells;
}

/**
 * Return the cells of rows from top to bottom, every other one from right to left.
 * @param {number} across cells in a row
 * @param {number} count
 * @returns {Pair[]}
 */
export function windRibbon(across, count) {
  return Array.from({ length: count }, (_, space) => {
    const row = Math.floor(space / across);
    const column = space % across;
    return [row % 2 ? across - 1 - column : column, row];
  });
}

/**
 * Return how many cells a row of a ribbon has: as many as fit, in rows of the same length.
 * @param {number} last the last space
 * @param {number} width of the ribbon, in pixels
 * @param {number} least the least width of a cell, in pixels
 */
export function fitRibbon(last, width, least) {
  const most = Math.max(1, Math.floor(width / least));
  const rows = Math.ceil((last + 1) / most);
  return Math.ceil((last + 1) / rows);
}

/** @param {Edition} edition */
function listCells({ last }) {
  return windSpiral(countCells(last), last + 1);
}

/**
 * Return the middle of each cell, for tokens; by default of a spiral.
 * @param {Edition} edition
 * @param {Pair[]} [cells]
 * @returns {Pair[]}
 */
export function listMiddles(edition, cells = listCells(edition)) {
  return cells.map(([column, row]) => [(column + 0.5) * CELL, (row + 0.5) * CELL]);
}

/**
 * Return the largest square of free cells, as column, row and cells across; null if none has two
 * cells across.
 * @param {number} side
 * @param {Pair[]} cells that are taken
 * @returns {[column: number, row: number, across: number] | null}
 */
export function findFree(side, cells) {
  const covered = new Set(cells.map(([column, row]) => `${column} ${row}`));
  /**
   * @param {number} column
   * @param {number} row
   * @param {number} across
   */
  const isFree = (column, row, across) =>
    Array.from({ length: across * across }).every(
      (_, number) =>
        !covered.has(`${column + (number % across)} ${row + Math.floor(number / across)}`),
    );
  for (let across = Math.min(4, side); across > 1; across -= 1) {
    for (let row = 0; row + across <= side; row += 1) {
      for (let column = 0; column + across <= side; column += 1) {
        if (isFree(column, row, across)) return [column, row, across];
      }
    }
  }
  return null;
}

/**
 * Return the path of the walls: lines between touching cells that are not consecutive.
 * @param {Pair[]} cells
 */
function traceWalls(cells) {
  const order = new Map(cells.map(([column, row], space) => [`${column} ${row}`, space]));
  return cells
    .map(([column, row], space) => {
      const [x, y] = [column * CELL, row * CELL];
      /**
       * @param {number} right
       * @param {number} down
       */
      const follows = (right, down) => {
        const other = order.get(`${column + right} ${row + down}`);
        return other !== undefined && Math.abs(space - other) === 1;
      };
      return [
        follows(0, -1) ? "" : `M${x} ${y}h${CELL}`,
        follows(0, 1) ? "" : `M${x} ${y + CELL}h${CELL}`,
        follows(-1, 0) ? "" : `M${x} ${y}v${CELL}`,
        follows(1, 0) ? "" : `M${x + CELL} ${y}v${CELL}`,
      ].join("");
    })
    .join("");
}

/**
 * @param {Edition} edition
 * @param {Pair[]} cells
 * @param {Look} look
 * @param {number} size of the numbers
 */
function drawCells(edition, cells, look, size) {
  /** @param {number} space */
  const fill = (space) => {
    if (space === edition.last || space === 0) return look.goal;
    return space % 2 ? look.turn : look.track;
  };
  return cells.flatMap(([column, row], space) => {
    const [x, y] = [column * CELL, row * CELL];
    const box = { x, y, width: CELL, height: CELL };
    const words = {
      x: x + CELL / 2,
      y: round(y + CELL / 2 + size * 0.38),
      "text-anchor": "middle",
      "font-size": size,
      fill: look.count,
    };
    return [
      draw("rect", { class: "space", "data-space": space, ...box, fill: fill(space) }),
      draw("text", words, space),
    ];
  });
}

/**
 * Draw the button or special patch on the line before a space; a token that passes it gets it.
 * @param {Edition} edition
 * @param {Pair[]} cells
 * @param {number} space
 * @param {boolean} leather whether a special patch is left there
 * @param {Look} look
 */
function drawMark(edition, cells, space, leather, look) {
  const income = edition.incomes.includes(space);
  const [[before, above], [column, row]] = [cells[space - 1], cells[space]];
  const [x, y] = [((column + before + 1) * CELL) / 2, ((row + above + 1) * CELL) / 2];
  const apart = income && leather ? 6 : 0;
  // the line between two cells in a row is vertical
  const [right, down] = row === above ? [0, apart] : [apart, 0];
  const marks = [];
  if (leather) {
    const patch = drawLeather(look);
    const [left, top] = [round(x + right - 6), round(y + down - 6)];
    patch.setAttribute("transform", `translate(${left} ${top}) scale(0.6)`);
    marks.push(patch);
  }
  if (income) marks.push(drawButton(x - right, y - down, 5.4, look));
  return marks;
}

/**
 * @param {Edition} edition
 * @param {Position} position
 * @param {Pair[]} cells
 * @param {Look} look
 */
function drawMarks(edition, { leathers }, cells, look) {
  return cells
    .slice(1)
    .flatMap((_, index) => drawMark(edition, cells, index + 1, leathers.includes(index + 1), look));
}

/**
 * Draw the tokens. On a shared space they stand side by side, the one that moves next on the right.
 * @param {Edition} edition
 * @param {Position} position
 * @param {Pair[]} middles of the cells
 * @param {Look} look
 */
function drawTokens(edition, { players, toMove }, middles, look) {
  const isShared = players[0].space === players[1].space;
  return [1 - toMove, toMove].map((seat, index) => {
    const [x, y] = middles[Math.min(players[seat].space, edition.last)];
    const away = isShared ? APART * (index ? 1 : -1) : 0;
    const token = drawToken(seat, look, isShared ? SQUEEZE : 1);
    token.setAttribute("transform", `translate(${x + away} ${y})`);
    return token;
  });
}

/**
 * Draw the path of the last token move.
 * @param {Position} position
 * @param {Position | null} before
 * @param {Pair[]} middles of the cells
 * @param {Look} look
 */
function drawTrail(position, before, middles, look) {
  return position.players.flatMap(({ space }, seat) => {
    const from = before?.players[seat].space ?? space;
    if (from >= space) return [];
    const way = middles.slice(from, space + 1).map(([x, y]) => `${x} ${y}`);
    const trail = draw("path", {
      class: "trail",
      d: `M${way.join("L")}`,
      fill: "none",
      stroke: look.seats[seat],
      "stroke-width": 4,
      "stroke-linejoin": "round",
      "stroke-linecap": "round",
      "stroke-opacity": 0.55,
    });
    return [trail];
  });
}

/**
 * Draw the special tile in the middle, while nobody has it.
 * @param {Edition} edition
 * @param {Position} position
 * @param {Pair[]} cells
 * @param {Look} look
 */
function drawFreeTile(edition, position, cells, look) {
  const free = findFree(countCells(edition.last), cells);
  if (!edition.tile || position.tile !== null || !free) return [];
  const tile = drawTile(edition.tile, look);
  const [column, row, across] = free;
  const scale = round((across * CELL - 6) / 40);
  const transform = `translate(${column * CELL + 3} ${row * CELL + 3}) scale(${scale})`;
  tile.setAttribute("transform", transform);
  return [tile];
}

/**
 * Draw the cells of a track, and what stands on them.
 * @param {Edition} edition
 * @param {Position} position
 * @param {Position | null} before
 * @param {Pair[]} cells
 * @param {Look} look
 * @param {number} size of the numbers
 * @param {SVGElement[]} between what is drawn on the cells, below tokens and marks
 */
function drawWay(edition, position, before, cells, look, size, between) {
  const middles = listMiddles(edition, cells);
  return [
    ...drawCells(edition, cells, look, size),
    draw("path", {
      d: traceWalls(cells),
      fill: "none",
      stroke: look.wall,
      "stroke-width": 1.8,
      "stroke-linecap": "round",
    }),
    ...between,
    ...drawTrail(position, before, middles, look),
    ...drawMarks(edition, position, cells, look),
    ...drawTokens(edition, position, middles, look),
  ];
}

/**
 * Draw the track as a spiral, as the children of a drawing as wide and high as `findSide` says.
 * `before` is the position one ply before, or null.
 * @param {Edition} edition
 * @param {Position} position
 * @param {Position | null} before
 * @param {Look} look
 * @returns {SVGElement[]}
 */
export function drawTrack(edition, position, before, look) {
  const side = findSide(edition);
  const cells = listCells(edition);
  const tile = drawFreeTile(edition, position, cells, look);
  return [
    draw("rect", { x: 0, y: 0, width: side, height: side, rx: 4, fill: look.table }),
    ...drawWay(edition, position, before, cells, look, NUMBER, tile),
  ];
}

/**
 * Draw where a token would go: the spaces that it would pass, and a frame around the last one.
 * @param {Seat} seat
 * @param {Pair} way its space, and the one where it would land
 * @param {Pair[]} cells
 * @param {Look} look
 * @returns {[below: SVGElement[], above: SVGElement[]]} what is drawn below and above the tokens
 */
function drawReach(seat, [from, to], cells, look) {
  /** @param {Pair} cell */
  const boxOf = ([column, row]) => ({
    x: column * CELL + 1.5,
    y: row * CELL + 1.5,
    width: CELL - 3,
    height: CELL - 3,
    rx: 4,
  });
  const colour = look.seats[seat];
  const passed = cells
    .slice(from + 1, to + 1)
    .map((cell) =>
      draw("rect", { class: "passed", ...boxOf(cell), fill: colour, "fill-opacity": 0.28 }),
    );
  const line = { fill: "none", stroke: colour, "stroke-width": 2.4, "stroke-dasharray": "4 2.5" };
  return [passed, [draw("rect", { class: "goal", ...boxOf(cells[to]), ...line })]];
}

/**
 * Draw the track as a ribbon. `before` is the position one ply before, or null; `reach` is the seat
 * whose token would go, and its way, or null.
 * @param {Edition} edition
 * @param {Position} position
 * @param {Position | null} before
 * @param {Look} look
 * @param {{ across: number, size: number, reach: [Seat, Pair] | null }} layout cells in a row, and
 *   the size of the numbers in units of a drawing whose cells are 24 wide
 */
export function drawRibbon(edition, position, before, look, { across, size, reach }) {
  const cells = windRibbon(across, edition.last + 1);
  const rows = Math.ceil(cells.length / across);
  const svg = draw("svg", {
    class: "ribbon",
    role: "img",
    viewBox: `-1 -1 ${across * CELL + 2} ${rows * CELL + 2}`,
  });
  const [below, above] = reach ? drawReach(...reach, cells, look) : [[], []];
  svg.append(...drawWay(edition, position, before, cells, look, size, below), ...above);
  return svg;
}
