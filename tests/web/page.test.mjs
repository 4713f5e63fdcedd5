/* The page of a tournament, but for what it draws. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { formatFragment, parseFragment } from "../../pwtourney/web/page/address.js";
import { collectMargins, describeMargins } from "../../pwtourney/web/page/expectations.js";
import { compareCells } from "../../pwtourney/web/page/order.js";
import {
  describeResult,
  faultsOf,
  idOf,
  matchesFilter,
  namesOf,
} from "../../pwtourney/web/page/rows.js";
import { unfoldGame } from "../../pwtourney/web/page/unfold.js";
import { place } from "./game.mjs";

/** @import { Filter } from "../../pwtourney/web/page/rows.js" */
/** @import { PackedGames } from "../../pwtourney/web/types.d.ts" */

const NAMES = {
  bots: ["ant", "bee", "cat"],
  verdicts: ["finished", "crash", "timeout"],
};
/** Pair, game, bots, scores, winner, verdict, plies, then faults. */
const ROWS = [
  [0, 0, 0, 1, 12, 7, 0, 0, 40],
  [0, 1, 1, 0, 3, 3, 1, 0, 41],
  [1, 0, 0, 2, 0, 0, 1, 1, 5, 0, 1],
  [1, 1, 2, 0, 0, 0, -1, 1, 6, 0, 2, 1, 1],
];

test("an address names a game, its ply and the filter", () => {
  const wanted = { game: "12.0", ply: 30, bot: "a b", columns: "" };
  assert.equal(formatFragment(wanted), "#game=12.0&ply=30&bot=a+b");
  assert.deepEqual(parseFragment("#game=12.0&ply=30&bot=a+b"), {
    game: "12.0",
    ply: "30",
    bot: "a b",
    against: "",
    result: "",
    verdict: "",
    columns: "",
  });
});

test("a fragment without = names a section, and an empty one nothing", () => {
  assert.equal(parseFragment("#games"), null);
  assert.equal(parseFragment("")?.game, "");
  assert.equal(formatFragment({}), "#");
});

test("a row says who played and how it ended", () => {
  assert.equal(idOf(ROWS[1]), "0.1");
  assert.deepEqual(namesOf(NAMES, ROWS[1]), ["bee", "ant"]);
  assert.equal(describeResult(NAMES, ROWS[0]), "12 to 7, ant wins (finished)");
  assert.equal(describeResult(NAMES, ROWS[3]), "0 to 0, nobody wins (crash)");
});

test("a row has a seat and a verdict for each fault", () => {
  assert.deepEqual(faultsOf(NAMES, ROWS[3], 0), ["timeout"]);
  assert.deepEqual(faultsOf(NAMES, ROWS[3], 1), ["crash"]);
  assert.deepEqual(faultsOf(NAMES, ROWS[0], 0), []);
});

/** @type {[filter: Partial<Filter>, ids: string[]][]} */
const FILTERS = [
  [{}, ["0.0", "0.1", "1.0", "1.1"]],
  [{ bot: "bee" }, ["0.0", "0.1"]],
  [{ against: "bee" }, ["0.0", "0.1"]],
  [{ bot: "cat", against: "ant" }, ["1.0", "1.1"]],
  [{ bot: "cat", against: "bee" }, []],
  [{ bot: "ant", against: "ant" }, []],
  [{ bot: "ant", result: "won" }, ["0.0", "0.1"]],
  [{ bot: "ant", result: "lost" }, ["1.0"]],
  [{ result: "first" }, ["0.0"]],
  [{ result: "second" }, ["0.1", "1.0"]],
  [{ result: "none" }, ["1.1"]],
  [{ verdict: "crash" }, ["1.0", "1.1"]],
  [{ bot: "ant", result: "fault" }, ["1.0", "1.1"]],
  [{ bot: "ant", result: "fault", verdict: "timeout" }, []],
  [{ bot: "cat", result: "fault", verdict: "timeout" }, ["1.1"]],
  [{ bot: "cat", result: "lost" }, []],
];

for (const [filter, ids] of FILTERS) {
  test(`the filter ${JSON.stringify(filter)} leaves ${ids.join(", ") || "no game"}`, () => {
    const whole = { bot: "", against: "", result: "", verdict: "", ...filter };
    assert.deepEqual(ROWS.filter((row) => matchesFilter(NAMES, row, whole)).map(idOf), ids);
  });
}

test("cells are sorted by number, then as words, and empty ones come last", () => {
  const cells = ["–", "b", "10", "9 of 3", "a", "-2"];
  /** @param {boolean} isDown */
  const sort = (isDown) => [...cells].sort((one, two) => compareCells(one, two, isDown));
  assert.deepEqual(sort(false), ["-2", "9 of 3", "10", "a", "b", "–"]);
  assert.deepEqual(sort(true), ["b", "a", "10", "9 of 3", "-2", "–"]);
});

test("what bots expected is turned towards the first seat", () => {
  const series = collectMargins([
    [0, "advance", 1, "", 4],
    [1, "advance", 1, "", 3],
    [1, "advance", 1, "hello"],
    [0, "advance", 1],
  ]);
  assert.deepEqual(series, [[[1, 4]], [[2, -3]]]);
  assert.equal(
    describeMargins([series[0], []], ["Ann", "Bo"]),
    "Ann expected +4 at ply 1 and +4 at ply 1; Bo gave no score",
  );
});

const ENDED = { faults: [], note: "", scores: [4, 3] };
/** Two games: of the second, the first ply is the second one in the columns.
    @type {PackedGames} */
const PACKED = {
  list: [],
  replays: {
    "0.0": { ...ENDED, first: 0, plies: 1, start: {} },
    0.1: { ...ENDED, first: 1, plies: 3, start: { circle: [3, 1], toMove: 1 } },
  },
  start: place(),
  changes: {
    advance: [
      [1, 0, 1, 1, 1],
      [2, 0, 2, 2, 1],
    ],
    leather: [[0, 0, 0, 2, 0]],
  },
  columns: {
    actions: ["advance", "advance", "leather:a1", "advance"],
    micros: [5, 6, 7, 8],
    infos: [[], ["depth 3"], [], ["", -2]],
    changes: [1, 0, 0, 1],
  },
};

test("a game is unfolded with its own plies, and with whose they are", () => {
  assert.deepEqual(unfoldGame(PACKED, "0.1"), {
    ...ENDED,
    start: place({ circle: [3, 1], toMove: 1 }),
    plies: [
      [1, "advance", 6, "depth 3"],
      [0, "leather:a1", 7],
      [0, "advance", 8, "", -2],
    ],
    changes: [
      [1, 0, 1, 1, 1],
      [0, 0, 0, 2, 0],
      [2, 0, 2, 2, 1],
    ],
  });
  assert.deepEqual(unfoldGame(PACKED, "0.0")?.plies, [[0, "advance", 5]]);
  assert.equal(unfoldGame(PACKED, "7.0"), null);
});
