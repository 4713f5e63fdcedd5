/* What bots say that were asked: a card for each. A card is made once, and only those parts change
   about which there is news: the focus stays where it is. */

import * as Choosing from "./choosing.js";
import * as Lines from "./lines.js";
import * as Dom from "../shared/dom.js";
import * as Gauges from "../shared/gauges.js";
import * as Margins from "../shared/margins.js";

const { $, make } = Dom;
const MOST_ROWS = 8; // of what a bot says
const SHOWN = 1; // action of a line in the table; the newest line is shown whole

let hooks = null; let shown = null; let cards = [];

const describeLimit = ({ ms, option, value }) => (option ? `${option} ${value}` : `${ms / 1000} s`);

/* Draws a part again if it says something else than before, and hides it if it says nothing. */
const put = (box, said, drawParts) => {
  const key = JSON.stringify(said);
  box.hidden = !said;
  if (box.dataset.said === key) return;
  box.dataset.said = key;
  const held = box.contains(document.activeElement);
  box.replaceChildren(...(said ? drawParts() : []));
  if (held) box.querySelector("button")?.focus({ preventScroll: true });
};

/* A button that plays a line from a node on. */
const makeButton = (node, line, text, kind) => {
  const button = make("button", { type: "button", class: kind, title: line.map(Lines.nameAction).join(" ") }, text);
  button.addEventListener("click", () => hooks.tryLine(node, line));
  Choosing.hintAt(button, () => (hooks.isShown(node) ? line[0] : null));
  return button;
};

const makeLine = (node, line, most) => {
  const more = line.length > most ? " …" : "";
  return makeButton(node, line, line.slice(0, most).map(Lines.nameAction).join(" ") + more, "plain");
};

const makeRow = (node, info) => {
  const row = make("tr");
  const text = (value) => make("td", {}, value ?? "");
  const line = make("td", { class: "word" });
  if (info.line.length) line.append(makeLine(node, info.line, SHOWN));
  if (info.text) line.append(` ${info.text}`);
  row.append(text(info.depth), text(info.nodes?.toLocaleString("en")),
    text(info.margin === null ? "" : Margins.sign(info.margin)), text(`${(info.ms / 1000).toFixed(1)} s`), line);
  return row;
};

/* The table of what a bot said, without rows, in a box that scrolls. */
const makeTable = (name) => {
  const table = make("table");
  const [top, head] = [make("thead"), make("tr")];
  ["Depth", "Nodes", "Margin", "After"].forEach((title) => head.append(make("th", { scope: "col" }, title)));
  head.append(make("th", { scope: "col", class: "word" }, "Line"));
  top.append(head);
  table.append(make("caption", { class: "spoken" }, `What ${name} said, the newest first`), top, make("tbody"));
  const scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Thinking of ${name}` });
  scroll.append(table);
  return scroll;
};

/* Puts new rows on top, and drops the oldest. */
const addRows = (scroll, node, infos) => {
  const body = scroll.querySelector("tbody");
  body.prepend(...infos.slice(-MOST_ROWS).reverse().map((info) => makeRow(node, info)));
  while (body.children.length > MOST_ROWS) {
    if (body.lastChild.contains(document.activeElement)) scroll.focus({ preventScroll: true });
    body.lastChild.remove();
  }
  scroll.hidden = !body.children.length;
};

/* Returns the card of a bot, and what draws the news in it. */
const makeCard = (node, bot) => {
  const box = make("article", { class: "answer" });
  const [margin, state, expected] = ["margin", "state", "expected"].map((name) => make("p", { class: name }));
  const scroll = makeTable(bot.name);
  box.append(make("h3", {}, `${bot.name}, ${describeLimit(bot.limit)}`), margin, state, expected, scroll);
  let drawn = 0;
  const draw = () => {
    const last = bot.infos.findLast((info) => info.margin !== null);
    put(margin, last && [last.margin], () => [
      Gauges.drawBar(last.margin), make("span", {}, `${Margins.sign(last.margin)} for the first seat`)]);
    put(state, [bot.state, bot.action], () => [
      bot.state, ...(bot.action ? [" ", makeButton(node, [bot.action], Lines.nameAction(bot.action), "tool")] : [])]);
    const line = bot.infos.findLast((info) => info.line.length)?.line;
    put(expected, line, () => ["expects ", makeLine(node, line, Infinity)]);
    addRows(scroll, node, bot.infos.slice(drawn));
    drawn = bot.infos.length;
  };
  return { box, draw };
};

/* Shows an analysis as far as it has come: its `node` and its `bots`; null for none. */
const show = (analysis) => {
  if (analysis !== shown) {
    const held = $("answers").contains(document.activeElement);
    shown = analysis;
    cards = analysis ? analysis.bots.map((bot) => makeCard(analysis.node, bot)) : [];
    $("answers").replaceChildren(...cards.map(({ box }) => box));
    if (held) $("answers").focus({ preventScroll: true });
  }
  cards.forEach(({ draw }) => draw());
};

const begin = (listeners) => { hooks = listeners; };

export { begin, show };
