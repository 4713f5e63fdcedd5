/* Analysis, except what it draws. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { describeProgress, listBest } from "../../pwtourney/web/analyse/answers.js";
import {
  describeTaken,
  dropPatch,
  editPosition,
  findCovered,
  listFields,
  listTaken,
  mergeAnswer,
  moveCursor,
  reshape,
  shiftPatch,
  takeSuggested,
  typeField,
} from "../../pwtourney/web/analyse/edited_position.js";
import { describeExpected, listExpected } from "../../pwtourney/web/analyse/gauge.js";
import {
  describeLimit,
  findEvaluator,
  listEvaluators,
  nameEvaluator,
} from "../../pwtourney/web/analyse/evaluators.js";
import { explainClosed } from "../../pwtourney/web/analyse/instructing.js";
import { boundLimit, parseLimit } from "../../pwtourney/web/analyse/limits.js";
import {
  addChild,
  findBranch,
  findChild,
  findEnd,
  findFork,
  findSibling,
  findValue,
  growLine,
  listActions,
  listBranches,
  listLine,
  removeNode,
  seatOf,
  walkKnown,
} from "../../pwtourney/web/analyse/lines.js";
import { countWays, describeMove, filterMoves } from "../../pwtourney/web/analyse/moves.js";
import {
  findRemembered,
  listMarginsSaid,
  rememberAnswers,
  trimInfos,
} from "../../pwtourney/web/analyse/answer_memory.js";
import {
  describeSkill,
  explainAccuracy,
  findMistake,
} from "../../pwtourney/web/analyse/summary.js";
import { filterTables } from "../../pwtourney/web/analyse/opening.js";
import {
  findWays,
  formatPlace,
  formatSource,
  keepBranches,
  keepEvaluator,
  parsePlace,
  parseSource,
  readBranches,
  readEvaluator,
} from "../../pwtourney/web/analyse/sources.js";
import { makeAnalysis, settleAnalysis, takeEvent } from "../../pwtourney/web/game/analysis.js";
import {
  findKept,
  isEvaluator,
  listCostliest,
  listGraded,
  listMarks,
  listSeries,
  readKept,
} from "../../pwtourney/web/game/evaluations.js";
import { flip } from "../../pwtourney/web/shared/shapes.js";
import { EDITION, place } from "./game.mjs";

/** @import { AskedBot, Evaluated, Grade, Info, Point, Seat, Study, StudyEdition, StudyPly, AnalysisEvent } from "../../pwtourney/web/types.d.ts" */

/**
 * @param {number} toMove
 * @returns {Point}
 */
function point(toMove) {
  const position = place({ toMove });
  return {
    position,
    text: "",
    over: false,
    scores: [0, 0],
    winner: null,
    automa: false,
    advance: null,
  };
}

/**
 * @param {number} seat
 * @param {string} action
 * @param {number | null} [margin]
 * @returns {StudyPly}
 */
function ply(seat, action, margin = null) {
  return { seat, action, micros: 1, said: "", margin };
}

/** A line a, b with a branch x, y from the start and a branch z from its end. */
function grow() {
  const root = growLine([point(0), point(1), point(0)], [ply(0, "a"), ply(1, "b")]);
  const x = addChild(root, "x", point(1));
  const y = addChild(x, "y", point(0));
  const end = findEnd(root);
  const z = addChild(end, "z", point(1));
  return { root, x, y, z, end };
}

test("a line is walked from its root to its end", () => {
  const { root, z } = grow();
  assert.deepEqual(
    listLine(root).map(({ action }) => action),
    ["", "a", "b", "z"],
  );
  assert.equal(findEnd(root), z);
  assert.deepEqual(listActions(z), ["a", "b", "z"]);
  assert.deepEqual(
    listLine(root).map(({ number }) => number),
    [0, 1, 2, 3],
  );
  assert.equal(seatOf(root.children[0]), 0);
  assert.equal(seatOf(root.children[0].children[0]), 1);
});

test("a known action is not added again", () => {
  const { root, x } = grow();
  assert.equal(addChild(root, "x", point(0)), x);
  assert.equal(findChild(root, "x"), x);
  assert.equal(findChild(root, "?"), undefined);
});

test("known actions are walked, and the others are left", () => {
  const { root, x } = grow();
  assert.deepEqual(walkKnown(root, ["x", "w", "v"]), [x, ["w", "v"]]);
  assert.deepEqual(walkKnown(root, []), [root, []]);
});

