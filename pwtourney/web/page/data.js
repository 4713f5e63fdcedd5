/* What the page knows of the games: facts as JSON, and a packed list of games with their plies. */
import { $ } from "../shared/dom.js";
import { unfoldGame } from "./unfold.js";

/** @import { PackedGames, PageFacts, Replayable } from "../types.d.ts" */

/** @returns {PageFacts} */
function readFacts() {
  return JSON.parse($("facts", HTMLScriptElement).text);
}

/** @returns {Promise<PackedGames>} */
function unpack() {
  const text = $("packed", HTMLScriptElement).text;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** What holds for all games. */
export const facts = readFacts();

/** The games of the list, and those that can be replayed, by their numbers as in `12.0`.
    @type {Pick<PackedGames, "list" | "replays">} */
export const games = { list: [], replays: {} };

/** @type {PackedGames} */
let packed;

/**
 * Return a game that can be replayed; null if the page does not hold it.
 * @param {string} id
 * @returns {Replayable | null}
 */
export function findReplay(id) {
  return unfoldGame(packed, id);
}

/** Read what the page holds; once more after it was replaced. */
export async function loadData() {
  packed = await unpack();
  Object.assign(facts, readFacts());
  Object.assign(games, packed);
}
