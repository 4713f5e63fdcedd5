/* Evaluations of a whole game: series of margins, and how well each player did. */
import { listOfPlayers } from "./curve.js";

/** @import { AskedBot, Evaluated, KeptEvaluation, Limit, Pair, Seat, Study, Weighed } from "../types.d.ts" */
/** @import { Mark, Series } from "./curve.js" */

/**
 * Return the margins that the evaluator of a game expects, if the game has an evaluator, and those
 * that the players expected.
 * @param {Study} study
 * @param {Pick<AskedBot, "name" | "evaluations"> | null} evaluator
 * @returns {Series[]}
 */
export function listSeries({ names, plies }, evaluator) {
  const played = listOfPlayers(
    names.map((name) => `${name}, as it played`),
    plies,
  );
  const points = evaluator ? listMargins(evaluator) : [];
  if (!evaluator || !points.length) return played;
  return [
    { name: evaluator.name, points },
    ...played.map((curve) => ({ ...curve, isMinor: true })),
  ];
}

/**
 * Return the margins that a bot expects: each ply with the margin before it.
 * @param {{ evaluations: Pick<Weighed, "number" | "margin">[] }} bot
 * @returns {Pair[]}
 */
export function listMargins({ evaluations }) {
  return evaluations.flatMap(({ number, margin }) =>
    margin === null ? [] : [/** @type {Pair} */ ([number, margin])],
  );
}

/**
 * Return true if a bot has evaluated the whole game, and said what it expects.
 * @param {AskedBot} bot
 */
export function isEvaluator(bot) {
  return Boolean(bot.done && !bot.failed && listMargins(bot).length);
}

/**
 * Return the plies that cost enough to have a grade.
 * @param {AskedBot | null} bot
 */
export function listGraded(bot) {
  return (bot?.evaluations ?? []).filter(({ grade }) => grade);
}

/**
 * Return the ply of a seat with which the expected margin fell most, the first of equal ones, and by
 * how many points; null if it never fell.
 * @param {Weighed[]} plies
 * @param {Seat} seat
 * @returns {{ ply: number, points: number } | null}
 */
export function findLargestFall(plies, seat) {
  const falls = plies
    .filter((ply) => ply.seat === seat && (ply.swing ?? 0) < 0)
    .map(({ number, swing }) => ({ ply: number, points: -(swing ?? 0) }));
  falls.sort((fall, other) => other.points - fall.points);
  return falls[0] ?? null;
}

/**
 * Return the graded plies that cost most, the earliest first.
 * @param {AskedBot} bot
 * @param {number} most
 */
export function listCostliest(bot, most) {
  const byCost = listGraded(bot).sort((ply, other) => (ply.swing ?? 0) - (other.swing ?? 0));
  return byCost.slice(0, most).sort((ply, other) => ply.number - other.number);
}

/**
 * Return the marks of plies on a curve.
 * @param {Evaluated[]} graded
 * @returns {Mark[]}
 */
export function listMarks(graded) {
  return graded.map(({ number, margin, grade }) => ({ ply: number, margin: margin ?? 0, grade }));
}

/**
 * Return the evaluation that a bot made with a limit; undefined for none.
 * @param {KeptEvaluation[]} evaluations
 * @param {Limit} limit
 */
export function findKept(evaluations, { bot, ms, option, value }) {
  return evaluations.find(
    ({ bot: name, limit }) =>
      name === bot && limit.ms === ms && limit.option === option && limit.value === value,
  );
}

/**
 * Return a bot as if it had just evaluated the game, from what was kept of it.
 * @param {KeptEvaluation} kept
 * @returns {AskedBot}
 */
export function readKept({ bot, limit, plies, players, made }) {
  return {
    name: bot,
    limit: { bot, ...limit },
    state: "",
    infos: [],
    evaluations: plies,
    players,
    action: "",
    done: true,
    made,
  };
}
