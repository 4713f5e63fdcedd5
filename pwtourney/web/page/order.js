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
 * @param {string} one
 * @param {string} two
 */
function compareWords(one, two) {
  const [a, b] = [one, two].map((cell) => parseFloat(cell.replace("−", "-")));
  if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return Number.isNaN(a) ? one.localeCompare(two) : a - b;
}

/**
 * Compare two cells for `sort`; empty cells come last in both orders.
 * @param {string} one
 * @param {string} two
 * @param {boolean} isDown
 */
export function compareCells(one, two, isDown) {
  if (isEmpty(one) !== isEmpty(two)) return isEmpty(one) ? 1 : -1;
  return isDown ? compareWords(two, one) : compareWords(one, two);
}
