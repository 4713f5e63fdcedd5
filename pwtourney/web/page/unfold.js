/* A game of a page, from the columns in which the plies of all games are packed. */

/** @import { Change, PackedGames, Ply, Replayable } from "../types.d.ts" */

/**
 * Return the plies of a game. Whose a ply is follows from who was to move before it.
 * @param {PackedGames["columns"]} columns
 * @param {Change[]} changes of the game
 * @param {number} first place of its first ply in the columns
 * @param {number} starter the seat that plays it
 * @returns {Ply[]}
 */
function listPlies({ actions, micros, infos }, changes, first, starter) {
  let seat = starter;
  return changes.map(([, , , , turn], number) => {
    const place = first + number;
    /** @type {Ply} */
    const ply = [seat, actions[place], micros[place], ...infos[place]];
    if (turn) seat = 1 - seat;
    return ply;
  });
}

/**
 * Return a game with its plies and what each of them changes; null if the page does not hold it.
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