test("a branch begins where it leaves the line that was opened", () => {
  const { root, x, y, z, end } = grow();
  assert.equal(findBranch(y), x);
  assert.equal(findBranch(end), null);
  assert.equal(findBranch(z), z);
  assert.equal(findFork(y), root);
  assert.equal(findFork(z), end);
  assert.deepEqual(listBranches(root), [
    ["a", "b", "z"],
    ["x", "y"],
  ]);
});

test("a branch within a branch is one of its own", () => {
  const { x } = grow();
  const other = addChild(x, "w", point(0));
  assert.equal(findBranch(other), other);
});

test("a removed branch takes all that follows along", () => {
  const { root, x } = grow();
  removeNode(x);
  assert.deepEqual(listBranches(root), [["a", "b", "z"]]);
});

test("what is tried instead of a node is found next to it", () => {
  const { root, x } = grow();
  assert.equal(findSibling(x, -1), root.children[0]);
  assert.equal(findSibling(x, 1), null);
  assert.equal(findSibling(root, 1), null);
});

/** @type {Map<string, string>} */
const stored = new Map();
Object.assign(globalThis, {
  sessionStorage: {
    getItem: (/** @type {string} */ key) => stored.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ text) => {
      if (text.length > 1000) throw new Error("there is no room");
      stored.set(key, text);
    },
  },
});
beforeEach(() => stored.clear());

test("a source is read as it was written", () => {
  for (const source of [
    { game: "12.0" },
    { table: "t" },
    { text: "9/9 a b", edition: "express" },
    { seed: "81", edition: "original" },
    { text: "pwtourney-game 1\nand more" },
  ]) {
    assert.deepEqual(parseSource(`?${formatSource(source)}`), source);
  }
  assert.equal(parseSource(""), null);
  assert.equal(parseSource("?text=9"), null);
});

test("a stored game leads to its tournament and to itself", () => {
  assert.deepEqual(findWays({ game: "12.0" }), { tournament: "/tournament", game: "/game/12.0" });
  assert.deepEqual(findWays({ game: "a cup:12.1" }), {
    tournament: "/of/a%20cup/tournament",
    game: "/of/a%20cup/game/12.1",
  });
  assert.equal(findWays({ table: "x" }), null);
});

test("texts of games are numbered, the same one with the same number", () => {
  assert.equal(formatSource({ text: "pwtourney-game A" }), "text=1");
  assert.equal(formatSource({ text: "pwtourney-game B" }), "text=2");
  assert.equal(formatSource({ text: "pwtourney-game A" }), "text=1");
  assert.equal(formatSource({ text: `pwtourney-game ${"c".repeat(1000)}` }), "text=3");
});

test("a place is a ply of the line and what was tried from there on", () => {
  const { y, end } = grow();
  assert.equal(formatPlace(end), "#ply=2");
  assert.equal(formatPlace(y), "#ply=0&line=x%2Cy");
  assert.deepEqual(parsePlace(formatPlace(y)), [0, ["x", "y"]]);
  assert.deepEqual(parsePlace("#ply=x"), [0, []]);
});

test("branches come back for the source for which they were kept", () => {
  keepBranches({ game: "1.0" }, [["a"], ["b", "c"]]);
  assert.deepEqual(readBranches({ game: "1.0" }), [["a"], ["b", "c"]]);
  assert.deepEqual(readBranches({ game: "1.1" }), []);
});

const MOVES = ["advance", "2:r0:a1", "2:r90:a1", "1:r0:a2", "leather:c2"].map((action) =>
  describeMove(EDITION, action),
);

/** @param {string} words */
function filter(words) {
  const parts = words.split(" ").filter(Boolean);
  return filterMoves(EDITION, MOVES, parts).map(({ action }) => action);
}

test("moves are filtered by patch, orientation, square and text", () => {
  assert.deepEqual(filter("2"), ["2:r0:a1", "2:r90:a1"]);
  assert.deepEqual(filter("r90"), ["2:r90:a1"]);
  assert.deepEqual(filter("b2"), ["2:r0:a1", "1:r0:a2"]);
  assert.deepEqual(filter("2 b2"), ["2:r0:a1"]);
  assert.deepEqual(filter("adv"), ["advance"]);
  assert.deepEqual(filter("c2"), ["leather:c2"]);
  assert.equal(filter("").length, 5);
});

