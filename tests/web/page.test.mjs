/* The page of a tournament, except what it draws. */
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  chooseTab,
  formatFragment,
  formatGames,
  parseFragment,
} from "../../pwtourney/web/page/address.js";
import { findLargestFall } from "../../pwtourney/web/game/evaluations.js";
import {
  chooseEvaluator,
  describeRun,
  explainEnd,
  findBy,
  listOthers,
  nameTask,
  titleFalls,
} from "../../pwtourney/web/page/evaluators.js";
import {
  explainAbsence,
  explainMissing,
  explainToCome,
} from "../../pwtourney/web/page/absences.js";
import { compareCells } from "../../pwtourney/web/page/order.js";
import {
  compareRows,
  describeResult,
  faultsOf,
  idOf,
  marginOf,
  matchesFilter,
  namesOf,
  numberRow,
  readId,
} from "../../pwtourney/web/page/rows.js";
import { directionOf, nextOrder, sortRows } from "../../pwtourney/web/page/sorting.js";
import { describeThought, quotePly } from "../../pwtourney/web/page/thoughts.js";
import { unfoldGame } from "../../pwtourney/web/page/unfold.js";
import { EDITION, place } from "./game.mjs";

/** @import { Filter } from "../../pwtourney/web/page/rows.js" */
/** @import { AskedBot, PackedGames, PageFacts, Ply } from "../../pwtourney/web/types.d.ts" */

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
  const address = { game: "12.0", ply: 30, bot: "a b", columns: "" };
  assert.equal(formatFragment(address), "#game=12.0&ply=30&bot=a+b");
  assert.deepEqual(parseFragment("#game=12.0&ply=30&bot=a+b"), {
    section: "",
    tab: "",
    game: "12.0",
    ply: "30",
    bot: "a b",
    against: "",
    result: "",
    verdict: "",
    sort: "",
    columns: "",
  });
});

test("a fragment without = names an element, and an empty one nothing", () => {
  assert.equal(parseFragment("#bot-magpie").section, "bot-magpie");
  assert.equal(parseFragment("#bot-magpie").bot, "");
  assert.equal(parseFragment("").section, "");
  assert.equal(formatFragment({}), "#");
});

/** @type {[fragment: string, tab: string][]} */
const TABS = [
  ["", "standings"],
  ["columns=all", "standings"],
  ["game=12.0", "games"],
  ["bot=magpie", "bots"],
  ["bot=magpie&against=wren", "games"],
  ["tab=games&bot=magpie", "games"],
  ["sort=closest", "games"],
  ["tab=elsewhere&verdict=crash", "games"],
  ["tab=charts", "charts"],
];

for (const [fragment, tab] of TABS) {
  test(`#${fragment} leads to ${tab}`, () => {
    assert.equal(chooseTab(parseFragment(fragment)), tab);
  });
}

test("a list of games by one bot is not the section of that bot", () => {
  assert.equal(formatGames({}), "#games");
  assert.equal(formatGames({ bot: "ant" }), "#tab=games&bot=ant");
  assert.equal(formatGames({ bot: "ant", result: "lost" }), "#bot=ant&result=lost");
  assert.equal(formatGames({ game: "1.0", ply: 0, bot: "ant" }), "#game=1.0&ply=0&bot=ant");
});

test("a row says who played and how it ended", () => {
  assert.equal(idOf(ROWS[1]), "0.1");
  assert.deepEqual(namesOf(NAMES, ROWS[1]), ["bee", "ant"]);
  assert.equal(describeResult(NAMES, ROWS[0]), "12 to 7, ant wins (finished)");
  assert.equal(describeResult(NAMES, ROWS[3]), "nobody wins (crash)");
  assert.equal(describeResult(NAMES, [0, 0, 0, 1, -5, 7, 1, 0, 9]), "−5 to 7, bee wins (finished)");
});

test("margins are those of the winner, or of a bot, in games played to their end", () => {
  assert.deepEqual(
    ROWS.map((row) => marginOf(NAMES, row, "")),
    [5, 0, null, null],
  );
  assert.deepEqual(
    ROWS.slice(0, 1).map((row) => [marginOf(NAMES, row, "ant"), marginOf(NAMES, row, "bee")]),
    [[5, -5]],
  );
});

