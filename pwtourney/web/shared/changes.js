/* The positions of a game, from its start position and the change of each ply. There are no rules
   here: Python has computed the changes (`game_data.py`). */
import { coverAction } from "./shapes.js";

/** @import { Change, Edition, Played, Player, Position } from "../types.d.ts" */

/**
 * @param {Edition} edition
 * @param {Player} player
 * @param {string} action
 */
function coverQuilt(edition, { quilt }, action) {
  const covered = coverAction(edition, action);
  const patch = Number(action.split(":")[0]); // NaN for a special patch
  return quilt.map((mark, square) => (covered.includes(square) ? patch || -1 - square : mark));
}

/**
 * @param {Edition} edition
 * @param {Player} player
 * @param {Played} ply
 * @param {Change} change
 * @returns {Player}
 */
function changePlayer(edition, player, [, action, micros], [buttons, income, spaces, score]) {
  return {
    quilt: coverQuilt(edition, player, action),
    buttons: player.buttons + buttons,
    income: player.income + income,
    space: player.space + spaces,
    score: player.score === null ? null : player.score + score,
    micros: player.micros + Math.max(0, micros), // negative if the time was not measured
  };
}

/**
 * Return the circle without a taken patch; it begins after that patch.
 * @param {number[]} circle
 * @param {number} index of the patch, −1 for none
 */
function cutCircle(circle, index) {
  return index < 0 ? circle : [...circle.slice(index + 1), ...circle.slice(0, index)];
}

/**
 * Return the position after a ply.
 * @param {Edition} edition
 * @param {Position} before
 * @param {Played} ply
 * @param {Change} change what the ply changes
 * @returns {Position}
 */
export function applyChange(edition, before, ply, change) {
  const [, , , , turn, index = -1, others = {}] = change;
  const seat = before.toMove;
  const players = [...before.players];
  players[seat] = changePlayer(edition, players[seat], ply, change);
  const joining = others.late ? before.late : [];
  return {
    ...before,
    ...others,
    players,
    circle: others.circle ?? [...cutCircle(before.circle, index), ...joining],
    toMove: turn ? 1 - seat : seat,
  };
}

/**
 * Return all positions of a game.
 * @param {Edition} edition
 * @param {{ start: Position, plies: Played[], changes: Change[] }} game
 * @returns {Position[]}
 */
export function listPositions(edition, { start, plies, changes }) {
  const positions = [start];
  plies.forEach((ply, index) => {
    positions.push(applyChange(edition, positions[index], ply, changes[index]));
  });
  return positions;
}
