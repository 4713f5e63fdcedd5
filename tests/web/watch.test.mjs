/* Games that are watched, except what is drawn. */
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  formatGame,
  formatPly,
  parseOldGame,
  parsePly,
} from "../../pwtourney/web/shared/game_address.js";
import {
  Featured,
  READING,
  formatWish,
  listAll,
  parseWish,
} from "../../pwtourney/web/watch/featured.js";
import { listPairings, listWishes, tellNoGame } from "../../pwtourney/web/watch/follow.js";
import { listRises } from "../../pwtourney/web/watch/standings.js";
import { nameEnding, tellSide } from "../../pwtourney/web/game/spectator_view.js";
import { tellProgress, tellReason } from "../../pwtourney/web/watch/latest.js";
import { countGames, formatHalves, turnScore } from "../../pwtourney/web/watch/pairing.js";
import {
  Slots,
  findExpected,
  findSaid,
  followGame,
  nameGame,
  nameTab,
  tellAbsent,
  tellGame,
  timeLeft,
} from "../../pwtourney/web/watch/slots.js";
import { listUnbegun } from "../../pwtourney/web/watch/upcoming.js";
import { tellBriefly, tellState } from "../../pwtourney/web/watch/ways.js";
import { EDITION, place } from "./game.mjs";

/** @import { Ending, LastResult, PairingScore, Said, SlotGame, SlotNews, WatchedGame } from "../../pwtourney/web/types.d.ts" */

/** @type {WatchedGame} */
const GAME = {
  pair: 3,
  number: 1,
  bots: ["ant", "bee"],
  start: place(),
  automa: false,
};

/** @type {PairingScore} */
const SCORE = {
  bots: ["ant", "bee"],
  points: [7.5, 2.5],
  games: 10,
  pairs: 5,
  address: "#bot=ant",
};

/** @type {LastResult} */
const ENDED = {
  id: "3.1",
  bots: ["ant", "bee"],
  scores: [7, 3],
  winner: 0,
  verdict: "finished",
  message: "",
};

/** @type {Said} */
const SAID = { depth: null, nodes: null, margin: null, line: [], text: "" };

/** @type {SlotNews} */
const NEWS = {
  slot: 0,
  game: GAME,
  plies: [[0, "advance", 1, { ...SAID, margin: 4, text: "I advance" }]],
  changes: [[1, 0, 1, 1, 1]],
  turn: 1,
  left: [null, 5000],
  move: [null, null],
  spent: 200,
  said: null,
  over: false,
  live: true,
  result: null,
  stored: false,
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
    {
      whole: "ant advances 1 space to space 1 and receives 1 button; bee is to move.",
      brief: "ant advances 1 space and receives 1 button; bee is to move.",
    },
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
  assert.equal(findSaid(game, 0)?.text, "I advance");
  assert.equal(findSaid(game, 1), null);
  const said = { ...SAID, depth: 3 };
  assert.equal(findSaid(watch({ said }), 1), said);
  assert.equal(findSaid(watch({ said, over: true }), 1), null);
  // who thinks may not have said yet what it expects now
  assert.equal(findExpected(watch({ said, turn: 0 }), 0), 4);
  assert.equal(findExpected(watch({ said: { ...said, margin: 0 }, turn: 0 }), 0), 0);
});

test("time runs for the bot that thinks", () => {
  assert.equal(timeLeft(watch(), 1, 1300), 5000 - 200 - 300);
  assert.equal(timeLeft(watch(), 0, 1300), null);
  assert.equal(timeLeft(watch(), 1, 9000), null);
  assert.equal(timeLeft(watch({ turn: 0 }), 1, 1300), 5000);
  assert.equal(timeLeft(watch({ over: true }), 1, 1300), 5000);
  assert.equal(
    timeLeft(watch({ left: [null, null], move: [null, 900], spent: null }), 1, 1300),
    900,
  );
});

