/* What the page says of evaluations of a bot's lost games, and which of them it shows. */
import { isEvaluator, listMargins } from "../game/evaluations.js";
import { count } from "../shared/sentences.js";

/** @import { AskedBot, KeptMargins, Limit } from "../types.d.ts" */

/**
 * Return the newest evaluation of a game by a bot in which it said what it expects.
 * @param {KeptMargins[]} evaluations
 * @param {string} bot
 */
export function findBy(evaluations, bot) {
  return evaluations.findLast(
    (evaluation) => evaluation.bot === bot && listMargins({ evaluations: evaluation.plies }).length,
  );
}

/**
 * Return the bot that has evaluated most of some games, else the first evaluator.
 * @param {Limit[]} evaluators
 * @param {KeptMargins[][]} games the evaluations of each game
 */
export function chooseEvaluator(evaluators, games) {
  const counts = evaluators.map(
    ({ bot }) => games.filter((evaluations) => findBy(evaluations, bot)).length,
  );
  return evaluators[counts.indexOf(Math.max(...counts))].bot;
}

/**
 * Say what the button does.
 * @param {string} bot
 * @param {number} left games that the bot has not evaluated
 * @param {number} all
 */
export function nameTask(bot, left, all) {
  if (!left) return `Show the evaluation by ${bot}`;
  return `Have ${bot} evaluate ${left < all ? count(left, "more games") : "its lost games"}`;
}

/**
 * Return the title of the column of falls.
 * @param {string} bot the evaluator; empty for the bot's own expectation
 * @param {string} name of the bot that lost
 */
export function titleFalls(bot, name) {
  const start = bot ? `the ply of ${name} with` : "the ply at";
  return `${start} which the margin that ${bot || `${name} itself`} expected fell most, and by how much`;
}

/**
 * Return the evaluators to propose next to a bot's own expectation: others, if there are any.
 * @param {Limit[]} evaluators
 * @param {string} name of the bot
 */
export function listOthers(evaluators, name) {
  const others = evaluators.filter(({ bot }) => bot !== name);
  return others.length ? others : evaluators;
}

/**
 * Say which game is evaluated, and how far that is.
 * @param {{ limit: Limit, done: number, count: number, state: string }} run
 */
export function describeRun({ limit, done, count: all, state }) {
  return `${limit.bot} evaluates game ${done + 1} of ${all}: ${state}`;
}

/**
 * Return why the evaluations cannot go on; empty if they can.
 * @param {AskedBot} bot
 */
export function explainEnd(bot) {
  if (bot.failed) return `${bot.name} failed: ${bot.state}`;
  if (!bot.done) return "The evaluation was stopped.";
  return isEvaluator(bot) ? "" : `${bot.name} says no margin (info score): choose another bot.`;
}
