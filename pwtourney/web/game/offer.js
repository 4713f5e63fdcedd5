/* The patches on offer as cards at the scale of the quilt board, and the actions below them. While
   nobody can choose, the cards show what is on offer all the same. */
import { measurePatches, writePrice } from "../shared/band.js";
import { $, addSpoken, make, setMeasures } from "../shared/dom.js";
import { describePatch } from "../shared/sentences.js";
import { standUpright } from "../shared/shapes.js";
import { drawSketch } from "./sketch.js";
import { tellBriefly, tellEffects, tellStep } from "./steps.js";

/** @import { Choices, Offered, Position, Step } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @import { Hand, InHand } from "./hand.js" */

/**
 * @typedef {{
 *   choose: (patch: InHand, isByKey: boolean) => void,
 *   play: (action: string) => void,
 *   plan: (step: Step | null) => void,
 * }} Acts callbacks of the table: `plan` shows where a token would go
 */

/**
 * Return the function that draws the offer.
 * @param {HTMLElement} root the element of the game, whose styles need the sizes of the patches
 * @param {Boards} boards
 * @param {Hand} hand
 * @param {Acts} acts
 */
export function makeOffer(root, boards, hand, acts) {
  const { edition, icons } = boards;
  setMeasures(root, {
    columns: edition.columns,
    rows: edition.rows,
    offered: edition.offer,
    ...measurePatches(edition),
  });

  /**
   * Show where a token would go while a button is pointed at or has the focus.
   * @param {HTMLElement} button
   * @param {() => Step | null} find returns what to show; null for the way of what is in hand
   */
  const offerWay = (button, find) => {
    ["pointerenter", "focus"].forEach((type) => {
      button.addEventListener(type, () => acts.plan(find()));
    });
    ["pointerleave", "blur"].forEach((type) => {
      button.addEventListener(type, () => acts.plan(null));
    });
  };

  /**
   * Make the button of a patch that can be taken in hand.
   * @param {InHand} patch
   */
  const makeCard = (patch) => {
    const card = make("button", {
      type: "button",
      class: "card",
      "data-card": patch,
      "aria-pressed": hand.patch === patch,
    });
    card.addEventListener("click", (event) => acts.choose(patch, event.detail === 0));
    return card;
  };

  /**
   * Fill the card of a patch with its picture and its price.
   * @param {HTMLElement} card
   * @param {number} patch
   */
  const fillCard = (card, patch) => {
    const [rows] = edition.patches[patch];
    const orientation = hand.patch === patch ? hand.orientation : standUpright(rows);
    const cloth = make("span", { class: "cloth" });
    cloth.append(boards.drawPatch(patch, orientation, { size: 1 }));
    card.append(cloth, writePrice(boards, patch));
  };

  /**
   * Draw a patch that can be chosen: its effects, or why it cannot be taken.
   * @param {Offered} offered
   */
  const drawCard = ({ patch, problem, step }) => {
    const card = makeCard(patch);
    fillCard(card, patch);
    const brief = step ? tellBriefly(step) : problem.replace(`patch ${patch} `, "");
    card.append(make("small", { "aria-hidden": "true" }, brief));
    const words = describePatch(edition, patch);
    const brings = step ? tellStep(step, edition.currency) : problem;
    addSpoken(card, `${words}, shape ${edition.patches[patch][0].join("/")}; ${brings}`);
    card.title = brings;
    card.classList.toggle("barred", Boolean(problem));
    // a patch in hand is carried over other cards
    offerWay(card, () => (hand.patch === null ? step : null));
    return card;
  };

  /**
   * Draw a patch on offer while nobody can choose it here.
   * @param {number} patch
   */
  const drawShown = (patch) => {
    const card = make("div", { class: "card shown", "data-patch": patch });
    fillCard(card, patch);
    addSpoken(card, describePatch(edition, patch));
    return card;
  };

  const drawLeatherCard = () => {
    const card = makeCard("leather");
    const cloth = make("span", { class: "cloth leather-alone" });
    cloth.append(drawSketch(boards, "leather"));
    const words = "It is free and covers one empty square: choose which on your quilt board.";
    card.append(
      cloth,
      make("span", { class: "price" }, "special patch"),
      make("small", { class: "prose" }, words),
    );
    return card;
  };

  /**
   * Make a button for an action without a placement: to advance, or to decline.
   * @param {string} action
   * @param {Step} step
   */
  const drawPlain = (action, step) => {
    const button = make("button", { type: "button", class: "card plain", id: action });
    const gain = step.buttons[1] - step.buttons[0];
    button.append(make("strong", {}, action));
    if (gain) {
      const brings = make("span", { class: "brings" }, `+${gain}`);
      brings.append(icons.button());
      button.append(brings);
    }
    button.append(make("span", { class: "effects" }, tellEffects(step)));
    button.title = tellStep(step, edition.currency);
    button.addEventListener("click", () => acts.play(action));
    offerWay(button, () => step);
    return button;
  };

  /**
   * Draw the choices of a position; null if nobody can choose here.
   * @param {Position} position
   * @param {Choices | null} choices
   */
  return ({ circle }, choices) => {
    const { patches, advance, decline } = choices ?? {};
    const shown = circle.slice(0, edition.offer);
    const cards = choices ? (patches?.map(drawCard) ?? [drawLeatherCard()]) : shown.map(drawShown);
    $("offer").replaceChildren(...cards);
    const plain = [];
    if (advance) plain.push(drawPlain("advance", advance));
    if (decline) plain.push(drawPlain("decline", decline));
    $("plain").replaceChildren(...plain);
  };
}
