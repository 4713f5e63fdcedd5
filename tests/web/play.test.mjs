/* A table, except what it draws. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Hand } from "../../pwtourney/web/game/hand.js";
import { findPatchByKey } from "../../pwtourney/web/game/hand_view.js";
import { listHoldings } from "../../pwtourney/web/game/players.js";
import { listLast, listRuns } from "../../pwtourney/web/game/recent.js";
import { countGain, sketchMove } from "../../pwtourney/web/game/sketch.js";
import {
  describeChoice,
  describePlace,
  tellBriefly,
  tellEffects,
  tellProblem,
  tellStep,
} from "../../pwtourney/web/game/steps.js";
import { describeTurn, timeLeft } from "../../pwtourney/web/play/clocks.js";
import { listPoints } from "../../pwtourney/web/game/points.js";
import { captionPly } from "../../pwtourney/web/shared/picture.js";
import { countFresh, describeNews, isSame, nameTab } from "../../pwtourney/web/play/news.js";
import { EDITION, place } from "./game.mjs";

/** @import { Choices, Offered, Seat, Step, TablePly, TableState } from "../../pwtourney/web/types.d.ts" */

/** @type {Step} */
const STEP = {
  buttons: [5, 2],
  income: [0, 1],
  space: [0, 3],
  marks: 1,
  paid: 1,
  leathers: 0,
  tile: false,
  again: false,
  over: false,
};

/** Patch 2 fits in its first orientation on a1 and b1, and in its third on b1.
    @type {Offered} */
const OFFERED = {
  patch: 2,
  aliases: [0, 1, 2, 3, 4, 5, 6, 7],
  legal: { 0: [0, 1], 2: [1] },
  problem: "",
  step: STEP,
};

/** @type {Choices} */
const CHOICES = {
  patches: [
    OFFERED,
    {
      patch: 3,
      aliases: [0, 0, 0, 0, 0, 0, 0, 0],
      legal: {},
      problem: "too dear",
      step: null,
    },
  ],
  advance: STEP,
};

/** @param {Choices} [choices] */
function makeHand(choices = CHOICES) {
  const hand = new Hand(EDITION);
  hand.offerChoices(choices);
  return hand;
}

test("an empty hand has no action", () => {
  const hand = makeHand();
  assert.equal(hand.action(), null);
  assert.deepEqual(hand.squares(), []);
  hand.rotate();
  hand.lay();
  assert.equal(hand.action(), null);
});

test("a patch is laid where it fits first, and moved within the board", () => {
  const hand = makeHand();
  hand.take(2);
  assert.equal(hand.action(), null);
  hand.lay();
  assert.equal(hand.action(), "2:r0:a1");
  assert.deepEqual(hand.squares(), [0, 3, 4]);
  assert.equal(hand.isLegal(), true);
  hand.move(0, 1);
  assert.equal(hand.action(), "2:r0:b1");
  hand.move(1, 1);
  assert.equal(hand.action(), "2:r0:b1");
});

test("a patch is turned when it fits only so", () => {
  const hand = makeHand({ patches: [{ ...OFFERED, legal: { 2: [1] } }] });
  hand.take(2);
  hand.lay();
  assert.equal(hand.action(), "2:r180:b1");
  hand.take(null);
  hand.take(2);
  hand.fit();
  assert.deepEqual([hand.orientation, hand.corner], ["r180", null], "it is not laid yet");
});

test("a patch that fits nowhere is laid in the corner, where it is illegal", () => {
  const hand = makeHand();
  hand.take(3);
  hand.lay();
  assert.equal(hand.action(), "3:r0:a1");
  assert.equal(hand.isLegal(), false);
});

