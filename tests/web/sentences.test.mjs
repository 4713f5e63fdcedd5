import assert from "node:assert/strict";
import { test } from "node:test";

import {
  count,
  describePatch,
  describePurse,
  describeQuilt,
  describeRows,
  describeTrack,
  tellPly,
  tellTurn,
} from "../../pwtourney/web/shared/sentences.js";
import { EDITION, place } from "./game.mjs";

const NAMES = ["Ann", "Bo"];

test("one of something has no plural", () => {
  assert.equal(count(1, "buttons"), "1 button");
  assert.equal(count(0, "buttons"), "0 buttons");
});

test("a quilt board is described with what was just placed", () => {
  const words = describeQuilt(EDITION, "Ann", [1, 1, 0, -4, 0, 0], [0, 0, 0, -4, 0, 0]);
  const placed = "just placed: patch 1 on a1, b1";
  assert.equal(words, `Quilt board of Ann: 3 of 6 squares covered; ${placed}`);
  assert.equal(
    describeQuilt(EDITION, "Ann", [0, 0, 0, 0, 0, 0], null),
    "Quilt board of Ann: 0 of 6 squares covered",
  );
});

test("rows are described by runs of what covers them", () => {
  assert.deepEqual(describeRows(EDITION, [1, 1, 0, -4, 99, 0]), [
    "Row 1: a to b patch 1, c empty",
    "Row 2: a special patch, b covered, c empty",
  ]);
});

test("the track says which token is on top, and which special patches are left", () => {
  assert.equal(
    describeTrack(EDITION, place({ toMove: 1 })),
    "Time track: both tokens on 0 of 9, that of the second seat on top; special patches left at 4",
  );
  assert.equal(
    describeTrack(EDITION, place({ leathers: [] }, [{ space: 5 }, { space: 2 }])),
    "Time track: first on 5, second on 2 of 9; special patches left at no space",
  );
});

test("patches and purses are described by their numbers", () => {
  assert.equal(describePatch(EDITION, 2), "patch 2: costs 3, time 2, income 1");
  assert.equal(describePurse(EDITION, place().players[0]), "5 buttons, income 0");
});

test("an advance tells the way, the income and who moves next", () => {
  const after = place({ toMove: 1 }, [{ space: 1, buttons: 6 }]);
  const sentence = "Ann advances 1 space to space 1 and receives 1 button; Bo is to move.";
  assert.equal(tellPly(EDITION, NAMES, place(), after, [0, "advance"]), sentence);
});

test("a patch tells its cost, its squares and what its way brings", () => {
  const after = place({ toMove: 1, tile: 0 }, [
    { space: 3, buttons: 3, quilt: [2, 0, 0, 2, 2, 0], income: 1 },
  ]);
  assert.equal(
    tellPly(EDITION, NAMES, place({}, [{ space: 1 }]), after, [0, "2:r0:a1"]),
    "Ann takes patch 2 for 3 buttons, places it on a1, a2, b2, moves 2 spaces to space 3" +
      " and receives 1 button; Ann takes the special tile; Bo is to move.",
  );
});

test("the sentence of a patch without income continues with the way", () => {
  const after = place({}, [{ space: 1, buttons: 3, quilt: [1, 1, 0, 0, 0, 0] }, { space: 4 }]);
  assert.equal(
    tellPly(EDITION, NAMES, place({}, [{}, { space: 4 }]), after, [0, "1:r0:a1"]),
    "Ann takes patch 1 for 2 buttons, places it on a1, b1, and moves 1 space to space 1;" +
      " Ann is to move.",
  );
});

test("a brief sentence leaves out the squares, which are seen on the board", () => {
  const before = place({}, [{}, { space: 4 }]);
  const plain = place({}, [{ space: 1, buttons: 3, quilt: [1, 1, 0, 0, 0, 0] }, { space: 4 }]);
  const paid = place({}, [{ space: 3, buttons: 4, quilt: [1, 1, 0, 0, 0, 0] }, { space: 4 }]);
  /** @param {ReturnType<typeof place>} after */
  const tell = (after) => tellPly(EDITION, NAMES, before, after, [0, "1:r0:a1"], { isBrief: true });
  assert.equal(tell(plain), "Ann takes a patch for 2 buttons and moves 1 space; Ann is to move.");
  assert.equal(
    tell(paid),
    "Ann takes a patch for 2 buttons, moves 3 spaces and receives 1 button; Ann is to move.",
  );
});

test("a reader who is called you is spoken to", () => {
  const names = ["you", "Bo"];
  const after = place({ pending: 1 }, [{ space: 5, buttons: 10 }, { space: 4 }]);
  assert.equal(
    tellPly(EDITION, names, place({}, [{}, { space: 4 }]), after, [0, "advance"]),
    "You advance 5 spaces to space 5 and receive 5 buttons; you have a special patch to place.",
  );
  assert.equal(tellTurn("You"), "You are to move");
});

test("special patches, cards and the end have sentences", () => {
  const end = place({ over: true }, [{ space: 9 }, { space: 9 }]);
  /** @param {string} action */
  const tell = (action) => tellPly(EDITION, NAMES, end, end, [1, action]);
  assert.equal(tell("decline"), "Bo declines a special patch; the game is over.");
  assert.equal(
    tell("card:4:pass"),
    "Bo turns over card 4, passes, and moves to space 9; the game is over.",
  );
  assert.match(tell("card:4:12"), /takes patch 12, and moves/);
  const brief = tellPly(EDITION, NAMES, end, end, [1, "card:4:12"], { isBrief: true });
  assert.match(brief, /takes a patch, and moves/);
  const placed = place({ pending: 2 }, [{ quilt: [0, -2, 0, 0, 0, 0] }]);
  assert.equal(
    tellPly(EDITION, NAMES, place(), placed, [0, "leather:b1"]),
    "Ann places a special patch on b1; Ann has 2 special patches to place.",
  );
});
