/* What a ply changes is taken over; the values are made up, because no rule is known here. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { applyChange, listPositions } from "../../pwtourney/web/shared/changes.js";
import { EDITION, place } from "./game.mjs";

test("the seat to move gains what a change says, and the other one does not", () => {
  const before = place({ toMove: 1 });
  const after = applyChange(EDITION, before, [1, "advance", 70], [3, -1, 4, 9, 1]);
  const changed = { buttons: 8, income: -1, space: 4, score: 2, micros: 70 };
  assert.deepEqual(after, place({ toMove: 0 }, [{}, changed]));
  assert.deepEqual(before, place({ toMove: 1 }));
});

test("squares are covered by the patch of the action, or by a special patch", () => {
  /** @param {string} action */
  const cover = (action) =>
    applyChange(EDITION, place(), [0, action, 0], [0, 0, 0, 0, 0]).players[0].quilt;
  assert.deepEqual(cover("2:r0:b1"), [0, 2, 0, 0, 2, 2]);
  assert.deepEqual(cover("leather:b1"), [0, -2, 0, 0, 0, 0]);
  assert.deepEqual(cover("decline"), [0, 0, 0, 0, 0, 0]);
});

test("the circle begins behind the patch that is taken", () => {
  /** @param {number} index */
  const take = (index) =>
    applyChange(EDITION, place(), [0, "card:4:2", 0], [0, 0, 0, 0, 0, index]).circle;
  assert.deepEqual(take(0), [2, 3]);
  assert.deepEqual(take(1), [3, 1]);
  assert.deepEqual(take(2), [1, 2]);
  assert.deepEqual(take(-1), [1, 2, 3]);
});

test("late patches that are no more outside the circle have joined it", () => {
  const before = place({ late: [8, 9] });
  const after = applyChange(EDITION, before, [0, "card:4:2", 0], [0, 0, 0, 0, 0, 1, { late: [] }]);
  assert.deepEqual([after.circle, after.late], [[3, 1, 8, 9], []]);
  // their order is not known to a page from which it was hidden, so it gets the circle
  const hidden = place({ late: [0, 0] });
  const others = { late: [], circle: [3, 1, 9, 8] };
  const shown = applyChange(EDITION, hidden, [0, "card:4:2", 0], [0, 0, 0, 0, 0, 1, others]);
  assert.deepEqual(shown.circle, [3, 1, 9, 8]);
});

test("values of the position are replaced", () => {
  const others = { pending: 1, tile: 0, leathers: [], over: true };
  const after = applyChange(EDITION, place(), [0, "advance", 0], [0, 0, 0, 0, 0, -1, others]);
  assert.deepEqual(after, place(others));
});

test("time that nobody measured is none, and a score that is not known stays so", () => {
  const before = place({}, [{ score: null, micros: 5 }]);
  const [player] = applyChange(EDITION, before, [0, "advance", -1], [0, 0, 0, 0, 0]).players;
  assert.deepEqual([player.score, player.micros], [null, 5]);
});

test("a game has a position before its first ply and one after each", () => {
  const positions = listPositions(EDITION, {
    start: place(),
    plies: [
      [0, "advance", 0],
      [1, "advance", 0],
    ],
    changes: [
      [1, 0, 1, 1, 1],
      [2, 0, 2, 2, 1],
    ],
  });
  assert.deepEqual(
    positions.map(({ toMove, players }) => [toMove, players[0].space, players[1].space]),
    [
      [0, 0, 0],
      [1, 1, 0],
      [0, 1, 2],
    ],
  );
});