test("a row with names gets the numbers of a page, which learns new names", () => {
  const names = { bots: ["ant", "bee"], verdicts: ["finished"] };
  const named = [7, 1, "bee", "cat", 3, -9, 0, "crash", 12, 1, "memory", 0, "crash"];
  assert.deepEqual(numberRow(names, named), [7, 1, 1, 2, 3, -9, 0, 1, 12, 1, 2, 0, 1]);
  assert.deepEqual(names, {
    bots: ["ant", "bee", "cat"],
    verdicts: ["finished", "crash", "memory"],
  });
});

/** Numbers, scores and plies of games that were played to their end, and one that was not. */
const SORTED = [
  [0, 0, 0, 1, 30, 10, 0, 0, 40],
  [0, 1, 1, 0, 20, 19, 0, 0, 44],
  [1, 0, 0, 1, 5, 12, 1, 0, 38],
  [1, 1, 1, 0, 0, 0, 0, 1, 3, 1, 1],
];

/** @type {[order: string, bot: string, ids: string[]][]} */
const ORDERS = [
  ["", "", ["1.1", "1.0", "0.1", "0.0"]],
  ["oldest", "", ["0.0", "0.1", "1.0", "1.1"]],
  ["widest", "", ["0.0", "1.0", "0.1", "1.1"]],
  ["widest", "ant", ["0.0", "0.1", "1.0", "1.1"]],
  ["worst", "ant", ["1.0", "0.1", "0.0", "1.1"]],
  ["worst", "bee", ["0.0", "0.1", "1.0", "1.1"]],
  ["closest", "", ["0.1", "1.0", "0.0", "1.1"]],
  ["longest", "", ["0.1", "0.0", "1.0", "1.1"]],
  ["shortest", "", ["1.1", "1.0", "0.0", "0.1"]],
  ["faults", "", ["1.1", "1.0", "0.1", "0.0"]],
  ["unknown", "", ["1.1", "1.0", "0.1", "0.0"]],
];

for (const [order, bot, ids] of ORDERS) {
  test(`the order "${order}" for "${bot}" is ${ids.join(", ")}`, () => {
    assert.deepEqual(sortRows(NAMES, SORTED, order, bot).map(idOf), ids);
  });
}

test("a click on a heading sorts by its column, and a second one the other way round", () => {
  const clicks = /** @type {[column: string, orders: string[], bot: string][]} */ ([
    ["game", ["", "oldest", ""], ""],
    ["margin", ["widest", "closest", "widest"], ""],
    ["margin", ["widest", "worst", "widest"], "ant"],
    ["plies", ["longest", "shortest", "longest"], ""],
    ["verdict", ["faults", "faults"], ""],
  ]);
  for (const [column, [first, ...orders], bot] of clicks) {
    assert.equal(nextOrder(column, "elsewhere", bot), first);
    let order = first;
    for (const next of orders) {
      order = nextOrder(column, order, bot);
      assert.equal(order, next, column);
    }
  }
});

test("the heading of the order says which way it sorts", () => {
  assert.equal(directionOf("game", "", ""), "descending");
  assert.equal(directionOf("game", "oldest", ""), "ascending");
  assert.equal(directionOf("game", "widest", ""), undefined);
  assert.equal(directionOf("margin", "closest", ""), "ascending");
  assert.equal(directionOf("margin", "closest", "ant"), "other", "−1 comes before +3 and −5");
  assert.equal(directionOf("margin", "worst", "ant"), "ascending");
  assert.equal(directionOf("verdict", "faults", ""), "other");
});

test("games are compared by pair and by game", () => {
  assert.ok(compareRows([9, 1], [10, 0]) < 0);
  assert.ok(compareRows([9, 1], [9, 0]) > 0);
});

