/* Shapes of patches, the squares that they cover, and what quilt boards hold, without drawing. */

/** @import { Edition, Orientation, Pair, Quilt } from "../types.d.ts" */

/** @type {Orientation[]} */
export const ORIENTATIONS = ["r0", "r90", "r180", "r270", "f0", "f90", "f180", "f270"];

const TURNS = 4;

/**
 * Return the rows of a shape in an orientation: it is first flipped left to right, then turned
 * clockwise.
 * @param {string[]} rows
 * @param {Orientation} orientation
 * @returns {string[]}
 */
export function turnShape(rows, orientation) {
  let shape = orientation[0] === "f" ? rows.map((row) => [...row].reverse().join("")) : rows;
  for (let turns = Number(orientation.slice(1)) / 90; turns > 0; turns -= 1) {
    const before = shape;
    shape = [...before[0]].map((_, column) =>
      before
        .map((row) => row[column])
        .reverse()
        .join(""),
    );
  }
  return shape;
}

/**
 * Return the first orientation in which a shape is at least as high as wide.
 * @param {string[]} rows of the shape
 * @returns {Orientation}
 */
export function standUpright(rows) {
  return rows[0].length > rows.length ? "r90" : "r0";
}

/**
 * Return the number of an orientation after a turn by quarters, clockwise if positive.
 * @param {number} number of `ORIENTATIONS`
 * @param {number} [step]
 */
export function rotate(number, step = 1) {
  return number - (number % TURNS) + ((number + step + TURNS) % TURNS);
}

/**
 * Return the number of the mirrored orientation. An orientation flips before it turns, so the turn
 * is reversed.
 * @param {number} number of `ORIENTATIONS`
 */
export function flip(number) {
  return (number < TURNS ? TURNS : 0) + ((TURNS - (number % TURNS)) % TURNS);
}

/**
 * Return the squares of a shape as column and row, row by row.
 * @param {string[]} rows
 * @returns {Pair[]}
 */
export function listSquares(rows) {
  return rows.flatMap((row, down) =>
    [...row].flatMap((mark, right) => (mark === "#" ? [/** @type {Pair} */ ([right, down])] : [])),
  );
}

/**
 * Return the column and the row of a square of a quilt board.
 * @param {Edition} edition
 * @param {number} square
 * @returns {Pair}
 */
export function placeSquare({ columns }, square) {
  return [square % columns, Math.floor(square / columns)];
}

/**
 * Return the letter of a column.
 * @param {number} column
 */
export function nameColumn(column) {
  return String.fromCharCode(97 + column);
}

/**
 * Return the name of a square, such as `b4`.
 * @param {Edition} edition
 * @param {number} square
 */
export function nameSquare(edition, square) {
  const [column, row] = placeSquare(edition, square);
  return `${nameColumn(column)}${row + 1}`;
}

/**
 * Return the square with a name such as `b4`.
 * @param {Edition} edition
 * @param {string} name
 */
export function parseSquare({ columns }, name) {
  return (Number(name.slice(1)) - 1) * columns + name.charCodeAt(0) - 97;
}

/**
 * Return the squares of a quilt board that a shape covers if its top left corner is on `corner`.
 * @param {Edition} edition
 * @param {string[]} rows of the shape as it lies
 * @param {number} corner
 * @returns {number[]}
 */
export function coverSquares({ columns }, rows, corner) {
  return listSquares(rows).map(([right, down]) => corner + down * columns + right);
}

/**
 * Return the squares that an action such as `12:r90:b4` or `leather:e5` covers; none for others.
 * @param {Edition} edition
 * @param {string} action
 * @returns {number[]}
 */
export function coverAction(edition, action) {
  const words = action.split(":");
  if (words[0] === "card") return [];
  if (words[0] === "leather") return [parseSquare(edition, words[1])];
  if (words.length !== 3) return [];
  const orientation = /** @type {Orientation} */ (words[1]);
  const rows = turnShape(edition.patches[words[0]][0], orientation);
  return coverSquares(edition, rows, parseSquare(edition, words[2]));
}

/**
 * Return a key that is equal for lists with the same squares.
 * @param {Pair[]} squares
 */
function keyOf(squares) {
  return squares
    .map(([column, row]) => `${column} ${row}`)
    .sort()
    .join();
}

/**
 * Return the first orientation in which a shape covers exactly some squares, and its top left
 * corner; null if there is none.
 * @param {string[]} rows of the shape
 * @param {Pair[]} squares
 * @returns {{ orientation: Orientation, left: number, top: number } | null}
 */
export function findOrientation(rows, squares) {
  const left = Math.min(...squares.map(([column]) => column));
  const top = Math.min(...squares.map(([, row]) => row));
  const key = keyOf(squares.map(([column, row]) => [column - left, row - top]));
  const orientation = ORIENTATIONS.find(
    (name) => keyOf(listSquares(turnShape(rows, name))) === key,
  );
  return orientation ? { orientation, left, top } : null;
}

/**
 * Return the squares of each mark of a quilt, in the order of their first squares.
 * @param {Quilt} quilt
 * @returns {Map<number, number[]>}
 */
export function groupMarks(quilt) {
  /** @type {Map<number, number[]>} */
  const groups = new Map();
  quilt.forEach((mark, square) => {
    if (mark) groups.set(mark, [...(groups.get(mark) ?? []), square]);
  });
  return groups;
}

/**
 * Return the squares that were covered between two positions of a quilt board; none if there is no
 * earlier one.
 * @param {Quilt | null} before
 * @param {Quilt} after
 * @returns {number[]}
 */
export function findPlaced(before, after) {
  return after.flatMap((mark, square) => (before && mark && !before[square] ? [square] : []));
}
