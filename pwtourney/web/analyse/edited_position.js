/* The position in the editor, without drawing. Numbers are texts, as the reader types them. What
   follows from a change is computed by the server, which also checks each position by the rules. */
import { ORIENTATIONS, coverSquares, turnShape } from "../shared/shapes.js";

/** @import { Edition, FormValues, Orientation, Position, StudyEdition } from "../types.d.ts" */
/** @typedef {FormValues & { typed: string[] }} EditedPosition with the names of the fields that the
    reader has typed, which the server does not change */

/** @type {("buttons" | "income" | "space")[]} */
export const NUMBERS = ["buttons", "income", "space"];

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
    typed: [],
  };
}

/**
 * Return the values of the fields by their names, such as `buttons:0` of the first seat.
 * @param {FormValues} values
 * @returns {Record<string, string | null>}
 */
export function listFields({ players, toMove, pending, tile }) {
  const numbers = players.flatMap((player, seat) =>
    NUMBERS.map((key) => [`${key}:${seat}`, player[key]]),
  );
  return { ...Object.fromEntries(numbers), toMove, pending, tile };
}

/**
 * Return a position with other values of some fields, by their names.
 * @template {FormValues} T
 * @param {T} position
 * @param {Record<string, string | null>} fields
 * @returns {T}
 */
export function setFields(position, fields) {
  const { toMove, pending, tile, ...numbers } = { ...listFields(position), ...fields };
  const players = position.players.map((player, seat) => {
    const own = NUMBERS.map((key) => [key, numbers[`${key}:${seat}`]]);
    return { ...player, ...Object.fromEntries(own) };
  });
  return { ...position, players, toMove: toMove ?? "0", pending: pending ?? "", tile };
}

/**
 * Return a position after the reader has typed a field, which the server will not change.
 * @param {EditedPosition} position
 * @param {string} name
 * @param {string | null} value
 */
export function typeField(position, name, value) {
  const typed = [...position.typed.filter((other) => other !== name), name];
  return { ...setFields(position, { [name]: value }), typed };
}

/**
 * Return a position with the values that the server has suggested for fields that were typed; from
 * then on the server changes them again.
 * @param {EditedPosition} position
 * @param {Record<string, string | null>} suggested
 */
export function takeSuggested(position, suggested) {
  const typed = position.typed.filter((name) => !(name in suggested));
  return { ...setFields(position, suggested), typed };
}

/**
 * Return the position that the server has answered. What the reader has typed since the question was
 * sent stays.
 * @param {EditedPosition} sent
 * @param {EditedPosition} current
 * @param {FormValues} answered
 * @returns {EditedPosition}
 */
export function mergeAnswer(sent, current, answered) {
  const before = listFields(sent);
  const since = Object.entries(listFields(current)).filter(
    ([name, value]) => value !== before[name],
  );
  const { typed, late } = current;
  return { ...setFields(answered, Object.fromEntries(since)), typed, late };
}

/**
 * Return the squares that a patch would cover with its top left corner on a square; null if it
 * leaves the board.
 * @param {Edition} edition
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
 * Remove a patch from the circle.
 * @param {EditedPosition} position
 * @param {number} patch
 */
export function dropPatch(position, patch) {
  Object.assign(position, { circle: position.circle.filter((number) => number !== patch) });
}

/**
 * Move a patch along the circle; return false if it is already at the end.
 * @param {EditedPosition} position
 * @param {number | null} patch
 * @param {number} step
 */
export function shiftPatch({ circle }, patch, step) {
  const index = circle.findIndex((number) => number === patch);
  const to = index + step;
  if (index < 0 || to < 0 || to >= circle.length) return false;
  [circle[index], circle[to]] = [circle[to], circle[index]];
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
  const patches = listTaken(edition, position).map((number) => edition.patches[number]);
  if (!patches.length) return "All patches are in the circle.";
  /** @param {number[]} numbers */
  const add = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const squares = add(patches.map(([rows]) => rows.join("").replaceAll(".", "").length));
  const covered = add(position.players.map(({ quilt }) => quilt.filter(Boolean).length));
  return [
    `Squares: ${squares}; ${covered} are covered.`,
    `Income: ${add(patches.map(([, , , income]) => income))}.`,
    `Cost: ${add(patches.map(([, cost]) => cost))}.`,
    `Time: ${add(patches.map(([, , time]) => time))}.`,
    "Choose a patch to put it back.",
  ].join(" ");
}

/**
 * Return the square next to another in the direction of an arrow key; the same at the edge.
 * @param {Edition} edition
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