test("a sentence says how a game stands or has ended", () => {
  assert.equal(tellGame(watch()), "bee is to move.");
  assert.equal(tellGame(watch({ over: true })), "The game was not finished.");
  assert.equal(tellGame(watch({ live: false })), "The game was not finished.");
  const result = {
    verdict: "finished",
    winner: 0,
    scores: [7, 3],
    message: "",
  };
  assert.equal(tellGame(watch({ result })), "ant wins by 4: ant 7, bee 3.");
  const fault = {
    ...result,
    winner: null,
    verdict: "crash",
    message: "it fell",
  };
  assert.equal(tellGame(watch({ result: fault })), "Both failed; first fault: crash (it fell).");
  const lost = watch({ result: { ...fault, winner: 1 } });
  assert.equal(tellGame(lost), "bee wins: ant, crash (it fell).");
  assert.equal(tellGame(lost, { isBrief: true }), "bee wins: ant, crash.");
  const outside = watch({ result: { ...fault, verdict: "runner-error", void: true } });
  assert.equal(tellGame(outside), "Void: runner-error (it fell).");
});

test("points of a side are shown only where they decided the game", () => {
  /** @param {Partial<Ending>} [change] */
  const tell = (change) => {
    const ending = { verdict: "finished", winner: 0, scores: [7, -3], ...change };
    return [nameEnding(ending, ["ant", "bee"]), tellSide(ending, 0), tellSide(ending, 1)];
  };
  assert.deepEqual(tell(), ["Final score", "7", "−3"]);
  const tie = { scores: [7, 7], winner: 1 };
  assert.deepEqual(tell(tie), ["Tie: bee arrived first", "7", "7"]);
  assert.deepEqual(tell({ verdict: "crash" }), ["Decided by a fault", "won", "crash"]);
  assert.deepEqual(tell({ verdict: "start", winner: null }), [
    "Both failed; first fault: start",
    "",
    "",
  ]);
  const out = { verdict: "disqualified", winner: null, void: true };
  assert.deepEqual(tell(out), ["Void: disqualified", "", ""]);
  const fault = { verdict: "crash", winner: 0, scores: [7, -3] };
  assert.deepEqual(
    [0, 1].map((seat) => tellSide(fault, seat, "")),
    ["won", ""],
  );
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
  const out = { ...result, verdict: "disqualified", message: "bee is disqualified" };
  assert.equal(tellReason(out), "bee is disqualified");
});

test("the progress of a run is in pairs, and a stopped one says how to continue", () => {
  const news = { stored: 1, planned: 9, over: false, problem: "" };
  assert.equal(tellProgress(news, false), "1 of 9 pairs played.");
  assert.equal(tellProgress({ ...news, planned: null }, false), "1 pair played.");
  const goesOn = "1 of 9 pairs played. To continue, start the same pwtourney run again.";
  assert.equal(tellProgress(news, true), goesOn);
  assert.equal(tellProgress({ ...news, stored: 0 }, true), "0 of 9 pairs played.");
  assert.equal(tellProgress({ ...news, over: true }, true), "1 pair played.");
  const problem = "No valid game, so no result: all 2 games are void";
  assert.equal(tellProgress({ ...news, over: true, problem }, true), `${problem}.`);
});

test("numbers below 0 are written with a minus sign", () => {
  assert.equal(tellBriefly({ ...ENDED, scores: [-7, 12] }), "ant −7 – 12 bee");
  const won = { verdict: "finished", winner: 1, scores: [-7, 12], message: "" };
  assert.equal(tellGame(watch({ result: won })), "bee wins by 19: ant −7, bee 12.");
  assert.equal(nameTab(watch({ result: won })), "ant −7 – bee 12 · Watch");
});

