/* The evaluation of a whole game: the curve, plies marked by their cost, and how well both played. */
import { MARKS, drawMarginCurve } from "../game/curve.js";
import { listGraded, listMarks, listSeries, readKept } from "../game/judged.js";
import { drawSketch, sketchMove } from "../game/sketch.js";
import { $, make, makeButton, onClick } from "../shared/dom.js";
import { formatPoints } from "../shared/gauges.js";
import { describeLimit } from "./answers.js";
import { drawSummary, findMistake, readSeats } from "./summary.js";

/** @import { AskedBot, Evaluated, LineNode, Study } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/**
 * @typedef {{
 *   go: (node: LineNode) => void,
 *   tryLine: (node: LineNode, actions: string[]) => void,
 *   place: () => number,
 *   boards: () => Boards | null,
 *   marked: () => void,
 * }} JudgingHooks callbacks of the view: `place` returns the shown ply, `marked` is called when
 *   plies have new marks
 */

const NOTE = "A blunder costs 8 points or more, a mistake 4, an inaccuracy 2.";

const MEMORY = "analyse-judge";

/** @type {JudgingHooks} */
let hooks;
/** @type {Study} */
let opened;
/** The nodes of the line that was opened.
    @type {LineNode[]} */
let line = [];
/** The bots that were asked, now or earlier.
    @type {AskedBot[]} */
let judges = [];
let judge = 0; // index of the bot whose grades mark the plies
/** @type {(ply: number) => void} */
let mark = () => {};
let isDue = false;

/** Return the margin at the end for the first seat; null if the game was not finished. */
function findResult() {
  const [first, second] = opened.points[opened.points.length - 1].scores;
  return opened.finished ? first - second : null;
}

/** Draw the curve. */
export function drawJudged() {
  /** @param {number} ply */
  const go = (ply) => hooks.go(line[Math.max(0, Math.min(line.length - 1, ply))]);
  const series = listSeries(opened, judges);
  const marks = listMarks(listGraded(judges[judge]));
  const result = findResult();
  mark = drawMarginCurve({
    players: opened.names,
    series,
    plies: opened.plies.length,
    result,
    marks,
    go,
  });
  mark(hooks.place());
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

/** Draw how well both players did, and the list of costly plies. */
function drawBlunders() {
  const bot = judges[judge];
  const isOver = Boolean(bot?.done);
  $("blunders").hidden = !isOver;
  $("summary").hidden = !isOver;
  if (!isOver) return;
  const isMute = bot.evaluations.every(({ margin }) => margin === null);
  const when = bot.made ? `, ${new Date(1000 * bot.made).toLocaleDateString("en-CA")}` : "";
  $("judged-by").textContent = `${nameJudge(bot)} a position`;
  $("blunders-about").textContent = isMute
    ? `${bot.name} says no margin, so it cannot tell what a ply cost.`
    : `By ${nameJudge(bot)} a position${when}. ${NOTE}`;
  const boards = hooks.boards();
  const go = (/** @type {number} */ ply) => hooks.go(line[ply]);
  if (boards) drawSummary(bot, { names: opened.names, boards, go });
  $("blunder-list").replaceChildren(...listGraded(bot).map(drawCostly));
  enableNext();
}

/** Enable "next mistake" if there is one of a player that the reader wants to stop at. */
function enableNext() {
  const isNone = !findMistake(judges[judge], 0, readSeats());
  $("next-mistake", HTMLButtonElement).disabled = isNone;
}

/** Write into the nodes what the chosen bot expects and how it grades the plies. */
function markPlies() {
  const bot = judges[judge];
  const nothing = { margin: null, judge: "", grade: "", swing: null, better: "", grader: "" };
  line.forEach((node) => Object.assign(node, nothing)); // so that no two bots are mixed
  bot?.evaluations.forEach(({ number, margin, grade, swing, choice }) => {
    if (margin !== null) Object.assign(line[number - 1], { margin, judge: bot.name });
    if (grade) {
      Object.assign(line[number], { grade, swing, better: choice, grader: bot.name });
    }
  });
  const result = findResult();
  if (result !== null) Object.assign(line[line.length - 1], { margin: result, judge: "result" });
  drawJudged();
  drawBlunders();
  hooks.marked();
}

/** Offer a choice of the bot that marks the plies, if several have evaluated the game. */
function offerJudges() {
  const options = judges.flatMap((bot, place) =>
    bot.done ? [make("option", { value: place }, nameJudge(bot))] : [],
  );
  $("judge").replaceChildren(...options);
  $("judge", HTMLSelectElement).value = String(judge);
  $("judge").hidden = options.length < 2;
  $("judged-by").hidden = options.length > 1;
}

/** @param {AskedBot} bot */
function nameJudge({ name, limit }) {
  return `${name}, ${describeLimit(limit)}`;
}

/**
 * Let the bot mark the plies that the reader chose last, else the one that marks them already, else
 * the first that has evaluated all.
 * @param {string} current the name of the one that marks them already; may be empty
 */
function chooseJudge(current) {
  const names = judges.map((bot) => (bot.done ? nameJudge(bot) : ""));
  const wanted = [localStorage.getItem(MEMORY) ?? "", current].filter(Boolean);
  const places = wanted.map((name) => names.indexOf(name));
  judge = [...places, names.findIndex(Boolean)].find((place) => place >= 0) ?? 0;
}

/**
 * Take the evaluations so far, and draw them once a frame. Those of bots that evaluated the game
 * earlier stay, unless the same bot is asked again with the same limit.
 * @param {AskedBot[]} bots
 */
export function takeJudged(bots) {
  const asked = new Set(bots.map(nameJudge));
  const current = judges[judge]?.done ? nameJudge(judges[judge]) : "";
  judges = [...bots, ...judges.filter((bot) => !asked.has(nameJudge(bot)))];
  chooseJudge(current);
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    showJudged();
  });
}

function showJudged() {
  offerJudges();
  if (judges.some(({ done }) => done)) markPlies();
  else drawJudged();
}

/**
 * Start with a game or a position, and the evaluations that were kept of it.
 * @param {Study} study
 * @param {LineNode[]} nodes
 */
export function openJudging(study, nodes) {
  [opened, line] = [study, nodes];
  judges = (study.evaluations ?? []).map(readKept).reverse();
  chooseJudge("");
  $("blunders").hidden = true;
  $("summary").hidden = true;
  $("players-judged").replaceChildren();
  offerJudges();
  if (judges.length) markPlies();
}

/** Go to the next mistake or blunder after the shown ply, or to the first. */
function goOn() {
  const next = findMistake(judges[judge], hooks.place(), readSeats());
  if (next) hooks.go(line[next.number]);
}

/**
 * Mark a ply on the curve.
 * @param {number} ply
 */
export function markPly(ply) {
  mark(ply);
}

/** @param {JudgingHooks} listeners */
export function beginJudging(listeners) {
  hooks = listeners;
  onClick("next-mistake", goOn);
  $("players-judged").addEventListener("change", enableNext);
  $("judge").addEventListener("change", () => {
    judge = Number($("judge", HTMLSelectElement).value);
    localStorage.setItem(MEMORY, nameJudge(judges[judge]));
    markPlies();
  });
}
