/* A small edition and positions for tests. */

/** @import { Edition, Player, Position } from "../../pwtourney/web/types.d.ts" */

/** Three columns and two rows; two special patches on the track; a tile for two times two squares.
    @type {Edition} */
export const EDITION = {
  title: "Small",
  currency: "buttons",
  rows: 2,
  columns: 3,
  last: 9,
  incomes: [3, 6],
  leathers: [4],
  offer: 3,
  tile: [2, 7],
  empty: -2,
  patches: {
    1: [["##"], 2, 1, 0],
    2: [["#.", "##"], 3, 2, 1],
    3: [["#"], 1, 3, 0],
  },
};

/**
 * Return a position with some values changed.
 * @param {Partial<Position>} [position]
 * @param {[Partial<Player>?, Partial<Player>?]} [players]
 * @returns {Position}
 */
export function place(position = {}, players = []) {
  const empty = {
    quilt: [0, 0, 0, 0, 0, 0],
    buttons: 5,
    income: 0,
    space: 0,
    score: -7,
    micros: 0,
  };
  return {
    players: [0, 1].map((seat) => ({ ...empty, ...players[seat] })),
    circle: [1, 2, 3],
    late: [],
    leathers: [4],
    toMove: 0,
    pending: 0,
    tile: null,
    over: false,
    ...position,
  };
}
