/* Bots that are asked: which, with what limit, and when. What they say is shown by `Answers`. */

import * as Answers from "./answers.js";
import * as Lines from "./lines.js";
import * as Asking from "../shared/asking.js";
import * as Dom from "../shared/dom.js";

const { $, make } = Dom;
const LIMITS = [["ms", "seconds"]];
const USUAL = ["lookahead", "greedy"];

let offered = null; let hooks = null; let known = {};
let asked = null; // the analysis that is shown
let latest = 0; // number of the question that was asked last, which makes all others old
let turn = Promise.resolve(); // questions are asked one after the other

/* What bots are asked for, as the rows of the list say. */
const readRow = (row) => {
  const [bot, limit, value] = ["bot", "limit", "value"].map((name) => row.querySelector(`.${name}`).value);
  const number = Number(value.trim().replace(",", "."));
  if (!(number > 0)) throw new Error(`${bot}: the limit must be a number above 0.`);
  return limit === "ms" ? { bot, ms: Math.round(number * 1000) } : { bot, option: limit, value: Math.round(number) };
};
const readRows = () => [...$("bots").children].map(readRow);

/* Offers the limits of a row's bot; a limit that was remembered stays until they are known. */
const fillLimits = async (row, { isNew = false } = {}) => {
  const bot = row.querySelector(".bot").value;
  const select = row.querySelector(".limit");
  const fill = (limits) => {
    const before = select.value;
    const options = [...LIMITS, ...limits.map((each) => [each.name, each.name])];
    select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
    select.value = options.some(([value]) => value === before) ? before : "ms";
  };
  if (known[bot] || !isNew) fill(known[bot] ?? []);
  if (known[bot]) return;
  try {
    known[bot] = (await Asking.ask("/analyse/limits", { bot })).limits;
  } catch {
    return; // it is asked for again with the next choice
  }
  if (row.isConnected && row.querySelector(".bot").value === bot) fill(known[bot]);
};

const remember = () => {
  const rows = [...$("bots").children].map((row) => ["bot", "limit", "value"].map((name) => row.querySelector(`.${name}`).value));
  localStorage.setItem("analyse-bots", JSON.stringify(rows));
  $("add-bot").disabled = rows.length >= offered.mostBots;
  $("bots").querySelectorAll(".drop").forEach((button) => { button.disabled = rows.length < 2; });
};

let count = 0;
const addRow = (bot, limit = "ms", value = "2") => {
  count += 1;
  const row = make("li");
  const field = (name, text, input) => {
    const label = make("label", { for: `${name}-${count}` }, text);
    input.id = `${name}-${count}`;
    input.classList.add(name);
    const box = make("span", { class: "field" });
    box.append(label, input);
    row.append(box);
    return input;
  };
  const choice = field("bot", "Bot", make("select"));
  choice.append(...offered.bots.map((name) => make("option", { value: name }, name)));
  if (offered.bots.includes(bot)) choice.value = bot;
  const limits = field("limit", "Limit", make("select"));
  limits.append(make("option", { value: limit }, limit === "ms" ? "seconds" : limit));
  const number = field("value", "How much", make("input", { inputmode: "decimal", autocomplete: "off", size: 6 }));
  number.value = value;
  const drop = make("button", { type: "button", class: "tool drop", "aria-label": "remove this bot" }, "✕");
  drop.addEventListener("click", () => { row.remove(); remember(); $("add-bot").focus(); });
  row.append(drop);
  choice.addEventListener("change", () => { fillLimits(row); remember(); });
  limits.addEventListener("change", () => { number.value = limits.value === "ms" ? "2" : limits.value === "depth" ? "4" : "10000"; remember(); });
  number.addEventListener("change", remember);
  $("bots").append(row);
  fillLimits(row, { isNew: true });
};

const say = (text) => { $("ask-status").textContent = text; };

const isRunning = () => Boolean(asked && !asked.over);
const showRunning = () => {
  $("stop").hidden = !isRunning();
  $("ask").disabled = hooks.isClosed();
};

const take = (told) => {
  if (told.number <= asked.number) return; // it came before the stream was opened again
  asked.number = told.number;
  const bot = asked.bots[told.bot];
  if (told.kind === "note") bot.state = told.text;
  else if (told.kind === "begin") bot.state = "is thinking …";
  else if (told.kind === "info") bot.infos.push(told);
  else if (told.kind === "answer") {
    Object.assign(bot, { action: told.action, state: `after ${(told.ms / 1000).toFixed(1)} s it would play` });
    say(`${bot.name} would play ${Lines.nameAction(told.action)}.`);
  } else if (told.kind === "evaluation") {
    bot.evaluations.push(told);
    bot.state = `${bot.evaluations.length} of ${asked.plies} plies`;
    hooks.evaluated(asked.bots);
  } else if (told.kind === "swings") {
    bot.evaluations = told.plies;
    bot.done = true;
    bot.state = "The game is evaluated.";
    hooks.evaluated(asked.bots);
  } else if (told.kind === "fault") {
    Object.assign(bot, { failed: true, state: [told.verdict, told.text].filter(Boolean).join(": ") });
    say(`${bot.name} failed: ${bot.state}`);
  } else if (told.kind === "end" && bot.state === "is thinking …") bot.state = "stopped";
  asked.stale = true;
};

