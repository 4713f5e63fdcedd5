/* The pairs that the run plays next. */
import { $, make, refresh } from "../shared/dom.js";

/** @import { LivePair } from "../types.d.ts" */

/**
 * Return the pairs that have not begun: the server knows only once a second which pairs have.
 * @param {LivePair[]} pairs
 * @param {Iterable<number>} begun the numbers of the pairs whose games are shown
 */
export function listUnbegun(pairs, begun) {
  const known = new Set(begun);
  return pairs.filter(({ pair }) => !known.has(pair));
}

/**
 * Draw what comes next. The place of the list stays once it was shown, although a schedule that
 * depends on results does not always know what follows.
 * @param {LivePair[]} pairs
 * @param {boolean} isRunning
 */
export function drawUpcoming(pairs, isRunning) {
  const box = $("upcoming");
  if (pairs.length || !isRunning) box.hidden = !pairs.length;
  box.classList.toggle("unknown", !pairs.length);
  const items = pairs.map(({ first, second, pair }) => {
    const item = make("li", { title: `${first} – ${second}` });
    const names = make("span", { class: "names" }, `${first} – ${second}`);
    item.append(names, make("small", {}, `pair ${pair}`));
    return item;
  });
  refresh($("upcoming-pairs"), ...items);
}
