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

/** The list of games, and what can be replayed; empty until `loadData` has read them.
    @type {PackedGames} */
export const games = Object.create(null);

/**
 * Return a game that can be replayed; null if the page does not hold it.
 * @param {string} id
 * @returns {Replayable | null}
 */
export function findReplay(id) {
  return unfoldGame(games, id);
}

/** Read what the page holds; once more after it was replaced. */
export async function loadData() {
  Object.assign(games, await unpack());
  Object.assign(facts, readFacts());
}
