/* The bots that have evaluated a game. One of them marks it at a time, and what it has marked bears
   its name with its limit: the same bot expects something else if it thinks longer. */
import { isEvaluator } from "../game/evaluations.js";

/** @import { AskedBot, Limit } from "../types.d.ts" */

/**
 * Describe how long a bot thinks.
 * @param {Omit<Limit, "bot">} limit
 */
export function describeLimit({ ms, option, value, endless }) {
  if (endless) return "until stopped";
  return option ? `${option} ${value}` : `${(ms ?? 0) / 1000} s`;
}

/**
 * Return the name of a bot with its limit, which tells its evaluation from all others.
 * @param {Pick<AskedBot, "name" | "limit">} bot
 */
export function nameEvaluator({ name, limit }) {
  return `${name}, ${describeLimit(limit)}`;
}

/**
 * Return the bots that have evaluated the whole game, in the order in which they were asked. A bot
 * that is asked again keeps its earlier evaluation until the new one is whole.
 * @param {AskedBot[]} earlier
 * @param {AskedBot[]} latest the bots that were asked last
 */
export function listEvaluators(earlier, latest) {
  const whole = latest.filter(({ done, failed }) => done && !failed);
  const names = new Set(whole.map(nameEvaluator));
  return [...earlier.filter((bot) => !names.has(nameEvaluator(bot))), ...whole];
}

/**
 * Return the evaluator with the first of some names that any evaluator has; else the first evaluator
 * that says what it expects, else the first; null for none.
 * @param {AskedBot[]} evaluators
 * @param {(string | null)[]} preferred
 * @returns {AskedBot | null}
 */
export function findEvaluator(evaluators, preferred) {
  const named = preferred.map((name) => evaluators.find((bot) => nameEvaluator(bot) === name));
  return named.find(Boolean) ?? evaluators.find(isEvaluator) ?? evaluators[0] ?? null;
}
