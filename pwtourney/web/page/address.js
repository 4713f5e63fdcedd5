/* The state of the page in the fragment of its address, so that a link shows the same:
   #game=12.0&ply=30&bot=magpie&verdict=timeout. A fragment without "=" names a section. */

/** @import { Place } from "../types.d.ts" */

/** @type {(keyof Place)[]} */
const KEYS = ["game", "ply", "bot", "against", "result", "verdict", "columns"];

/**
 * Return the state that a fragment describes; null if it names a section.
 * @param {string} fragment
 * @returns {Place | null}
 */
export function parseFragment(fragment) {
  const text = fragment.replace(/^#/, "");
  if (text && !text.includes("=")) return null;
  const words = new URLSearchParams(text);
  const pairs = KEYS.map((key) => [key, words.get(key) ?? ""]);
  return /** @type {Place} */ (Object.fromEntries(pairs));
}

/**
 * Return the fragment that describes the state of the page, without empty values.
 * @param {Partial<Place>} place
 */
export function formatFragment(place) {
  const words = new URLSearchParams();
  KEYS.forEach((key) => {
    const value = String(place[key] ?? "");
    if (value) words.set(key, value);
  });
  return `#${words}`;
}

/** Return the state in the page's address; null if it names a section. */
export function readAddress() {
  return parseFragment(location.hash);
}

/**
 * Write the state of the page into the address. A step that the reader may want to undo becomes an
 * entry of the browser's history.
 * @param {Partial<Place>} place
 * @param {boolean} isStep
 */
export function writeAddress(place, isStep) {
  const fragment = formatFragment(place);
  if (fragment === (location.hash || "#")) return;
  if (isStep) history.pushState(null, "", fragment);
  else history.replaceState(null, "", fragment);
}