test("the tab says how a running game stands", () => {
  const silent = { plies: [], changes: [] };
  assert.equal(nameTab(watch(silent)), "ant 6 – bee 6 empty · Watch");
  const solo = watch({ ...silent, game: { ...GAME, automa: true } });
  assert.equal(nameTab(solo), "ant 6 empty – bee · Watch");
  // ant expects to win by 4 points
  assert.equal(nameTab(watch()), "ant +4 – bee · Watch");
  // bee, which is to move, expects to win by 7
  assert.equal(nameTab(watch({ said: { ...SAID, margin: -7 } })), "ant – bee +1 · Watch");
  assert.equal(nameTab(watch({ said: { ...SAID, margin: -4 } })), "ant – bee · Watch");
  const fault = { verdict: "crash", winner: 1, scores: [7, 3], message: "" };
  assert.equal(nameTab(watch({ result: fault })), "ant – bee: crash · Watch");
});

test("a last result has the points, or the verdict where these do not say who won", () => {
  assert.equal(tellBriefly(ENDED), "ant 7 – 3 bee");
  assert.equal(tellBriefly({ ...ENDED, verdict: "timeout", winner: 1 }), "ant – bee: timeout");
});

test("points of a pairing come in halves, and games in pairs if there are no others", () => {
  assert.deepEqual([0, 0.5, 2, 7.5].map(formatHalves), ["0", "½", "2", "7½"]);
  assert.equal(countGames({ ...SCORE, games: 10, pairs: 5 }), "5 pairs");
  assert.equal(countGames({ ...SCORE, games: 2, pairs: 1 }), "1 pair");
  assert.equal(countGames({ ...SCORE, games: 3, pairs: 1 }), "3 games");
});

test("the score of a pairing is turned to the seats of the game, and never shown for others", () => {
  assert.equal(turnScore(SCORE, ["ant", "bee"]), SCORE);
  assert.deepEqual(turnScore(SCORE, ["bee", "ant"])?.points, [2.5, 7.5]);
  assert.equal(turnScore(SCORE, ["ant", "cow"]), null);
  assert.equal(turnScore(null, ["ant", "bee"]), null);
});

test("a pair whose game is shown does not come next", () => {
  const pairs = [4, 5, 6].map((pair) => ({ first: "ant", second: "bee", pair }));
  const left = listUnbegun(pairs, [3, 5]).map(({ pair }) => pair);
  assert.deepEqual(left, [4, 6]);
});

test("the state says whether a run is active, and what is shown without one", () => {
  assert.equal(tellState(null, 0, null), "Looking for games …");
  assert.equal(tellState(true, 1, null), "1 game is being played.");
  assert.equal(tellState(true, 2, null), "2 games are being played.");
  assert.equal(tellState(true, 0, null), "A run goes on; no game is being played now.");
  const idle = "Nothing is being played now.";
  assert.equal(tellState(false, 0, null), idle);
  assert.equal(tellState(false, 0, { over: false, lead: "" }), idle);
  assert.equal(tellState(false, 0, { over: false, lead: "ant leads." }), `${idle} ant leads.`);
  const won = { over: true, lead: "ant won." };
  assert.equal(tellState(false, 0, won), "The tournament is over: ant won.");
});

/**
 * @param {Partial<SlotNews>[]} news
 * @returns {Slots}
 */
function fill(...news) {
  const slots = new Slots(EDITION);
  const all = news.map((game) => ({ ...NEWS, ...game }));
  slots.receive({ running: true, slots: all, gone: [] }, 0);
  return slots;
}

/**
 * @param {number} pair
 * @param {string[]} [bots]
 */
function name(pair, bots = ["ant", "bee"]) {
  return { game: { ...GAME, pair, bots } };
}

/** @type {NonNullable<SlotNews["result"]>} */
const WON = { verdict: "finished", winner: 0, scores: [3, 2], message: "" };

test("the address of a game is its page, with the ply in the fragment", () => {
  assert.equal(formatGame("/of/cup", "18.1"), "/of/cup/game/18.1");
  assert.equal(formatGame("", "18.1", 30), "/game/18.1#ply=30");
  for (const ply of [0, 30, null]) assert.equal(parsePly(formatPly(ply)), ply);
  assert.equal(parsePly("#ply=x"), null);
  assert.equal(parsePly("#ply=-1"), null);
});

