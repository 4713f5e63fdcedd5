/* The order of the games in the list. */
import { compareRows, faultsOf, marginOf } from "./rows.js";

/** @import { GameRow } from "../types.d.ts" */
/** @import { Names } from "./rows.js" */

/** Return what games are sorted by, the smallest first; null comes last.
    @typedef {(names: Names, row: GameRow, bot: string) => number | null} Key */

/**
 * @param {(margin: number) => number} weigh
 * @returns {Key}
 */
function byMargin(weigh) {
  return (names, row, bot) => {
    const margin = marginOf(names, row, bot);
    return margin === null ? null : weigh(margin);
  };
}

/** @type {Record<string, Key>} */
const KEYS = {
  widest: byMargin((margin) => -margin),
  closest: byMargin(Math.abs),
  worst: byMargin((margin) => margin),
  longest: (_, row) => -row[8],
  shortest: (_, row) => row[8],
  faults: (names, row) => -faultsOf(names, row, 0).length - faultsOf(names, row, 1).length,
};

/** @typedef {"ascending" | "descending" | "other"} Direction of a column, as for aria-sort */

/**
 * Return the orders of a column of the list, with what they do to it; a click on its heading chooses
 * the first one, and then the next. With a bot, margins are seen from its side.
 * @param {string} column
 * @param {string} bot
 * @returns {[order: string, direction: Direction][]}
 */
function listOrders(column, bot) {
  /** @type {Record<string, [order: string, direction: Direction][]>} */
  const orders = {
    game: [
      ["", "descending"],
      ["oldest", "ascending"],
    ],
    margin: [
      ["widest", "descending"],
      [bot ? "worst" : "closest", "ascending"],
    ],
    plies: [
      ["longest", "descending"],
      ["shortest", "ascending"],
    ],
    verdict: [["faults", "other"]],
  };
  return orders[column];
}

/**
 * Return the order that a click on the heading of a column chooses.
 * @param {string} column
 * @param {string} order the current one
 * @param {string} bot
 */
export function nextOrder(column, order, bot) {
  const orders = listOrders(column, bot).map(([name]) => name);
  return orders[(orders.indexOf(order) + 1) % orders.length];
}

/**
 * Return how an order sorts a column; undefined if it sorts by something else.
 * @param {string} column
 * @param {string} order
 * @param {string} bot
 */
export function directionOf(column, order, bot) {
  if (column === "margin" && order === "closest" && bot) return "other";
  return listOrders(column, bot).find(([name]) => name === order)?.[1];
}

/**
 * Return games in the order of a name: "" is the newest first, "oldest" the reverse. Of equal games
 * the newest come first. With a bot, margins are seen from its side.
 * @param {Names} names
 * @param {GameRow[]} rows in the order of the schedule
 * @param {string} order
 * @param {string} bot
 */
export function sortRows(names, rows, order, bot) {
  if (order === "oldest") return [...rows].sort(compareRows);
  const newest = [...rows].sort(compareRows).reverse();
  const key = KEYS[order];
  if (!key) return newest;
  return newest
    .map((row) => ({ row, at: key(names, row, bot) ?? Infinity }))
    .sort((first, second) => (first.at === second.at ? 0 : first.at - second.at))
    .map(({ row }) => row);
}
