/* What can be followed: the run, a bot, the pairing of two bots, or a board. */
import { $, make } from "../shared/dom.js";
import { formatWish } from "./featured.js";

/** @import { Wish } from "./featured.js" */
/** @typedef {{ name: string, wishes: [wish: Wish, text: string][] }} Group wishes of one kind */

/**
 * Say what is followed.
 * @param {Wish} wish
 */
function tellWish({ slot, bot, against }) {
  if (slot !== undefined) return `board ${slot + 1}`;
  if (bot === undefined) return "the run";
  return against === undefined ? bot : `${bot} – ${against}`;
}

/**
 * Say that there is no game of what is followed.
 * @param {Wish} wish
 */
export function tellNoGame(wish) {
  const { bot, against } = wish;
  if (bot === undefined) return `There is no game on ${tellWish(wish)}.`;
  const who = against === undefined ? bot : `${bot} against ${against}`;
  return `No game of ${who} is being played, and none is stored yet.`;
}

/**
 * List what can be followed; what is followed is part of it.
 * @param {Wish} current what is followed
 * @param {string[]} bots
 * @param {string[][]} pairings
 * @param {number[]} slots
 * @returns {Group[]}
 */
export function listWishes(current, bots, pairings, slots) {
  /** @type {{ name: string, wishes: Wish[] }[]} */
  const groups = [
    { name: "", wishes: [{}] },
    { name: "A bot", wishes: [...new Set(bots)].map((bot) => ({ bot })) },
    { name: "A pairing", wishes: pairings.map(([bot, against]) => ({ bot, against })) },
    { name: "A board", wishes: slots.map((slot) => ({ slot })) },
  ];
  const known = groups.flatMap(({ wishes }) => wishes.map(formatWish));
  if (!known.includes(formatWish(current))) groups[0].wishes.push(current);
  return groups
    .filter(({ wishes }) => wishes.length)
    .map(({ name, wishes }) => ({
      name,
      wishes: wishes.map((wish) => [wish, tellWish(wish)]),
    }));
}

/**
 * Return the pairings of games, each once, in either order of the seats.
 * @param {string[][]} games the bots of each game
 */
export function listPairings(games) {
  const sorted = games.map((bots) => [...bots].sort());
  return [...new Map(sorted.map((bots) => [JSON.stringify(bots), bots])).values()];
}

/**
 * Offer what can be followed.
 * @param {Wish} current
 * @param {Group[]} groups
 */
export function offerWishes(current, groups) {
  const chosen = formatWish(current);
  const key = JSON.stringify([groups, chosen]);
  const select = $("follow", HTMLSelectElement);
  if (select.dataset.said === key) return;
  select.dataset.said = key;
  select.replaceChildren(
    ...groups.flatMap(({ name, wishes }) => {
      const options = wishes.map(([wish, text]) =>
        make("option", { value: formatWish(wish) }, text),
      );
      if (!name) return options;
      const group = make("optgroup", { label: name });
      group.append(...options);
      return [group];
    }),
  );
  select.value = chosen;
}
