/* The `info` lines of a bot: pairs of words, as docs/protocol.md describes them. */

const SCORE = /^-?\d{1,9}(?:\.\d{1,9})?$/;
const MOVE = /^(?:advance|decline|leather:[a-z]\d+|\d+:[rf]\d+:[a-z]\d+)$/;
const MOST_MOVES = 5; // of a line, which are drawn

/**
 * Return the pairs of words of an info; after `text`, all that follows is its value. The value is
 * empty if the last word has none.
 * @param {string} info
 */
function parsePairs(info) {
  /** @type {[word: string, value: string][]} */
  const pairs = [];
  const words = info.split(" ").filter(Boolean);
  while (words.length) {
    const word = words.shift() ?? "";
    const value = word === "text" ? words.splice(0).join(" ") : (words.shift() ?? "");
    pairs.push([word, value]);
  }
  return pairs;
}

/**
 * Return true if an info is about the best line of a search.
 * @param {[word: string, value: string][]} pairs
 */
function isOfBest(pairs) {
  return (pairs.find(([word]) => word === "multipv")?.[1] ?? "1") === "1";
}

/**
 * Return the moves of a value of `line`, or none if one of its words is not a move.
 * @param {string} value
 */
function parseLine(value) {
  const moves = value.split(",");
  return moves.every((word) => MOVE.test(word)) ? moves : [];
}

/**
 * Return the margin that a bot expects by an info, in points and from its own seat; null if it says
 * none, or only for a line that is not its best.
 * @param {string} info
 */
export function readScore(info) {
  const pairs = parsePairs(info);
  const score = pairs.find(([word]) => word === "score")?.[1] ?? "";
  return isOfBest(pairs) && SCORE.test(score) ? Number(score) : null;
}

/**
 * Return the first moves of the line of play in an info; the arena shows them as pictures.
 * @param {string} info
 */
export function readLine(info) {
  const line = parsePairs(info).find(([word]) => word === "line");
  return parseLine(line?.[1] ?? "").slice(0, MOST_MOVES);
}

/**
 * Return what an info says besides its score and its line, which the arena draws. A score that is
 * not a number, or that is not about the best line, and a line with other words than moves stay.
 * @param {string} info
 */
export function readRest(info) {
  const pairs = parsePairs(info);
  /** @type {Record<string, (value: string) => boolean>} */
  const drawn = {
    score: (value) => isOfBest(pairs) && SCORE.test(value),
    line: (value) => parseLine(value).length > 0,
  };
  const left = pairs.filter(([word, value], place) => {
    const isFirst = pairs.findIndex(([other]) => other === word) === place;
    return !(isFirst && drawn[word]?.(value));
  });
  return left
    .map((pair) => pair.join(" "))
    .join(" ")
    .trim();
}