test("a turned patch stays on the board", () => {
  const wide = { ...EDITION, patches: { 1: EDITION.patches[1] } };
  const hand = new Hand(wide);
  hand.offerChoices({ patches: [{ ...OFFERED, patch: 1, aliases: [0, 1, 0, 1, 0, 1, 0, 1] }] });
  hand.layAs("1:r0:a1");
  hand.move(1, 1);
  hand.rotate();
  assert.equal(hand.action(), "1:r90:c1");
  hand.rotate(-1);
  hand.flip();
  assert.equal(hand.orientation, "r0"); // a flipped strip looks the same
});

test("of orientations that look alike the first is named, as the server says", () => {
  const zigzag = { ...OFFERED, aliases: [0, 1, 0, 1, 4, 5, 4, 5] };
  const hand = makeHand({ patches: [zigzag] });
  hand.layAs("2:r180:a1");
  assert.equal(hand.action(), "2:r0:a1");
  hand.rotate();
  assert.equal(hand.orientation, "r90");
  hand.layAs("2:f270:a1");
  assert.equal(hand.action(), "2:f90:a1");
});

test("a patch is taken as it lies on offer, upright", () => {
  const hand = makeHand({ patches: [{ ...OFFERED, patch: 1 }] });
  hand.take(1);
  assert.equal(hand.orientation, "r90");
  hand.take(2);
  assert.equal(hand.orientation, "r0");
});

test("a patch that is dragged jumps to a place close by where it fits", () => {
  const hand = makeHand();
  hand.take(2);
  hand.layAt(2.4, 1.2);
  assert.equal(hand.action(), "2:r0:b1");
  hand.layAt(9, 1);
  assert.equal(hand.action(), "2:r0:b1");
  hand.rotate();
  hand.layAt(1.1, 1);
  assert.equal(hand.action(), "2:r90:a1");
  assert.equal(hand.isLegal(), false);
  hand.lift();
  assert.equal(hand.action(), null);
});

/** Three columns and three rows, and a patch of three squares around a corner.
    @type {import("../../pwtourney/web/types.d.ts").Edition} */
const SQUARE = { ...EDITION, rows: 3, patches: { 2: EDITION.patches[2] } };

/** @param {number[]} corners at which patch 2 is legal as it lies on offer */
function makeCorner(corners) {
  const hand = new Hand(SQUARE);
  hand.offerChoices({ patches: [{ ...OFFERED, legal: { 0: corners } }] });
  hand.take(2);
  return hand;
}

test("a patch that is clicked onto a square covers it at the nearest legal place", () => {
  const hand = makeCorner([0, 4]); // a1 and b2
  hand.layOver(1.4, 1.4);
  assert.equal(hand.action(), "2:r0:a1", "b2 is covered from both, and a1 is nearer");
  assert.deepEqual(hand.squares(), [0, 3, 4]);
  hand.layOver(1.8, 1.8);
  assert.equal(hand.action(), "2:r0:b2");
});

test("a patch covers each lit square that is clicked, wherever in it", () => {
  const corners = [0, 1, 3, 4];
  const lit = new Set();
  [corners, [4], [0, 4], [1]].forEach((legal) => {
    const hand = makeCorner(legal);
    hand.lit().forEach((square) => {
      [0.01, 0.5, 0.99].forEach((part) => {
        hand.layOver((square % 3) + part, Math.floor(square / 3) + part);
        assert.ok(hand.squares().includes(square), `${legal} ${square} ${part}`);
        assert.equal(hand.isLegal(), true);
        lit.add(square);
      });
    });
  });
  assert.equal(lit.size, 8); // its hole is never on the square at the top right
});

test("a patch that cannot cover the clicked square lies where it was aimed", () => {
  const hand = makeCorner([4]);
  hand.layOver(0.5, 0.5);
  assert.equal(hand.action(), "2:r0:a1");
  assert.equal(hand.isLegal(), false);
  hand.layOver(2.5, -0.2); // above the board
  assert.equal(hand.action(), "2:r0:b1");
});

test("the squares that can be covered are lit", () => {
  const hand = makeHand();
  hand.take(2);
  assert.deepEqual([...hand.lit()].sort(), [0, 1, 3, 4, 5]);
});

