/* The data of the page: facts as JSON, a packed list of games with their plies, and games that the
   server of a live page sends one by one. */
import { $, readFacts } from "../shared/dom.js";
import { compareRows, idOf, numberRow } from "./rows.js";
import { unfoldGame } from "./unfold.js";

/** @import { FetchedGame, GameRow, KeptMargins, LiveState, NamedRow } from "../types.d.ts" */
/** @import { PackedGames, PageFacts, Replayable } from "../types.d.ts" */

/** @typedef {{ row: GameRow, game: Replayable }} GameEntry */

const FETCHED = 30; // games that are kept, so that a step back needs no request

/** @returns {Promise<PackedGames>} */
function unpack() {
  const text = $("packed", HTMLScriptElement).text;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** The facts that are the same for all games.
    @type {PageFacts} */
export const facts = readFacts();

/** The games and their plies; empty until `loadData` has read them.
    @type {PackedGames} */
export const games = Object.create(null);

/** @type {Map<string, GameEntry>} */
const fetched = new Map();

/** Read the data of the page. */
export async function loadData() {
  Object.assign(games, await unpack());
  games.list.sort(compareRows);
}

/**
 * Return a game that is packed in the page; null if it is not.
 * @param {string} id
 * @returns {Replayable | null}
 */
export function findReplay(id) {
  return unfoldGame(games, id);
}

/**
 * Return true if a game of the list can be opened. A server reads all games in which a move was
 * played.
 * @param {GameRow} row
 */
export function canOpen(row) {
  return facts.live ? row[8] > 0 : idOf(row) in games.replays;
}

/**
 * Return the row of a game in the list.
 * @param {string} id
 */
export function findRow(id) {
  return games.list.find((row) => idOf(row) === id);
}

/**
 * Ask the server for a game; null if it has none of this id.
 * @param {string} id
 * @returns {Promise<GameEntry | null>}
 */
async function fetchGame(id) {
  const known = fetched.get(id);
  if (known) return known;
  const answer = await fetch(`games/${encodeURIComponent(id)}.json`);
  if (!answer.ok) return null;
  /** @type {FetchedGame} */
  const { row, game } = await answer.json();
  const entry = { row: numberRow(facts, row), game };
  fetched.set(id, entry);
  if (fetched.size > FETCHED) fetched.delete([...fetched.keys()][0]);
  return entry;
}

/**
 * Return a game with its row, from the file or from the server; null if neither has it.
 * @param {string} id
 * @returns {Promise<GameEntry | null>}
 */
export function loadGame(id) {
  const row = findRow(id);
  const game = findReplay(id);
  if (row && game) return Promise.resolve({ row, game });
  return facts.live ? fetchGame(id) : Promise.resolve(null);
}

/**
 * Return how far the run is, of which a server knows; null in a file.
 * @returns {Promise<LiveState | null>}
 */
export async function loadState() {
  if (!facts.live) return null;
  const answer = await fetch("state.json");
  return answer.ok ? answer.json() : null;
}

/**
 * Add games that have ended since the list was read.
 * @param {NamedRow[]} rows
 */
export function addRows(rows) {
  games.list.push(...rows.map((row) => numberRow(facts, row)));
  games.list.sort(compareRows);
}

/**
 * Return the evaluations of games that the server keeps, by their ids; a file has none. Throws if the
 * server refuses.
 * @param {string[]} ids
 * @returns {Promise<Record<string, KeptMargins[]>>}
 */
export async function loadEvaluations(ids) {
  if (!facts.evaluators.length) return {};
  const words = new URLSearchParams(ids.map((id) => ["game", id]));
  const answer = await fetch(`evaluations.json?${words}`);
  if (!answer.ok) throw new Error("the server did not send the evaluations");
  return answer.json();
}

/**
 * Return the name of a game for the analysis, which knows the games of all tournaments.
 * @param {string} id
 */
export function nameInArena(id) {
  return `${document.getElementById("analyse-game")?.dataset.prefix ?? ""}${id}`;
}
