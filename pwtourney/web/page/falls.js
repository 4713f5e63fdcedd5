/* Where a bot lost its games, as a bot evaluates them that the reader asks: a panel above the table
   of its lost games. Only a page that an arena serves has it, and only for a bot that says no
   scores. */
import { evaluateGame } from "../game/asked.js";
import { findLargestFall } from "../game/judged.js";
import { make, makeButton, messageOf, query, queryAll } from "../shared/dom.js";
import { formatFragment } from "./address.js";
import { facts, findRow, loadEvaluations, nameInArena } from "./data.js";
import { chooseEvaluator, describeRun, explainEnd, findBy, nameTask } from "./judging.js";

/** @import { AskedBot, KeptMargins, Limit, Seat } from "../types.d.ts" */
/** @typedef {{ id: string, seat: Seat, cell: HTMLElement }} LostGame */
/**
 * @typedef {{
 *   anchor: string,
 *   purpose: string,
 *   root: HTMLElement,
 *   select: HTMLSelectElement,
 *   button: HTMLButtonElement,
 *   status: HTMLElement,
 *   isChosen: boolean,
 *   problem: string,
 * }} Panel `purpose` says what the panel is for; `isChosen` is true once the evaluator is chosen: by the reader, or by what is kept
 */
/** @typedef {{ panel: Panel, limit: Limit, done: number, count: number, state: string, ending: AbortController }} Run */

/** The panels by the ids of the bots' sections; they stay when news replaces a section.
    @type {Map<string, Panel>} */
const panels = new Map();
/** The evaluations that were read from the server, or made since, by game; the oldest first.
    @type {Map<string, KeptMargins[]>} */
const kept = new Map();
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
  return queryAll(article, "tr[data-lost]").map((row) => ({
    id: row.dataset.lost ?? "",
    seat: Number(row.dataset.seat),
    cell: query(row, ".fall"),
  }));
}

/**
 * Write where a game was lost into its row.
 * @param {LostGame} game
 * @param {string} bot the evaluator
 * @param {string} unknown what stands for a ply that is not known
 */
function writeFall({ id, seat, cell }, bot, unknown) {
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
 * Return the games that the chosen evaluator has not evaluated.
 * @param {Panel} panel
 */
function listLeft(panel) {
  return listGames(panel).filter(({ id }) => !findBy(kept.get(id) ?? [], panel.select.value));
}

/**
 * @param {Panel} panel
 * @param {number} left
 */
function describePanel({ purpose, select, problem }, left) {
  if (run) return describeRun(run);
  if (problem) return problem;
  if (left) return purpose;
  return `The ply with which the margin that ${select.value} expected fell most.`;
}

/** @param {Panel} panel */
function drawPanel(panel) {
  const { select, button, status } = panel;
  const games = listGames(panel);
  const left = listLeft(panel).length;
  // a column without any value would be a riddle
  const isEmpty = run?.panel !== panel && left === games.length;
  games.forEach((game) => writeFall(game, select.value, isEmpty ? "" : "–"));
  games[0]?.cell.closest("table")?.classList.toggle("unjudged", isEmpty);
  button.textContent = run ? "Stop" : nameTask(select.value, left, games.length);
  button.classList.toggle("done", !run && !left);
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
 * Have the lost games evaluated, one after the other.
 * @param {Panel} panel
 */
async function begin(panel) {
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
 * @param {string} purpose
 * @returns {Panel}
 */
function makePanel(anchor, purpose) {
  const root = make("div", { class: "judging" });
  const label = make("label", {}, "Evaluator");
  const select = make("select");
  select.append(...facts.evaluators.map(({ bot }) => make("option", { value: bot }, bot)));
  label.append(select);
  const status = make("p", { class: "lead", role: "status" });
  const act = () => (run ? run.ending.abort() : begin(panel));
  const button = makeButton("", act, { class: "tool" });
  const panel = { anchor, purpose, root, select, button, status, isChosen: false, problem: "" };
  root.append(status, label, button);
  select.addEventListener("change", () => {
    Object.assign(panel, { isChosen: true, problem: "" });
    drawPanel(panel);
  });
  return panel;
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
  const place = document.getElementById(anchor)?.querySelector(".judging");
  if (!place) return;
  const panel = panels.get(anchor) ?? makePanel(anchor, place.textContent?.trim() ?? "");
  panels.set(anchor, panel);
  if (panel.root !== place) place.replaceWith(panel.root);
  drawPanel(panel);
  read(panel);
}
