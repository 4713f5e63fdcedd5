/* Evaluations of a whole game: series of margins, and counts of graded plies. */

/** @import { AskedBot, Evaluated, Pair, Study } from "../types.d.ts" */
/** @import { Series } from "./curve.js" */

const NAMES = [
  ["blunder", "blunders"],
  ["mistake", "mistakes"],
  ["inaccuracy", "inaccuracies"],
];

/**
 * Return the margins that the players expected, and those of the asked bots.
 * @param {Study} study
 * @param {AskedBot[]} bots
 * @returns {Series[]}
 */
export function listSeries({ names, plies }, bots) {
  const played = names.map((name, seat) => ({
    name: `${name}, as it played`,
    points: plies.flatMap((ply, place) =>
      ply.seat === seat && ply.margin !== null
        ? [/** @type {Pair} */ ([place + 1, ply.margin])]
        : [],
    ),
  }));
  const judged = bots.map(({ name, evaluations }) => ({
    name: `${name} now`,
    points: evaluations.flatMap(({ number, margin }) =>
      margin === null ? [] : [/** @type {Pair} */ ([number, margin])],
    ),
  }));
  return [...played, ...judged];
}

/**
 * Describe how many plies have each grade.
 * @param {AskedBot} bot
 * @param {Evaluated[]} graded
 */
export function describeGrades({ name, evaluations }, graded) {
  if (evaluations.every(({ margin }) => margin === null)) {
    return `${name} says no margin, so it cannot tell what a ply cost.`;
  }
  const counts = NAMES.map(([one, many]) => {
    const number = graded.filter(({ grade }) => grade === one).length;
    return number === 1 ? `1 ${one}` : `${number} ${many}`;
  });
  const costs = "A blunder costs 8 points or more, a mistake 4, an inaccuracy 2.";
  return `By ${name}: ${counts.join(", ")}. ${costs}`;
}