test("the old address of a game names it, also by its number", () => {
  assert.equal(parseOldGame("#game=18.1&ply=30"), "18.1");
  assert.equal(parseOldGame("#game=37"), "37");
  assert.equal(parseOldGame("#game=../x"), null);
  assert.equal(parseOldGame("#slot=1"), null);
});

test("a game that is not shown is to come, as far as the plan goes, or does not exist", () => {
  const next = [{ pair: 4, first: "ant", second: "bee" }];
  const latest = { planned: 9, over: false, next };
  const begins = "has not begun. It is shown here as soon as it begins.";
  assert.equal(tellAbsent("4.1", latest), `Game 4.1 of ant and bee ${begins}`);
  assert.equal(tellAbsent("8.0", latest), `Game 8.0 ${begins}`);
  const missing = "Game 9.0 is neither being played nor stored.";
  assert.equal(tellAbsent("9.0", latest), missing);
  assert.equal(tellAbsent("9.0", { ...latest, planned: 10, over: true }), missing);
  assert.equal(tellAbsent("9.0", null), missing);
});

test("an address names a slot, a bot or two bots; anything else is the run", () => {
  const pairing = { bot: "a b&c", against: "#d" };
  for (const wish of [{ slot: 3 }, { bot: "a b&c" }, pairing, {}]) {
    assert.deepEqual(parseWish(formatWish(wish)), wish);
  }
  assert.deepEqual(parseWish("#slot=x"), {});
  assert.deepEqual(parseWish(""), {});
});

test("a result stays until it could be read, whatever its slot plays by then", () => {
  const featured = new Featured();
  const running = fill({ slot: 0, ...name(1) });
  assert.equal(nameGame(featured.update(running, 0) ?? watch()), "1.1");
  featured.update(fill({ slot: 0, ...name(1), over: true, result: WON }), 100);
  const next = fill({ slot: 0, ...name(2) });
  assert.equal(nameGame(featured.update(next, 100 + READING - 1) ?? watch()), "1.1");
  assert.deepEqual(featured.shown?.result, WON);
  assert.equal(nameGame(featured.update(next, 100 + READING) ?? watch()), "2.1");
});

test("between runs the last game is shown first", () => {
  const ended = { live: false, over: true, result: WON, stored: true };
  const slots = fill({ slot: 0, ...name(1), ...ended }, { slot: 1, ...name(2), ...ended });
  assert.equal(nameGame(new Featured().update(slots, 0) ?? watch()), "2.1");
});

test("the record is asked for of a game that left its slot before it was stored", () => {
  const featured = new Featured();
  const running = fill({ slot: 0, ...name(1) });
  featured.update(running, 0);
  assert.equal(featured.needed(running), null);
  const next = fill({ slot: 0, ...name(2) });
  featured.update(next, 10);
  assert.equal(featured.needed(next), "1.1");
  featured.take(watch({ slot: -1, ...name(1), live: false, result: WON }));
  featured.update(next, 20);
  assert.equal(featured.needed(next), "1.1");
  featured.take(watch({ slot: -1, ...name(1), live: false, result: WON, stored: true }));
  assert.equal(featured.needed(next), null);
  featured.update(next, 30);
  assert.equal(nameGame(featured.update(next, 20 + READING) ?? watch()), "2.1");
});

test("the result of a game that is played again is forgotten, and that of its record counts", () => {
  const featured = new Featured();
  featured.update(fill({ slot: 0, ...name(1) }), 0);
  featured.take(watch({ slot: -1, ...name(1), live: false, result: WON }));
  const next = fill({ slot: 0, ...name(2) });
  assert.deepEqual(featured.update(next, 10)?.result, WON);
  const again = fill({ slot: 0, ...name(1) });
  assert.equal(featured.update(again, 20)?.result, null);
  assert.equal(nameGame(featured.update(again, 20 + READING) ?? watch()), "1.1");
  const other = { ...WON, winner: 1, scores: [2, 3] };
  const stored = fill({ slot: 0, ...name(1), over: true, result: other, stored: true });
  assert.deepEqual(featured.update(stored, 30 + READING)?.result, other);
  assert.equal(featured.needed(next), null);
  assert.deepEqual(featured.update(again, 40 + READING)?.result, other);
  assert.equal(nameGame(featured.update(next, 30 + 2 * READING - 1) ?? watch()), "1.1");
  assert.equal(nameGame(featured.update(next, 30 + 2 * READING) ?? watch()), "2.1");
});

