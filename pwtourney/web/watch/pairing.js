/* How the two bots of the followed game stand against each other in this tournament. */
import { $, make } from "../shared/dom.js";
import { count } from "../shared/sentences.js";

/** @import { PairingScore } from "../types.d.ts" */

/**
 * Format points, which come in halves.
 * @param {number} points
 */
export function formatHalves(points) {
  const whole = Math.floor(points);
  if (whole === points) return String(whole);
  return `${whole || ""}½`;
}

/**
 * Return a score from the view of two bots in the order of their seats; null if it is of others.
 * @param {PairingScore | null} score
 * @param {string[]} bots
 * @returns {PairingScore | null}
 */
export function turnScore(score, [first, second]) {
  if (!score) return null;
  const [firstBot, secondBot] = score.bots;
  if (first === firstBot && second === secondBot) return score;
  if (first !== secondBot || second !== firstBot) return null;
  return { ...score, bots: [secondBot, firstBot], points: [score.points[1], score.points[0]] };
}

/**
 * Say how many games a score is of, in whole pairs if it has no others.
 * @param {PairingScore} score
 */
export function countGames({ games, pairs }) {
  return games === 2 * pairs ? count(pairs, "pairs") : count(games, "games");
}

/**
 * Draw the score of the followed game's bots as a link to their games; its place stays empty until
 * the score is known.
 * @param {PairingScore | null} known
 * @param {string[]} bots
 * @param {string} root the path of the tournament
 */
export function drawPairing(known, bots, root) {
  const link = $("pairing", HTMLAnchorElement);
  const score = turnScore(known, bots);
  if (!score?.address) {
    link.removeAttribute("href");
    link.removeAttribute("aria-label");
    link.textContent = score ? "no pair yet" : "";
    return;
  }
  const [first, second] = score.points.map(formatHalves);
  const games = countGames(score);
  link.href = `${root}/tournament${score.address}`;
  const words = `${bots[0]} ${first}, ${bots[1]} ${second} in ${games}: all of their games`;
  link.setAttribute("aria-label", words);
  link.replaceChildren(make("strong", {}, `${first} – ${second}`), ` in ${games}`);
}
