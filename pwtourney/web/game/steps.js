/* Describe in words what an action would change, as the server has computed it. */
import { count } from "../shared/sentences.js";

/** @import { Choices, Step } from "../types.d.ts" */

/**
 * Describe what an action would change, apart from the buttons.
 * @param {Step} step
 */
function listEffects(step) {
  const [[old, income], [from, to]] = [step.income, step.space];
  const leathers = step.leathers > 1 ? `${step.leathers} special patches` : "a special patch";
  return [
    income === old ? "" : `income ${old} → ${income}`,
    to === from ? "" : `${count(to - from, "spaces")} to ${to}`,
    step.leathers ? leathers : "",
    step.tile ? "the special tile" : "",
    step.again && !step.leathers ? "you move again" : "",
    step.over ? "this ends the game" : "",
  ].filter(Boolean);
}

/**
 * Describe everything that an action would change.
 * @param {Step} step
 * @param {string} currency
 */
export function tellStep(step, currency) {
  const [had, has] = step.buttons;
  const pays = step.marks > 1 ? `${step.marks} incomes pay` : "income pays";
  const paid = step.paid ? ` (${pays} ${step.paid})` : "";
  return [`${had} → ${has} ${currency}${paid}`, ...listEffects(step)].join(", ");
}

/**
 * Describe what an action would change, apart from the buttons, in one line.
 * @param {Step} step
 */
export function tellEffects(step) {
  return listEffects(step).join(", ");
}

/**
 * Say how the patch in hand gets onto the quilt board, the easiest way first.
 * @param {boolean} isSpecial
 * @param {boolean} [isTouch]
 */
export function describePlace(isSpecial, isTouch = matchMedia("(pointer: coarse)").matches) {
  const where = isSpecial ? "an empty square" : "a square";
  const step = `${isTouch ? "Tap" : "Click"} ${where} to place it`;
  if (isSpecial) return `${step}.`;
  return isTouch ? `${step}, then turn or flip it below.` : `${step}; R turns it, F flips it.`;
}

/**
 * Say what can be chosen with an empty hand.
 * @param {Choices} choices
 */
export function describeChoice({ patches, leather }) {
  if (leather?.length) return "Choose the special patch, then an empty square.";
  if (leather) return "Your quilt board is full: decline the special patch.";
  if (patches?.every(({ problem }) => problem)) {
    return "You can take none of these patches: advance.";
  }
  return "Choose a patch, or advance.";
}

/**
 * Say why an action is not possible, in a sentence about the patch that is seen in hand.
 * @param {string} problem
 */
export function tellProblem(problem) {
  return `${problem.replace(/^patch \d+ costs/, "It costs")}.`;
}

/**
 * Describe the change in a short text that fits on a card.
 * @param {Step} step
 */
export function tellBriefly(step) {
  const parts = [
    step.paid ? `income pays ${step.paid}` : "",
    `you keep ${step.buttons[1]}`,
    step.leathers ? "special patch" : "",
    step.again && !step.leathers ? "move again" : "",
  ];
  return parts.filter(Boolean).join(", ");
}