test("ways to place each patch are counted", () => {
  assert.deepEqual(
    [...countWays(MOVES)],
    [
      [2, 2],
      [1, 1],
    ],
  );
  assert.equal(describeMove(EDITION, "card:1:2").patch, null);
});

test("games of people are filtered by all words", () => {
  const row = {
    id: "x1",
    names: ["Ann", "Bo"],
    scores: [1, 2],
    winner: 0,
    verdict: "finished",
    plies: 3,
  };
  assert.equal(filterTables([row], "ann X1").length, 1);
  assert.equal(filterTables([row], "ann carl").length, 0);
  assert.equal(filterTables([row], " ").length, 1);
});

test("a limit is thinking time in seconds or an option of the bot", () => {
  assert.deepEqual(parseLimit(["ant", "ms", " 1,5 "]), {
    bot: "ant",
    ms: 1500,
  });
  assert.deepEqual(parseLimit(["ant", "depth", "4"]), {
    bot: "ant",
    option: "depth",
    value: 4,
  });
  assert.throws(() => parseLimit(["ant", "ms", "0"]), /ant: the limit must be a number above 0/);
  assert.throws(() => parseLimit(["ant", "ms", "x"]), /above 0/);
});

/** @type {Evaluated} */
const EVALUATED = {
  number: 2,
  seat: 1,
  action: "b",
  margin: 3,
  grade: "mistake",
  swing: 5,
  choice: "c",
};

/** @returns {AskedBot} */
function bot() {
  return makeAnalysis("id", [{ bot: "ant", ms: 1000 }], 2).bots[0];
}

test("the skill of a player is points and a share, with a dash where nothing is known", () => {
  const none = { inaccuracies: 0, mistakes: 1, blunders: 0 };
  const player = { seat: 0, plies: 4, mean_loss: 1.25, accuracy: 0.75, ...none };
  assert.deepEqual(describeSkill(player), ["1.3", "75 %"]);
  const other = { seat: 1, plies: 0, mean_loss: null, accuracy: null, ...none };
  assert.deepEqual(describeSkill(other), ["–", "–"]);
});

test("the next mistake is no inaccuracy, may be of one player, and begins again at the end", () => {
  /** @param {number} number @param {Seat} seat @param {Grade} grade @returns {Evaluated} */
  const costly = (number, seat, grade) => {
    return { number, seat, action: "advance", margin: 0, grade, swing: -5, choice: "" };
  };
  const evaluations = [
    costly(1, 0, ""),
    costly(2, 1, "inaccuracy"),
    costly(3, 0, "mistake"),
    costly(4, 1, "blunder"),
  ];
  const wren = { ...makeAnalysis("x", [{ bot: "wren" }], null).bots[0], evaluations };
  /** @param {number} after @param {Seat[]} seats */
  const find = (after, seats) => findMistake(wren, after, seats)?.number;
  assert.equal(find(0, [0, 1]), 3);
  assert.equal(find(3, [0, 1]), 4);
  assert.equal(find(4, [0, 1]), 3);
  assert.equal(find(0, [1]), 4);
  assert.equal(find(0, []), undefined);
  assert.equal(findMistake(null, 0, [0, 1]), undefined);
});

test("a limit is said in words, and an endless one ends for a whole game", () => {
  assert.equal(describeLimit({ ms: 1500 }), "1.5 s");
  assert.equal(describeLimit({ option: "depth", value: 4 }), "depth 4");
  assert.equal(describeLimit({ endless: true }), "until stopped");
  assert.deepEqual(parseLimit(["ant", "endless", ""]), { bot: "ant", endless: true });
  assert.deepEqual(boundLimit({ bot: "ant", endless: true }), { bot: "ant", ms: 1000 });
  assert.deepEqual(boundLimit({ bot: "ant", ms: 7 }), { bot: "ant", ms: 7 });
});

/** @type {Info} */
const INFO = inform({ depth: 3, nodes: 2000, margin: 1, ms: 500, line: ["a"] });

/**
 * @param {Partial<Info>} said
 * @returns {Info}
 */
function inform(said) {
  const nothing = { depth: null, nodes: null, margin: null, line: [], seats: [], text: "" };
  return { ...nothing, rank: 1, ms: 1, ...said };
}

