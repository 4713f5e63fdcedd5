/* The addresses of games: each has its own page, and a fragment for a position that is past. */

/**
 * Return the address of a game's page.
 * @param {string} root the path below which a tournament has its views
 * @param {string} name of the game, such as `12.0`
 * @param {number | null} [ply] after which it is shown; null for its current position
 */
export function formatGame(root, name, ply = null) {
  return `${root}/game/${name}${formatPly(ply)}`;
}

/**
 * Return the fragment for the position after a ply; empty for the current one.
 * @param {number | null} ply
 */
export function formatPly(ply) {
  return ply === null ? "" : `#ply=${ply}`;
}

/**
 * Return the ply that a fragment names; null for none.
 * @param {string} fragment
 */
export function parsePly(fragment) {
  const ply = new URLSearchParams(fragment.slice(1)).get("ply") ?? "";
  return /^\d{1,4}$/.test(ply) ? Number(ply) : null;
}

/**
 * Return the game that a fragment names: the address of a game was one of Watch once. Null for none.
 * @param {string} fragment
 */
export function parseOldGame(fragment) {
  const name = new URLSearchParams(fragment.slice(1)).get("game") ?? "";
  return /^\d{1,9}(\.[01])?$/.test(name) ? name : null;
}