test("a game without a record is left after a while", () => {
  const featured = new Featured();
  featured.update(fill({ slot: 0, ...name(1) }), 0);
  const next = fill({ slot: 0, ...name(2) });
  featured.update(next, 10);
  assert.equal(nameGame(featured.update(next, 20_009) ?? watch()), "1.1");
  assert.equal(nameGame(featured.update(next, 20_010) ?? watch()), "2.1");
});

test("a bot is followed to its next game, in any slot", () => {
  const featured = new Featured();
  featured.follow({ bot: "cow" });
  const before = fill({ slot: 0, ...name(1) }, { slot: 1, ...name(2, ["cow", "bee"]) });
  assert.equal(nameGame(featured.update(before, 0) ?? watch()), "2.1");
  const done = fill({ slot: 1, ...name(2, ["cow", "bee"]), over: true, result: WON });
  featured.update(done, 10);
  const after = fill({ slot: 0, ...name(3, ["ant", "cow"]) }, { slot: 1, ...name(4) });
  assert.equal(nameGame(featured.update(after, 10 + READING) ?? watch()), "3.1");
});

test("a game that the address names is never left, nor one in which the reader looks back", () => {
  const named = new Featured();
  named.follow({ game: "1.1" });
  const next = fill({ slot: 0, ...name(2) });
  assert.equal(named.update(next, 0), null);
  assert.equal(named.needed(next), "1.1");
  named.take(watch({ slot: -1, ...name(1), live: false, result: WON, stored: true }));
  assert.equal(nameGame(named.update(next, 1e9) ?? watch()), "1.1");
  const read = new Featured();
  const ended = fill({ slot: 0, ...name(1), over: true, result: WON });
  read.update(ended, 0);
  read.update(ended, 1);
  read.hold(true);
  assert.equal(nameGame(read.update(next, 1e9) ?? watch()), "1.1");
  read.hold(false);
  assert.equal(nameGame(read.update(next, 1e9) ?? watch()), "1.1");
});

test("a stored game fills in until one of what is followed is played", () => {
  const featured = new Featured();
  featured.follow({ bot: "owl" });
  const slots = fill();
  assert.equal(featured.update(slots, 0), null);
  featured.suggest("1.1");
  assert.equal(featured.needed(slots), "1.1");
  featured.take(
    watch({ slot: -1, ...name(1, ["owl", "bee"]), live: false, result: WON, stored: true }),
  );
  assert.equal(nameGame(featured.update(slots, 10) ?? watch()), "1.1");
  featured.suggest("3.1");
  assert.equal(featured.needed(slots), null);
  featured.follow({ bot: "owl", against: "jay" });
  assert.equal(featured.shown, null);
  assert.equal(featured.needed(slots), null);
});

test("a page says that there is no game of what is followed", () => {
  const none = "is being played, and none is stored yet.";
  assert.equal(tellNoGame({ bot: "owl" }), `No game of owl ${none}`);
  assert.equal(tellNoGame({ bot: "owl", against: "jay" }), `No game of owl against jay ${none}`);
  assert.equal(tellNoGame({ slot: 2 }), "There is no game on board 3.");
});