/* Ends what is shown of an analysis: what was said stays. */
const settle = (analysis) => {
  analysis.stream.close();
  analysis.over = analysis.stale = true;
  analysis.bots.forEach((bot) => { if (!bot.action && !bot.done && !bot.failed) bot.state = "stopped"; });
  showRunning();
};

/* Follows an analysis, from what came of it last. */
const listen = (analysis) => {
  const stream = new EventSource(`/analyse/events/${analysis.id}?after=${analysis.number}`);
  analysis.stream = stream;
  stream.addEventListener("message", (event) => analysis === asked && take(JSON.parse(event.data)));
  const finish = (text) => {
    stream.close(); // it would be opened again for ever
    if (analysis !== asked || analysis.over) return;
    settle(analysis);
    if (text) say(text);
  };
  stream.addEventListener("over", () => finish(analysis.whole ? "The game is evaluated." : ""));
  stream.addEventListener("error", () => { if (stream.readyState === EventSource.CLOSED) finish("The analysis has ended."); });
};

const end = (id) => Asking.ask("/analyse/stop", { id }).catch(() => {});

/* Stops what goes on, and what has been asked for but has not begun. */
const stop = () => {
  latest += 1;
  if (!isRunning()) return;
  const { id } = asked;
  settle(asked);
  turn = turn.then(() => end(id));
};

/* Begins an analysis, unless another question has come meanwhile. */
const start = async (number, source, node, whole) => {
  if (number !== latest) return;
  if (isRunning()) { settle(asked); await end(asked.id); }
  if (number !== latest) return;
  const limits = readRows();
  const { id } = await Asking.ask("/analyse/ask", { source, actions: Lines.path(node), whole, bots: limits });
  if (number !== latest) { await end(id); return; }
  asked = {
    id, node, whole, plies: whole ? Lines.list(node).length - 1 : 0, number: 0, over: false, stale: true, stream: null,
    bots: limits.map((limit) => ({ name: limit.bot, limit, state: "starts …", infos: [], evaluations: [], action: "" })),
  };
  say("");
  listen(asked);
  showRunning();
};

/* Asks all bots of the list about a position, or the whole game. */
const ask = (source, node, whole) => {
  latest += 1;
  const number = latest;
  turn = turn.then(() => start(number, source, node, whole)).catch((error) => { if (number === latest) say(error.message); });
};

/* Draws what came since the last frame: bots may say more than a screen shows. A press on a button
   counts only if the button is still there when it ends. */
const refresh = () => {
  if (asked?.stale && !$("answers").matches(":active")) { asked.stale = false; Answers.show(asked); }
  requestAnimationFrame(refresh);
};

/* A page that is not seen reads no events; an analysis that nobody reads ends by itself. */
const watchVisibility = () => document.addEventListener("visibilitychange", () => {
  if (!isRunning()) return;
  asked.stream.close();
  if (!document.hidden) listen(asked);
});

const readRemembered = () => {
  try {
    const rows = JSON.parse(localStorage.getItem("analyse-bots") ?? "[]");
    return rows.filter(([bot]) => offered.bots.includes(bot)).slice(0, offered.mostBots);
  } catch {
    return [];
  }
};

const begin = (what, listeners) => {
  [offered, hooks] = [what, listeners];
  Answers.begin(hooks);
  // those that answer at once come first: others may have to be compiled
  const known = USUAL.filter((bot) => offered.bots.includes(bot));
  const order = [...known, ...offered.bots.filter((bot) => !known.includes(bot))];
  const usual = order[0];
  const rows = readRemembered();
  (rows.length ? rows : [[usual]]).forEach((row) => addRow(...row));
  remember();
  $("add-bot").addEventListener("click", () => {
    const listed = [...$("bots").querySelectorAll(".bot")].map((select) => select.value);
    addRow(order.find((bot) => !listed.includes(bot)) ?? usual);
    remember();
    $("bots").lastChild.querySelector("select").focus();
  });
  $("stop").addEventListener("click", () => { stop(); $("ask").focus(); });
  watchVisibility();
  refresh();
};

const clear = () => { stop(); asked = null; Answers.show(null); say(""); };

const isWhole = () => Boolean(isRunning() && asked.whole);

export { begin, ask, clear, showRunning, isWhole };
