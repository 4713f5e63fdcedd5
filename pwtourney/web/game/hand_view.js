/* The patch in hand as the tools and the cards show it, at a table and in an analysis. */
import { $, queryAll } from "../shared/dom.js";

/** @import { Choices, Seat } from "../types.d.ts" */
/** @import { Hand, InHand } from "./hand.js" */
/** @import { makeSeats } from "./seats.js" */

/**
 * Draw the patch in hand on the quilt board, press its card, and enable the tools for it.
 * @param {HTMLElement} game
 * @param {ReturnType<typeof makeSeats>} seats
 * @param {Hand} hand
 * @param {Seat | null} seat that the reader can play; null for none
 * @param {boolean} canPlay false while an action is sent
 */
export function drawHandState(game, seats, hand, seat, canPlay) {
  seats.drawHand(hand, seat);
  const isHolding = hand.patch !== null;
  const canTurn = isHolding && hand.patch !== "leather";
  const tools = { turn: canTurn, flip: canTurn, drop: isHolding, play: canPlay && hand.isLegal() };
  Object.entries(tools).forEach(([id, isOn]) => {
    $(id, HTMLButtonElement).disabled = !isOn;
  });
  queryAll(document, "[data-card]").forEach((card) => {
    card.setAttribute("aria-pressed", String(String(hand.patch) === card.dataset.card));
  });
  game.classList.toggle("holding", isHolding);
}

/**
 * Return the patch that a number key takes; null for none.
 * @param {Choices | null} choices
 * @param {number} number
 * @returns {InHand | null}
 */
export function findPatchByKey(choices, number) {
  if (number === 1 && choices?.leather) return "leather";
  return choices?.patches?.[number - 1]?.patch ?? null;
}
