/* The bots that have evaluated a game. One of them marks it at a time, and what it has marked bears
   its name with its limit: the same bot expects something else if it thinks longer. */
import { isJudge } from "../game/judged.js";

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
export function nameJudge({ name, limit }) {
  return `${name}, ${describeLimit(limit)}`;
}

/**
 * Return the bots that have evaluated the whole game, in the order in which they were asked. A bot
 * that is asked again keeps its earlier evaluation until the new one is whole.
 * @param {AskedBot[]} earlier
 * @param {AskedBot[]} asked the bots that were asked last
 */
export function listJudges(earlier, asked) {
  const whole = asked.filter(({ done, failed }) => done && !failed);
  const names = new Set(whole.map(nameJudge));
  return [...earlier.filter((bot) => !names.has(nameJudge(bot))), ...whole];
}

/**
 * Return the judge with the first of some names that is there, else the first that says what it
 * expects, else the first; null for none.
 * @param {AskedBot[]} judges
 * @param {(string | null)[]} wanted
 * @returns {AskedBot | null}
 */
export function findJudge(judges, wanted) {
  const named = wanted.map((name) => judges.find((bot) => nameJudge(bot) === name));
  return named.find(Boolean) ?? judges.find(isJudge) ?? judges[0] ?? null;
}
