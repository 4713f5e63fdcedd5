/* The list of bots to ask, each with its limit. */
import { ask } from "../shared/asking.js";
import { $, make, makeButton, onClick } from "../shared/dom.js";
import { recallData, remember } from "../shared/memory.js";

/** @import { Limit, Offer } from "../types.d.ts" */
/** @typedef {[bot: string, limit: string, value: string]} RowValues */

const SECONDS = "ms"; // the limit that every bot has
const ENDLESS = "endless"; // until the reader stops it
/** The limits that every bot has, with their names.
    @type {Record<string, string>} */
const NAMES = { [SECONDS]: "seconds", [ENDLESS]: "until stopped" };
/** The default value of each limit.
    @type {Record<string, string>} */
const USUAL_VALUES = { [SECONDS]: "1", depth: "4" };
const USUAL_COUNT = "10000";
const USUAL_BOTS = ["lookahead", "greedy"];
const MEMORY = "analyse-bots";

/** @type {Offer} */
let offered;
/** The options that limit each bot, once the server has asked the bot for them.
    @type {Record<string, { name: string }[]>} */
const known = {};
let rows = 0; // number of rows made so far, for unique ids of fields

/**
 * Return a field of a row.
 * @param {Element} row
 * @param {"bot" | "limit" | "value"} name
 */
function field(row, name) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (row.querySelector(`.${name}`));
}

/**
 * Return the values of a row's fields.
 * @param {Element} row
 * @returns {RowValues}
 */
function readValues(row) {
  return [field(row, "bot").value, field(row, "limit").value, field(row, "value").value];
}

/**
 * Return the limit of a row; throw an error if its value is not a number.
 * @param {RowValues} values
 * @returns {Limit}
 */
export function parseLimit([bot, limit, value]) {
  if (limit === ENDLESS) return { bot, endless: true };
  const number = Number(value.trim().replace(",", "."));
  if (!(number > 0)) throw new Error(`${bot}: the limit must be a number above 0.`);
  if (limit === SECONDS) return { bot, ms: Math.round(number * 1000) };
  return { bot, option: limit, value: Math.round(number) };
}

/**
 * Return a limit for each position of a whole game: a second, if there is no end otherwise.
 * @param {Limit} limit
 * @returns {Limit}
 */
export function boundLimit(limit) {
  return limit.endless ? { bot: limit.bot, ms: 1000 } : limit;
}

/** Return the limits of all rows. */
export function readLimits() {
  return [...$("bots").children].map((row) => parseLimit(readValues(row)));
}

/** Return how many lines the bots are asked for. */
export function readLines() {
  return Number($("line-count", HTMLSelectElement).value);
}

/**
 * @param {HTMLSelectElement} select
 * @param {{ name: string }[]} limits
 */
function fillSelect(select, limits) {
  const before = select.value;
  const named = limits.map(({ name }) => [name, name]);
  const options = [...Object.entries(NAMES), ...named];
  select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
  select.value = options.some(([value]) => value === before) ? before : SECONDS;
}

/**
 * Offer the limits of a row's bot; a remembered limit stays until they are known.
 * @param {HTMLElement} row
 * @param {{ isNew?: boolean }} [options]
 */
async function offerLimits(row, { isNew = false } = {}) {
  const bot = field(row, "bot").value;
  const select = /** @type {HTMLSelectElement} */ (field(row, "limit"));
  if (known[bot] || !isNew) fillSelect(select, known[bot] ?? []);
  if (known[bot]) return;
  try {
    known[bot] = (await ask("/analyse/limits", { bot })).limits;
  } catch {
    return; // the next choice of the bot asks again
  }
  if (row.isConnected && field(row, "bot").value === bot) fillSelect(select, known[bot]);
}

function rememberRows() {
  const listed = [...$("bots").children];
  remember("browser", MEMORY, JSON.stringify(listed.map(readValues)));
  $("add-bot", HTMLButtonElement).disabled = listed.length >= offered.mostBots;
  listed.forEach((row) => {
    const drop = row.querySelector("button");
    if (drop) drop.disabled = listed.length < 2;
  });
}

/**
 * Return true if data is a row of a bot of this arena.
 * @param {unknown} row
 */
function isRow(row) {
  const isOfTexts = Array.isArray(row) && row.every((value) => typeof value === "string");
  return isOfTexts && row.length === 3 && offered.bots.includes(row[0]);
}

/** @returns {RowValues[]} */
function readRemembered() {
  const remembered = recallData("browser", MEMORY);
  if (!Array.isArray(remembered)) return [];
  return remembered.filter(isRow).slice(0, offered.mostBots);
}

/**
 * Add a field with its label to a row.
 * @template {HTMLInputElement | HTMLSelectElement} T
 * @param {HTMLElement} row
 * @param {string} name
 * @param {string} text
 * @param {T} input
 * @returns {T}
 */
function addField(row, name, text, input) {
  const id = `${name}-${rows}`;
  input.setAttribute("id", id);
  input.classList.add(name);
  const box = make("span", { class: "field" });
  box.append(make("label", { for: id }, text), input);
  row.append(box);
  return input;
}

/**
 * Add a row to the list.
 * @param {string} bot
 * @param {string} [limit]
 * @param {string} [value]
 */
function addRow(bot, limit = SECONDS, value = USUAL_VALUES[SECONDS]) {
  rows += 1;
  const row = make("li");
  const choice = addField(row, "bot", "Bot", make("select"));
  choice.append(...offered.bots.map((name) => make("option", { value: name }, name)));
  if (offered.bots.includes(bot)) choice.value = bot;
  const limits = addField(row, "limit", "Limit", make("select"));
  limits.append(make("option", { value: limit }, NAMES[limit] ?? limit));
  const input = make("input", { inputmode: "decimal", autocomplete: "off", size: 6 });
  const number = addField(row, "value", "How much", input);
  number.value = value;
  const drop = () => {
    row.remove();
    rememberRows();
    $("add-bot").focus();
  };
  row.append(makeButton("✕", drop, { class: "tool drop", "aria-label": "remove this bot" }));
  choice.addEventListener("change", () => {
    offerLimits(row);
    rememberRows();
  });
  const showNumber = () => number.classList.toggle("unneeded", limits.value === ENDLESS);
  showNumber();
  limits.addEventListener("change", () => {
    if (limits.value !== ENDLESS) number.value = USUAL_VALUES[limits.value] ?? USUAL_COUNT;
    showNumber();
    rememberRows();
  });
  number.addEventListener("change", rememberRows);
  $("bots").append(row);
  offerLimits(row, { isNew: true });
}

/**
 * Start with the bots that were asked last, or with a default one.
 * @param {Offer} offer
 */
export function beginLimits(offer) {
  offered = offer;
  // built-in bots come first, because they answer at once: others may need compilation
  const usual = USUAL_BOTS.filter((bot) => offer.bots.includes(bot));
  const order = [...usual, ...offer.bots.filter((bot) => !usual.includes(bot))];
  const remembered = readRemembered();
  remembered.forEach((row) => addRow(...row));
  if (!remembered.length) addRow(order[0]);
  rememberRows();
  onClick("add-bot", () => {
    const listed = [...$("bots").children].map((row) => field(row, "bot").value);
    addRow(order.find((bot) => !listed.includes(bot)) ?? order[0]);
    rememberRows();
    $("bots").lastElementChild?.querySelector("select")?.focus();
  });
}
