/* Why a game or a bot that an address names is not on the page, and what to do. */
import { describeResult } from "./rows.js";

/** @import { GameRow, LivePair, LiveState, PageFacts } from "../types.d.ts" */

/**
 * Return the pair of a list that has a game.
 * @param {LivePair[]} pairs
 * @param {string} id
 */
function findPair(pairs, id) {
  return pairs.find(({ pair }) => pair === parseInt(id, 10));
}

/** @param {LivePair} pair */
const namePair = ({ first, second }) => `${first} against ${second}`;

/**
 * Say that a game is played now, or will be; empty if the run has no such game to come. A game that
 * is played now can be watched.
 * @param {LiveState} state
 * @param {string} id
 * @returns {{ text: string, isRunning: boolean }}
 */
export function explainToCome({ running, next, planned, over }, id) {
  const [now, soon] = [running, next].map((pairs) => findPair(pairs, id));
  if (now) {
    return { text: `Game ${id} is being played now: ${namePair(now)}.`, isRunning: true };
  }
  const isToCome = !over && parseInt(id, 10) < planned;
  if (!soon && !isToCome) return { text: "", isRunning: false };
  const who = soon ? `: ${namePair(soon)} come next` : "";
  return { text: `Game ${id} has not been played yet${who}.`, isRunning: false };
}

/**
 * Say why a bot has no section.
 * @param {Pick<PageFacts, "absences">} facts
 * @param {string} name which may have a version
 */
export function explainAbsence({ absences }, name) {
  const base = name.replace(/#\d+$/, "");
  const known = Object.hasOwn(absences, base) ? absences[base] : "";
  return known || `There is no bot “${name}” here: it is gone, or never played.`;
}

/**
 * Return a sentence about a game that the page does not have.
 * @param {PageFacts} facts
 * @param {string} word which named the game: its id, or its number in the schedule
 * @param {string} id
 * @param {GameRow | undefined} row of the game in the list
 * @param {number} listed the number of games in the list
 */
export function explainMissing(facts, word, id, row, listed) {
  if (!/^\d+\.[01]$/.test(id)) {
    return `“${word}” names no game: write its number, from 1, or its pair, a point, and 0 or 1, as in #game=0.0.`;
  }
  if (row && !row[8]) {
    return `No move was played in game ${id}: ${describeResult(facts, row)}.`;
  }
  if (facts.saved || facts.live || (!row && listed >= facts.games)) {
    const name = word === id ? id : `${word} (${id})`;
    return `There is no game ${name} here: choose one from the list.`;
  }
  const all = "pwtourney report FOLDER --out DIR --replays all";
  return `Game ${id} is not in this file. A page of it: pwtourney replay FOLDER:${id} --html FILE. A file with all games: ${all}.`;
}
