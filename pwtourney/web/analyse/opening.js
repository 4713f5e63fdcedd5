/* The form that opens a stored game, a text or a new deal. */
import { ask } from "../shared/asking.js";
import { $, make, makeButton, messageOf, onClick, query } from "../shared/dom.js";
import { formatScore } from "../shared/gauges.js";
import { count } from "../shared/sentences.js";

/** @import { Offer, Source, StoredRow } from "../types.d.ts" */

const RESTING = 150; // milliseconds after a key before the search starts

/** @type {(source: Source) => void} */
let open = () => {};
let next = 0; // index of the first game that is not listed yet
/** @type {Source | null} */
let latestSource = null; // that of the game that is offered first
let latest = 0; // number of the latest search; older answers are dropped

/**
 * Describe how a stored game ended: points say nothing about a game that a fault has ended.
 * @param {StoredRow} row
 */
function describeEnd({ scores, verdict }) {
  return verdict === "finished" ? scores.map(formatScore).join(" : ") : verdict;
}

/**
 * @param {StoredRow} row
 * @param {Source} source
 * @param {string} prefix
 */
function drawRow(row, source, prefix) {
  const { id, names, winner } = row;
  const line = make("tr", { "data-game": `${prefix}${id}` });
  const cell = make("td", { class: "word" });
  // the id of a game that a person has played says nothing to anybody
  const title = prefix ? `${prefix}${id}` : `game ${id}`;
  cell.append(makeButton(prefix.trim() || id, () => open(source), { class: "plain", title }));
  const players = names.map((name, seat) => (winner === seat ? "✓ " : "") + name);
  line.append(
    cell,
    ...players.map((name) => make("td", { class: "word", title: name }, name)),
    make("td", {}, describeEnd(row)),
  );
  return line;
}

/**
 * Offer the latest game of all as the first thing to do; without any game, that is a new deal.
 * @param {[row: StoredRow, source: Source] | undefined} game
 */
function offerLatest(game) {
  $("latest").hidden = !game;
  query($("deal"), "button").classList.toggle("main", !game);
  if (!game) return;
  const [row, source] = game;
  $("latest-game").textContent = `${row.names.join(" against ")}, ${describeEnd(row)}`;
  latestSource = source;
}

/**
 * Return the games of people whose id or names contain all words.
 * @param {StoredRow[]} tables
 * @param {string} words
 */
export function filterTables(tables, words) {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return tables.filter(({ id, names }) => {
    const text = [id, ...names].join(" ").toLowerCase();
    return parts.every((word) => text.includes(word));
  });
}

/**
 * Describe how many games were found.
 * @param {number} games
 * @param {string} words
 */
function describeCount(games, words) {
  if (games) return count(games, "games");
  if (words) return "No game has these words.";
  const hint = "open the arena with the folder of a tournament, or play one";
  return `There are no stored games: ${hint}.`;
}

/**
 * Return the game that is listed first: the latest one of people, else of the tournament.
 * @param {StoredRow[]} tables
 * @param {StoredRow[]} stored
 * @returns {[row: StoredRow, source: Source] | undefined}
 */
function findLatest([table], [game]) {
  if (table) return [table, { table: table.id }];
  return game && [game, { game: game.id }];
}

/**
 * List games from an index.
 * @param {number} begin
 */
async function listGames(begin) {
  latest += 1;
  const mine = latest;
  const words = $("game-words", HTMLInputElement).value;
  /** @type {{ rows: StoredRow[], tables: StoredRow[], count: number, next: number | null }} */
  let page;
  try {
    page = await ask("/analyse/games", { words, begin });
  } catch (error) {
    $("game-count").textContent = messageOf(error);
    return;
  }
  if (mine !== latest) return; // a later search has replaced this one
  const body = $("game-list", HTMLTableElement).tBodies[0];
  // games that have ended since the page before have moved others to this one
  const listed = begin ? [...body.rows].map((row) => row.dataset.game) : [];
  const stored = page.rows.filter(({ id }) => !listed.includes(id));
  const tables = filterTables(page.tables, words);
  const rows = stored.map((row) => drawRow(row, { game: row.id }, ""));
  const played = tables.map((row) => drawRow(row, { table: row.id }, "played "));
  if (!begin && !words) offerLatest(findLatest(tables, stored));
  if (begin) body.append(...rows);
  else body.replaceChildren(...played, ...rows);
  next = page.next ?? 0;
  $("more-games").hidden = page.next === null;
  const games = page.count + tables.length;
  $("game-list").hidden = !games;
  $("game-count").textContent = describeCount(games, words);
}

/** @param {Offer["editions"]} editions */
function fillEditions(editions) {
  /** @type {NodeListOf<HTMLSelectElement>} */
  const selects = document.querySelectorAll("select.editions");
  selects.forEach((select) => {
    select.append(...editions.map(({ name, title }) => make("option", { value: name }, title)));
    if (editions.some(({ name }) => name === "original")) select.value = "original";
  });
}

/**
 * Call a function when a form is submitted, instead of submitting it.
 * @param {string} id
 * @param {() => void} act
 */
function onSubmit(id, act) {
  $(id).addEventListener("submit", (event) => {
    event.preventDefault();
    act();
  });
}

/** Offer the games to open. */
export function offerGames() {
  listGames(0);
}

/**
 * Set up the forms; `listener` is called with the source to open.
 * @param {Offer} offered
 * @param {(source: Source) => void} listener
 */
export function beginOpening(offered, listener) {
  open = listener;
  fillEditions(offered.editions);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  $("game-words").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => listGames(0), RESTING);
  });
  onClick("more-games", () => listGames(next));
  onClick("open-latest", () => {
    if (latestSource) open(latestSource);
  });
  onSubmit("paste", () =>
    open({
      text: $("text", HTMLTextAreaElement).value,
      edition: $("text-edition", HTMLSelectElement).value,
    }),
  );
  onSubmit("deal", () =>
    open({
      seed: $("deal-seed", HTMLInputElement).value.trim(),
      edition: $("deal-edition", HTMLSelectElement).value,
    }),
  );
}
