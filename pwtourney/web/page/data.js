/* What the page knows of the games: facts as JSON, and a packed list of games with their plies. */
import { $ } from "../shared/dom.js";

/** @import { GameRow, PageFacts, Replayable } from "../types.d.ts" */

/** @returns {PageFacts} */
function readFacts() {
  return JSON.parse($("facts", HTMLScriptElement).text);
}

/** @returns {Promise<{ list: GameRow[], replays: Record<string, Replayable> }>} */
function unpack() {
  const packed = $("packed", HTMLScriptElement).text;
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** What holds for all games. */
export const facts = readFacts();

/** The games of the list, and those that can be replayed, by their numbers as in `12.0`.
    @type {{ list: GameRow[], replays: Record<string, Replayable> }} */
export const games = { list: [], replays: {} };

/** Read what the page holds; once more after it was replaced. */
export async function loadData() {
  const unpacked = await unpack();
  Object.assign(facts, readFacts());
  Object.assign(games, unpacked);
}
