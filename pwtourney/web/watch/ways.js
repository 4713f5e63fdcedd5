/* The sentence that says what is being played, and the links to the last result and to other games;
   if no game is stored, to the page that starts one. */
import { $, make, refresh } from "../shared/dom.js";
import { formatScore } from "../shared/gauges.js";
import { count } from "../shared/sentences.js";
import { formatGame } from "../shared/game_address.js";

/** @import { LastResult, LatestNews } from "../types.d.ts" */

/**
 * Say what is being played; after a tournament, how it ended.
 * @param {boolean | null} isRunning whether a run is active; null if unknown
 * @param {number} live games that are being played
 * @param {Pick<LatestNews, "over" | "lead"> | null} latest
 */
export function tellState(isRunning, live, latest) {
  if (isRunning === null) return "Looking for games …";
  if (isRunning && !live) return "A run goes on; no game is being played now.";
  if (isRunning) return `${count(live, "games")} ${live === 1 ? "is" : "are"} being played.`;
  if (latest?.over && latest.lead) return `The tournament is over: ${latest.lead}`;
  return `Nothing is being played now. ${latest?.lead ?? ""}`.trim();
}

/**
 * Say a result in a few words: the bots and their points. If the game was not finished, the points do
 * not say who won, so the verdict replaces them.
 * @param {LastResult} result
 */
export function tellBriefly({ bots, scores, verdict }) {
  if (verdict !== "finished") return `${bots[0]} – ${bots[1]}: ${verdict}`;
  const [first, second] = scores.map(formatScore);
  return `${bots[0]} ${first} – ${second} ${bots[1]}`;
}

/**
 * Link to the last result.
 * @param {LastResult | undefined} result
 * @param {string} root the path of the tournament
 */
export function drawWays(result, root) {
  if (!result) return;
  const link = { href: formatGame(root, result.id), class: "last-result" };
  refresh($("ways"), make("a", link, `last: ${tellBriefly(result)}`));
}

/**
 * Show what to do where no game can be shown.
 * @param {boolean} isEmpty whether there is no game to show
 * @param {boolean} isRunning
 */
export function showNothing(isEmpty, isRunning) {
  $("nothing").hidden = !isEmpty;
  $("to-begin").hidden = isRunning;
  $("to-come").hidden = !isRunning;
}

/**
 * Let a link lead somewhere, or nowhere, if the address is empty; its place stays.
 * @param {string} id
 * @param {string} address
 */
export function setWay(id, address) {
  const link = $(id, HTMLAnchorElement);
  if (address) link.href = address;
  else link.removeAttribute("href");
}

/**
 * Link to the games before and after the one of the page.
 * @param {LatestNews["neighbours"]} neighbours
 * @param {string} root the path of the tournament
 */
export function drawNeighbours(neighbours, root) {
  ["game-before", "game-after"].forEach((id, index) => {
    const name = neighbours[index];
    setWay(id, name ? formatGame(root, name) : "");
  });
}
