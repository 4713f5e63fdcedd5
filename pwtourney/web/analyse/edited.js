/* The position in the editor and the changes to it, without drawing. Numbers are texts, as the
   reader types them. The server checks each position by the rules. */
import { ORIENTATIONS, coverSquares, turnShape } from "../shared/shapes.js";

/** @import { Orientation, Position, Quilt, Seat, StudyEdition } from "../types.d.ts" */
/** @typedef {"buttons" | "income" | "space"} NumberKey */
/** @typedef {{ quilt: Quilt } & Record<NumberKey, string>} EditedPlayer */
/**
 * @typedef {{
 *   players: EditedPlayer[],
 *   circle: number[],
 *   toMove: string,
 *   pending: string,
 *   tile: string | null,
 *   late: boolean,
 * }} EditedPosition
 */

const COVERED = 1_000_000; // the mark of a square that is covered by an unknown patch

/**
 * Return a position in the form that the editor changes.
 * @param {Position} position
 * @returns {EditedPosition}
 */
export function editPosition({ players, circle, toMove, pending, tile, late }) {
  return {
    players: players.map(({ quilt, buttons, income, space }) => ({
      quilt: [...quilt],
      buttons: String(buttons),
      income: String(income),
      space: String(space),
    })),
    circle: [...circle],
    toMove: String(toMove),
    pending: String(pending),
    tile: tile === null ? null : String(tile),
    late: late.length > 0,
  };
}

/**
 * Return the squares that a patch covers with its top left corner on a square; null if it leaves
 * the board.
 * @param {StudyEdition} edition
 * @param {number} patch
 * @param {Orientation} orientation
 * @param {number} square
 */
export function findCovered(edition, patch, orientation, square) {
  const shape = turnShape(edition.patches[patch][0], orientation);
  const [column, row] = [square % edition.columns, Math.floor(square / edition.columns)];
  const isAcross = column + shape[0].length <= edition.columns;
  const isInside = isAcross && row + shape.length <= edition.rows;
  return isInside ? coverSquares(edition, shape, square) : null;
}

/**
 * Cover a square without naming a patch, or uncover it.
 * @param {EditedPosition} position
 * @param {Seat} seat
 * @param {number} square
 */
export function toggleSquare(position, seat, square) {
  const { quilt } = position.players[seat];
  quilt[square] = quilt[square] ? 0 : COVERED;
}

/**
 * Pay for a patch and move, or take both back with a `sign` of −1. What was collected on the way is
 * not known. The player who is behind is to move.
 * @param {StudyEdition} edition
 * @param {EditedPosition} position
 * @param {EditedPlayer} player
 * @param {number} patch
 * @param {1 | -1} sign
 */
function settlePatch({ patches, last }, position, player, patch, sign) {
  const [, cost, time, income] = patches[patch];
  /** @type {[key: NumberKey, change: number, most: number][]} */
  const changes = [
    ["buttons", -cost, Infinity], // below 0 if the player must have collected some
    ["income", income, Infinity],
    ["space", time, last],
  ];
  changes.forEach(([key, change, most]) => {
    const number = Number(player[key]) + sign * change;
    // what is not a number stays as it was typed
    if (!Number.isNaN(number)) player[key] = String(Math.min(most, number));
  });
  const [first, second] = position.players.map(({ space }) => Number(space));
  if (first !== second) position.toMove = first < second ? "0" : "1";
}

/**
 * Place a patch of the circle on a quilt board, and fill in what follows: its income, its cost, its
 * time, and who is to move. Return false if it does not fit there.
 * @param {StudyEdition} edition
 * @param {EditedPosition} position
 * @param {Seat} seat
 * @param {number} patch
 * @param {Orientation} orientation
 * @param {number} square of the top left corner
 */
export function placePatch(edition, position, seat, patch, orientation, square) {
  const player = position.players[seat];
  const covered = findCovered(edition, patch, orientation, square);
  if (!covered || covered.some((each) => player.quilt[each])) return false;
  covered.forEach((each) => {
    player.quilt[each] = patch;
  });
  settlePatch(edition, position, player, patch, 1);
  dropPatch(position, patch);
  return true;
}

/**
 * Remove a patch from the circle.
 * @param {EditedPosition} position
 * @param {number} patch
 */
export function dropPatch(position, patch) {
  Object.assign(position, { circle: position.circle.filter((each) => each !== patch) });
}

/**
 * Move a patch from its quilt board back into the circle, with what followed from it.
 * @param {StudyEdition} edition
 * @param {EditedPosition} position
 * @param {number} patch
 */
export function putBack(edition, position, patch) {
  position.circle.push(patch);
  position.players
    .filter(({ quilt }) => quilt.includes(patch))
    .forEach((player) => {
      player.quilt = player.quilt.map((mark) => (mark === patch ? 0 : mark));
      settlePatch(edition, position, player, patch, -1);
    });
}

/**
 * Move a patch along the circle; return false if it is already at the end.
 * @param {EditedPosition} position
 * @param {number | null} patch
 * @param {number} step
 */
export function shiftPatch({ circle }, patch, step) {
  const place = circle.findIndex((each) => each === patch);
  const to = place + step;
  if (place < 0 || to < 0 || to >= circle.length) return false;
  [circle[place], circle[to]] = [circle[to], circle[place]];
  return true;
}

/**
 * Return the patches that are neither in the circle nor waiting to enter it.
 * @param {StudyEdition} edition
 * @param {EditedPosition} position
 */
export function listTaken(edition, { circle, late }) {
  const elsewhere = new Set([...circle, ...(late ? edition.latePatches : [])]);
  return Object.keys(edition.patches)
    .map(Number)
    .filter((number) => !elsewhere.has(number));
}

/**
 * Describe the totals of the taken patches, and the number of covered squares.
 * @param {StudyEdition} edition
 * @param {EditedPosition} position
 */
export function describeTaken(edition, position) {
  const taken = listTaken(edition, position).map((number) => edition.patches[number]);
  if (!taken.length) return "All patches are in the circle.";
  /** @param {number[]} numbers */
  const add = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const squares = add(taken.map(([rows]) => rows.join("").replaceAll(".", "").length));
  const covered = add(position.players.map(({ quilt }) => quilt.filter(Boolean).length));
  return [
    `Squares: ${squares}, and covered are ${covered}.`,
    `Income: ${add(taken.map(([, , , income]) => income))}.`,
    `Cost: ${add(taken.map(([, cost]) => cost))}.`,
    `Spaces that they move tokens: ${add(taken.map(([, , time]) => time))}.`,
    "Choose a patch to put it back.",
  ].join(" ");
}

/**
 * Return the square next to another in the direction of an arrow key; the same at the edge.
 * @param {StudyEdition} edition
 * @param {number} square
 * @param {string} key
 * @returns {number | null} null if the key is not an arrow
 */
export function moveCursor({ columns, rows }, square, key) {
  const [column, row] = [square % columns, Math.floor(square / columns)];
  /** @type {Record<string, [right: number, down: number]>} */
  const arrows = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  if (!arrows[key]) return null;
  const [right, down] = arrows[key];
  const [x, y] = [column + right, row + down];
  const isInside = x >= 0 && y >= 0 && x < columns && y < rows;
  return isInside ? y * columns + x : square;
}

/**
 * Return the orientation after a change of its number, such as `rotate` or `flip`.
 * @param {Orientation} orientation
 * @param {(number: number) => number} change
 */
export function reshape(orientation, change) {
  return ORIENTATIONS[change(ORIENTATIONS.indexOf(orientation))];
}
