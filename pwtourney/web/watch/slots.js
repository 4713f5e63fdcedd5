/* The games of all slots, kept up to date from the news that the server sends. */
import { countEmpty } from "../game/players.js";
import { applyChange } from "../shared/changes.js";
import { formatScore } from "../shared/gauges.js";
import { tellNobody, tellPly } from "../shared/sentences.js";

/** @import { Edition, LatestNews, Seat, SlotGame, SlotNews, WallNews, WatchedGame } from "../types.d.ts" */

/**
 * Return a game without plies.
 * @param {WatchedGame} facts
 * @returns {Pick<SlotGame, "facts" | "plies" | "changes" | "past" | "now" | "before">}
 */
function beginGame(facts) {
  return { facts, plies: [], changes: [], past: [], now: facts.start, before: null };
}

/**
 * Return the game of a slot after news: its facts, and the positions before and after the last ply.
 * @param {Edition} edition
 * @param {SlotGame | undefined} old
 * @param {SlotNews} news
 * @param {number} received when the news arrived, by the clock of the page
 * @returns {SlotGame | null} null for news of a game that was never sent
 */
export function followGame(edition, old, news, received) {
  const known = news.game ? beginGame(news.game) : old;
  if (!known) return null;
  const { facts } = known;
  const past = [...known.past];
  let { now, before } = known;
  for (const [number, ply] of news.plies.entries()) {
    before = now;
    now = applyChange(edition, before, ply, news.changes[number]);
    past.push({
      whole: tellPly(edition, facts.bots, before, now, ply),
      brief: tellPly(edition, facts.bots, before, now, ply, { isBrief: true }),
    });
  }
  const plies = [...known.plies, ...news.plies];
  const changes = [...known.changes, ...news.changes];
  return { ...news, facts, plies, changes, now, before, past, received };
}

/** The games of all slots, by the numbers of the slots. */
export class Slots {
  /** @type {Map<number, SlotGame>} */
  #games = new Map();
  #edition;

  /** @param {Edition} edition */
  constructor(edition) {
    this.#edition = edition;
  }

