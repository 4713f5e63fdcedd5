/* Games that are watched, but for what is drawn. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { tellProgress, tellReason } from "../../pwtourney/web/watch/latest.js";
import {
  Slots,
  findExpected,
  findSaid,
  followGame,
  tellGame,
  timeLeft,
} from "../../pwtourney/web/watch/slots.js";
import { EDITION, place } from "./game.mjs";

/** @import { SlotGame, SlotNews, WatchedGame } from "../../pwtourney/web/types.d.ts" */

/** @type {WatchedGame} */
const GAME = {
  pair: 3,
  number: 1,
  bots: ["ant", "bee"],
  start: place(),
  automa: false,
};

/** @type {SlotNews} */
const NEWS = {
  slot: 0,
  game: GAME,
  plies: [[0, "advance", 1, "I advance", 4]],
  changes: [[1, 0, 1, 1, 1]],
  turn: 1,
  left: [null, 5000],
  move: [null, null],
  spent: 200,
  info: "",
  over: false,
  live: true,
  result: null,
};

/**
 * @param {Partial<SlotNews>} [news]
 * @returns {SlotGame}
 */
function watch(news = {}) {
  const game = followGame(EDITION, undefined, { ...NEWS, ...news }, 1000);
  assert.ok(game);
  return game;
}

test("news of a game is followed from its start", () => {
  const game = watch();
  assert.equal(game.now.players[0].space, 1);
  assert.equal(game.before?.players[0].space, 0);
  assert.deepEqual(game.past, [
    "ant advances 1 space to space 1 and receives 1 button; bee is to move.",
  ]);
  assert.equal(game.facts, GAME);
});

test("plies that come later are added to those that were known", () => {
  const rest = { ...NEWS, plies: [], changes: [] };
  delete rest.game;
  const later = followGame(EDITION, watch(), rest, 2000);
  assert.equal(later?.plies.length, 1);
  assert.equal(later?.received, 2000);
  assert.equal(followGame(EDITION, undefined, rest, 2000), null);
});

test("slots are listed in order, and go when the server says so", () => {
  const slots = new Slots(EDITION);
  const news = [7, 2].map((slot) => ({ ...NEWS, slot }));
  assert.deepEqual(slots.receive({ running: true, slots: news, gone: [] }, 0), [7, 2]);
  assert.deepEqual(slots.list(), [2, 7]);
  slots.receive({ running: true, slots: [], gone: [7] }, 0);
  assert.deepEqual(slots.list(), [2]);
  assert.equal(slots.get(7), undefined);
  assert.equal(slots.get(null), undefined);
  slots.clear();
  assert.deepEqual(slots.list(), []);
});

test("what a bot expects and says is what came last", () => {
  const game = watch();
  assert.deepEqual(
    [0, 1].map((seat) => findExpected(game, seat)),
    [4, null],
  );
  assert.deepEqual(
    [0, 1].map((seat) => findSaid(game, seat)),
    ["I advance", ""],
  );
  assert.equal(findSaid(watch({ info: "depth 3" }), 1), "depth 3");
  assert.equal(findSaid(watch({ info: "depth 3", over: true }), 1), "");
});

test("time runs for the bot that thinks", () => {
  assert.equal(timeLeft(watch(), 1, 1300), 5000 - 200 - 300);
  assert.equal(timeLeft(watch(), 0, 1300), null);
  assert.equal(timeLeft(watch({ turn: 0 }), 1, 1300), 5000);
  assert.equal(timeLeft(watch({ over: true }), 1, 1300), 5000);
  assert.equal(
    timeLeft(watch({ left: [null, null], move: [null, 900], spent: null }), 1, 1300),
    900,
  );
});

test("a game is told as it stands or has ended", () => {
  assert.equal(tellGame(watch()), "bee is to move.");
  const over = "The game is over; its result follows when its pair is complete.";
  assert.equal(tellGame(watch({ over: true })), over);
  assert.equal(tellGame(watch({ live: false })), "The game was not finished.");
  const result = {
    verdict: "finished",
    winner: 0,
    scores: [7, 3],
    message: "",
  };
  assert.equal(tellGame(watch({ result })), "ant wins: ant 7, bee 3.");
  const fault = {
    ...result,
    winner: null,
    verdict: "crash",
    message: "it fell",
  };
  assert.equal(tellGame(watch({ result: fault })), "Nobody wins (crash: it fell): ant 7, bee 3.");
});

test("a result says why its game was not finished", () => {
  const result = { id: "3.1", bots: ["ant", "bee"], scores: [7, 3], winner: 0, message: "" };
  assert.equal(tellReason({ ...result, verdict: "finished" }), "");
  assert.equal(tellReason({ ...result, verdict: "timeout" }), "bee: timeout");
  const crash = { ...result, winner: 1, verdict: "crash", message: "it ended with code 3" };
  assert.equal(tellReason(crash), "ant: crash, it ended with code 3");
  assert.equal(
    tellReason({ ...crash, winner: null, verdict: "void" }),
    "void, it ended with code 3",
  );
});

test("the progress of a run is told in pairs", () => {
  const news = {
    results: [],
    table: { headings: [], rows: [] },
    stored: 1,
    planned: 9,
    over: false,
  };
  assert.equal(tellProgress(news), "1 of 9 pairs played.");
  assert.equal(tellProgress({ ...news, planned: null }), "1 pair played.");
  assert.equal(tellProgress({ ...news, over: true }), "1 pair played: the tournament is over.");
});
