/* The evaluation of a whole game: the curve, and plies marked by their cost. */
import { $, make, makeButton } from "../shared/dom.js";
import { drawMarginCurve } from "./curve.js";
import { describeGrades, listSeries } from "./grades.js";
import { MARKS } from "./tree.js";

/** @import { AskedBot, Evaluated, LineNode, Study } from "../types.d.ts" */
/**
 * @typedef {{
 *   go: (node: LineNode) => void,
 *   tryLine: (node: LineNode, actions: string[]) => void,
 *   place: () => number,
 *   marked: () => void,
 * }} JudgingHooks callbacks of the view: `place` returns the shown ply, `marked` is called when
 *   plies have new marks
 */

/** @type {JudgingHooks} */
let hooks;
/** @type {Study} */
let opened;
/** The nodes of the line that was opened.
    @type {LineNode[]} */
let line = [];
/** The bots that were asked.
    @type {AskedBot[]} */
let judges = [];
let judge = 0; // index of the bot whose grades mark the plies
/** @type {(ply: number) => void} */
let mark = () => {};
let isDue = false;

function listGraded() {
  return (judges[judge]?.evaluations ?? []).filter(({ grade }) => grade);
}

/** Draw the curve. */
export function drawJudged() {
  const [first, second] = opened.points[opened.points.length - 1].scores;
  const marks = listGraded().map(({ number, margin, grade }) => ({
    ply: number,
    margin: margin ?? 0,
    grade,
  }));
  const result = opened.finished ? first - second : null;
  /** @param {number} ply */
  const go = (ply) => hooks.go(line[Math.max(0, Math.min(line.length - 1, ply))]);
  mark = drawMarginCurve(listSeries(opened, judges), opened.plies.length, result, marks, go);
  mark(hooks.place());
}

/** @param {Evaluated} evaluated */
function drawBlunder({ number, seat, action, grade, swing, choice }) {
  const item = make("li");
  const button = makeButton("", () => hooks.go(line[number]), { class: "plain" });
  const points = `${(swing ?? 0).toFixed(1)} points`;
  button.append(
    make("span", { class: `grade ${grade}`, "aria-hidden": "true" }, MARKS[grade]),
    ` ply ${number}: ${opened.names[seat]} ${action}, ${points}`,
  );
  item.append(button);
  if (choice) {
    const act = () => hooks.tryLine(line[number - 1], [choice]);
    item.append(" ", makeButton(`try ${choice}`, act, { class: "tool" }));
  }
  return item;
}

function drawBlunders() {
  const bot = judges[judge];
  $("blunders").hidden = !bot?.done;
  if (!bot?.done) return;
  const graded = listGraded();
  $("blunders-about").textContent = describeGrades(bot, graded);
  $("blunder-list").replaceChildren(...graded.map(drawBlunder));
}

/** Mark the plies of the line with their cost, by the chosen bot. */
function markPlies() {
  line.forEach((node) => Object.assign(node, { grade: "", swing: null }));
  listGraded().forEach(({ number, grade, swing }) => Object.assign(line[number], { grade, swing }));
  drawJudged();
  drawBlunders();
  hooks.marked();
}

/** Offer a choice of the bot that marks the plies, if several have evaluated the game. */
function offerJudges() {
  document.getElementById("blunder-bot")?.remove();
  const options = judges.flatMap(({ name, done }, place) =>
    done ? [make("option", { value: place }, name)] : [],
  );
  if (options.length < 2) return;
  const label = make("label", { id: "blunder-bot" }, "Marked by ");
  const select = make("select");
  select.append(...options);
  select.value = String(judge);
  select.addEventListener("change", () => {
    judge = Number(select.value);
    markPlies();
  });
  label.append(select);
  $("blunders-about").after(label);
}

/**
 * Take the evaluations so far, and draw them once a frame.
 * @param {AskedBot[]} bots
 */
export function takeJudged(bots) {
  if (bots !== judges) judge = 0;
  judges = bots;
  if (!judges[judge]?.done) {
    judge = Math.max(
      0,
      judges.findIndex(({ done }) => done),
    );
  }
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    offerJudges();
    if (judges.some(({ done }) => done)) markPlies();
    else drawJudged();
  });
}

/**
 * Start with a game or a position that has no evaluations yet.
 * @param {Study} study
 * @param {LineNode[]} nodes
 */
export function openJudging(study, nodes) {
  [opened, line, judges, judge] = [study, nodes, [], 0];
  $("blunders").hidden = true;
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
}
