/* Describe in words what an action would change, as the server has computed it. */
import { count } from "../shared/sentences.js";

/** @import { Step } from "../types.d.ts" */

/**
 * Describe everything that an action would change.
 * @param {Step} step
 * @param {string} currency
 */
export function tellStep(step, currency) {
  const [[had, has], [old, income], [from, to]] = [step.buttons, step.income, step.space];
  const pays = step.marks > 1 ? `${step.marks} incomes pay` : "income pays";
  const paid = step.paid ? ` (${pays} ${step.paid})` : "";
  const leathers = step.leathers > 1 ? `${step.leathers} special patches` : "a special patch";
  const parts = [
    `${had} → ${has} ${currency}${paid}`,
    income === old ? "" : `income ${old} → ${income}`,
    to === from ? "" : `${count(to - from, "spaces")} to ${to}`,
    step.leathers ? leathers : "",
    step.tile ? "the special tile" : "",
    step.again && !step.leathers ? "you move again" : "",
    step.over ? "this ends the game" : "",
  ];
  return parts.filter(Boolean).join(", ");
}

/**
 * Describe the change in a short text that fits on a card.
 * @param {Step} step
 */
export function tellBriefly(step) {
  const parts = [
    `leaves ${step.buttons[1]}`,
    step.paid ? `pays ${step.paid}` : "",
    step.leathers ? "leather" : "",
    step.again ? "again" : "",
  ];
  return parts.filter(Boolean).join(", ");
}