test("a special patch covers one square and is not turned", () => {
  const hand = makeHand({ leather: [4] });
  hand.take("leather");
  hand.lay();
  hand.rotate();
  assert.equal(hand.action(), "leather:b2");
  assert.deepEqual([...hand.lit()], [4]);
});

test("an action of a bot is laid as it says", () => {
  const hand = makeHand();
  hand.layAs("2:r180:b1");
  assert.equal(hand.action(), "2:r180:b1");
  assert.equal(hand.isLegal(), true);
  hand.layAs("leather:a2");
  assert.equal(hand.action(), "leather:a2");
});

test("what is no longer on offer leaves the hand", () => {
  const hand = makeHand();
  hand.take(2);
  hand.lay();
  const held = hand.describe();
  hand.offerChoices(CHOICES);
  assert.equal(hand.describe(), held);
  hand.offerChoices({ leather: [0] });
  assert.equal(hand.patch, null);
  hand.take("leather");
  hand.offerChoices(null);
  assert.equal(hand.patch, null);
});

test("the sentence of a step has all that it changes", () => {
  assert.equal(
    tellStep(STEP, "buttons"),
    "5 → 2 buttons (income pays 1), income 0 → 1, 3 spaces to 3",
  );
  const rich = {
    ...STEP,
    marks: 2,
    paid: 4,
    leathers: 2,
    tile: true,
    again: true,
    over: true,
  };
  assert.equal(
    tellStep({ ...rich, income: [1, 1], space: [3, 3] }, "buttons"),
    "5 → 2 buttons (2 incomes pay 4), 2 special patches, the special tile, this ends the game",
  );
  assert.match(tellStep({ ...STEP, again: true }, "buttons"), /you move again$/);
  assert.equal(tellBriefly(STEP), "income pays 1, you keep 2");
  assert.equal(
    tellBriefly({ ...STEP, paid: 0, leathers: 1, again: true }),
    "you keep 2, special patch",
  );
  assert.equal(tellBriefly({ ...STEP, paid: 0, again: true }), "you keep 2, move again");
});

/** @type {TableState} */
const STATE = {
  version: 1,
  start: place(),
  plies: [
    [0, "advance", 1, ""],
    [1, "advance", 1, ""],
  ],
  changes: [
    [1, 0, 1, 1, 1],
    [2, 0, 2, 2, 1],
  ],
  turn: 0,
  choices: CHOICES,
  undo: "",
  clock: { limits: [60_000, null], spent: 1000, running: true },
  thinking: false,
  trouble: "",
  over: null,
};

/** @type {NonNullable<TableState["over"]>} */
const OVER = {
  verdict: "finished",
  winner: 0,
  scores: [1, 0],
  headline: "You win by 1 point",
  text: "You win: 1 to 0.",
};

test("states that differ only in the clock are the same", () => {
  assert.equal(isSame(STATE, { ...STATE, clock: { ...STATE.clock, spent: 9 } }), true);
  assert.equal(isSame(STATE, { ...STATE, version: 2 }), false);
});

test("plies are fresh if the game goes on from those that were shown", () => {
  assert.equal(countFresh(["advance"], STATE), 1);
  assert.equal(countFresh([], STATE), 2);
  assert.equal(countFresh(["advance", "advance"], STATE), 0);
  assert.equal(countFresh(["1:r0:a1"], STATE), 0);
  assert.equal(countFresh(["advance", "advance", "advance"], STATE), 0);
});

test("who is to move is said once", () => {
  const names = ["you", "Bo"];
  const sentences = ["Bo advances; you are to move."];
  assert.equal(describeNews(sentences, STATE, names, 1), "Bo advances. It is your turn.");
  assert.equal(describeNews(sentences, STATE, names, 2), "Bo advances. you are to move.");
  const twice = ["Bo takes a patch; Bo is to move.", ...sentences];
  assert.equal(
    describeNews(twice, STATE, names, 1),
    "Bo takes a patch. Bo advances. It is your turn.",
  );
  const other = { ...STATE, turn: 1, choices: null };
  assert.equal(describeNews([], other, names, 1), "Bo is thinking …");
  assert.equal(describeNews([], { ...other, trouble: "it crashed" }, names, 1), "Bo is to move.");
  assert.equal(
    describeNews(["Bo advances."], { ...STATE, over: OVER }, names, 1),
    "You win: 1 to 0.",
  );
});

