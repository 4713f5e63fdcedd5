/* The time track as a spiral from its top left corner inwards, of any length: buttons lie on the
   lines where income is paid, special patches on those where the first to pass takes them. */

import * as Cloth from "./cloth.js";
import { Looks } from "./looks.js";

const { round, draw } = Cloth;
const CELL = Looks.cell;
const FREE = 4; // at least as many cells stay free in the middle, for the special tile

/* The side of the square of cells that holds a track up to its last space. */
const findSide = (last) => Math.ceil(Math.sqrt(last + 1 + FREE));

/* The cells of a spiral as [column, row], clockwise from the top left corner. */
const windSpiral = (side, count) => {
  const cells = [];
  const taken = new Set();
  const isFree = (column, row) => column >= 0 && row >= 0 && column < side && row < side
    && !taken.has(`${column} ${row}`);
  let [column, row, right, down] = [0, 0, 1, 0];
  while (cells.length < count) {
    cells.push([column, row]);
    taken.add(`${column} ${row}`);
    if (!isFree(column + right, row + down)) [right, down] = [-down, right];
    column += right;
    row += down;
  }
  return cells;
};

/* The middle of each space, for tokens. */
const listMiddles = (edition) => windSpiral(findSide(edition.last), edition.last + 1)
  .map(([column, row]) => [(column + 0.5) * CELL, (row + 0.5) * CELL]);

/* The largest square of free cells, as [column, row, cells across]. */
const findFree = (side, cells) => {
  const taken = new Set(cells.map(([column, row]) => `${column} ${row}`));
  const isFree = (column, row, across) => Array.from({ length: across * across }, (_, number) =>
    !taken.has(`${column + (number % across)} ${row + Math.floor(number / across)}`)).every(Boolean);
  for (let across = Math.min(4, side); across > 1; across -= 1) {
    for (let row = 0; row + across <= side; row += 1) {
      for (let column = 0; column + across <= side; column += 1) {
        if (isFree(column, row, across)) return [column, row, across];
      }
    }
  }
  return null;
};

/* Lines between cells that touch without following each other: the walls of the spiral. */
const traceWalls = (cells) => {
  const order = new Map(cells.map(([column, row], space) => [`${column} ${row}`, space]));
  const follows = (space, other) => other !== undefined && Math.abs(space - other) === 1;
  return cells.map(([column, row], space) => {
    const [x, y] = [column * CELL, row * CELL];
    const at = (right, down) => order.get(`${column + right} ${row + down}`);
    return [
      follows(space, at(0, -1)) ? "" : `M${x} ${y}h${CELL}`,
      follows(space, at(0, 1)) ? "" : `M${x} ${y + CELL}h${CELL}`,
      follows(space, at(-1, 0)) ? "" : `M${x} ${y}v${CELL}`,
      follows(space, at(1, 0)) ? "" : `M${x + CELL} ${y}v${CELL}`,
    ].join("");
  }).join("");
};

const drawCells = (edition, cells, look) => cells.flatMap(([column, row], space) => {
  const [x, y] = [column * CELL, row * CELL];
  const ends = space === edition.last || space === 0;
  return [
    draw("rect", {
      class: "space", "data-space": space, x, y, width: CELL, height: CELL,
      fill: ends ? look.goal : look[space % 2 ? "turn" : "track"],
    }),
    draw("text", {
      x: x + CELL / 2, y: y + 15.5, "text-anchor": "middle", "font-size": 9, fill: look.count,
    }, space),
  ];
});

/* What lies on the line before a space, which fires when a token passes it: button and leather. */
const drawMarks = (edition, cells, ahead, look) => cells.flatMap(([column, row], space) => {
  const income = edition.incomes.includes(space);
  const leather = edition.leathers.includes(space) && space > ahead;
  if (!space || !(income || leather)) return [];
  const [before, above] = cells[space - 1];
  const [x, y] = [(column + before + 1) * CELL / 2, (row + above + 1) * CELL / 2];
  const upright = row === above; // the line between two cells next to each other is upright
  const apart = income && leather ? 6 : 0;
  const marks = [];
  if (leather) {
    const patch = Cloth.drawLeather(look);
    const [left, top] = [upright ? x : x + apart, upright ? y + apart : y];
    patch.setAttribute("transform", `translate(${round(left - 6)} ${round(top - 6)}) scale(0.6)`);
    marks.push(patch);
  }
  if (income) {
    marks.push(Cloth.drawButton(upright ? x : x - apart, upright ? y - apart : y, 5.4, look));
  }
  return marks;
});

/* The tokens; on one space the one that moves next lies on top, a little to the right. */
const drawTokens = (edition, state, cells, look) => {
  const shared = state.players[0].space === state.players[1].space;
  return [1 - state.toMove, state.toMove].map((seat, place) => {
    const [column, row] = cells[Math.min(state.players[seat].space, edition.last)];
    const [x, y] = [(column + 0.5) * CELL, (row + 0.5) * CELL];
    const away = shared ? 4 * (place ? 1 : -1) : 0;
    const token = Cloth.drawToken(seat, look);
    token.setAttribute("transform", `translate(${x + away} ${y - away})`);
    return token;
  });
};

/* The way that a token has just gone. */
const drawTrail = (state, before, cells, look) => state.players.flatMap((player, seat) => {
  const from = before ? before.players[seat].space : player.space;
  if (from >= player.space) return [];
  const way = cells.slice(from, player.space + 1)
    .map(([column, row]) => `${(column + 0.5) * CELL} ${(row + 0.5) * CELL}`);
  return [draw("path", {
    class: "trail", d: `M${way.join("L")}`, fill: "none", stroke: look.seats[seat], "stroke-width": 4,
    "stroke-linejoin": "round", "stroke-linecap": "round", "stroke-opacity": 0.55,
  })];
});

/* All of the track, as the children of a drawing whose side is `findSide(last) * CELL`. */
const drawTrack = (edition, state, before, look) => {
  const side = findSide(edition.last);
  const cells = windSpiral(side, edition.last + 1);
  const ahead = Math.max(...state.players.map((player) => player.space));
  const parts = [
    draw("rect", { x: 0, y: 0, width: side * CELL, height: side * CELL, rx: 4, fill: look.table }),
    ...drawCells(edition, cells, look),
    draw("path", {
      d: traceWalls(cells), fill: "none", stroke: look.wall, "stroke-width": 1.8, "stroke-linecap": "round",
    }),
  ];
  const free = findFree(side, cells);
  if (edition.tile && state.tile === null && free) {
    const tile = Cloth.drawTile(edition.tile, look);
    const [column, row, across] = free;
    const scale = round((across * CELL - 6) / 40);
    tile.setAttribute("transform", `translate(${column * CELL + 3} ${row * CELL + 3}) scale(${scale})`);
    parts.push(tile);
  }
  parts.push(
    ...drawTrail(state, before, cells, look), ...drawMarks(edition, cells, ahead, look),
    ...drawTokens(edition, state, cells, look));
  return parts;
};

export { CELL, findSide, listMiddles, drawTrack };
