/* Unpack a game from the columns that have the plies of all games. */

/** @import { Change, PackedGames, Ply, Replayable } from "../types.d.ts" */

/**
 * Return the plies of a game. The seat of a ply is the one that was to move before it.
 * @param {PackedGames["columns"]} columns
 * @param {Change[]} changes of the game
 * @param {number} first index of its first ply in the columns
 * @param {number} starter the seat that plays the first ply
 * @returns {Ply[]}
 */
function listPlies({ actions, micros, infos }, changes, first, starter) {
  let seat = starter;
  return changes.map(([, , , , turn], number) => {
    const index = first + number;
    /** @type {Ply} */
    const ply = [seat, actions[index], micros[index], ...infos[index]];
    if (turn) seat = 1 - seat;
    return ply;
  });
}

/**
 * Return a game with its plies and their changes; null if the page does not have it.
 * @param {PackedGames} games
 * @param {string} id such as `12.0`
 * @returns {Replayable | null}
 */
export function unfoldGame(games, id) {
  const folded = games.replays[id];
  if (!folded) return null;
  const { first, plies: count, ...rest } = folded;
  const start = { ...games.start, ...folded.start };
  const changes = games.columns.actions.slice(first, first + count).map((action, number) => {
    const [word] = action.split(":");
    return games.changes[word][games.columns.changes[first + number]];
  });
  const plies = listPlies(games.columns, changes, first, start.toMove);
  return { ...rest, start, plies, changes };
}
