/* Compare states of a table, and describe the news in words. */
import { signNumbers } from "../shared/gauges.js";
import { tellTurn } from "../shared/sentences.js";

/** @import { TableState } from "../types.d.ts" */

/**
 * Return true if two states differ only in time: the answer to an action and the event that follows
 * it have the same state.
 * @param {TableState} state
 * @param {TableState} other
 */
export function isSame(state, other) {
  return JSON.stringify({ ...state, clock: null }) === JSON.stringify({ ...other, clock: null });
}

/**
 * Return how many plies of a state are new after the actions that were shown; 0 if it does not
 * continue them.
 * @param {string[]} shown
 * @param {TableState} next
 */
export function countFresh(shown, { plies }) {
  const isOn = shown.every((action, index) => plies[index]?.[1] === action);
  return isOn ? plies.length - shown.length : 0;
}

/**
 * Return a sentence that names the player to move.
 * @param {TableState} state
 * @param {string} name of the player to move
 * @param {number} people at the table
 */
function describeTurn({ choices, trouble }, name, people) {
  if (choices) return people > 1 ? `${tellTurn(name)}.` : "It is your turn.";
  return trouble ? `${tellTurn(name)}.` : `${name} is thinking …`;
}

/**
 * Describe the new plies and the player to move. The sentence of each ply may already name the
 * player to move after it, which is said once, of the last.
 * @param {string[]} sentences about the plies that are new
 * @param {TableState} state
 * @param {string[]} names
 * @param {number} people at the table
 */
export function describeNews(sentences, state, names, people) {
  if (state.over) return signNumbers(state.over.text);
  const name = names[state.turn ?? 0];
  const endings = names.map((player) => `; ${tellTurn(player)}.`);
  const kept = sentences.map((sentence) => {
    const ending = endings.find((words) => sentence.endsWith(words));
    return ending ? `${sentence.slice(0, -ending.length)}.` : sentence;
  });
  return [...kept, describeTurn(state, name, people)].join(" ");
}

/**
 * Name what is going on, for the tab of the page.
 * @param {TableState} state
 * @param {string[]} names
 * @param {number[]} people their seats
 */
export function nameTab({ over, turn, choices }, names, people) {
  const pair = `${names[0]} – ${names[1]}`;
  if (over) return `${over.headline} · ${pair}`;
  if (choices && people.length === 1) return `Your turn · ${pair}`;
  return turn === null ? pair : `${names[turn]} to move · ${pair}`;
}
