/* Why a game that an address names cannot be opened, and what to do. */
import { describeResult } from "./rows.js";

/** @import { GameRow, PageFacts } from "../types.d.ts" */

/**
 * Return a sentence about a game that the page does not have.
 * @param {PageFacts} facts
 * @param {string} id
 * @param {GameRow | undefined} row of the game in the list
 * @param {number} listed the number of games in the list
 */
export function explainMissing(facts, id, row, listed) {
  if (!/^\d+\.[01]$/.test(id)) {
    return `“${id}” names no game: write the pair, a point, and 0 or 1, as in #game=0.0.`;
  }
  if (row && !row[8]) {
    return `No move was played in game ${id}: ${describeResult(facts, row)}.`;
  }
  if (facts.saved || facts.live || (!row && listed >= facts.games)) {
    return `There is no game ${id} here: choose one from the list.`;
  }
  const all = "pwtourney report FOLDER --out DIR --replays all";
  return `Game ${id} is not in this file. A page of it: pwtourney replay FOLDER:${id} --html FILE. A file with all games: ${all}.`;
}
