/* The sort order of the cells in a column. */

/**
 * Return true if a cell has no value.
 * @param {string} text
 */
function isEmpty(text) {
  return text === "" || text === "–";
}

/**
 * Compare two cells: as numbers if both are numbers, else as words, with numbers first.
 * @param {string} first
 * @param {string} second
 */
function compareWords(first, second) {
  const [a, b] = [first, second].map((cell) => parseFloat(cell.replace("−", "-")));
  if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return Number.isNaN(a) ? first.localeCompare(second) : a - b;
}

/**
 * Compare two cells for `sort`; empty cells come last in both orders.
 * @param {string} first
 * @param {string} second
 * @param {boolean} isDown
 */
export function compareCells(first, second, isDown) {
  if (isEmpty(first) !== isEmpty(second)) return isEmpty(first) ? 1 : -1;
  return isDown ? compareWords(second, first) : compareWords(first, second);
}
