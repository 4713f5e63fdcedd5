/* Evaluations of a whole game: series of margins, and how well each player did. */

/** @import { AskedBot, Pair, PlayerSummary, Study } from "../types.d.ts" */
/** @import { Series } from "../game/curve.js" */

/**
 * Return the margins that the players expected, and those of the asked bots.
 * @param {Study} study
 * @param {AskedBot[]} bots
 * @returns {Series[]}
 */
export function listSeries({ names, plies }, bots) {
  const played = names.map((name, seat) => ({
    name: `${name}, as it played`,
    points: plies.flatMap((ply, place) =>
      ply.seat === seat && ply.margin !== null
        ? [/** @type {Pair} */ ([place + 1, ply.margin])]
        : [],
    ),
  }));
  const judged = bots.map(({ name, evaluations }) => ({
    name: `${name} now`,
    points: evaluations.flatMap(({ number, margin }) =>
      margin === null ? [] : [/** @type {Pair} */ ([number, margin])],
    ),
  }));
  return [...played, ...judged];
}

/**
 * Return the rows of the table of both players: a heading, and the value of each seat; "–" where
 * no ply of a seat could be graded.
 * @param {PlayerSummary[]} players
 * @returns {[heading: string, ...values: string[]][]}
 */
export function listGrades(players) {
  /** @param {(player: PlayerSummary) => string} write */
  const each = (write) => players.map((player) => (player.plies ? write(player) : "–"));
  return [
    ["points lost a ply", ...each(({ mean_loss: loss }) => (loss ?? 0).toFixed(1))],
    ["accuracy", ...each(({ accuracy }) => `${Math.round(100 * (accuracy ?? 0))} %`)],
    ["blunders", ...each(({ blunders }) => String(blunders))],
    ["mistakes", ...each(({ mistakes }) => String(mistakes))],
    ["inaccuracies", ...each(({ inaccuracies }) => String(inaccuracies))],
  ];
}