test("of an answer the last lines are kept, and how far the bot has come", () => {
  const [early, deep, second, best] = [
    inform({ line: ["a"], margin: 1 }),
    inform({ depth: 4 }),
    inform({ line: ["b"], rank: 2, nodes: 7, margin: -9 }),
    inform({ line: ["c"], margin: 2 }),
  ];
  assert.deepEqual(trimInfos([early, deep, second, best]), [deep, second, best]);
  const wren = {
    ...makeAnalysis("x", [{ bot: "wren", ms: 500 }], null).bots[0],
    infos: [second, best],
  };
  assert.deepEqual(listMarginsSaid([wren]), { "wren, 0.5 s": 2 });
  assert.deepEqual(listMarginsSaid([{ ...wren, infos: [deep] }]), {});
});

test("what bots said of a position is found again, also after a reload, in its edition only", () => {
  /** @param {string} text */
  const node = (text) => growLine([{ ...point(0), text }], []);
  const here = node("here");
  const made = makeAnalysis("x", [{ bot: "wren", ms: 500 }], null);
  const analysis = { ...made, node: here, isRestricted: false };
  rememberAnswers("small", analysis);
  assert.equal(findRemembered("small", here), null, "it has said nothing so far");
  analysis.bots[0].infos.push(inform({ line: ["a"], margin: 3 }));
  rememberAnswers("small", analysis);
  assert.equal(findRemembered("small", here), analysis);
  const reloaded = node("here");
  assert.deepEqual(findRemembered("small", reloaded)?.bots, analysis.bots);
  assert.deepEqual(reloaded.margins, { "wren, 0.5 s": 3 });
  assert.equal(findRemembered("large", node("here")), null);
  assert.equal(findRemembered("small", node("elsewhere")), null);
});

test("the best lines are the latest of each rank that has one", () => {
  const second = { ...INFO, rank: 2, line: ["b"] };
  const better = { ...INFO, line: ["c", "d"] };
  const mute = { ...INFO, line: [] };
  assert.deepEqual(listBest([second, INFO, better, mute]), [better, second]);
  // the bot was stopped before it had the second line of the last depth
  const third = { ...INFO, rank: 3, line: ["e"] };
  const shallow = { ...second, depth: 2 };
  assert.deepEqual(listBest([shallow, better, third]), [better, third, shallow]);
});

test("progress is depth, nodes and nodes a second, as far as a bot says them", () => {
  assert.equal(describeProgress([INFO]), "depth 3, 2,000 nodes, 4,000 a second");
  assert.equal(describeProgress([{ ...INFO, nodes: null }]), "depth 3");
  assert.equal(describeProgress([{ ...INFO, ms: 0, depth: null }]), "2,000 nodes");
  assert.equal(describeProgress([]), "");
});

test("who is ahead is said by the bot that was asked, or by the player as it played", () => {
  const study = /** @type {Study} */ ({
    names: ["Ann", "Bo"],
    plies: [ply(0, "a", 4), ply(1, "b")],
  });
  const { root } = grow();
  assert.deepEqual(listExpected(study, root), [[4, "Ann, as it played"]]);
  assert.deepEqual(listExpected(study, root.children[0]), []);
  const evaluated = { ...root, margin: -2, evaluator: "ant" };
  assert.deepEqual(listExpected(study, evaluated), [[-2, "ant"]]);
  const answered = { ...evaluated, margins: { bee: 1, ant: 3 } };
  assert.deepEqual(
    listExpected(study, answered),
    [
      [1, "bee"],
      [3, "ant"],
    ],
    "bots that were asked about this position come first",
  );
  assert.equal(describeExpected(["you", "Bo"], 4, "ant"), "You are ahead by 4 (ant)");
  assert.equal(describeExpected(["you", "Bo"], 4, "result"), "You win by 4.");
  assert.equal(describeExpected(study.names, 4, "ant"), "Ann is ahead by 4 (ant)");
  assert.equal(describeExpected(study.names, -2.25, "ant"), "Bo is ahead by 2.3 (ant)");
  assert.equal(describeExpected(study.names, 0.01, "ant"), "Level (ant)");
  assert.equal(describeExpected(study.names, 7, "result"), "Ann wins by 7.");
  assert.equal(describeExpected(study.names, 0, "result"), "The game is a tie.");
});

