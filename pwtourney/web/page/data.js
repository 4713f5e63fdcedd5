/* The data of the page: facts as JSON, and a packed list of games with their plies. */
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

/** The facts that are the same for all games. */
export const facts = readFacts();

/** The games and their plies; empty until `loadData` has read them.
    @type {PackedGames} */
export const games = Object.create(null);

/**
 * Return a game that can be replayed; null if the page does not have it.
 * @param {string} id
 * @returns {Replayable | null}
 */
export function findReplay(id) {
  return unfoldGame(games, id);
}

/** Read the data of the page; call it again after the data was replaced. */
export async function loadData() {
  Object.assign(games, await unpack());
  Object.assign(facts, readFacts());
}
