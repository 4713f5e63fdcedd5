/* An analysis by bots: begin it, follow its events, and update what is known of it. */
import { ask } from "../shared/asking.js";

/** @import { Analysis, AskedBot, Limit, AnalysisEvent } from "../types.d.ts" */

const THINKING = "is thinking …";

/**
 * Return a new analysis without events.
 * @param {string} id
 * @param {Limit[]} limits
 * @param {number | null} plies the length of the game, if the whole game is evaluated
 * @returns {Analysis}
 */
export function makeAnalysis(id, limits, plies) {
  const bots = limits.map((limit) => ({
    name: limit.bot,
    limit,
    state: "starts …",
    infos: [],
    evaluations: [],
    action: "",
  }));
  return {
    id,
    whole: plies !== null,
    plies: plies ?? 0,
    event: 0,
    over: false,
    stale: true,
    stream: null,
    bots,
  };
}

/**
 * Say how many plies of a game a bot has evaluated, and how long the rest takes if that is known.
 * @param {AskedBot} bot
 * @param {number} plies the length of the game
 */
function describeRest({ evaluations, limit }, plies) {
  const done = `${evaluations.length} of ${plies} plies`;
  const seconds = Math.round(((plies - evaluations.length) * (limit.ms ?? 0)) / 1000);
  return seconds ? `${done}, ${seconds} s to go at most` : done;
}

/**
 * Update a bot from an event.
 * @param {AskedBot} bot
 * @param {AnalysisEvent} event
 * @param {number} plies the length of the game
 */
function takeOver(bot, event, plies) {
  switch (event.kind) {
    case "note":
      bot.state = event.text;
      break;
    case "begin":
      bot.state = THINKING;
      break;
    case "info":
      bot.infos.push(event);
      break;
    case "answer":
      bot.action = event.action;
      bot.state = `after ${(event.ms / 1000).toFixed(1)} s it would play`;
      break;
    case "evaluation":
      bot.evaluations.push(event);
      bot.state = describeRest(bot, plies);
      break;
    case "swings":
      Object.assign(bot, {
        evaluations: event.plies,
        players: event.players,
        done: true,
        state: "The game is evaluated.",
      });
      break;
    case "fault": {
      const state = [event.verdict, event.text].filter(Boolean).join(": ");
      Object.assign(bot, { failed: true, state });
      break;
    }
    case "end":
      if (bot.state === THINKING) bot.state = "stopped";
      break;
  }
}

/**
 * Update an analysis from an event. Return a sentence for screen readers, empty for none, and
 * whether a ply was evaluated.
 * @param {Analysis} analysis
 * @param {AnalysisEvent} event
 * @returns {{ sentence: string, isEvaluated: boolean }}
 */
export function takeEvent(analysis, event) {
  // the event was received before the stream was reopened
  if (event.event <= analysis.event) return { sentence: "", isEvaluated: false };
  const bot = analysis.bots[event.bot];
  takeOver(bot, event, analysis.plies);
  Object.assign(analysis, { event: event.event, stale: true });
  const isEvaluated = event.kind === "evaluation" || event.kind === "swings";
  if (event.kind === "answer") {
    return { sentence: `${bot.name} would play ${event.action}.`, isEvaluated };
  }
  const sentence = event.kind === "fault" ? `${bot.name} failed: ${bot.state}` : "";
  return { sentence, isEvaluated };
}

/**
 * Follow an analysis after the last event that was taken. `hear` is called with each event, and
 * `end` once: when the analysis is over, or with `true` when the server has lost it.
 * @param {Analysis} analysis
 * @param {{ hear: (event: AnalysisEvent) => void, end: (isLost: boolean) => void }} listeners
 */
export function followAnalysis(analysis, { hear, end }) {
  const stream = new EventSource(`/analyse/events/${analysis.id}?after=${analysis.event}`);
  Object.assign(analysis, { stream });
  /** @param {boolean} isLost */
  const finish = (isLost) => {
    stream.close(); // an EventSource reopens an ended stream forever
    end(isLost);
  };
  stream.addEventListener("message", (event) => hear(JSON.parse(event.data)));
  stream.addEventListener("over", () => finish(false));
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) finish(true);
  });
}

/**
 * End an analysis; its answers stay.
 * @param {Analysis} analysis
 */
export function settleAnalysis(analysis) {
  analysis.stream?.close();
  Object.assign(analysis, { over: true, stale: true });
  for (const bot of analysis.bots) {
    if (!bot.action && !bot.done && !bot.failed) bot.state = "stopped";
  }
}

/**
 * Let a bot evaluate a stored game when the server has time for it; return what the bot said in the
 * end. `tell` is called with what it has said so far. `signal` ends the evaluation: the server ends
 * what nobody follows.
 * @param {{ table: string } | { game: string }} source
 * @param {number} plies
 * @param {Limit} limit
 * @param {(bot: AskedBot) => void} tell
 * @param {AbortSignal | null} [signal]
 * @returns {Promise<AskedBot>}
 */
export async function evaluateGame(source, plies, limit, tell, signal = null) {
  const words = { source, whole: true, unasked: true, bots: [limit] };
  const { id } = await ask("/analyse/ask", words, signal);
  const analysis = makeAnalysis(id, [limit], plies);
  const [bot] = analysis.bots;
  return new Promise((resolve) => {
    const end = () => {
      settleAnalysis(analysis);
      resolve(bot);
    };
    followAnalysis(analysis, {
      hear: (event) => {
        if (takeEvent(analysis, event).isEvaluated) tell(bot);
      },
      end,
    });
    signal?.addEventListener("abort", end);
  });
}
