/* The evaluation of a whole game: the curve, plies marked by their cost, and how well both played. All
   of it is by one bot, whose name stands next to it. */
import { MARKS, drawMarginCurve } from "../game/curve.js";
import { listGraded, listMarks, listSeries, readKept } from "../game/evaluations.js";
import { drawSketch, sketchMove } from "../game/sketch.js";
import { $, make, makeButton, onClick } from "../shared/dom.js";
import { formatPoints } from "../shared/gauges.js";
import { recall, remember } from "../shared/memory.js";
import { findEvaluator, listEvaluators, nameEvaluator } from "./evaluators.js";
import { keepEvaluator, readEvaluator } from "./sources.js";
import { clearSummary, drawSummary, findMistake, readSeats } from "./summary.js";

/** @import { AskedBot, Evaluated, LineNode, Offer, Source, Study } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/**
 * @typedef {{
 *   go: (node: LineNode) => void,
 *   tryLine: (node: LineNode, actions: string[]) => void,
 *   ply: () => number,
 *   boards: () => Boards | null,
 *   marked: () => void,
 *   grades: Offer["grades"],
 * }} EvaluationHooks callbacks of the view: `ply` returns the shown ply, `marked` is called when
 *   plies have new marks; and the least cost of a ply of each grade
 */

const MEMORY = "analyse-judge"; // the bot that the reader has chosen last, in whatever game

/** @type {EvaluationHooks} */
let hooks;
/** @type {Study} */
let opened;
/** @type {Source} */
let source;
/** The nodes of the line that was opened.
    @type {LineNode[]} */
let line = [];
/** The evaluations of bots that were asked earlier.
    @type {AskedBot[]} */
let earlier = [];
/** The bots that were asked last.
    @type {AskedBot[]} */
let latest = [];
/** The bot whose evaluation is shown; null for none.
    @type {AskedBot | null} */
let evaluator = null;
/** The bots that were offered when all was drawn last.
    @type {AskedBot[]} */
let offered = [];
/** The names of the bots that have evaluated the game on this visit, and were not shown yet.
    @type {Set<string>} */
const news = new Set();
/** @type {(ply: number) => void} */
let mark = () => {};
let isDue = false;

/** Return the margin at the end for the first seat; null if the game was not finished. */
function findResult() {
  const [first, second] = opened.points[opened.points.length - 1].scores;
  return opened.finished ? first - second : null;
}

/** Return the name of the bot whose evaluation is shown, with its limit; empty for none. */
export function nameChosen() {
  return evaluator ? nameEvaluator(evaluator) : "";
}

/** Return the bot that the curve shows: while the first evaluation of a game is running, the bot that
    makes it; null for none. */
function findDrawn() {
  if (evaluator) return { ...evaluator, name: `${nameChosen()} a position` };
  const [first] = latest;
  return first ? { ...first, name: `${nameEvaluator(first)} a position, so far` } : null;
}

/** Draw the curve. */
export function drawEvaluation() {
  /** @param {number} ply */
  const go = (ply) => hooks.go(line[Math.max(0, Math.min(line.length - 1, ply))]);
  const series = listSeries(opened, findDrawn());
  const marks = listMarks(listGraded(evaluator));
  const result = findResult();
  mark = drawMarginCurve({
    players: opened.names,
    series,
    plies: opened.plies.length,
    result,
    marks,
    go,
  });
  mark(hooks.ply());
}

/** @param {Evaluated} evaluated */
function drawCostly({ number, seat, action, grade, swing, choice }) {
  const item = make("li");
  const button = makeButton("", () => hooks.go(line[number]), { class: "plain" });
  const points = `${formatPoints(swing ?? 0)} points`;
  const [picture, move] = sketchMove(action);
  const boards = hooks.boards();
  button.append(
    make("span", { class: `grade ${grade}`, "aria-hidden": "true" }, MARKS[grade]),
    ` ply ${number}: ${opened.names[seat]} `,
    ...(boards ? [drawSketch(boards, picture)] : []),
    ` ${move}, ${points}`,
  );
  button.title = action;
  item.append(button);
  if (choice) {
    const act = () => {
      hooks.tryLine(line[number - 1], [choice]);
      if ($("game").getBoundingClientRect().top < 0) $("game").scrollIntoView();
    };
    const better = makeButton("try ", act, { class: "tool", title: choice });
    const [preferred, words] = sketchMove(choice);
    if (boards) better.append(drawSketch(boards, preferred));
    better.append(` ${words}`);
    item.append(" ", better);
  }
  return item;
}

/**
 * Say why nobody knows what plies cost.
 * @param {AskedBot} bot
 */
function tellMute({ name }) {
  if (line.length < 2) return "No ply was played, so there is nothing to evaluate.";
  return `${name} says no margin, so it cannot tell what a ply cost.`;
}

/** Say what the grades mean. */
function explainGrades() {
  const { blunder, mistake, inaccuracy } = hooks.grades;
  return `A blunder costs ${blunder} points or more, a mistake ${mistake}, an inaccuracy ${inaccuracy}.`;
}

