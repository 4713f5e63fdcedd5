/* The moves that can be tried in a position, and the words, squares and patches that filter them. */
import { ORIENTATIONS, coverAction, nameSquare } from "../shared/shapes.js";

/** @import { Edition } from "../types.d.ts" */
/** @typedef {{ action: string, patch: number | null, covers: number[] }} Move */
/** @typedef {{ words: string[], patch: number | null, squares: Set<number> }} MoveFilter */

/**
 * Return a move with the patch that it takes and the squares that it covers.
 * @param {Edition} edition
 * @param {string} action
 * @returns {Move}
 */
export function describeMove(edition, action) {
  const [first, , third] = action.split(":");
  const isTaken = third !== undefined && first !== "card";
  return {
    action,
    patch: isTaken ? Number(first) : null,
    covers: coverAction(edition, action),
  };
}

/**
 * Return true if a move has a word: a patch, an orientation, a square that it covers, or a part of
 * its text.
 * @param {Edition} edition
 * @param {Move} move
 * @param {string} word
 */
function hasWord(edition, { action, patch, covers }, word) {
  if (/^\d+$/.test(word)) return patch === Number(word);
  // "r90" names no square
  if (ORIENTATIONS.some((name) => name === word)) return action.split(":")[1] === word;
  if (/^[a-z]\d+$/.test(word)) return covers.some((square) => nameSquare(edition, square) === word);
  return action.includes(word);
}

/**
 * Return the moves that have all that a filter asks for.
 * @param {Edition} edition
 * @param {Move[]} moves
 * @param {MoveFilter} filter
 */
export function filterMoves(edition, moves, { words, patch, squares }) {
  return moves.filter(
    (move) =>
      (patch === null || move.patch === patch) &&
      [...squares].every((square) => move.covers.includes(square)) &&
      words.every((word) => hasWord(edition, move, word)),
  );
}

/**
 * Return how many ways there are to place each patch.
 * @param {Move[]} moves
 * @returns {Map<number, number>}
 */
export function countWays(moves) {
  const counts = new Map();
  moves.forEach(({ patch }) => {
    if (patch !== null) counts.set(patch, (counts.get(patch) ?? 0) + 1);
  });
  return counts;
}
