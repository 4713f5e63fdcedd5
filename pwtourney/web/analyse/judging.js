/* What those say who have gone through a whole game: the curve, and plies marked by what they cost. */

import * as MarginCurve from "./curve.js";
import * as Lines from "./lines.js";
import * as Dom from "../shared/dom.js";

const { $, make } = Dom;
const NAMES = [["blunder", "blunders"], ["mistake", "mistakes"], ["inaccuracy", "inaccuracies"]];

let hooks = null; let opened = null; let line = []; let judges = []; let judge = 0;
let mark = () => {}; let isDue = false;

const findGraded = () => (judges[judge]?.evaluations ?? []).filter((each) => each.grade);

/* What those that played said of their game, and what those that were asked say. */
const listSeries = () => [
  ...[0, 1].map((seat) => ({
    name: `${opened.names[seat]}, as it played`,
    points: opened.plies.flatMap((ply, place) => (ply.seat === seat && ply.margin !== null ? [[place + 1, ply.margin]] : [])),
  })),
  ...judges.map((bot) => ({
    name: `${bot.name} now`,
    points: bot.evaluations.filter((each) => each.margin !== null).map((each) => [each.number, each.margin]),
  })),
];

const draw = () => {
  const [first, second] = opened.points.at(-1).scores;
  const marks = findGraded().map((each) => ({ ply: each.number, margin: each.margin, grade: each.grade }));
  mark = MarginCurve.draw(listSeries(), opened.plies.length, opened.finished ? first - second : null, marks,
    (number) => hooks.go(line[Math.max(0, Math.min(line.length - 1, number))]));
  mark(hooks.place());
};

const drawBlunder = (each) => {
  const item = make("li");
  const button = make("button", { type: "button", class: "plain" });
  button.append(make("span", { class: `grade ${each.grade}`, "aria-hidden": "true" }, Lines.MARKS[each.grade]),
    ` ply ${each.number}: ${opened.names[each.seat]} ${each.action}, ${each.swing.toFixed(1)} points`);
  button.addEventListener("click", () => hooks.go(line[each.number]));
  item.append(button);
  if (each.choice) {
    const better = make("button", { type: "button", class: "tool" }, `try ${each.choice}`);
    better.addEventListener("click", () => hooks.tryLine(line[each.number - 1], [each.choice]));
    item.append(" ", better);
  }
  return item;
};

const drawBlunders = () => {
  const bot = judges[judge];
  $("blunders").hidden = !bot?.done;
  if (!bot?.done) return;
  const found = findGraded();
  const counts = NAMES.map(([one, many]) => {
    const count = found.filter((each) => each.grade === one).length;
    return `${count} ${count === 1 ? one : many}`;
  });
  $("blunders-about").textContent = bot.evaluations.every((each) => each.margin === null)
    ? `${bot.name} says no margin, so it cannot tell what a ply cost.`
    : `By ${bot.name}: ${counts.join(", ")}. A blunder costs 8 points or more, a mistake 4, an inaccuracy 2.`;
  $("blunder-list").replaceChildren(...found.map(drawBlunder));
};

/* Marks the plies of the line with what they cost, as the bot says that was chosen. */
const markPlies = () => {
  line.forEach((node) => Object.assign(node, { grade: "", swing: null }));
  findGraded().forEach((each) => Object.assign(line[each.number], { grade: each.grade, swing: each.swing }));
  draw();
  drawBlunders();
  hooks.marked();
};

const offerJudges = () => {
  const done = judges.map((bot, place) => [bot, place]).filter(([bot]) => bot.done);
  $("blunder-bot")?.remove();
  if (done.length < 2) return;
  const label = make("label", { id: "blunder-bot" }, "Marked by ");
  const select = make("select");
  select.append(...done.map(([bot, place]) => make("option", { value: place }, bot.name)));
  select.value = judge;
  select.addEventListener("change", () => { judge = Number(select.value); markPlies(); });
  label.append(select);
  $("blunders-about").after(label);
};

/* Takes what bots have evaluated so far; drawn once a frame. */
const take = (bots) => {
  if (bots !== judges) judge = 0;
  judges = bots;
  if (!judges[judge]?.done) judge = Math.max(0, judges.findIndex((bot) => bot.done));
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    offerJudges();
    if (judges.some((bot) => bot.done)) markPlies();
    else draw();
  });
};

/* Begins with a game or a position that nobody has judged. */
const open = (what, nodes) => {
  [opened, line, judges, judge] = [what, nodes, [], 0];
  $("blunders").hidden = true;
};

const begin = (listeners) => { hooks = listeners; };

const markPly = (ply) => mark(ply);

export { begin, open, draw, take, markPly };
