/* Say what can be done with the patch in hand, the easiest way first, and why bots cannot be asked. */
import { describeChoice, describePlace, tellStep } from "../game/steps.js";

/** @import { Choices, LineNode, Step } from "../types.d.ts" */
/** @import { Hand } from "../game/hand.js" */
/** @typedef {[text: string, kind: "" | "fit" | "misfit"]} Said */

/**
 * Return the choice of the patch in hand.
 * @param {Choices | null} choices
 * @param {Hand} hand
 */
export function findOffered(choices, hand) {
  return choices?.patches?.find(({ patch }) => patch === hand.patch);
}

/**
 * Say what can be done now.
 * @param {Choices | null} choices null if nobody can choose here
 * @param {Hand} hand
 * @param {Step | null} planned what the move in hand would change
 * @param {string} currency
 * @returns {Said}
 */
export function instruct(choices, hand, planned, currency) {
  if (!choices) return ["", ""];
  const offered = findOffered(choices, hand);
  if (offered?.problem) return [`${offered.problem}.`, "misfit"];
  if (hand.patch === null) return [`Try another move. ${describeChoice(choices)}`, ""];
  if (!hand.corner) return [describePlace(hand.patch === "leather"), ""];
  if (!hand.isLegal()) return ["It does not fit here.", "misfit"];
  const step = planned ?? choices.step;
  const brings = step ? ` ${tellStep({ ...step, tile: false }, currency)}.` : "";
  return [`It fits here: press “try it”.${brings}`, "fit"];
}

/**
 * Say why bots cannot be asked about a position; empty if they can.
 * @param {Pick<LineNode, "parent"> & { point: Pick<LineNode["point"], "over" | "automa"> }} node
 */
export function explainClosed({ parent, point }) {
  if (point.over) {
    const remedy = parent ? "step back to ask bots" : "there is no move to ask bots about";
    return `The game is over here: ${remedy}.`;
  }
  return point.automa ? "The Automa moves here: step on or back to ask bots." : "";
}
