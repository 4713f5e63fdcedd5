/* The answers of bots: one card for each bot. A card is made once, and later only the parts with
   news are drawn again, so that the focus stays where it is. */
import { $, make, makeButton, query } from "../shared/dom.js";
import { drawBar } from "../shared/gauges.js";
import { formatMargin } from "../shared/margins.js";
import { hintAt } from "./choosing.js";

/** @import { Analysis, AskedBot, Info, Limit, LineNode } from "../types.d.ts" */
/**
 * @typedef {{
 *   tryLine: (node: LineNode, actions: string[]) => void,
 *   isShown: (node: LineNode) => boolean,
 * }} AnswerHooks callbacks of the view: play a line from a node; tell if a node is shown
 */
/** @typedef {{ box: HTMLElement, drawNews: () => void }} Card */

const MOST_ROWS = 8; // rows of a bot's table
const SHOWN = 1; // actions of a line in the table; the newest line is shown whole

/** @type {AnswerHooks} */
let hooks;
/** @type {Analysis | null} */
let shown = null;
/** @type {Card[]} */
let cards = [];

/** @param {Limit} limit */
function describeLimit({ ms, option, value }) {
  return option ? `${option} ${value}` : `${(ms ?? 0) / 1000} s`;
}

/**
 * Draw a part again if its content has changed, and hide it if it has no content.
 * @param {HTMLElement} box
 * @param {unknown} said the content; null or undefined for none
 * @param {() => (string | Node)[]} drawParts
 */
function put(box, said, drawParts) {
  const isEmpty = said === null || said === undefined;
  const key = isEmpty ? "" : JSON.stringify(said);
  box.toggleAttribute("hidden", isEmpty);
  if (box.dataset.said === key) return;
  box.dataset.said = key;
  const hadFocus = box.contains(document.activeElement);
  box.replaceChildren(...(isEmpty ? [] : drawParts()));
  if (hadFocus) box.querySelector("button")?.focus({ preventScroll: true });
}

/**
 * Make a button that plays a line from a node.
 * @param {LineNode} node
 * @param {string[]} line
 * @param {string} text
 * @param {string} kind
 */
function makeLineButton(node, line, text, kind) {
  const attributes = { class: kind, title: line.join(" ") };
  const button = makeButton(text, () => hooks.tryLine(node, line), attributes);
  hintAt(button, () => (hooks.isShown(node) ? line[0] : null));
  return button;
}

/**
 * Make a button with the first actions of a line.
 * @param {LineNode} node
 * @param {string[]} line
 * @param {number} most the number of actions to show
 */
function makeLine(node, line, most) {
  const more = line.length > most ? " …" : "";
  const text = line.slice(0, most).join(" ");
  return makeLineButton(node, line, `${text}${more}`, "plain");
}

/**
 * @param {LineNode} node
 * @param {Info} info
 */
function makeRow(node, { depth, nodes, margin, ms, line, text }) {
  const row = make("tr");
  const words = make("td", { class: "word" });
  if (line.length) words.append(makeLine(node, line, SHOWN));
  if (text) words.append(` ${text}`);
  row.append(
    make("td", {}, depth ?? ""),
    make("td", {}, nodes?.toLocaleString("en") ?? ""),
    make("td", {}, margin === null ? "" : formatMargin(margin)),
    make("td", {}, `${(ms / 1000).toFixed(1)} s`),
    words,
  );
  return row;
}

/**
 * Make the empty table of a bot's info lines, in a box that scrolls.
 * @param {string} name
 */
function makeTable(name) {
  const table = make("table");
  const [top, head] = [make("thead"), make("tr")];
  head.append(
    ...["Depth", "Nodes", "Margin", "After"].map((title) => make("th", { scope: "col" }, title)),
    make("th", { scope: "col", class: "word" }, "Line"),
  );
  top.append(head);
  const caption = make("caption", { class: "spoken" }, `What ${name} said, the newest first`);
  table.append(caption, top, make("tbody"));
  const label = { role: "region", "aria-label": `Thinking of ${name}` };
  const scroll = make("div", { class: "scroll", tabindex: "0", ...label });
  scroll.append(table);
  return scroll;
}

/**
 * Add new rows at the top, and drop the oldest.
 * @param {HTMLElement} scroll
 * @param {LineNode} node
 * @param {Info[]} infos
 */
function addRows(scroll, node, infos) {
  const body = query(scroll, "tbody");
  const rows = infos.slice(-MOST_ROWS).reverse();
  body.prepend(...rows.map((info) => makeRow(node, info)));
  for (const row of [...body.children].slice(MOST_ROWS)) {
    if (row.contains(document.activeElement)) scroll.focus({ preventScroll: true });
    row.remove();
  }
  scroll.hidden = !body.children.length;
}

/**
 * Make the card of a bot, with a function that draws its news.
 * @param {LineNode} node
 * @param {AskedBot} bot
 * @returns {Card}
 */
function makeCard(node, bot) {
  const box = make("article", { class: "answer" });
  const [margin, state, expected] = ["margin", "state", "expected"].map((name) =>
    make("p", { class: name }),
  );
  const scroll = makeTable(bot.name);
  const title = make("h3", {}, `${bot.name}, ${describeLimit(bot.limit)}`);
  box.append(title, margin, state, expected, scroll);
  let drawn = 0;
  const drawNews = () => {
    const points = bot.infos.findLast((info) => info.margin !== null)?.margin ?? null;
    put(margin, points, () => [
      drawBar(points),
      make("span", {}, `${formatMargin(points ?? 0)} for the first seat`),
    ]);
    const { action } = bot;
    put(state, [bot.state, action], () => {
      if (!action) return [bot.state];
      return [bot.state, " ", makeLineButton(node, [action], action, "tool")];
    });
    const line = bot.infos.findLast((info) => info.line.length)?.line;
    put(expected, line, () => ["expects ", makeLine(node, line ?? [], Infinity)]);
    addRows(scroll, node, bot.infos.slice(drawn));
    drawn = bot.infos.length;
  };
  return { box, drawNews };
}

/**
 * Show the current state of an analysis; null for none.
 * @param {Analysis | null} analysis
 */
export function showAnswers(analysis) {
  if (analysis !== shown) {
    const hadFocus = $("answers").contains(document.activeElement);
    shown = analysis;
    cards = analysis ? analysis.bots.map((bot) => makeCard(analysis.node, bot)) : [];
    $("answers").replaceChildren(...cards.map(({ box }) => box));
    if (hadFocus) $("answers").focus({ preventScroll: true });
  }
  cards.forEach(({ drawNews }) => drawNews());
}

/** @param {AnswerHooks} listeners */
export function beginAnswers(listeners) {
  hooks = listeners;
}
