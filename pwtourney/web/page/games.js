/* The list of games, with filters, an order, and steps to the previous and next game. */
import { $, make, onClick, queryAll, targetOf } from "../shared/dom.js";
import { formatFragment } from "./address.js";
import { canOpen, facts, games } from "./data.js";
import { idOf, marginOf, matchesFilter, namesOf, verdictOf } from "./rows.js";
import { formatPoints, formatScore } from "../shared/gauges.js";
import { directionOf, nextOrder, sortRows } from "./sorting.js";
import { enable, findPlace } from "./viewer.js";

/** @import { GameRow, Place } from "../types.d.ts" */
/** @import { Filter } from "./rows.js" */
/** @typedef {Filter & { sort: string }} Choice */

/** @type {(keyof Choice)[]} */
const FIELDS = ["bot", "against", "result", "verdict", "sort"];
/** The choices that need a bot to refer to.
    @type {Partial<Record<keyof Choice, string[]>>} */
const OF_BOT = { result: ["won", "lost", "fault"], sort: ["worst"] };
const FIRST = 60; // rows that are drawn at first, more than the box shows
const MORE = 100; // rows that are added when the reader comes near the last one
const NEAR = 600; // pixels

let many = FIRST; // the most rows that are drawn
/** @type {GameRow[]} */
let rows = [];

/** @param {keyof Choice} id */
const field = (id) => $(id, HTMLSelectElement);

/** Return the filter and the order of the list.
    @returns {Choice} */
export function readChoice() {
  const pairs = FIELDS.map((id) => [id, field(id).value]);
  return /** @type {Choice} */ (Object.fromEntries(pairs));
}

function offerChoices() {
  const { bot } = readChoice();
  for (const [id, words] of Object.entries(OF_BOT)) {
    const select = field(/** @type {keyof Choice} */ (id));
    for (const option of select.options) option.disabled = !bot && words.includes(option.value);
    if (!bot && words.includes(select.value)) select.value = "";
  }
}

/**
 * @param {GameRow} row
 * @param {Choice} choice
 */
function drawRow(row, choice) {
  const id = idOf(row);
  const verdict = verdictOf(facts, row);
  const isFinished = verdict === "finished";
  const line = make("tr", { "data-game": id, class: isFinished ? "" : "faulty" });
  const cell = make("td", { class: "word id" });
  if (canOpen(row)) cell.append(make("a", { href: formatFragment({ game: id, ...choice }) }, id));
  else {
    cell.append(id);
    cell.title = row[8] ? "not in this file" : "no move was played";
  }
  const margin = marginOf(facts, row, choice.bot);
  line.append(
    cell,
    ...namesOf(facts, row).map((name, seat) => {
      const hasWon = row[6] === seat;
      const kind = `word side-${seat}${hasWon ? " won" : ""}`;
      return make("td", { class: kind }, name + (hasWon ? " ✓" : ""));
    }),
    make("td", { class: "score" }, `${formatScore(row[4])} : ${formatScore(row[5])}`),
    make("td", { class: "margin" }, margin === null ? "–" : formatPoints(margin)),
    make("td", { class: "plies" }, row[8]),
    make("td", { class: "word verdict" }, verdict),
  );
  return line;
}

/** Mark the heading by which the list is sorted. */
function markHeadings() {
  const { sort, bot } = readChoice();
  queryAll($("list"), "th button").forEach((button) => {
    const direction = directionOf(button.dataset.column ?? "", sort, bot);
    if (direction) button.closest("th")?.setAttribute("aria-sort", direction);
    else button.closest("th")?.removeAttribute("aria-sort");
  });
}

/** Draw further rows, up to as many as are to be drawn. */
function drawRows() {
  const body = $("rows");
  const choice = readChoice();
  const drawn = body.childElementCount;
  body.append(...rows.slice(drawn, many).map((row) => drawRow(row, choice)));
}

/** Return the previous and the next game of the list that can be opened. */
function findNeighbours() {
  const ids = rows.filter(canOpen).map(idOf);
  const index = ids.indexOf(findPlace().game ?? "");
  return { previous: ids[index - 1], next: ids[index + 1], position: index + 1, count: ids.length };
}

/** Mark the open game in the list. */
export function showPlace() {
  const { previous, next, position, count } = findNeighbours();
  enable("previous-game", previous !== undefined);
  enable("next-game", next !== undefined);
  $("place").textContent = position ? `${position} of ${count}` : `– of ${count}`;
  const { game } = findPlace();
  for (const line of $("rows").children) {
    if (line.getAttribute("data-game") === game) line.setAttribute("aria-current", "true");
    else line.removeAttribute("aria-current");
  }
}

/** Choose the games that match the filter, in their order, and say how many they are. */
function findRows() {
  offerChoices();
  const choice = readChoice();
  const matches = games.list.filter((row) => matchesFilter(facts, row, choice));
  rows = sortRows(facts, matches, choice.sort, choice.bot);
  markHeadings();
  const listed = games.list.length;
  const rest = facts.games > listed ? ` (the newest ${listed} are listed)` : "";
  $("count").textContent = `${rows.length} of ${facts.games} games${rest}`;
  $("clear").hidden = !Object.values(choice).some(Boolean);
}

