/* The rows of the list of games: decode their numbers, and match them with a filter. */
import { formatScore } from "../shared/gauges.js";

/** @import { GameRow, NamedRow, Seat } from "../types.d.ts" */

/** @typedef {{ bots: string[], verdicts: string[] }} Names the names for the numbers in rows */
/** @typedef {{ bot: string, against: string, result: string, verdict: string }} Filter */

/**
 * Return the names of both bots.
 * @param {Names} names
 * @param {GameRow} row
 */
export function namesOf({ bots }, row) {
  return [bots[row[2]], bots[row[3]]];
}

/**
 * Return the id of a game, such as `12.0`.
 * @param {GameRow} row
 */
export function idOf(row) {
  return `${row[0]}.${row[1]}`;
}

/**
 * Return the id of the game that a word names: a number of the schedule, from 1, counts games, as
 * `pwtourney replay FOLDER:37` does. Any other word is an id.
 * @param {GameRow[]} list
 * @param {string} word
 */
export function readId(list, word) {
  const number = /^\d+$/.test(word) ? Number(word) : 0;
  if (!number) return word;
  const isSolo = list.length > 0 && !list.some((row) => row[1]); // against the Automa
  const gamesAPair = isSolo ? 1 : 2;
  return `${Math.floor((number - 1) / gamesAPair)}.${(number - 1) % gamesAPair}`;
}

/**
 * Compare two games for `sort`, in the order of the schedule.
 * @param {GameRow} first
 * @param {GameRow} second
 */
export function compareRows(first, second) {
  return first[0] - second[0] || first[1] - second[1];
}

/**
 * Return the place of a name in a list, which it joins if it is new.
 * @param {string[]} names
 * @param {string | number} name
 */
function numberName(names, name) {
  const index = names.indexOf(String(name));
  return index < 0 ? names.push(String(name)) - 1 : index;
}

/**
 * Return a row with numbers instead of names; names that are new join the lists.
 * @param {Names} names
 * @param {NamedRow} row
 * @returns {GameRow}
 */
export function numberRow({ bots, verdicts }, row) {
  return row.map((value, index) => {
    if (index === 2 || index === 3) return numberName(bots, value);
    const isVerdict = index === 7 || (index > 9 && index % 2 === 0);
    return isVerdict ? numberName(verdicts, value) : Number(value);
  });
}

/**
 * Return the verdict of a game.
 * @param {Names} names
 * @param {GameRow} row
 */
export function verdictOf({ verdicts }, row) {
  return verdicts[row[7]];
}

/**
 * Return the verdicts of the faults of a seat.
 * @param {Names} names
 * @param {GameRow} row
 * @param {Seat} seat
 */
export function faultsOf({ verdicts }, row, seat) {
  const faults = row.slice(9);
  return faults.flatMap((number, index) =>
    index % 2 === 1 && faults[index - 1] === seat ? [verdicts[number]] : [],
  );
}

/**
 * Return by how many points a bot won, below 0 if it lost; without a bot, the winner's margin. It
 * is null for a game that was not played to its end.
 * @param {Names} names
 * @param {GameRow} row
 * @param {string} bot
 */
export function marginOf(names, row, bot) {
  if (verdictOf(names, row) !== "finished") return null;
  const ahead = row[4] - row[5];
  if (!bot) return Math.abs(ahead);
  return namesOf(names, row)[0] === bot ? ahead : -ahead;
}

/**
 * Describe the result of a game: who won, with the points, unless a fault decided.
 * @param {Names} names
 * @param {GameRow} row
 */
export function describeResult(names, row) {
  const winner = row[6] < 0 ? "nobody wins" : `${namesOf(names, row)[row[6]]} wins`;
  const verdict = verdictOf(names, row);
  if (verdict !== "finished") return `${winner} (${verdict})`;
  return `${formatScore(row[4])} to ${formatScore(row[5])}, ${winner} (${verdict})`;
}

/**
 * Return true if the bots of a filter played the game; an empty name stands for any bot.
 * @param {string[]} players
 * @param {Filter} filter
 */
function hasPlayers([first, second], { bot, against }) {
  if (bot && against) {
    return (first === bot && second === against) || (first === against && second === bot);
  }
  const name = bot || against;
  return !name || first === name || second === name;
}

/**
 * Return true if a game has a result other than a fault, from the view of `bot`.
 * @param {Names} names
 * @param {GameRow} row
 * @param {string} result
 * @param {string} bot
 */
function hasResult(names, row, result, bot) {
  const winner = row[6];
  if (!result) return true;
  if (result === "none") return winner < 0;
  if (result === "first" || result === "second") return winner === (result === "first" ? 0 : 1);
  return winner >= 0 && (namesOf(names, row)[winner] === bot) === (result === "won");
}

/**
 * Return true if a game matches a filter. An empty value matches all games.
 * @param {Names} names
 * @param {GameRow} row
 * @param {Filter} filter
 */
export function matchesFilter(names, row, filter) {
  const { bot, result, verdict } = filter;
  const players = namesOf(names, row);
  if (!hasPlayers(players, filter)) return false;
  if (result === "fault") {
    const faults = faultsOf(names, row, players[0] === bot ? 0 : 1);
    return faults.some((fault) => !verdict || fault === verdict);
  }
  if (verdict && verdictOf(names, row) !== verdict) return false;
  return hasResult(names, row, result, bot);
}
