/* Positions of a game from its plies. The record was judged by the referee, so nothing is judged
   here; a test compares what comes out with the engine, position by position. */
import { coverAction } from "./shapes.js";

/** @import { Deal, Edition, Player, Ply, Position, Quilt, Seat } from "../types.d.ts" */

/**
 * Return the position in which a game begins.
 * @param {Edition} edition
 * @param {Deal} game
 * @returns {Position}
 */
export function startGame(edition, game) {
  return {
    players: [0, 1].map((seat) => ({
      quilt: Array(edition.rows * edition.columns).fill(0),
      buttons: seat === 1 && game.automa ? 0 : edition.buttons,
      income: 0,
      space: 0,
      micros: 0,
    })),
    circle: game.deal[0],
    late: game.deal[1],
    toMove: 0,
    pending: 0,
    tile: null,
  };
}

/**
 * @param {Position} position
 * @returns {Position}
 */
function copy(position) {
  const players = position.players.map((player) => ({ ...player, quilt: [...player.quilt] }));
  return { ...position, players };
}

/**
 * @param {number[]} marks
 * @param {number} space
 */
function countPassed(marks, space) {
  return marks.filter((mark) => mark <= space).length;
}

/**
 * @param {Edition} edition
 * @param {Quilt} quilt
 */
function earnsTile({ tile, rows, columns }, quilt) {
  if (!tile) return false;
  const [size] = tile;
  /** @param {number} corner */
  const isWhole = (corner) =>
    Array.from({ length: size * size }).every(
      (_, number) => quilt[corner + Math.floor(number / size) * columns + (number % size)] !== 0,
    );
  return quilt.some((_, square) => {
    const [column, row] = [square % columns, Math.floor(square / columns)];
    return column + size <= columns && row + size <= rows && isWhole(square);
  });
}

/**
 * @param {Edition} edition
 * @param {Position} position
 * @param {number} patch
 */
function takePatch(edition, position, patch) {
  const place = position.circle.indexOf(patch);
  const circle = [...position.circle.slice(place + 1), ...position.circle.slice(0, place)];
  const enters = edition.late !== null && circle.length <= edition.late;
  const late = enters ? position.late : [];
  Object.assign(position, { circle: [...circle, ...late] });
  if (enters) Object.assign(position, { late: [] });
}

/**
 * @param {Edition} edition
 * @param {Position} position
 * @param {Seat} seat
 * @param {number} target
 * @param {number} income
 */
function moveToken(edition, position, seat, target, income) {
  const mover = position.players[seat];
  const ahead = position.players[1 - seat].space;
  const from = mover.space;
  const to = Math.min(target, edition.last);
  const paid = countPassed(edition.incomes, to) - countPassed(edition.incomes, from);
  Object.assign(mover, { space: to, buttons: mover.buttons + income * paid });
  if (to > ahead) {
    const reached = countPassed(edition.leathers, Math.max(ahead, from));
    Object.assign(position, { pending: countPassed(edition.leathers, to) - reached });
  }
  return to - from;
}

/**
 * @param {Edition} edition
 * @param {Position} position
 * @param {Deal} game
 * @param {string[]} words
 */
function turnCard(edition, position, game, [, , patch, income]) {
  const [human, automa] = position.players;
  const from = automa.space;
  const target = patch === "pass" ? human.space + 1 : from + edition.patches[patch][2];
  if (patch !== "pass") takePatch(edition, position, Number(patch));
  moveToken(edition, position, 1, target, Number(income));
  const goal = game.automa?.[1] ?? Infinity;
  const isReached = position.tile === null && from < goal && goal <= automa.space;
  // a special patch that it reaches leaves the board
  Object.assign(position, { pending: 0, tile: isReached ? 1 : position.tile });
}

/**
 * @param {Edition} edition
 * @param {Position} position
 * @param {Seat} seat
 * @param {string} action
 * @param {number | null} patch
 */
function cover(edition, position, seat, action, patch) {
  const { quilt } = position.players[seat];
  coverAction(edition, action).forEach((square) => {
    quilt[square] = patch ?? -1 - square;
  });
  if (position.tile === null && earnsTile(edition, quilt)) Object.assign(position, { tile: seat });
}

/**
 * @param {Edition} edition
 * @param {Position} position
 * @param {Player} mover
 * @param {Seat} seat
 * @param {string} action
 */
function placePatch(edition, position, mover, seat, action) {
  const number = Number(action.split(":")[0]);
  const [, cost, time, income] = edition.patches[number];
  cover(edition, position, seat, action, number);
  takePatch(edition, position, number);
  Object.assign(mover, { buttons: mover.buttons - cost, income: mover.income + income });
  moveToken(edition, position, seat, mover.space + time, mover.income);
}

/**
 * Return the position after a ply.
 * @param {Edition} edition
 * @param {Position} before
 * @param {Deal} game
 * @param {Ply} ply
 * @returns {Position}
 */
export function applyPly(edition, before, game, [seat, action, micros]) {
  const position = copy(before);
  const [mover, other] = [position.players[seat], position.players[1 - seat]];
  mover.micros += Math.max(0, micros); // below 0 if nobody measured it
  const words = action.split(":");
  if (words[0] === "card") {
    turnCard(edition, position, game, words);
  } else if (words[0] === "advance") {
    const spaces = moveToken(edition, position, seat, other.space + 1, mover.income);
    mover.buttons += spaces;
  } else if (words[0] === "decline" || words[0] === "leather") {
    if (words[0] === "leather") cover(edition, position, seat, action, null);
    position.pending -= 1;
  } else {
    placePatch(edition, position, mover, seat, action);
  }
  if (mover.quilt.every(Boolean) && words[0] !== "card") position.pending = 0;
  position.toMove = mover.space > other.space && !position.pending ? 1 - seat : seat;
  return position;
}

/**
 * Return the score of a seat as a position has it.
 * @param {Edition} edition
 * @param {Position} position
 * @param {Seat} seat
 */
export function scoreSeat(edition, position, seat) {
  const player = position.players[seat];
  const empty = player.quilt.filter((mark) => !mark).length;
  const tile = position.tile === seat && edition.tile ? edition.tile[1] : 0;
  return player.buttons + tile - 2 * empty;
}

/**
 * Return all positions of a game.
 * @param {Edition} edition
 * @param {Deal & { plies: Ply[] }} game
 * @returns {Position[]}
 */
export function listPositions(edition, game) {
  const positions = [startGame(edition, game)];
  for (const ply of game.plies) {
    positions.push(applyPly(edition, positions[positions.length - 1], game, ply));
  }
  return positions;
}