test("series are what the evaluator says, and next to it what the players said", () => {
  /** @type {Study} */
  const study = {
    edition: /** @type {StudyEdition} */ ({
      ...EDITION,
      name: "small",
      latePatches: [],
    }),
    names: ["Ann", "Bo"],
    plies: [ply(0, "a", 4), ply(1, "b"), ply(0, "c", 6)],
    points: [],
    result: "",
    automa: false,
  };
  const played = [
    {
      name: "Ann, as it played",
      seat: 0,
      points: [
        [1, 4],
        [3, 6],
      ],
    },
    { name: "Bo, as it played", seat: 1, points: [] },
  ];
  assert.deepEqual(listSeries(study, null), played);
  assert.deepEqual(listSeries(study, { name: "ant, 1 s", evaluations: [EVALUATED] }), [
    { name: "ant, 1 s", points: [[2, 3]] },
    ...played.map((series) => ({ ...series, isMinor: true })),
  ]);
  const mute = [{ ...EVALUATED, margin: null }];
  assert.deepEqual(listSeries(study, { name: "ant, 1 s", evaluations: mute }), played);
});

/**
 * Return a bot that has evaluated a whole game with a limit in seconds.
 * @param {string} name
 * @param {number} seconds
 * @param {Partial<AskedBot>} [facts]
 * @returns {AskedBot}
 */
function evaluatorOf(name, seconds, facts = {}) {
  const limit = { bot: name, ms: 1000 * seconds };
  return { ...bot(), name, limit, evaluations: [EVALUATED], done: true, ...facts };
}

test("an evaluation stays until the same bot has evaluated the whole game again", () => {
  const [ant, bee] = [evaluatorOf("ant", 1), evaluatorOf("bee", 1)];
  const earlier = [ant, bee];
  assert.deepEqual(listEvaluators(earlier, [evaluatorOf("ant", 1, { done: false })]), earlier);
  assert.deepEqual(listEvaluators(earlier, [evaluatorOf("ant", 1, { failed: true })]), earlier);
  const again = evaluatorOf("ant", 1);
  assert.deepEqual(listEvaluators(earlier, [again]).map(nameEvaluator), ["bee, 1 s", "ant, 1 s"]);
  assert.equal(listEvaluators(earlier, [again])[1], again);
  const longer = evaluatorOf("ant", 2);
  assert.deepEqual(listEvaluators(earlier, [longer]), [ant, bee, longer], "a limit of its own");
});

test("the evaluator is the one that is wanted, else the first that says what it expects", () => {
  const mute = evaluatorOf("mute", 1, { evaluations: [{ ...EVALUATED, margin: null }] });
  const evaluators = [mute, evaluatorOf("ant", 1), evaluatorOf("ant", 2)];
  assert.equal(findEvaluator(evaluators, ["", null, "ant, 2 s"]), evaluators[2]);
  assert.equal(findEvaluator(evaluators, ["ant, 2 s", "mute, 1 s"]), evaluators[2]);
  assert.equal(findEvaluator(evaluators, ["bee, 1 s"]), evaluators[1]);
  assert.equal(findEvaluator([mute], []), mute);
  assert.equal(findEvaluator([], ["ant, 1 s"]), null);
});

test("the evaluator of a game is remembered for this game only", () => {
  keepEvaluator({ game: "1.0" }, "ant, 1 s");
  assert.equal(readEvaluator({ game: "1.0" }), "ant, 1 s");
  assert.equal(readEvaluator({ game: "1.1" }), null);
});

test("the value of a ply is that of one bot, never of another", () => {
  const { root } = grow();
  const evaluated = { ...root, margin: -2, evaluator: "ant, 1 s", margins: { "bee, 1 s": 4 } };
  assert.equal(findValue(evaluated, "ant, 1 s"), -2);
  assert.equal(findValue(evaluated, "bee, 1 s"), 4);
  assert.equal(findValue(evaluated, "ant, 2 s"), null);
  assert.equal(
    findValue({ ...evaluated, evaluator: "result" }, "ant, 2 s"),
    -2,
    "a fact of the game",
  );
});

test("the costliest plies are listed as they were played, and marked", () => {
  const costs = [-3, -9, -1, -5];
  const evaluations = costs.map((swing, index) => ({
    ...EVALUATED,
    number: index + 1,
    swing,
    grade: /** @type {Grade} */ (swing < -2 ? "mistake" : ""),
  }));
  const evaluator = { ...bot(), evaluations, done: true };
  assert.deepEqual(
    listGraded(evaluator).map(({ number }) => number),
    [1, 2, 4],
  );
  assert.deepEqual(
    listCostliest(evaluator, 2).map(({ number }) => number),
    [2, 4],
  );
  assert.deepEqual(listMarks(listCostliest(evaluator, 1)), [
    { ply: 2, margin: 3, grade: "mistake" },
  ]);
  assert.deepEqual(listGraded(null), []);
});