test("a game that cannot be opened has a reason and a remedy", () => {
  /** @type {PageFacts} */
  const facts = {
    ...NAMES,
    games: 9,
    live: "",
    parts: {},
    absences: {},
    evaluators: [],
    saved: false,
    edition: EDITION,
  };
  const empty = [2, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1];
  assert.match(explainMissing(facts, "x", "x", undefined, 9), /^“x” names no game: write its num/);
  assert.match(explainMissing(facts, "0", "0", undefined, 9), /^“0” names no game/);
  assert.match(explainMissing(facts, "9.0", "9.0", undefined, 9), /^There is no game 9\.0 here/);
  assert.match(
    explainMissing(facts, "19", "9.0", undefined, 9),
    /^There is no game 19 \(9\.0\) here/,
  );
  assert.match(
    explainMissing(facts, "2.0", "2.0", empty, 9),
    /^No move was played in game 2\.0: bee wins \(/,
  );
  for (const row of [undefined, ROWS[0]]) {
    const sentence = explainMissing(facts, "0.0", "0.0", row, 4);
    assert.match(sentence, /pwtourney replay FOLDER:0\.0 --html FILE/);
    assert.match(sentence, /--replays all/);
  }
  const live = { ...facts, live: "x-4-y" };
  assert.match(explainMissing(live, "9.0", "9.0", undefined, 4), /^There is no game 9\.0 here/);
});

test("a game that is played now, or comes next, is named with its bots", () => {
  const pairs = [4, 5].map((pair) => ({ first: "ant", second: "bee", pair }));
  const state = { running: [pairs[0]], next: [pairs[1]], pairs: 4, planned: 9, over: false };
  assert.deepEqual(explainToCome(state, "4.1"), {
    text: "Game 4.1 is being played now: ant against bee.",
    isRunning: true,
  });
  /** @param {string} id */
  const tell = (id) => explainToCome(state, id).text;
  assert.equal(tell("5.0"), "Game 5.0 has not been played yet: ant against bee come next.");
  assert.equal(tell("8.0"), "Game 8.0 has not been played yet.");
  assert.equal(tell("9.0"), "", "the run has nine pairs");
  assert.equal(explainToCome({ ...state, over: true }, "8.0").text, "");
});

test("a bot without a section is banned, renamed or gone", () => {
  const absences = { ant: "ant is banned since 2026-01-19 (late)." };
  assert.equal(explainAbsence({ absences }, "ant"), absences.ant);
  assert.equal(explainAbsence({ absences }, "ant#2"), absences.ant);
  for (const name of ["bee", "constructor"]) {
    const sentence = explainAbsence({ absences }, name);
    assert.equal(sentence, `There is no bot “${name}” here: it is gone, or never played.`);
  }
});

test("a number names a game of the schedule, counted from 1", () => {
  const numbers = ["1", "2", "37", "38"];
  assert.deepEqual(
    numbers.map((word) => readId(ROWS, word)),
    ["0.0", "0.1", "18.0", "18.1"],
  );
  const solo = ROWS.filter((row) => row[1] === 0);
  assert.deepEqual(
    numbers.map((word) => readId(solo, word)),
    ["0.0", "1.0", "36.0", "37.0"],
  );
  assert.equal(readId([], "3"), "1.0", "before a game is stored");
  assert.deepEqual(
    ["12.0", "0", "x"].map((word) => readId(ROWS, word)),
    ["12.0", "0", "x"],
  );
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
  const sort = (isDown) => [...cells].sort((first, second) => compareCells(first, second, isDown));
  assert.deepEqual(sort(false), ["-2", "9 of 3", "10", "a", "b", "–"]);
  assert.deepEqual(sort(true), ["b", "a", "10", "9 of 3", "-2", "–"]);
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

const WEIGHED = { number: 1, seat: 0, margin: 3, swing: -1 };
/** Evaluations of three games, with a ply each. */
const EVALUATED = [["greedy", "champion"], ["greedy"], []].map((bots) =>
  bots.map((bot) => ({ bot, limit: { ms: 1000 }, plies: [WEIGHED] })),
);
const EVALUATORS = [{ bot: "champion" }, { bot: "greedy", ms: 1000 }];

test("the evaluator is the bot that has evaluated most of the games, else the first", () => {
  assert.equal(chooseEvaluator(EVALUATORS, EVALUATED), "greedy");
  assert.equal(chooseEvaluator(EVALUATORS, EVALUATED.slice(0, 1)), "champion");
  assert.equal(chooseEvaluator(EVALUATORS, []), "champion");
});

test("of several evaluations by a bot the newest, which is the last, is shown", () => {
  const twice = [1, 2].map((ms) => ({ bot: "greedy", limit: { ms }, plies: [WEIGHED] }));
  const mute = { ...twice[0], plies: [{ ...WEIGHED, margin: null }] };
  assert.equal(findBy(twice, "greedy"), twice[1]);
  assert.equal(findBy([...twice, mute], "greedy"), twice[1]);
  assert.equal(findBy(twice, "champion"), undefined);
});

test("the button names the bot, and the games that are left", () => {
  assert.equal(nameTask("greedy", 10, 10), "Have greedy evaluate its lost games");
  assert.equal(nameTask("greedy", 3, 10), "Have greedy evaluate 3 more games");
  assert.equal(nameTask("greedy", 1, 10), "Have greedy evaluate 1 more game");
  assert.equal(nameTask("greedy", 0, 10), "Show the evaluation by greedy");
  const run = { limit: EVALUATORS[1], done: 2, count: 10, state: "7 of 50 plies" };
  assert.equal(describeRun(run), "greedy evaluates game 3 of 10: 7 of 50 plies");
});

test("the column of falls says whose expectation fell", () => {
  assert.match(titleFalls("", "ant"), /^the ply at which the margin that ant itself expected fell/);
  assert.match(titleFalls("bee", "ant"), /^the ply of ant with which the margin that bee expected/);
});

test("another bot than the one that lost is proposed, if there is one", () => {
  const [first, ...others] = EVALUATORS;
  assert.deepEqual(listOthers(EVALUATORS, first.bot), others);
  assert.deepEqual(listOthers([first], first.bot), [first]);
});

test("evaluations end with a reason, unless the bot has said what it expects", () => {
  const margin = { number: 1, seat: 0, action: "advance", grade: "", swing: 0, choice: "" };
  /** @type {AskedBot} */
  const bot = {
    name: "greedy",
    limit: EVALUATORS[1],
    state: "crash: exited",
    infos: [],
    evaluations: [{ ...margin, grade: "", margin: 3 }],
    action: "",
    done: true,
  };
  assert.equal(explainEnd(bot), "");
  assert.equal(explainEnd({ ...bot, failed: true }), "greedy failed: crash: exited");
  assert.equal(explainEnd({ ...bot, done: false }), "The evaluation was stopped.");
  assert.match(explainEnd({ ...bot, evaluations: [] }), /^greedy says no margin .*another bot\.$/);
});

test("the largest fall is that of the seat's own plies, the first of equal ones", () => {
  const plies = [
    [1, 0, -3],
    [2, 1, -9],
    [3, 0, 12],
    [4, 0, -5],
    [5, 0, -5],
    [6, 1, null],
  ].map(([number, seat, swing]) => ({
    number: Number(number),
    seat: Number(seat),
    swing,
    margin: 0,
  }));
  assert.deepEqual(findLargestFall(plies, 0), { ply: 4, points: 5 });
  assert.deepEqual(findLargestFall(plies, 1), { ply: 2, points: 9 });
  assert.equal(findLargestFall(plies.slice(2, 3), 0), null);
});

test("a ply is described in words, and quoted in notation", () => {
  const names = ["ant", "bee"];
  const cases = /** @type {[Ply, string, string][]} */ ([
    [
      [0, "15:r90:e5", 400, "score 87", 87],
      "ant expects: ant by 87; thought for 0.4 ms",
      "15:r90:e5 · score 87",
    ],
    [
      [1, "advance", 2_340_000, "score -3.25 depth 4", -3.25],
      "bee expects: ant by 3.3; thought for 2.3 s",
      "advance · score −3.25 depth 4",
    ],
    [[1, "advance", -1, "", 0], "bee expects: level", "advance"],
    [[0, "advance", 1000, "depth 2"], "ant thought for 1.0 ms", "advance · depth 2"],
    [[0, "advance", -1], "", "advance"],
  ]);
  for (const [ply, words, quote] of cases) {
    assert.equal(describeThought(names, ply), words);
    assert.equal(quotePly(ply), quote);
  }
});
