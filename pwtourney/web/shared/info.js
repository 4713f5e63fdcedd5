/* The `info` lines of a bot, as docs/protocol.md describes them and `pwtourney/notation/info.py`
   reads them. */

const SCORE = /^-?\d{1,9}(?:\.\d{1,9})?$/;
const MOVE = /^(?:advance|decline|leather:[a-z]\d+|\d+:[rf]\d+:[a-z]\d+)$/;
const MOST_MOVES = 5; // of a line, which are drawn

/** @typedef {[word: string, value: string]} InfoPair */

/**
 * Return the pairs of words of an info; after `text`, all that follows is its value. A word without
 * a value has an empty one.
 * @param {string} info
 */
function parsePairs(info) {
  /** @type {InfoPair[]} */
  const pairs = [];
  const words = info.split(" ");
  while (words.length) {
    const word = words.shift() ?? "";
    const value = word === "text" ? words.splice(0).join(" ") : (words.shift() ?? "");
    pairs.push([word, value]);
  }
  return pairs;
}

/**
 * Return the pair with the margin that a bot expects by an info, if it says one for its best line.
 * @param {InfoPair[]} pairs
 */
function findScore(pairs) {
  const rank = pairs.find(([word, value]) => word === "multipv" && value)?.[1] ?? "1";
  if (rank !== "1") return undefined;
  const place = pairs.findIndex(([word, value]) => word === "score" && SCORE.test(value));
  // behind two blanks nobody knows which words are pairs
  const isClear = pairs.slice(0, place).every((pair) => pair.every(Boolean));
  return isClear ? pairs[place] : undefined;
}

/**
 * Return the pair with the line of play in an info, if all of its words are moves.
 * @param {InfoPair[]} pairs
 */
function findLine(pairs) {
  const line = pairs.find(([word, value]) => word === "line" && value);
  return line?.[1].split(",").every((word) => MOVE.test(word)) ? line : undefined;
}

/**
 * Return the margin that a bot expects by an info, in points and from its own seat; null if it says
 * none, or only for a line that is not its best.
 * @param {string} info
 */
export function readScore(info) {
  const score = findScore(parsePairs(info));
  return score ? Number(score[1]) : null;
}

/**
 * Return the first moves of the line of play in an info.
 * @param {string} info
 */
export function readLine(info) {
  const line = findLine(parsePairs(info));
  return line ? line[1].split(",").slice(0, MOST_MOVES) : [];
}

/**
 * Return what an info says besides what `readScore` and `readLine` return.
 * @param {string} info
 */
export function readRest(info) {
  const pairs = parsePairs(info);
  const read = [findScore(pairs), findLine(pairs)];
  const left = pairs.filter((pair) => !read.includes(pair));
  return left
    .map((pair) => pair.join(" "))
    .join(" ")
    .trim();
}
