/* Bots that are asked: when, and what comes of it. */
import { ask } from "../shared/asking.js";
import { $, messageOf, onClick } from "../shared/dom.js";
import { beginAnswers, showAnswers } from "./answers.js";
import { beginLimits, readLimits } from "./limits.js";
import { listActions, listLine } from "./lines.js";
import { makeAnalysis, settleAnalysis, takeTold } from "./telling.js";

/** @import { Analysis, AskedBot, LineNode, Offer, Source } from "../types.d.ts" */
/** @import { AnswerHooks } from "./answers.js" */
/**
 * @typedef {AnswerHooks & {
 *   evaluated: (bots: AskedBot[]) => void,
 *   isClosed: () => boolean,
 * }} ExaminingHooks what the view does: takes evaluations, and says that nobody can be asked here
 */

/** @type {ExaminingHooks} */
let hooks;
/** The analysis that is shown.
    @type {Analysis | null} */
let shown = null;
let latest = 0; // number of the question that was asked last, which makes all others old
let turn = Promise.resolve(); // questions are asked one after the other

/** @param {string} text */
function say(text) {
  $("ask-status").textContent = text;
}

/** Return the analysis that goes on, if one does. */
function findRunning() {
  return shown && !shown.over ? shown : null;
}

/** Return true if a whole game is being evaluated. */
export function isWhole() {
  return findRunning()?.whole ?? false;
}

/** Show what can be asked or stopped now. */
export function showRunning() {
  $("stop").hidden = !findRunning();
  $("ask", HTMLButtonElement).disabled = hooks.isClosed();
}

/** @param {Analysis} analysis */
function settle(analysis) {
  settleAnalysis(analysis);
  showRunning();
}

/**
 * Follow an analysis, from what came of it last.
 * @param {Analysis} analysis
 */
function listen(analysis) {
  const address = `/analyse/events/${analysis.id}?after=${analysis.number}`;
  const stream = new EventSource(address);
  Object.assign(analysis, { stream });
  stream.addEventListener("message", (event) => {
    if (analysis !== shown) return;
    const { sentence, isEvaluated } = takeTold(analysis, JSON.parse(event.data));
    if (sentence) say(sentence);
    if (isEvaluated) hooks.evaluated(analysis.bots);
  });
  /** @param {string} text */
  const finish = (text) => {
    stream.close(); // it would be opened again for ever
    if (analysis !== shown || analysis.over) return;
    settle(analysis);
    if (text) say(text);
  };
  stream.addEventListener("over", () => finish(analysis.whole ? "The game is evaluated." : ""));
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) finish("The analysis has ended.");
  });
}

/** @param {string} id */
async function end(id) {
  await ask("/analyse/stop", { id }).catch(() => {});
}

/** Stop what goes on, and what has been asked for but has not begun. */
function stop() {
  latest += 1;
  const running = findRunning();
  if (!running) return;
  settle(running);
  turn = turn.then(() => end(running.id));
}

/**
 * Begin an analysis, unless another question has come meanwhile.
 * @param {number} number
 * @param {Source} source
 * @param {LineNode} node
 * @param {boolean} whole
 */
async function start(number, source, node, whole) {
  if (number !== latest) return;
  const running = findRunning();
  if (running) {
    settle(running);
    await end(running.id);
  }
  if (number !== latest) return;
  const bots = readLimits();
  const actions = listActions(node);
  const { id } = await ask("/analyse/ask", { source, actions, whole, bots });
  if (number !== latest) {
    await end(id);
    return;
  }
  const analysis = makeAnalysis(id, node, bots, whole ? listLine(node).length - 1 : null);
  shown = analysis;
  say("");
  listen(analysis);
  showRunning();
}

/**
 * Ask all bots of the list about a position, or about the whole game.
 * @param {Source} source
 * @param {LineNode} node
 * @param {boolean} whole
 */
export function askBots(source, node, whole) {
  latest += 1;
  const number = latest;
  turn = turn
    .then(() => start(number, source, node, whole))
    .catch((error) => {
      if (number === latest) say(messageOf(error));
    });
}

/** Draw what came since the last frame: bots may say more than a screen shows. A press on a button
    counts only if the button is still there when it ends. */
function refresh() {
  if (shown?.stale && !$("answers").matches(":active")) {
    shown.stale = false;
    showAnswers(shown);
  }
  requestAnimationFrame(refresh);
}

/** Read no events while the page is not seen; an analysis that nobody reads ends by itself. */
function followVisibility() {
  const running = findRunning();
  if (!running) return;
  running.stream?.close();
  if (!document.hidden) listen(running);
}

/**
 * Begin with what the view offers.
 * @param {Offer} offer
 * @param {ExaminingHooks} listeners
 */
export function beginExamining(offer, listeners) {
  hooks = listeners;
  beginAnswers(hooks);
  beginLimits(offer);
  onClick("stop", () => {
    stop();
    $("ask").focus();
  });
  document.addEventListener("visibilitychange", followVisibility);
  refresh();
}

/** Stop what goes on, and show nothing. */
export function clearExamining() {
  stop();
  shown = null;
  showAnswers(null);
  say("");
}
