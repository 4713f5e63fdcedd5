/* The legal moves of a position, and their filter by words. */
import { ORIENTATIONS, coverAction, nameSquare } from "../shared/shapes.js";

/** @import { Edition } from "../types.d.ts" */
/** @typedef {{ action: string, patch: number | null, covers: number[] }} Move */

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
 * Return true if a word matches a move: its patch, its orientation, a square that it covers, or a
 * part of its text.
 * @param {Edition} edition
 * @param {Move} move
 * @param {string} word
 */
function hasWord(edition, { action, patch, covers }, word) {
  if (/^\d+$/.test(word)) return patch === Number(word);
  // "r90" is an orientation, not a square
  if (ORIENTATIONS.some((name) => name === word)) return action.split(":")[1] === word;
  if (/^[a-z]\d+$/.test(word)) return covers.some((square) => nameSquare(edition, square) === word);
  return action.includes(word);
}

/**
 * Return the moves that match all words.
 * @param {Edition} edition
 * @param {Move[]} moves
 * @param {string[]} words
 */
export function filterMoves(edition, moves, words) {
  return moves.filter((move) => words.every((word) => hasWord(edition, move, word)));
}

/**
 * Return the number of placements of each patch.
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
