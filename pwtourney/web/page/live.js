/* Poll the server for news, and replace the parts of the page that have changed. */
import { $ } from "../shared/dom.js";
import { facts } from "./data.js";
import { refresh } from "./main.js";

/** @typedef {{ first: string, second: string, pair: number }} LivePair */
/**
 * @typedef {{
 *   head: string,
 *   pairs: number,
 *   planned: number,
 *   over: boolean,
 *   running: LivePair[],
 *   next: LivePair[],
 * }} LiveState
 */

const MILLISECONDS = 2000; // between two polls

/** @param {LiveState} state */
function describeState({ running, next, pairs, planned, over }) {
  /** @param {LivePair[]} listed */
  const list = (listed) =>
    listed.map(({ first, second, pair }) => `${first}–${second} (pair ${pair})`).join(", ");
  const done = `${pairs} of at most ${planned} pairs are stored`;
  if (!running.length) return `${done}${over ? "; complete" : ""}`;
  const following = next.length ? `; next: ${list(next)}` : "";
  return `${done}; playing: ${list(running)}${following}`;
}

async function update() {
  /** @type {LiveState} */
  const state = await (await fetch("state.json")).json();
  $("live").textContent = describeState(state);
  if (facts.head === state.head) return;
  // the page may be older than the state: then the next poll asks for it again
  const text = await (await fetch(location.pathname)).text();
  await refresh(new DOMParser().parseFromString(text, "text/html"));
}

async function look() {
  try {
    await update();
  } catch {
    $("live").textContent = "the server does not answer any more";
  }
  setTimeout(look, MILLISECONDS);
}

look();