test("a result can be read after the reader has looked back over the end of the game", () => {
  const featured = new Featured();
  featured.update(fill({ slot: 0, ...name(1) }), 0);
  featured.hold(true);
  featured.update(fill({ slot: 0, ...name(1), over: true, result: WON }), 100);
  const next = fill({ slot: 0, ...name(2) });
  featured.update(next, 60_000);
  featured.hold(false);
  assert.equal(nameGame(featured.update(next, 61_000) ?? watch()), "1.1");
  assert.equal(nameGame(featured.update(next, 61_000 + READING - 1) ?? watch()), "1.1");
  assert.equal(nameGame(featured.update(next, 61_000 + READING) ?? watch()), "2.1");
});

test("a game stays while nobody sees the page, and its result can be read afterwards", () => {
  const featured = new Featured();
  const ended = fill({ slot: 0, ...name(1), over: true, result: WON });
  featured.update(ended, 0);
  featured.update(ended, READING - 1); // read in part
  featured.see(false);
  const next = fill({ slot: 0, ...name(2) });
  assert.equal(nameGame(featured.update(next, 60_000) ?? watch()), "1.1");
  featured.see(true);
  assert.equal(nameGame(featured.update(next, 61_000) ?? watch()), "1.1");
  assert.equal(nameGame(featured.update(next, 61_000 + READING - 1) ?? watch()), "1.1");
  assert.equal(nameGame(featured.update(next, 61_000 + READING) ?? watch()), "2.1");
});

test("following something else leaves the shown game only if it does not belong to it", () => {
  const slots = fill({ slot: 0, ...name(1) }, { slot: 1, ...name(2, ["cow", "bee"]) });
  const featured = new Featured();
  featured.update(slots, 0);
  featured.follow({ bot: "ant" });
  assert.equal(nameGame(featured.shown ?? watch()), "1.1");
  featured.follow({ slot: 1 });
  assert.equal(featured.shown, null);
  assert.equal(nameGame(featured.update(slots, 1) ?? watch()), "2.1");
  assert.equal(listAll(slots).length, 2);
});

test("a pairing is followed in either order of its seats", () => {
  const featured = new Featured();
  featured.follow({ bot: "bee", against: "cow" });
  const slots = fill(
    { slot: 0, ...name(1) },
    { slot: 1, ...name(2, ["cow", "ant"]) },
    { slot: 2, ...name(3, ["cow", "bee"]) },
  );
  assert.equal(nameGame(featured.update(slots, 0) ?? watch()), "3.1");
  featured.follow({ bot: "cow", against: "ant" });
  assert.equal(nameGame(featured.update(slots, 1) ?? watch()), "2.1");
});

test("all bots can be followed, the pairings that are played, and what is followed", () => {
  const pairings = listPairings([
    ["bee", "ant"],
    ["ant", "bee"],
    ["cow", "ant"],
  ]);
  assert.deepEqual(pairings, [
    ["ant", "bee"],
    ["ant", "cow"],
  ]);
  /** @param {import("../../pwtourney/web/watch/featured.js").Wish} wish */
  const list = (wish) =>
    listWishes(wish, ["bee", "ant", "bee"], pairings, [0, 3]).map(({ name: group, wishes }) => [
      group,
      ...wishes.map(([, text]) => text),
    ]);
  const rest = [
    ["A bot", "bee", "ant"],
    ["A pairing", "ant – bee", "ant – cow"],
    ["A board", "board 1", "board 4"],
  ];
  assert.deepEqual(list({ bot: "ant" }), [["", "the run"], ...rest]);
  const other = { bot: "dog", against: "ant" };
  assert.deepEqual(list(other), [["", "the run", "dog – ant"], ...rest]);
  assert.deepEqual(listWishes({}, [], [], []), [{ name: "", wishes: [[{}, "the run"]] }]);
});

test("a bot has risen by the ranks of those that it has passed", () => {
  const rises = listRises(["ant", "bee", "cow"], ["cow", "new", "ant", "bee"]);
  assert.deepEqual([...rises], [["cow", 2], ["ant", -1], ["bee", -1]]); // prettier-ignore
  assert.deepEqual([...listRises([], ["ant"])], []);
});