test("a kept evaluation is found by its bot and its limit, and read as if it were new", () => {
  const limit = { option: "depth", value: 3 };
  const kept = { bot: "ant", limit, plies: [EVALUATED], players: [], made: 1 };
  const others = [
    { ...kept, bot: "bee" },
    { ...kept, limit: { ms: 3 } },
    { ...kept, limit: { option: "depth", value: 4 } },
  ];
  assert.equal(findKept([...others, kept], { bot: "ant", ...limit }), kept);
  assert.equal(findKept(others, { bot: "ant", ...limit }), undefined);
  const read = readKept(kept);
  assert.deepEqual(
    [read.name, read.limit, read.evaluations],
    ["ant", { bot: "ant", ...limit }, [EVALUATED]],
  );
  assert.equal(isEvaluator(read), true);
});

test("an evaluator has evaluated the whole game, without a fault, and said margins", () => {
  const evaluator = { ...bot(), evaluations: [EVALUATED], done: true };
  assert.equal(isEvaluator(evaluator), true);
  assert.equal(isEvaluator({ ...evaluator, done: false }), false);
  assert.equal(isEvaluator({ ...evaluator, failed: true }), false);
  assert.equal(isEvaluator({ ...evaluator, evaluations: [{ ...EVALUATED, margin: null }] }), false);
});

test("events of an analysis change what is known of its bot", () => {
  const analysis = makeAnalysis("id", [{ bot: "ant", ms: 1000 }], 2);
  const [askedBot] = analysis.bots;
  let event = 0;
  /** @param {Omit<AnalysisEvent, "event" | "bot"> & Record<string, unknown>} words */
  const tell = (words) => {
    event += 1;
    return takeEvent(analysis, /** @type {AnalysisEvent} */ ({ ...words, event, bot: 0 }));
  };
  tell({ kind: "note", text: "is compiled" });
  assert.equal(askedBot.state, "is compiled");
  tell({ kind: "begin" });
  assert.equal(askedBot.state, "is thinking …");
  tell({ kind: "info", depth: 1 });
  assert.equal(askedBot.infos.length, 1);
  assert.deepEqual(tell({ kind: "evaluation", ...EVALUATED, number: 1 }).isEvaluated, true);
  assert.equal(askedBot.state, "1 of 2 plies, 1 s to go at most");
  tell({ kind: "swings", plies: [EVALUATED, EVALUATED], players: [] });
  assert.deepEqual([askedBot.done, askedBot.evaluations.length], [true, 2]);
  assert.equal(
    tell({ kind: "answer", action: "card:1:2", ms: 1500 }).sentence,
    "ant would play card:1:2.",
  );
  assert.equal(askedBot.state, "after 1.5 s it would play");
  assert.equal(tell({ kind: "fault", verdict: "crash", text: "" }).sentence, "ant failed: crash");
  assert.equal(analysis.event, 7);
});

test("an event that came before is not taken again", () => {
  const analysis = makeAnalysis("id", [{ bot: "ant", ms: 1000 }], null);
  analysis.event = 3;
  const news = takeEvent(analysis, { kind: "begin", event: 3, bot: 0 });
  assert.deepEqual(news, { sentence: "", isEvaluated: false });
  assert.equal(analysis.bots[0].state, "starts …");
});

test("a bot that thinks when the analysis ends has stopped", () => {
  const limits = ["ant", "bee"].map((name) => ({ bot: name, ms: 1 }));
  const analysis = makeAnalysis("id", limits, null);
  takeEvent(analysis, { kind: "answer", action: "a", ms: 1, event: 1, bot: 0 });
  takeEvent(analysis, { kind: "begin", event: 2, bot: 1 });
  settleAnalysis(analysis);
  assert.equal(analysis.over, true);
  assert.match(analysis.bots[0].state, /would play/);
  assert.equal(analysis.bots[1].state, "stopped");
});

/** @type {StudyEdition} */
const EDITED = { ...EDITION, name: "small", latePatches: [3] };