test("a clock runs in the turn of its seat only", () => {
  assert.equal(timeLeft(STATE, 0, 500), 58_500);
  assert.equal(timeLeft(STATE, 1, 500), null);
  assert.equal(timeLeft({ ...STATE, clock: { ...STATE.clock, running: false } }, 0, 500), 59_000);
  assert.equal(timeLeft({ ...STATE, turn: 1 }, 0, 500), 60_000);
  const over = { ...OVER, verdict: "timeout", winner: 1 };
  assert.equal(timeLeft({ ...STATE, turn: null, over }, 0, 500), 0);
});

test("the effects of a step leave out the buttons", () => {
  assert.equal(tellEffects(STEP), "income 0 → 1, 3 spaces to 3");
  assert.equal(tellEffects({ ...STEP, income: [1, 1], space: [3, 4] }), "1 space to 4");
});

test("the easiest way to place a patch is said first", () => {
  assert.equal(describePlace(false, false), "Click a square to place it; R turns it, F flips it.");
  assert.equal(describePlace(false, true), "Tap a square to place it, then turn or flip it below.");
  assert.equal(describePlace(true, true), "Tap an empty square to place it.");
});

test("with an empty hand the page says what can be chosen now", () => {
  const offered = { patch: 20, aliases: [], legal: {}, step: null };
  const free = { ...offered, problem: "" };
  const dear = { ...offered, problem: "patch 20 costs 10 buttons and you have 5" };
  assert.equal(describeChoice({ patches: [free, dear] }), "Choose a patch, or advance.");
  const stuck = "You can take none of these patches: advance.";
  assert.equal(describeChoice({ patches: [dear, dear] }), stuck);
  const special = "Choose the special patch, then an empty square.";
  assert.equal(describeChoice({ leather: [3, 4] }), special);
  const full = "Your quilt board is full: decline the special patch.";
  assert.equal(describeChoice({ leather: [] }), full);
});

test("a player's buttons, income, empty squares and way are numbers with words", () => {
  const quilt = [1, 1, 0, 0, 0, -6];
  const { players } = place({}, [{ quilt, buttons: 4, income: 2, space: 7 }]);
  assert.deepEqual(listHoldings(EDITION, players[0], true), [
    ["buttons", "4"],
    ["income", "+2"],
    ["empty", "3"],
    ["to go", "2"],
  ]);
  const words = listHoldings(EDITION, players[1], false).map(([word]) => word);
  assert.deepEqual(words, ["buttons", "income", "to go"]);
});

test("the seat to move is marked, unless the reader looks back", () => {
  const now = place({ toMove: 1 });
  /** @param {Seat} seat
      @returns {TableState} */
  const playedBy = (seat) => ({ ...STATE, plies: [[seat, "advance", 1, ""]] });
  assert.equal(describeTurn(playedBy(0), now, 1, true), "to move");
  assert.equal(describeTurn(playedBy(1), now, 1, true), "to move again");
  assert.equal(describeTurn({ ...STATE, thinking: true }, now, 1, true), "thinking …");
  assert.equal(describeTurn(STATE, now, 0, true), "");
  assert.equal(describeTurn(STATE, now, 1, false), "");
  assert.equal(describeTurn({ ...STATE, over: OVER }, now, 1, true), "");
});

test("the last moves are those of the last seat in a row", () => {
  /** @type {TablePly[]} */
  const plies = [0, 1, 0, 0, 0].map((seat) => [seat, "advance", 1, ""]);
  assert.deepEqual(listLast(plies), [2, 3, 4]);
  assert.deepEqual(listLast([]), []);
});