/** Draw how well both players did, and the list of costly plies. */
function drawBlunders() {
  $("blunders").hidden = !evaluator;
  $("summary").hidden = !evaluator;
  if (!evaluator) return;
  const isMute = evaluator.evaluations.every(({ margin }) => margin === null);
  const when = evaluator.made
    ? `, ${new Date(1000 * evaluator.made).toLocaleDateString("en-CA")}`
    : "";
  $("blunders-about").textContent = isMute
    ? tellMute(evaluator)
    : `By ${nameChosen()} a position${when}. ${explainGrades()}`;
  const boards = hooks.boards();
  const go = (/** @type {number} */ ply) => hooks.go(line[ply]);
  const least = hooks.grades.inaccuracy;
  if (boards) drawSummary(evaluator, { names: opened.names, boards, go, least });
  $("blunder-list").replaceChildren(...listGraded(evaluator).map(drawCostly));
  enableNext();
}

/** Enable "next mistake" if there is one of a player that the reader wants to stop at. */
function enableNext() {
  const isNone = !findMistake(evaluator, 0, readSeats());
  $("next-mistake", HTMLButtonElement).disabled = isNone;
}

/** Write into the nodes what the evaluator expects and how it grades the plies, and nothing else. */
function markPlies() {
  const nothing = { margin: null, evaluator: "", grade: "", swing: null, better: "", grader: "" };
  line.forEach((node) => Object.assign(node, nothing)); // so that no two bots are mixed
  const name = nameChosen();
  evaluator?.evaluations.forEach(({ number, margin, grade, swing, choice }) => {
    if (margin !== null) Object.assign(line[number - 1], { margin, evaluator: name });
    if (grade) Object.assign(line[number], { grade, swing, better: choice, grader: name });
  });
  const result = evaluator && findResult();
  const end = line[line.length - 1];
  if (result !== null) Object.assign(end, { margin: result, evaluator: "result" });
}

/** Name the bot that marks the plies, and offer the others that have evaluated the game. */
function offerEvaluators() {
  offered = listEvaluators(earlier, latest);
  const names = offered.map(nameEvaluator);
  const words = (/** @type {string} */ name) => `${name} a position`;
  $("evaluator").replaceChildren(
    ...names.map((name) => make("option", { value: name }, words(name))),
  );
  $("evaluator", HTMLSelectElement).value = nameChosen();
  $("evaluator").hidden = names.length < 2;
  $("evaluated-by").textContent = names.length < 2 && evaluator ? words(nameChosen()) : "";
}

/**
 * Say which bots have evaluated the game while the evaluation of another one was shown, which stays
 * until the reader wants theirs.
 */
function drawNews() {
  const current = nameChosen();
  listEvaluators([], latest).forEach((bot) => news.add(nameEvaluator(bot)));
  news.delete(current);
  const items = [...news].flatMap((name) => {
    const button = makeButton("show it", () => choose(name), { class: "tool" });
    return [make("span", {}, `${name}, has evaluated the game.`), button];
  });
  $("evaluation-news").replaceChildren(...items);
}

/** Show the chosen evaluation in all parts of the page. */
function showEvaluation() {
  drawNews();
  offerEvaluators();
  markPlies();
  drawEvaluation();
  drawBlunders();
  hooks.marked();
}

/**
 * Show the evaluation of a bot from now on, also after a reload, and first in other games.
 * @param {string} name
 */
function choose(name) {
  evaluator = findEvaluator(listEvaluators(earlier, latest), [name]);
  keepEvaluator(source, name);
  remember("browser", MEMORY, name);
  showEvaluation();
}

/**
 * Take the evaluations so far, and draw them once a frame. The evaluator stays: its marks do not
 * change because another bot has evaluated the game.
 * @param {AskedBot[]} bots
 */
export function takeEvaluations(bots) {
  if (bots !== latest) earlier = listEvaluators(earlier, latest);
  latest = bots;
  const before = nameChosen();
  evaluator = findEvaluator(listEvaluators(earlier, latest), [before, recall("browser", MEMORY)]);
  if (evaluator && !before) keepEvaluator(source, nameChosen());
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    const evaluators = listEvaluators(earlier, latest);
    const isSame = evaluators.length === offered.length;
    // a choice that is unfolded, or a button that is pressed, must stay while plies are evaluated
    if (isSame && evaluators.every((bot, index) => bot === offered[index])) drawEvaluation();
    else showEvaluation();
  });
}

/**
 * Start with a game or a position, and the evaluations that were kept of it.
 * @param {Source} from
 * @param {Study} study
 * @param {LineNode[]} nodes
 */
export function openEvaluations(from, study, nodes) {
  [source, opened, line] = [from, study, nodes];
  [earlier, latest] = [(study.evaluations ?? []).map(readKept), []];
  evaluator = findEvaluator(earlier, [readEvaluator(source), recall("browser", MEMORY)]);
  news.clear();
  clearSummary();
  drawNews();
  offerEvaluators();
  markPlies();
  drawBlunders();
}

/** Go to the next mistake or blunder after the shown ply, or to the first. */
function goOn() {
  const next = findMistake(evaluator, hooks.ply(), readSeats());
  if (next) hooks.go(line[next.number]);
}

/**
 * Mark a ply on the curve.
 * @param {number} ply
 */
export function markPly(ply) {
  mark(ply);
}

/** @param {EvaluationHooks} listeners */
export function beginEvaluations(listeners) {
  hooks = listeners;
  onClick("next-mistake", goOn);
  $("players-evaluated").addEventListener("change", enableNext);
  $("evaluator").addEventListener("change", () => choose($("evaluator", HTMLSelectElement).value));
}
