/* Where a bot lost its games, as a bot evaluates them that the reader asks, or by the bot's own
   expectation if it said one: a panel above the table of its lost games. Only a page that an arena
   serves has it. */
import { evaluateGame } from "../game/analysis.js";
import { findLargestFall } from "../game/evaluations.js";
import { make, makeButton, messageOf, query, queryAll } from "../shared/dom.js";
import { formatFragment } from "./address.js";
import { facts, findRow, loadEvaluations, nameInArena } from "./data.js";
import {
  chooseEvaluator,
  describeRun,
  explainEnd,
  findBy,
  listOthers,
  nameTask,
  titleFalls,
} from "./evaluators.js";

/** @import { AskedBot, KeptMargins, Limit, Seat } from "../types.d.ts" */
/** @typedef {{ id: string, seat: Seat, cell: HTMLElement }} LostGame */
/**
 * @typedef {{
 *   anchor: string,
 *   name: string,
 *   purpose: string,
 *   root: HTMLElement,
 *   select: HTMLSelectElement,
 *   button: HTMLButtonElement,
 *   status: HTMLElement,
 *   isChosen: boolean,
 *   problem: string,
 * }} Panel `name` is the bot's; `purpose` says what the panel is for; `isChosen` is true once the evaluator is chosen: by the reader, by what is kept, or because the bot has said what it expected
 */
/** @typedef {{ panel: Panel, limit: Limit, done: number, count: number, state: string, ending: AbortController }} Run */

const OWN = ""; // the choice of the bot's own expectation, which the server has written

/** The panels by the ids of the bots' sections; they stay when news replaces a section.
    @type {Map<string, Panel>} */
const panels = new Map();
/** The evaluations that were read from the server, or made since, by game; the oldest first.
    @type {Map<string, KeptMargins[]>} */
const kept = new Map();
/** What the server has written into cells.
    @type {WeakMap<HTMLElement, Node[]>} */
const written = new WeakMap();
let isReading = false;
/** The only evaluations that this page asks for at a time.
    @type {Run | null} */
let run = null;

/**
 * @param {Panel} panel
 * @returns {LostGame[]}
 */
function listGames({ anchor }) {
  const article = document.getElementById(anchor);
  if (!article) return [];
  return queryAll(article, "tr[data-lost]").map((row) => {
    const cell = query(row, ".fall");
    if (!written.has(cell)) written.set(cell, [...cell.childNodes]);
    return { id: row.dataset.lost ?? "", seat: Number(row.dataset.seat), cell };
  });
}

/** @param {Panel} panel */
function hasOwn({ select }) {
  return select.options[0].value === OWN;
}

/**
 * Return the bot that the button asks: the chosen one, or a proposal next to the bot's own
 * expectation.
 * @param {Panel} panel
 */
function findEvaluator(panel) {
  if (panel.select.value !== OWN) return panel.select.value;
  const games = listGames(panel).map(({ id }) => kept.get(id) ?? []);
  return chooseEvaluator(listOthers(facts.evaluators, panel.name), games);
}

/**
 * Write where a game was lost into its row.
 * @param {LostGame} game
 * @param {string} bot the evaluator, or OWN
 * @param {string} unknown what stands for a ply that is not known
 */
function writeFall({ id, seat, cell }, bot, unknown) {
  if (bot === OWN) {
    cell.replaceChildren(...(written.get(cell) ?? []));
    return;
  }
  const evaluation = findBy(kept.get(id) ?? [], bot);
  const fall = evaluation && findLargestFall(evaluation.plies, seat);
  if (!fall) {
    cell.replaceChildren(unknown);
    return;
  }
  const href = formatFragment({ game: id, ply: fall.ply });
  cell.replaceChildren(make("a", { href }, fall.ply), ` by ${fall.points.toFixed(0)}`);
}

/**
 * Return the games that the bot has not evaluated which the button asks.
 * @param {Panel} panel
 */
function listLeft(panel) {
  const bot = findEvaluator(panel);
  return listGames(panel).filter(({ id }) => !findBy(kept.get(id) ?? [], bot));
}

/**
 * @param {Panel} panel
 * @param {number} left
 */
function describePanel(panel, left) {
  const { purpose, select, problem } = panel;
  if (run) return describeRun(run);
  if (problem) return problem;
  if (select.value === OWN) return purpose;
  if (left && hasOwn(panel)) {
    return `${select.value} can evaluate these games, and say with which ply they were lost.`;
  }
  if (left) return purpose;
  return `The ply with which the margin that ${select.value} expected fell most.`;
}