  /**
   * Apply news; return the numbers of the slots that have changed.
   * @param {WallNews} news
   * @param {number} received when it arrived, by the clock of the page
   */
  receive({ slots, gone }, received) {
    gone.forEach((slot) => this.#games.delete(slot));
    slots.forEach((news) => {
      const game = followGame(this.#edition, this.#games.get(news.slot), news, received);
      if (game) this.#games.set(news.slot, game);
    });
    return slots.map(({ slot }) => slot);
  }

  /** Forget all games. */
  clear() {
    this.#games.clear();
  }

  /** Return the numbers of all slots, in order. */
  list() {
    return [...this.#games.keys()].sort((first, second) => first - second);
  }

  /**
   * Return the game of a slot, if it has one.
   * @param {number | null} slot
   */
  get(slot) {
    return slot === null ? undefined : this.#games.get(slot);
  }
}

/**
 * Return the name of a game, such as `12.0`: its pair and its number in the pair.
 * @param {SlotGame} game
 */
export function nameGame({ facts }) {
  return `${facts.pair}.${facts.number}`;
}

/**
 * Return true if a game is running.
 * @param {SlotGame} game
 */
export function isOn({ live, over }) {
  return live && !over;
}

/**
 * Return the margin of the first seat that a bot expects: what it says while it thinks, or said with
 * its last ply; null if it gave none.
 * @param {SlotGame} game
 * @param {Seat} seat
 */
export function findExpected(game, seat) {
  return findSaid(game, seat)?.margin ?? findSaid({ ...game, said: null }, seat)?.margin ?? null;
}

/**
 * Return what a bot says while it thinks, or said with its last ply; null if it said nothing.
 * @param {SlotGame} game
 * @param {Seat} seat
 */
export function findSaid({ plies, turn, said, over }, seat) {
  if (turn === seat && said && !over) return said;
  return plies.findLast(([mover]) => mover === seat)?.[3] ?? null;
}

/**
 * Return the milliseconds that a seat has left. Return null if it has no limit, or if more time has
 * passed than it had: the referee does not count all of it, for example not the start of a bot.
 * @param {SlotGame} game
 * @param {Seat} seat
 * @param {number} now by the clock of the page
 */
export function timeLeft(game, seat, now) {
  const limit = game.left[seat] ?? game.move[seat];
  if (limit === null) return null;
  const isThinking = game.turn === seat && game.spent !== null && isOn(game);
  if (!isThinking) return limit;
  const left = limit - (game.spent ?? 0) - (now - game.received);
  return left < 0 ? null : left;
}

/**
 * Describe the end of a game that was not finished. A brief sentence leaves out the message.
 * @param {string[]} bots
 * @param {NonNullable<SlotGame["result"]>} result
 * @param {boolean} isBrief
 */
function describeFault(bots, { verdict, message, winner, void: isVoid = false }, isBrief) {
  const end =
    winner === null
      ? tellNobody(verdict, isVoid)
      : `${bots[winner]} wins: ${bots[1 - winner]}, ${verdict}`;
  return `${end}${message && !isBrief ? ` (${message})` : ""}.`;
}

/**
 * Describe the state or the result of a game. A brief sentence leaves out the message of a fault.
 * @param {SlotGame} game
 * @param {{ isBrief?: boolean }} [options]
 */
export function tellGame({ facts, result, over, live, turn }, { isBrief = false } = {}) {
  const { bots } = facts;
  if (!result) {
    return live && !over ? `${bots[turn]} is to move.` : "The game was not finished.";
  }
  if (result.verdict !== "finished") return describeFault(bots, result, isBrief);
  const winner = result.winner === null ? "Nobody" : bots[result.winner];
  const scores = bots.map((bot, seat) => `${bot} ${formatScore(result.scores[seat])}`).join(", ");
  const [first, second] = result.scores;
  const lead = Math.abs(first - second);
  return `${winner} wins${lead ? ` by ${lead}` : ""}: ${scores}.`;
}

/**
 * Return the result of a game, empty while it is running.
 * @param {SlotGame} game
 */
export function tellEnd(game) {
  return isOn(game) ? "" : tellGame(game);
}

/**
 * Say why a game is not shown: it is to come, or there is none of this name.
 * @param {string} name such as `12.0`
 * @param {Pick<LatestNews, "planned" | "over" | "next"> | null} latest null if it is unknown
 */
export function tellAbsent(name, latest) {
  const pair = Number(name.split(".")[0]);
  if (!latest || latest.over || latest.planned === null || pair >= latest.planned) {
    return `Game ${name} is neither being played nor stored.`;
  }
  const known = latest.next.find((next) => next.pair === pair);
  const who = known ? ` of ${known.first} and ${known.second}` : "";
  return `Game ${name}${who} has not begun. It is shown here as soon as it begins.`;
}

/**
 * Return a text for each seat of a running game that says how it stands: the margin that the bots
 * expect, between them if they differ, or else the empty squares.
 * @param {SlotGame} game
 */
function tellStanding(game) {
  const { bots, automa } = game.facts;
  const margins = [0, 1].flatMap((seat) => findExpected(game, seat) ?? []);
  if (margins.length) {
    const margin = Math.round(margins.reduce((sum, value) => sum + value, 0) / margins.length);
    return [margin, -margin].map((lead) => (lead > 0 ? `+${lead}` : ""));
  }
  return bots.map((_, seat) => {
    if (seat && automa) return "";
    return `${countEmpty(game.now.players[seat])}${seat || automa ? " empty" : ""}`;
  });
}

/**
 * Say in a few words for the tab of the page how a game stands or has ended.
 * @param {SlotGame} game
 */
export function nameTab(game) {
  const { facts, result } = game;
  const isCounted = result?.verdict === "finished";
  const words = isCounted ? result.scores.map(formatScore) : tellStanding(game);
  const players = facts.bots.map((bot, seat) =>
    result && !isCounted ? bot : [bot, words[seat]].filter(Boolean).join(" "),
  );
  const fault = result && !isCounted ? `: ${result.verdict}` : "";
  return `${players.join(" – ")}${fault} · Watch`;
}
