/* The answers of bots: one card for each bot, with its best lines as rows of pictures. A card is made
   once, and later only the parts with news are drawn again, so that the focus stays where it is. */
import { drawSketch, sketchMove } from "../game/sketch.js";
import { $, make, makeButton } from "../shared/dom.js";
import { formatCount, listProgress, splitMargin, tellLead } from "../shared/gauges.js";
import { hintAt } from "./choosing.js";
import { describeLimit } from "./evaluators.js";

/** @import { AskedBot, Info, LineNode, NodeAnalysis, Seat } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/**
 * @typedef {{
 *   tryLine: (node: LineNode, actions: string[]) => void,
 *   isShown: (node: LineNode) => boolean,
 *   boards: () => Boards | null,
 *   names: () => string[],
 * }} AnswerHooks callbacks of the view: play a line from a node; tell if a node is shown; the
 *   drawings of its edition, and the names of the players
 */
/** @typedef {{ box: HTMLElement, drawNews: () => void }} Card */

const MOST_DRAWN = 12; // moves of a line that are drawn

/** @type {AnswerHooks} */
let hooks;
/** @type {NodeAnalysis | null} */
let shown = null;
/** @type {Card[]} */
let cards = [];

/**
 * Return the latest info with a line of each rank, the best first.
 * @param {Info[]} infos
 * @returns {Info[]}
 */
export function listBest(infos) {
  /** @type {Map<number, Info>} */
  const latest = new Map();
  infos.forEach((info) => {
    if (info.line.length) latest.set(info.rank, info);
  });
  const best = [...latest.values()].sort((info, other) => info.rank - other.rank);
  // a line of a search that was less deep is not known to be better or worse than the others
  const deepest = Math.max(...best.map(({ depth }) => depth ?? 0));
  const isDeepest = (/** @type {Info} */ { depth }) => (depth ?? deepest) === deepest;
  return [...best.filter(isDeepest), ...best.filter((info) => !isDeepest(info))];
}

/**
 * Describe how far a bot has come: depth, nodes, and nodes a second.
 * @param {Info[]} infos
 */
export function describeProgress(infos) {
  const depth = infos.findLast((info) => info.depth !== null)?.depth ?? null;
  const counted = infos.findLast(({ nodes }) => nodes !== null);
  const nodes = counted?.nodes ?? null;
  const words = listProgress(depth, nodes);
  if (counted && counted.ms > 0) {
    const rate = Math.round(((nodes ?? 0) * 1000) / counted.ms);
    words.push(`${formatCount(rate)} a second`);
  }
  return words.join(", ");
}

/**
 * Draw a part again if its content has changed, and hide it if it has no content.
 * @param {HTMLElement} box
 * @param {unknown} said the content; null or undefined for none
 * @param {() => (string | Node)[]} drawParts
 */
function put(box, said, drawParts) {
  const isEmpty = said === null || said === undefined || said === "";
  const key = isEmpty ? "" : JSON.stringify(said);
  box.toggleAttribute("hidden", isEmpty);
  if (box.dataset.said === key) return;
  box.dataset.said = key;
  const focused = [...box.querySelectorAll("button")].findIndex(
    (button) => button === document.activeElement,
  );
  box.replaceChildren(...(isEmpty ? [] : drawParts()));
  if (focused >= 0) box.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
}

/**
 * Draw a move as a picture with its square, in the colour of a seat.
 * @param {string} action
 * @param {Seat} seat
 */
function drawMove(action, seat) {
  const boards = hooks.boards();
  const [picture, words] = sketchMove(action);
  const move = make("span", { class: `sketched seat-${seat}` });
  if (boards) move.append(drawSketch(boards, picture));
  move.append(make("span", {}, words));
  return move;
}

/**
 * Make a button that plays a line from a node.
 * @param {LineNode} node
 * @param {string[]} line
 * @param {Seat[]} seats of the moves
 * @param {string} kind
 */
function makeLineButton(node, line, seats, kind) {
  const words = line.join(" ");
  const attributes = { class: kind, title: words, "data-line": words, "aria-label": words };
  const button = makeButton("", () => hooks.tryLine(node, line), attributes);
  button.append(
    ...line.slice(0, MOST_DRAWN).map((action, index) => drawMove(action, seats[index])),
  );
  if (line.length > MOST_DRAWN) button.append("…");
  hintAt(button, () => (hooks.isShown(node) ? line[0] : null));
  return button;
}

/**
 * Write who is ahead by how many points, each on a line.
 * @param {number | null} margin of the first seat
 */
function writeLead(margin) {
  if (margin === null) return make("b", { class: "lead-of" });
  const names = hooks.names();
  const { who, points } = splitMargin(names, margin);
  const kind = who === null ? "" : ` seat-${margin > 0 ? 0 : 1}`;
  const lead = make("b", { class: `lead-of${kind}`, title: tellLead(names, margin) });
  if (who === null) lead.append("level");
  else lead.append(make("span", { class: "who", title: who }, who), ` by ${points}`);
  return lead;
}

/**
 * @param {LineNode} node
 * @param {Info} info
 */
function drawBest(node, { margin, line, seats }) {
  const item = make("li");
  item.append(writeLead(margin), makeLineButton(node, line, seats, "best"));
  return item;
}

/**
 * Make the card of a bot, with a function that draws its news.
 * @param {NodeAnalysis} analysis
 * @param {AskedBot} bot
 * @returns {Card}
 */
function makeCard({ node, whole, plies }, bot) {
  const box = make("article", { class: "answer" });
  const title = make("h3", {}, bot.name);
  const about = whole ? "" : `, ${node.number ? `after ply ${node.number}` : "at the start"}`;
  title.append(make("span", { class: "lead" }, ` ${describeLimit(bot.limit)}${about}`));
  const [state, progress] = ["state", "progress lead"].map((name) => make("p", { class: name }));
  const lines = make("ol", { class: "bests" });
  const bar = make("progress", { max: plies, "aria-label": "plies that are evaluated" });
  box.append(title, state, bar, progress, lines);
  const drawNews = () => {
    const { action } = bot;
    bar.hidden = !whole || Boolean(bot.done || bot.failed);
    bar.value = bot.evaluations.length;
    put(state, [bot.state, action], () => {
      if (!action) return [bot.state];
      return [bot.state, " ", makeLineButton(node, [action], [node.point.position.toMove], "tool")];
    });
    const said = describeProgress(bot.infos);
    put(progress, said, () => [said]);
    const best = listBest(bot.infos);
    const content = best.length ? best.map(({ margin, line }) => [margin, line]) : null;
    put(lines, content, () => best.map((info) => drawBest(node, info)));
  };
  return { box, drawNews };
}

/**
 * Show the current state of an analysis; null for none.
 * @param {NodeAnalysis | null} analysis
 */
export function showAnswers(analysis) {
  if (analysis !== shown) {
    const hadFocus = $("answers").contains(document.activeElement);
    shown = analysis;
    cards = analysis ? analysis.bots.map((bot) => makeCard(analysis, bot)) : [];
    $("answers").replaceChildren(...cards.map(({ box }) => box));
    if (hadFocus) $("answers").focus({ preventScroll: true });
  }
  cards.forEach(({ drawNews }) => drawNews());
  markAnswers();
}

/** Show whether the answers are about the position that is shown. */
export function markAnswers() {
  const isElsewhere = shown !== null && !shown.whole && !hooks.isShown(shown.node);
  $("answers").classList.toggle("elsewhere", isElsewhere);
}

/** @param {AnswerHooks} listeners */
export function beginAnswers(listeners) {
  hooks = listeners;
}