test("fields are named by what they hold, and by the seat", () => {
  const edited = editPosition(place({ pending: 1, tile: 1 }, [{}, { buttons: 12 }]));
  assert.deepEqual(listFields(edited), {
    "buttons:0": "5",
    "income:0": "0",
    "space:0": "0",
    "buttons:1": "12",
    "income:1": "0",
    "space:1": "0",
    toMove: "0",
    pending: "1",
    tile: "1",
  });
});

test("a field that the reader types is remembered as typed, once", () => {
  const edited = editPosition(place());
  const typed = typeField(typeField(edited, "buttons:1", "7"), "buttons:1", "77");
  assert.equal(typed.players[1].buttons, "77");
  assert.deepEqual(typed.typed, ["buttons:1"]);
  assert.equal(edited.players[1].buttons, "5", "the position before is for undo");
  assert.equal(typeField(edited, "tile", null).tile, null);
});

test("the answer of the server is taken, except for what was typed since the question", () => {
  const sent = editPosition(place());
  const answered = editPosition(place({ circle: [1, 3], toMove: 1 }, [{ buttons: 2, space: 3 }]));
  const current = typeField(sent, "buttons:0", "9");
  const merged = mergeAnswer(sent, current, answered);
  assert.deepEqual(merged, { ...typeField(answered, "buttons:0", "9") });
  assert.deepEqual(mergeAnswer(sent, sent, answered), answered);
});

test("a suggestion that is taken is no longer a typed value", () => {
  const typed = typeField(editPosition(place()), "buttons:0", "9");
  const position = takeSuggested(typeField(typed, "pending", "1"), { "buttons:0": "3" });
  assert.equal(position.players[0].buttons, "3");
  assert.deepEqual(position.typed, ["pending"]);
});

test("patches are moved along the circle as far as it goes", () => {
  const edited = editPosition(place());
  assert.equal(shiftPatch(edited, 1, -1), false);
  assert.equal(shiftPatch(edited, null, 1), false);
  assert.equal(shiftPatch(edited, 1, 1), true);
  assert.deepEqual(edited.circle, [2, 1, 3]);
});

test("patches that were taken are summed up", () => {
  const edited = editPosition(place());
  assert.equal(describeTaken(EDITED, edited), "All patches are in the circle.");
  dropPatch(edited, 2);
  dropPatch(edited, 3);
  assert.deepEqual(listTaken(EDITED, edited), [2, 3]);
  assert.match(
    describeTaken(EDITED, edited),
    /^Squares: 4; 0 are covered\. Income: 1\. Cost: 4\. Time: 5\./,
  );
  edited.late = true;
  assert.deepEqual(listTaken(EDITED, edited), [2]);
});

test("the cursor stays on the board", () => {
  assert.equal(moveCursor(EDITED, 0, "ArrowLeft"), 0);
  assert.equal(moveCursor(EDITED, 2, "ArrowRight"), 2);
  assert.equal(moveCursor(EDITED, 1, "ArrowDown"), 4);
  assert.equal(moveCursor(EDITED, 4, "ArrowUp"), 1);
  assert.equal(moveCursor(EDITED, 4, "Enter"), null);
});

test("shapes of the editor are turned and cover their squares", () => {
  assert.equal(reshape("r90", flip), "f270");
  assert.deepEqual(findCovered(EDITED, 2, "r180", 1), [1, 2, 5]);
  assert.equal(findCovered(EDITED, 2, "r180", 2), null);
});

test("accuracy is explained, and an evaluator among the players is named", () => {
  const share = "Accuracy: the share of plies that cost less than 3 points";
  assert.equal(explainAccuracy("mcts", ["greedy", "lookahead"], 3), `${share}.`);
  assert.equal(
    explainAccuracy("greedy", ["greedy", "lookahead"], 3),
    `${share}; greedy evaluates its own moves, too.`,
  );
});

test("a position says why no bot can be asked about it", () => {
  const start = growLine([point(0)], []);
  const open = point(0);
  const end = { ...open, over: true };
  /** @param {Point} shown */
  const explain = (shown) => explainClosed({ parent: start, point: shown });
  assert.equal(explain(open), "");
  assert.equal(explain(end), "The game is over here: step back to ask bots.");
  assert.equal(
    explain({ ...open, automa: true }),
    "The Automa moves here: step on or back to ask bots.",
  );
  assert.equal(
    explainClosed({ parent: null, point: end }),
    "The game is over here: there is no move to ask bots about.",
  );
});
