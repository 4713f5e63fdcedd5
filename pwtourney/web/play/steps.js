/* What an action would change, in words; the server has computed it. */

import * as Sentences from "../shared/sentences.js";

const of = ({ currency }) => {
  const tell = (step) => {
    const [[had, has], [old, income], [from, to]] = [step.buttons, step.income, step.space];
    const paid = step.paid ? ` (${step.marks > 1 ? `${step.marks} incomes pay` : "income pays"} ${step.paid})` : "";
    const told = [`${had} → ${has} ${currency}${paid}`];
    if (income !== old) told.push(`income ${old} → ${income}`);
    if (to !== from) told.push(`${Sentences.count(to - from, "spaces")} to ${to}`);
    if (step.leathers) told.push(step.leathers > 1 ? `${step.leathers} special patches` : "a special patch");
    if (step.tile) told.push("the special tile");
    if (step.again && !step.leathers) told.push("you move again");
    if (step.over) told.push("this ends the game");
    return told.join(", ");
  };

  /* What fits on a card. */
  const tellBriefly = (step) => [
    `leaves ${step.buttons[1]}`, step.paid ? `pays ${step.paid}` : "", step.leathers ? "leather" : "",
    step.again ? "again" : "",
  ].filter(Boolean).join(", ");

  return { tell, tellBriefly };
};

export { of };