test("what the other player did stays listed with the own moves after it", () => {
  /** @type {TablePly[]} */
  const plies = [0, 1, 1, 1, 0].map((seat) => [seat, "advance", 1, ""]);
  assert.deepEqual(listRuns(plies, 8), [[1, 2, 3], [4]]);
  assert.deepEqual(listRuns(plies, 2), [[2, 3], [4]]);
  assert.deepEqual(listRuns(plies.slice(0, 1), 8), [[0]]);
  assert.deepEqual(listRuns([], 8), []);
});

test("a patch in hand is not called by its number, which is nowhere to be seen", () => {
  const dear = "patch 20 costs 10 buttons and you have 5";
  assert.equal(tellProblem(dear), "It costs 10 buttons and you have 5.");
  const far = "patch 7 turned r90 reaches outside the board";
  assert.equal(tellProblem(far), `${far}.`);
});

test("a move is sketched as its patch and its square, or in words", () => {
  assert.deepEqual(sketchMove("2:r90:b1"), [2, "b1"]);
  assert.deepEqual(sketchMove("leather:c2"), ["leather", "c2"]);
  assert.deepEqual(sketchMove("advance", 3), [null, "advance +3"]);
  assert.deepEqual(sketchMove("advance"), [null, "advance"]);
  assert.deepEqual(sketchMove("decline", 0), [null, "decline"]);
  assert.deepEqual(sketchMove("card:5:2"), [2, "card 5"]);
  assert.deepEqual(sketchMove("card:5:pass"), [null, "passes"]);
});

test("the gain of a move is that of the seat that was to move", () => {
  const [before, after] = [place(), place({}, [{ buttons: 8 }])];
  assert.equal(countGain(before, after), 3);
});

test("the points of both seats are listed, without those of the Automa's parts", () => {
  assert.deepEqual(listPoints(EDITION, [[9, 0, -8], null], OVER.scores), [
    ["buttons", "9", ""],
    ["special tile", "0", ""],
    ["empty squares, −2 each", "−8", ""],
    ["total", "1", "0"],
  ]);
  const plain = listPoints({ ...EDITION, tile: null }, [null, null], [-3, 0]);
  assert.deepEqual(plain.at(-1), ["total", "−3", "0"]);
  assert.equal(plain.length, 3);
});

test("the points of an empty square are those of the edition", () => {
  const rows = listPoints({ ...EDITION, empty: -3 }, [null, null], [0, 0]);
  assert.equal(rows[2][0], "empty squares, −3 each");
});

test("the tab says what is going on", () => {
  const names = ["you", "Bo"];
  assert.equal(nameTab(STATE, names, [0]), "Your turn · you – Bo");
  assert.equal(nameTab({ ...STATE, choices: null, turn: 1 }, names, [0]), "Bo to move · you – Bo");
  assert.equal(nameTab(STATE, ["Al", "Bo"], [0, 1]), "Al to move · Al – Bo");
  assert.equal(nameTab({ ...STATE, over: OVER }, names, [0]), "You win by 1 point · you – Bo");
});

test("a number key takes the special patch alone, else the patch on offer at that number", () => {
  /** @type {any} */
  const offer = { leather: null, patches: [{ patch: 7 }, { patch: 31 }] };
  assert.equal(findPatchByKey(offer, 2), 31);
  assert.equal(findPatchByKey(offer, 3), null);
  assert.equal(findPatchByKey({ ...offer, leather: ["a1"], patches: null }, 1), "leather");
  assert.equal(findPatchByKey(null, 1), null);
});

test("a picture's caption names the ply that led to its position", () => {
  /** @type {any[]} */
  const plies = [[1, "advance", 0]];
  assert.equal(captionPly(["Ann", "Bo"], plies, 0), "The start");
  assert.equal(captionPly(["Ann", "Bo"], plies, 1), "Ply 1: Bo advance");
});