/** List games from the top. */
function listAgain() {
  many = FIRST;
  findRows();
  $("rows").replaceChildren();
  drawRows();
  showPlace();
  $("list").scrollTop = 0;
}

/** Draw rows that are new between those that are drawn. */
function insertRows() {
  const body = $("rows");
  const choice = readChoice();
  let next = body.firstElementChild;
  rows.slice(0, many).forEach((row) => {
    if (next?.getAttribute("data-game") === idOf(row)) next = next.nextElementSibling;
    else body.insertBefore(drawRow(row, choice), next);
  });
}

/** Return the row that the reader points at or has the focus in, else the first that is seen. */
function findRead() {
  const own = $("rows").querySelector("tr:hover") ?? $("rows").querySelector("tr:focus-within");
  const { top } = $("list").getBoundingClientRect();
  return own ?? [...$("rows").children].find((row) => row.getBoundingClientRect().bottom > top);
}

/** List games that have ended since; what the reader looks at stays where it is. */
function listFresh() {
  const read = findRead();
  const before = read?.getBoundingClientRect().top ?? 0;
  const count = rows.length;
  findRows();
  many += rows.length - count;
  insertRows();
  showPlace();
  $("list").scrollTop += (read?.getBoundingClientRect().top ?? 0) - before;
}

/**
 * @param {keyof Choice} id
 * @param {string} word
 */
function isOffered(id, word) {
  return [...field(id).options].some((option) => option.value === word);
}

/**
 * @param {keyof Choice} id
 * @param {string[]} words
 */
function offerWords(id, words) {
  const fresh = words.filter((word) => !isOffered(id, word));
  field(id).append(...fresh.map((word) => make("option", { value: word }, word)));
}

/** Offer all bots and verdicts of the games. */
function offerNames() {
  const numbers = new Set(games.list.flatMap((row) => [row[2], row[3]]));
  const playing = facts.bots.filter((_, number) => numbers.has(number));
  offerWords("bot", playing);
  offerWords("against", playing);
  offerWords("verdict", facts.verdicts);
}

/** List games that have ended since, from the top if nobody reads the list. */
export function updateGames() {
  offerNames();
  const box = $("list");
  const isHidden = !box.getClientRects().length; // the reader may come back to a place in it
  if (isHidden || box.scrollTop > 0 || box.matches(":hover, :focus-within")) listFresh();
  else listAgain();
}

/**
 * Set filter and order from an address, even to a bot without games. Return true if they changed.
 * @param {Partial<Place>} address
 */
export function setChoice(address) {
  const before = JSON.stringify(readChoice());
  FIELDS.forEach((id) => {
    const word = address[id] ?? "";
    if (id !== "result" && id !== "sort" && word) offerWords(id, [word]);
    field(id).value = isOffered(id, word) ? word : "";
  });
  offerChoices();
  const isChanged = JSON.stringify(readChoice()) !== before;
  if (isChanged) listAgain();
  return isChanged;
}

/** @param {Event} event */
function openRow(event) {
  const target = targetOf(event);
  const link = target.closest("tr")?.querySelector("a");
  if (link && !target.closest("a")) link.click();
}

function followScroll() {
  const box = $("list");
  if (many >= rows.length || box.scrollTop + box.clientHeight < box.scrollHeight - NEAR) return;
  many += MORE;
  drawRows();
  showPlace();
}

/**
 * Set up the list; `chosen` is called after a change of filter or order, `opened` with the game
 * that the reader steps to.
 * @param {{ chosen: () => void, opened: (id: string) => void }} listeners
 */
export function beginGames({ chosen, opened }) {
  offerNames();
  listAgain();
  FIELDS.forEach((id) => {
    $(id).addEventListener("change", () => {
      listAgain();
      chosen();
    });
  });
  queryAll($("list"), "th button").forEach((button) => {
    button.addEventListener("click", () => {
      const { sort, bot } = readChoice();
      field("sort").value = nextOrder(button.dataset.column ?? "", sort, bot);
      listAgain();
      chosen();
    });
  });
  $("list").addEventListener("scroll", followScroll, { passive: true });
  $("rows").addEventListener("click", openRow);
  onClick("clear", () => {
    setChoice({});
    $("bot").focus();
    chosen();
  });
  /** @param {"previous" | "next"} side */
  const walk = (side) => {
    const id = findNeighbours()[side];
    if (id !== undefined) opened(id);
  };
  onClick("previous-game", () => walk("previous"));
  onClick("next-game", () => walk("next"));
}

/**
 * Return the link to a game in the list, if it is drawn.
 * @param {string | undefined} id
 */
export function findLink(id) {
  return [...$("rows").querySelectorAll("a")].find((link) => link.textContent === id);
}
