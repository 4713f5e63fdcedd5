/* The list of games, with filters and steps to the previous and next game. */
import { $, make, onClick } from "../shared/dom.js";
import { formatFragment } from "./address.js";
import { facts, games } from "./data.js";
import { idOf, matchesFilter, namesOf, verdictOf } from "./rows.js";
import { enable, findPlace } from "./viewer.js";

/** @import { GameRow, Place } from "../types.d.ts" */
/** @import { Filter } from "./rows.js" */

/** @type {(keyof Filter)[]} */
const FILTERS = ["bot", "against", "result", "verdict"];
const RESULTS_OF_BOT = ["won", "lost", "fault"]; // results that need a bot to refer to
const PAGE = 50;

let many = PAGE; // the most rows that are shown
/** @type {GameRow[]} */
let rows = [];

/** @param {keyof Filter} id */
const field = (id) => $(id, HTMLSelectElement);

/** Return the values of the filter.
    @returns {Filter} */
export function readFilters() {
  const pairs = FILTERS.map((id) => [id, field(id).value]);
  return /** @type {Filter} */ (Object.fromEntries(pairs));
}

function offerResults() {
  const { bot, result } = readFilters();
  for (const option of field("result").options) {
    option.disabled = !bot && RESULTS_OF_BOT.includes(option.value);
  }
  if (!bot && RESULTS_OF_BOT.includes(result)) field("result").value = "";
}

/** @param {GameRow} row */
function drawRow(row) {
  const id = idOf(row);
  const line = make("tr");
  const cell = make("td", { class: "word id" });
  if (games.replays[id]) {
    const address = formatFragment({ game: id, ply: 0, ...readFilters() });
    cell.append(make("a", { href: address }, id));
  } else {
    cell.append(id);
    cell.title = `pwtourney replay FOLDER:${id} --html FILE`;
  }
  const names = namesOf(facts, row).map((name, seat) => name + (row[6] === seat ? " ✓" : ""));
  line.append(
    cell,
    ...names.map((name) => make("td", { class: "word" }, name)),
    make("td", {}, row[4]),
    make("td", {}, row[5]),
    make("td", { class: "word" }, verdictOf(facts, row)),
    make("td", {}, row[8]),
  );
  return line;
}

/** Return the previous and the next game of the list that can be replayed. */
function findNeighbours() {
  const ids = rows.map(idOf).filter((id) => games.replays[id]);
  const place = ids.indexOf(findPlace().game ?? "");
  return { previous: ids[place - 1], next: ids[place + 1], place: place + 1, count: ids.length };
}

/** Mark the open game in the list. */
export function showPlace() {
  const { previous, next, place, count } = findNeighbours();
  enable("previous-game", previous !== undefined);
  enable("next-game", next !== undefined);
  $("place").textContent = place ? `${place} of ${count}` : `– of ${count}`;
}

function listGames() {
  offerResults();
  const filters = readFilters();
  rows = games.list.filter((row) => matchesFilter(facts, row, filters));
  const listed = games.list.length;
  const rest = facts.games > listed ? ` (the newest ${listed} are listed)` : "";
  $("count").textContent = `${rows.length} of ${facts.games} games${rest}`;
  $("rows").replaceChildren(...rows.slice(0, many).map(drawRow));
  $("more").hidden = rows.length <= many;
  $("clear").hidden = !Object.values(filters).some(Boolean);
  showPlace();
}

/**
 * @param {keyof Filter} id
 * @param {string} word
 */
function isOffered(id, word) {
  return [...field(id).options].some((option) => option.value === word);
}

/**
 * @param {keyof Filter} id
 * @param {string[]} words
 */
function offerWords(id, words) {
  const fresh = words.filter((word) => !isOffered(id, word));
  field(id).append(...fresh.map((word) => make("option", { value: word }, word)));
}

/** Offer all bots and verdicts of the games, and list them. */
export function updateGames() {
  const numbers = new Set(games.list.flatMap((row) => [row[2], row[3]]));
  const playing = facts.bots.filter((_, number) => numbers.has(number));
  offerWords("bot", playing);
  offerWords("against", playing);
  offerWords("verdict", facts.verdicts);
  listGames();
}

/**
 * Set the filter from an address, even to a bot without games.
 * @param {Partial<Place>} wanted
 */
export function setFilters(wanted) {
  FILTERS.forEach((id) => {
    const word = wanted[id] ?? "";
    if (id !== "result" && word) offerWords(id, [word]);
    field(id).value = isOffered(id, word) ? word : "";
  });
  many = PAGE;
  listGames();
}

/**
 * Set up the list; `filtered` is called after a change of the filter, `opened` with the game that
 * the reader opens.
 * @param {{ filtered: () => void, opened: (id: string) => void }} listeners
 */
export function beginGames({ filtered, opened }) {
  updateGames();
  FILTERS.forEach((id) => {
    $(id).addEventListener("change", () => {
      many = PAGE;
      listGames();
      filtered();
    });
  });
  onClick("more", () => {
    many += 10 * PAGE;
    listGames();
  });
  onClick("clear", () => {
    setFilters({});
    $("bot").focus();
    filtered();
  });
  /** @param {"previous" | "next"} side */
  const walk = (side) => {
    const id = findNeighbours()[side];
    if (id === undefined) return;
    opened(id);
    showPlace();
  };
  onClick("previous-game", () => walk("previous"));
  onClick("next-game", () => walk("next"));
}

/**
 * Return the link to a game in the list, if the list has it.
 * @param {string | undefined} id
 */
export function findLink(id) {
  return [...$("rows").querySelectorAll("a")].find((link) => link.textContent === id);
}
