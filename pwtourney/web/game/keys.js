/* The keys of a game: what each does, and when it is meant for the game. */
import { targetOf } from "../shared/dom.js";

/** @import { InHand } from "./hand.js" */

/**
 * @typedef {{
 *   isHolding: () => boolean,
 *   findPatch: (number: number) => InHand | null,
 *   choose: (patch: InHand) => void,
 *   move: (down: number, right: number) => void,
 *   turn: (step: number) => void,
 *   flip: () => void,
 *   drop: () => void,
 *   play: () => void,
 *   others: Record<string, () => void>,
 * }} Acts what keys can do; `others` are by their names in lower case, and arrows only move a patch
 *   in hand
 */

/** Rows and columns by which the arrows move a patch.
    @type {Record<string, [down: number, right: number]>} */
const ARROWS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * Return what a key does; null for nothing.
 * @param {KeyboardEvent} event
 * @param {Acts} acts
 * @returns {(() => void) | null}
 */
function findAct(event, acts) {
  const { key } = event;
  const arrow = ARROWS[key];
  if (arrow && acts.isHolding()) return () => acts.move(...arrow);
  const patch = acts.findPatch(Number(key));
  if (patch !== null) return () => acts.choose(patch);
  if (key.toLowerCase() === "r") return () => acts.turn(event.shiftKey ? -1 : 1);
  if (key.toLowerCase() === "f") return acts.flip;
  if (key === "Escape") return acts.drop;
  if (key === "Enter" && !targetOf(event).closest("button")) return acts.play;
  return acts.others[key.toLowerCase()] ?? null;
}

/**
 * Return true if no other element uses a key.
 * @param {KeyboardEvent} event
 */
export function isForGame(event) {
  const target = targetOf(event);
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return false;
  if (target.closest("select, input, summary, a")) return false;
  return target === document.body || Boolean(target.closest("main"));
}

/**
 * Listen to the keys of the page.
 * @param {Acts} acts
 * @param {(event: KeyboardEvent) => boolean} isReady whether a key does anything now
 */
export function listenToKeys(acts, isReady) {
  document.addEventListener("keydown", (event) => {
    if (!isReady(event) || !isForGame(event)) return;
    // a held key plays only once: its repeats would play in another position
    const isHeld = event.repeat && (event.key === "Enter" || event.key === " ");
    const does = isHeld ? () => {} : findAct(event, acts);
    if (!does) return;
    does();
    event.preventDefault();
  });
}
