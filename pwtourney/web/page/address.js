/* The state of the page in the fragment of its address, so that a link shows the same:
   #game=12.0&ply=30&bot=magpie&verdict=timeout. A fragment without "=" names an element. */

/** @import { Place } from "../types.d.ts" */

/** @type {(keyof Place)[]} */
const KEYS = ["tab", "game", "ply", "bot", "against", "result", "verdict", "sort", "columns"];

/** The names of the tabs, which are the ids of their sections. */
const TABS = ["standings", "games", "bots", "charts", "season", "faults", "how"];

/**
 * Return the state that a fragment describes.
 * @param {string} fragment
 * @returns {Place}
 */
export function parseFragment(fragment) {
  const text = fragment.replace(/^#/, "");
  const words = new URLSearchParams(text.includes("=") ? text : "");
  const pairs = KEYS.map((key) => [key, words.get(key) ?? ""]);
  return /** @type {Place} */ ({
    section: text.includes("=") ? "" : text,
    ...Object.fromEntries(pairs),
  });
}

/**
 * Return the tab of a state that names no element: the tab that it names, or the one that shows
 * what it names.
 * @param {Place} address
 */
export function chooseTab(address) {
  if (TABS.includes(address.tab)) return address.tab;
  if (isOfGames(address)) return "games";
  return address.bot ? "bots" : "standings";
}

/**
 * Return true if a state belongs to the list of games, whatever tab it names. A bot alone does not:
 * that is the bot's own section.
 * @param {Partial<Place>} place
 */
function isOfGames({ game, against, result, verdict, sort }) {
  return Boolean(game || against || result || verdict || sort);
}

/**
 * Return the fragment that describes the state of the page, without empty values.
 * @param {Partial<Place>} address
 */
export function formatFragment(address) {
  const words = new URLSearchParams();
  KEYS.forEach((key) => {
    const value = String(address[key] ?? "");
    if (value) words.set(key, value);
  });
  return `#${words}`;
}

/**
 * Return the fragment of the list of games with these choices.
 * @param {Partial<Place>} address
 */
export function formatGames(address) {
  if (isOfGames(address)) return formatFragment(address);
  return address.bot ? formatFragment({ ...address, tab: "games" }) : "#games";
}

/** Return the state in the page's address. */
export function readAddress() {
  return parseFragment(location.hash);
}

/**
 * Write a fragment into the address. A step that the reader may want to undo becomes an entry of
 * the browser's history.
 * @param {string} fragment
 * @param {boolean} isStep
 */
export function writeAddress(fragment, isStep) {
  if (fragment === (location.hash || "#")) return;
  if (isStep) history.pushState(null, "", fragment);
  else history.replaceState(null, "", fragment);
}
