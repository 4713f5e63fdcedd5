/* The circle of patches as a band, from the neutral token on: each patch with its price, and
   enlarged while it is pointed at. The slots of a band have fixed places; what is in them changes. */
import { drawPawn, findLook } from "./cloth.js";
import { addSpoken, draw, make, setMeasures } from "./dom.js";
import { describePatch } from "./sentences.js";
import { standUpright } from "./shapes.js";

/** @import { Edition, Position } from "../types.d.ts" */
/** @import { Boards } from "./boards.js" */

/**
 * Return the sides of the smallest box that each patch of an edition fits in, standing upright.
 * @param {Edition} edition
 * @returns {{ wide: number, tall: number }} in squares
 */
export function measurePatches({ patches }) {
  const sizes = Object.values(patches).map(([rows]) => [rows.length, rows[0].length]);
  return {
    wide: Math.max(...sizes.map((size) => Math.min(...size))),
    tall: Math.max(...sizes.map((size) => Math.max(...size))),
  };
}

/**
 * Draw a patch alone, standing upright, with squares as wide as the letters around it are high.
 * @param {Boards} boards
 * @param {number} number
 */
export function drawUpright(boards, number) {
  const orientation = standUpright(boards.edition.patches[number][0]);
  return boards.drawPatch(number, orientation, { size: 1 });
}

/**
 * Write what a patch costs and brings, as numbers with pictures.
 * @param {Boards} boards
 * @param {number} number
 */
export function writePrice({ edition, icons }, number) {
  const [, cost, time, income] = edition.patches[number];
  const price = make("span", { class: "price", "aria-hidden": "true" });
  const parts = [
    make("span", { class: "cost" }, cost),
    icons.button(),
    make("span", { class: "time" }, time),
    icons.hourglass(),
  ];
  price.append(...parts);
  if (income) price.append(make("span", { class: "earns" }, `+${income}`), icons.button());
  return price;
}

/**
 * Draw the circle as a list of slots. The first slot has the neutral token, the next ones the
 * patches on offer; after the end of a game no patch is on offer.
 * @param {Boards} boards
 * @param {Pick<Position, "circle" | "over">} position
 */
export function drawBand(boards, { circle, over }) {
  const { edition } = boards;
  const label = "circle from the neutral token clockwise";
  const list = make("ol", { class: "band scroll", "aria-label": label });
  setMeasures(list, { slots: Object.keys(edition.patches).length + 1 });
  const look = findLook();
  const pawn = draw("svg", { class: "pawn", "aria-hidden": "true", viewBox: "-12 -14 24 28" });
  pawn.append(drawPawn(look));
  const start = make("li", { class: "start" });
  start.append(pawn);
  addSpoken(start, "the neutral token");
  list.append(start);
  circle.forEach((number, index) => {
    const isOffered = !over && index < edition.offer;
    const item = make("li", { "data-patch": number, class: isOffered ? "offered" : "" });
    const words = describePatch(edition, number);
    const button = make("button", { type: "button", "data-lens": number });
    button.append(drawUpright(boards, number), writePrice(boards, number));
    addSpoken(button, `${words}${isOffered ? ", on offer" : ""}`);
    item.append(button);
    list.append(item);
  });
  return list;
}

/**
 * Show any patch of a band enlarged while it is pointed at or has the focus.
 * @param {HTMLElement} root
 * @param {Boards} boards
 * @param {AbortSignal} [signal] ends that
 */
export function offerLens(root, boards, signal = new AbortController().signal) {
  const lens = make("div", { class: "lens", "aria-hidden": "true", hidden: "" });
  document.body.append(lens);
  signal.addEventListener("abort", () => lens.remove());

  const hide = () => {
    lens.hidden = true;
  };

  /** @param {Event} event */
  const show = ({ target }) => {
    const button = target instanceof Element ? target.closest("[data-lens]") : null;
    if (!(button instanceof HTMLElement)) {
      hide();
      return;
    }
    const number = Number(button.dataset.lens);
    lens.replaceChildren(drawUpright(boards, number), writePrice(boards, number));
    lens.hidden = false;
    const box = button.getBoundingClientRect();
    const [width, height] = [lens.offsetWidth, lens.offsetHeight];
    const left = Math.min(
      innerWidth - width - 4,
      Math.max(4, box.left + box.width / 2 - width / 2),
    );
    const isRoom = box.top - height > 4;
    lens.style.left = `${left}px`;
    lens.style.top = `${isRoom ? box.top - height - 4 : box.bottom + 4}px`;
  };

  /**
   * A lifted finger leaves, too: what it has tapped stays until it taps elsewhere.
   * @param {PointerEvent} event
   */
  const leave = ({ pointerType }) => {
    if (pointerType !== "touch") hide();
  };

  /** @param {PointerEvent} event */
  const press = ({ target }) => {
    if (!(target instanceof Node && root.contains(target))) hide();
  };

  root.addEventListener("pointerover", show, { signal });
  root.addEventListener("pointerleave", leave, { signal });
  document.addEventListener("pointerdown", press, { signal });
  root.addEventListener("focusin", show, { signal });
  root.addEventListener("focusout", hide, { signal });
  document.addEventListener("scroll", hide, { passive: true, capture: true, signal });
}
