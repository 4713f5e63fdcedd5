/* Ask bots for an analysis, follow its events, and stop it. */
import { followAnalysis, makeAnalysis, settleAnalysis, takeEvent } from "../game/analysis.js";
import { ask } from "../shared/asking.js";
import { $, messageOf, onClick } from "../shared/dom.js";
import { beginAnswers, showAnswers } from "./answers.js";
import { nameEvaluator } from "./evaluators.js";
import { beginLimits, boundLimit, readLimits, readLines } from "./limits.js";
import { listActions, listLine } from "./lines.js";
import { findRemembered, rememberAnswers } from "./answer_memory.js";

/** @import { AskedBot, Info, LineNode, NodeAnalysis, Offer, Source } from "../types.d.ts" */
/** @import { AnswerHooks } from "./answers.js" */
/**
 * @typedef {AnswerHooks & {
 *   evaluated: (bots: AskedBot[]) => void,
 *   ended: () => void,
 *   expected: (node: LineNode) => void,
 *   whyClosed: () => string,
 * }} ExaminingHooks callbacks of the view: take evaluations of a game; the evaluation of a game has
 *   ended; show the new evaluation of a node; tell why bots cannot be asked here
 */
/** @typedef {{ whole?: boolean, only?: string[] }} Question the whole game, or only some moves */

const UNASKED =
  "The best lines of the bots that you ask are shown here, to step through and to try.";

/** @type {ExaminingHooks} */
let hooks;
/** The analysis that was begun last.
    @type {NodeAnalysis | null} */
let last = null;
/** The analysis whose answers are shown.
    @type {NodeAnalysis | null} */
let shown = null;
let edition = ""; // the name of that of the study
let latest = 0; // number of the latest question; the answers to older ones are dropped
let turn = Promise.resolve(); // resolves when the previous question has been sent

/** @param {string} text */
function say(text) {
  $("ask-status").textContent = text;
}

/** Return the running analysis, if there is one. */
function findRunning() {
  return last && !last.over ? last : null;
}

/** Return true if a whole game is being evaluated. */
export function isWhole() {
  return findRunning()?.whole ?? false;
}

/** Enable the buttons for what can be asked or stopped now. */
export function showRunning() {
  $("stop").hidden = !findRunning();
  const reason = hooks.whyClosed();
  $("ask", HTMLButtonElement).disabled = Boolean(reason);
  $("ask-chosen", HTMLButtonElement).disabled = Boolean(reason);
  $("unasked").textContent = reason || UNASKED;
  $("unasked").classList.toggle("closed", Boolean(reason));
}

/** @param {NodeAnalysis} analysis */
function settle(analysis) {
  settleAnalysis(analysis);
  if (!analysis.whole && !analysis.isRestricted) rememberAnswers(edition, analysis);
  showRunning();
}

/**
 * Show the answers about a position: those that come now, or the last ones that were given. Without
 * any, the last ones about another position stay, marked as such.
 * @param {LineNode} node
 */
export function showAnswersAbout(node) {
  const running = findRunning();
  const isNow = running && (running.whole || running.node === node);
  const own = isNow ? running : findRemembered(edition, node);
  const isDone = shown?.whole && shown.bots.every(({ done, failed }) => done && !failed);
  shown = own ?? running ?? (isDone ? null : shown); // the summary shows what is done
  showAnswers(shown);
}

/**
 * Take what a bot expects from its best line as its evaluation of the position.
 * @param {NodeAnalysis} analysis
 * @param {Info} info
 * @param {number} index of the bot among those that were asked
 */
function expect({ node, bots, isRestricted }, { margin, rank }, index) {
  if (margin === null || rank > 1 || isRestricted) return;
  const said = { ...node.margins, [nameEvaluator(bots[index])]: margin };
  // in the order of the list: another bot may have been the first to say something
  const names = bots.map(nameEvaluator).filter((name) => name in said);
  node.margins = Object.fromEntries(names.map((name) => [name, said[name]]));
  hooks.expected(node);
}

/**
 * Follow an analysis, from its last received event.
 * @param {NodeAnalysis} analysis
 */
function listen(analysis) {
  followAnalysis(analysis, {
    hear: (event) => {
      if (analysis !== last) return;
      const { sentence, isEvaluated } = takeEvent(analysis, event);
      if (sentence) $("ask-spoken").textContent = sentence; // it is seen in the card of the bot
      if (event.kind === "info") expect(analysis, event, event.bot);
      if (isEvaluated) hooks.evaluated(analysis.bots);
    },
    end: (isLost) => {
      if (analysis !== last || analysis.over) return;
      settle(analysis);
      if (analysis.whole) {
        hooks.evaluated(analysis.bots); // one may have failed since it evaluated a ply
        hooks.ended();
      }
      if (isLost) say("The analysis has ended.");
      else if (analysis.whole) $("ask-spoken").textContent = "The game is evaluated.";
    },
  });
}

/** @param {string} id */
async function end(id) {
  await ask("/analyse/stop", { id }).catch(() => {});
}

/**
 * Stop the running analysis, and one that was requested but has not started. Bots that think until
 * they are stopped still answer, so their stream stays open until the server ends it.
 */
function stop() {
  latest += 1;
  const running = findRunning();
  if (!running) return;
  if (running.bots.every(({ limit }) => !limit.endless)) settle(running);
  turn = turn.then(() => end(running.id));
}

/**
 * Start an analysis, unless a later question has replaced it.
 * @param {number} number
 * @param {Source} source
 * @param {LineNode} node
 * @param {Question} question
 */
async function start(number, source, node, { whole = false, only = [] }) {
  if (number !== latest) return;
  const running = findRunning();
  if (running) {
    settle(running);
    await end(running.id);
  }
  if (number !== latest) return;
  const bots = readLimits().map((limit) => (whole ? boundLimit(limit) : limit));
  const actions = listActions(node);
  const lines = whole ? 1 : readLines();
  const { id } = await ask("/analyse/ask", { source, actions, whole, only, lines, bots });
  if (number !== latest) {
    await end(id);
    return;
  }
  const plies = whole ? listLine(node).length - 1 : null;
  const isRestricted = only.length > 0;
  const analysis = { ...makeAnalysis(id, bots, plies), node, isRestricted };
  if (!whole && !isRestricted) node.margins = {};
  last = analysis;
  shown = analysis;
  say("");
  listen(analysis);
  showRunning();
}

/**
 * Ask all bots of the list about a position, or about the whole game.
 * @param {Source} source
 * @param {LineNode} node
 * @param {Question} [question]
 */
export function askBots(source, node, question = {}) {
  latest += 1;
  const number = latest;
  turn = turn
    .then(() => start(number, source, node, question))
    .catch((error) => {
      if (number === latest) say(messageOf(error));
    });
}

/** Draw the news once a frame: bots may say more than a screen shows. A click needs the same button
    at its press and at its release. */
function refresh() {
  if (shown?.stale && !$("answers").matches(":active")) {
    shown.stale = false;
    showAnswers(shown);
  }
  requestAnimationFrame(refresh);
}

/** Close the stream while the page is hidden; the server ends an analysis without a reader. */
function followVisibility() {
  const running = findRunning();
  if (!running) return;
  running.stream?.close();
  if (!document.hidden) listen(running);
}

/**
 * Set up the questions to bots.
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

/**
 * Stop the running analysis, and show none: a study of an edition was opened.
 * @param {string} name
 */
export function clearExamining(name) {
  stop();
  edition = name;
  last = null;
  shown = null;
  showAnswers(null);
  say("");
}