/** @param {Panel} panel */
function drawPanel(panel) {
  const { name, select, button, status } = panel;
  const isOwn = select.value === OWN;
  const games = listGames(panel);
  const left = listLeft(panel).length;
  // a column without any value would be a riddle
  const isEmpty = !isOwn && run?.panel !== panel && left === games.length;
  games.forEach((game) => writeFall(game, select.value, isEmpty ? "" : "–"));
  const table = games[0]?.cell.closest("table");
  if (table) {
    table.classList.toggle("unevaluated", isEmpty);
    query(table, "th.fall abbr").title = titleFalls(select.value, name);
  }
  button.textContent = run ? "Stop" : nameTask(findEvaluator(panel), left, games.length);
  button.classList.toggle("done", !run && !left && !isOwn);
  select.disabled = Boolean(run);
  const text = describePanel(panel, left);
  if (status.textContent !== text) status.textContent = text;
}

/** Draw the panel of each bot that the reader has seen. */
function drawPanels() {
  panels.forEach(drawPanel);
}

/**
 * Have a game evaluated, and keep the answer. Return why the next one cannot be; empty if it can.
 * @param {Run} current
 * @param {string} id
 */
async function evaluate(current, id) {
  const { limit, ending } = current;
  const source = { game: nameInArena(id) };
  const plies = findRow(id)?.[8] ?? 0;
  /** @param {AskedBot} bot */
  const tell = ({ done, state }) => {
    if (!done) current.state = state;
    drawPanels();
  };
  const bot = await evaluateGame(source, plies, limit, tell, ending.signal);
  const problem = explainEnd(bot);
  if (problem) return problem;
  const { bot: name, ...rest } = limit;
  kept.set(id, [...(kept.get(id) ?? []), { bot: name, limit: rest, plies: bot.evaluations }]);
  current.done += 1;
  return "";
}

/**
 * Ask the server to evaluate the lost games one after the other. Show the falls that are known
 * already.
 * @param {Panel} panel
 */
async function begin(panel) {
  panel.select.value = findEvaluator(panel);
  panel.isChosen = true; // evaluations that arrive later do not change the choice
  drawPanel(panel);
  const limit = facts.evaluators.find(({ bot }) => bot === panel.select.value);
  const games = listLeft(panel);
  if (!limit || !games.length) return;
  const ending = new AbortController();
  const state = "begins …"; // when the server has time for it
  panel.problem = "";
  run = { panel, limit, done: 0, count: games.length, state, ending };
  drawPanels();
  for (const { id } of games) {
    panel.problem = await evaluate(run, id).catch(messageOf);
    if (panel.problem || ending.signal.aborted) break;
    run.state = state;
  }
  if (ending.signal.aborted) panel.problem = "";
  run = null;
  drawPanels();
}

/**
 * @param {string} anchor
 * @returns {Panel}
 */
function makePanel(anchor) {
  const root = make("div", { class: "evaluating" });
  const label = make("label", {}, "Evaluator");
  const select = make("select");
  select.append(...facts.evaluators.map(({ bot }) => make("option", { value: bot }, bot)));
  label.append(select);
  const status = make("p", { class: "lead", role: "status" });
  const act = () => (run ? run.ending.abort() : begin(panel));
  const button = makeButton("", act, { class: "tool" });
  const name = document.getElementById(anchor)?.getAttribute("aria-label") ?? "";
  const parts = { root, select, button, status };
  const panel = { anchor, name, purpose: "", ...parts, isChosen: false, problem: "" };
  root.append(status, label, button);
  select.addEventListener("change", () => {
    Object.assign(panel, { isChosen: true, problem: "" });
    drawPanel(panel);
  });
  return panel;
}

/**
 * Put a panel into the place that the server has left for it, whose words say what it is for.
 * @param {Panel} panel
 * @param {HTMLElement} box
 */
function settle(panel, box) {
  panel.purpose = box.textContent?.trim() ?? "";
  if ("own" in box.dataset && !hasOwn(panel)) {
    panel.select.prepend(make("option", { value: OWN }, "own expectation"));
    if (!panel.isChosen) panel.select.value = OWN;
    panel.isChosen = true;
  }
  box.replaceWith(panel.root);
}

/**
 * Read the evaluations of the lost games that the server keeps.
 * @param {Panel} panel
 */
async function read(panel) {
  const ids = listGames(panel).map(({ id }) => id);
  const unread = ids.filter((id) => !kept.has(id));
  if (isReading || !unread.length) return;
  isReading = true;
  const evaluations = await loadEvaluations(unread).catch(() => null); // it is read again later
  isReading = false;
  if (!evaluations) return;
  unread.forEach((id) => kept.set(id, evaluations[id] ?? []));
  if (!panel.isChosen) {
    const games = ids.map((id) => kept.get(id) ?? []);
    panel.select.value = chooseEvaluator(facts.evaluators, games);
    panel.isChosen = true;
  }
  drawPanel(panel);
}

/**
 * Show the panel of a bot, with what is known of its lost games.
 * @param {string} anchor the id of the bot's section
 */
export function showFalls(anchor) {
  const [box] = queryAll(document, `[id="${CSS.escape(anchor)}"] .evaluating`);
  if (!box) return;
  const panel = panels.get(anchor) ?? makePanel(anchor);
  panels.set(anchor, panel);
  if (panel.root !== box) settle(panel, box);
  drawPanel(panel);
  read(panel);
}
