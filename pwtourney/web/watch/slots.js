/* The games of all slots as far as this page knows them, from the differences that the server sends. */

import * as Replay from "../shared/replay.js";
import * as Sentences from "../shared/sentences.js";

/* Takes one slot's news; returns its game: what was sent, and the positions around the last ply. */
const follow = (edition, old, news) => {
  const isNew = Boolean(news.game);
  const facts = isNew ? news.game : old.facts;
  let { plies, now, before, past } = isNew
    ? { plies: [], now: Replay.start(edition, facts), before: null, past: [] }
    : { ...old, plies: [...old.plies], past: [...old.past] };
  news.plies.forEach((ply) => {
    before = now;
    now = Replay.apply(edition, before, facts, ply);
    plies.push(ply);
    past.push(Sentences.tellPly(edition, facts.bots, before, now, ply));
  });
  return {
    ...news, facts, plies, now, before, past, isNew, fresh: news.plies.length, received: performance.now(),
  };
};

const of = (edition) => {
  const games = new Map();

  /* Returns the numbers of the slots that have changed. */
  const receive = ({ slots, gone }) => {
    gone.forEach((slot) => games.delete(slot));
    slots.forEach((news) => {
      if (news.game || games.has(news.slot)) games.set(news.slot, follow(edition, games.get(news.slot), news));
    });
    return slots.map((news) => news.slot);
  };

  const clear = () => games.clear();
  const list = () => [...games.keys()].sort((one, two) => one - two);

  return { receive, clear, list, get: (slot) => games.get(slot) };
};

/* The margin that a bot expects from its own side, as it said last; null if it said none. */
const expected = (game, seat) => {
  for (let at = game.plies.length - 1; at >= 0; at -= 1) {
    if (game.plies[at][0] === seat) return game.plies[at][4] ?? null;
  }
  return null;
};

/* What a bot said last: while it thinks, or with its last ply. */
const said = (game, seat) => {
  if (game.turn === seat && game.info && !game.over) return game.info;
  return game.plies.findLast((ply) => ply[0] === seat)?.[3] ?? "";
};

/* Milliseconds that a seat has left, null where its time has no limit. */
const timeLeft = (game, seat) => {
  const limit = game.left[seat] ?? game.move[seat];
  if (limit === null) return null;
  const isThinking = game.turn === seat && game.spent !== null && game.live && !game.over;
  return limit - (isThinking ? game.spent + performance.now() - game.received : 0);
};

/* How a game stands or has ended, in a sentence. */
const tell = (game) => {
  const { bots } = game.facts;
  const { result } = game;
  if (!result) {
    if (game.over) return "The game is over.";
    return game.live ? `${bots[game.turn]} is to move.` : "The game was not finished.";
  }
  const scores = `${bots[0]} ${result.scores[0]}, ${bots[1]} ${result.scores[1]}`;
  const why = result.verdict === "finished" ? "" : ` (${result.verdict}${result.message ? `: ${result.message}` : ""})`;
  return result.winner === null ? `Nobody wins${why}: ${scores}.` : `${bots[result.winner]} wins${why}: ${scores}.`;
};

export { of, expected, said, timeLeft, tell };
