/* Mouse, touch and wheel: drag a patch from its card to the quilt board, and move it there. A patch
   that was clicked follows the mouse over the board until a click places it. */
import { closest, targetOf } from "../shared/dom.js";
import { makeAim } from "./aim.js";
import { makeCarrier } from "./carrying.js";

/** @import { Seat } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @import { Held } from "./carrying.js" */
/** @import { Hand, InHand } from "./hand.js" */
/** @typedef {ReturnType<typeof beginPointing>} Pointing */

/**
 * @typedef {{
 *   hand: Hand,
 *   seat: () => Seat | null,
 *   onTake: () => void,
 *   changed: (isSettled?: boolean) => void,
 * }} Acts callbacks of the table: `seat` returns the seat that the reader can play, null for none;
 *   `onTake` is called when a patch is taken in hand
 */

const START = 6; // pixels: a shorter movement is a click

/**
 * Listen to the pointer within an element.
 * @param {HTMLElement} root
 * @param {Boards} boards
 * @param {Acts} acts
 * @param {AbortSignal} [signal] ends the listening
 */
export function beginPointing(root, boards, acts, signal = new AbortController().signal) {
  const { hand } = acts;
  const aim = makeAim(boards.edition, acts.seat);
  const carrier = makeCarrier(boards, hand, aim, acts.changed);
  /** @type {Held | null} */
  let held = null;
  let isFloating = false; // the patch in hand follows the mouse

  /**
   * Return what a pressed pointer holds: the patch of a card, null for the patch that is already on
   * the board, undefined for nothing.
   * @param {Event} event
   */
  const findHeld = (event) => {
    const card = closest(targetOf(event), "[data-card]");
    if (card instanceof HTMLButtonElement && !card.disabled) return card.dataset.card;
    return aim.isOnBoard(event) && hand.patch !== null ? null : undefined;
  };

  /** @param {PointerEvent} event */
  const pressDown = (event) => {
    if (event.button > 0 || held || acts.seat() === null) return;
    const patch = findHeld(event);
    if (patch === undefined) return;
    const { clientX: x, clientY: y, pointerId: id, pointerType } = event;
    held = { patch, x, y, id, isTouch: pointerType === "touch", carried: null };
  };

  /**
   * Start to carry what a pointer holds once it has moved; return true if it is carried.
   * @param {Held} pointer
   * @param {PointerEvent} event
   */
  const carry = (pointer, { clientX, clientY }) => {
    if (pointer.carried) return true;
    if (Math.hypot(clientX - pointer.x, clientY - pointer.y) < START) return false;
    if (acts.seat() === null) {
      held = null; // the turn has passed in the meantime
      return false;
    }
    if (pointer.patch !== null) {
      hand.take(pointer.patch === "leather" ? pointer.patch : Number(pointer.patch));
      acts.onTake();
    }
    carrier.take(pointer);
    return true;
  };

  /**
   * Let the patch in hand follow the mouse.
   * @param {PointerEvent} event
   */
  const float = (event) => {
    if (held || !isFloating || event.pointerType !== "mouse" || acts.seat() === null) return;
    const corner = aim.isOnBoard(event) ? aim.locate(event.clientX, event.clientY) : null;
    if (corner) hand.layOver(...corner);
    else if (hand.corner) hand.lift();
    else return;
    acts.changed();
  };

  /** @param {PointerEvent} event */
  const move = (event) => {
    float(event);
    const pointer = held;
    if (!pointer || event.pointerId !== pointer.id || !carry(pointer, event)) return;
    event.preventDefault();
    Object.assign(pointer, { x: event.clientX, y: event.clientY });
    carrier.carryOn(pointer);
  };

  /** @param {PointerEvent} event */
  const release = (event) => {
    if (!held || event.pointerId !== held.id) return;
    const { carried, patch } = held;
    held = null;
    carried?.remove();
    if (event.type === "pointercancel") {
      acts.changed();
      return;
    }
    const corner = aim.locate(event.clientX, event.clientY);
    // a click on the board places the patch there; a card handles its own clicks
    if (!carried && patch === null && corner) hand.layOver(...corner);
    if (corner) isFloating = false;
    acts.changed(true);
  };

  /**
   * Keep the browser from taking a quick drag for a fling: it ignores the tap after a fling, which
   * would be on "Play".
   * @param {TouchEvent} event
   */
  const stopFling = (event) => {
    if (held?.isTouch) event.preventDefault();
  };

  /** Draw the patch after a turn. */
  const showTurned = () => {
    if (held?.carried) carrier.take(held);
    acts.changed(true);
  };

  /** @param {WheelEvent} event */
  const spin = (event) => {
    if (event.ctrlKey) return; // zooms the page; a pinch on a touchpad sends the same event
    if (acts.seat() === null || hand.patch === null) return;
    if (!held && !aim.isOnBoard(event)) return;
    event.preventDefault();
    if (event.shiftKey) hand.flip();
    else hand.rotate(event.deltaY > 0 || event.deltaX > 0 ? 1 : -1);
    showTurned();
  };

  /**
   * Flip with the right button. A long touch fires the same event, and only continues the drag.
   * @param {MouseEvent} event
   */
  const openMenu = (event) => {
    if (!held && !(hand.patch !== null && aim.isOnBoard(event))) return;
    event.preventDefault();
    const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
    if (hand.patch === null || held?.isTouch || isTouch) return;
    hand.flip();
    showTurned();
  };

  root.addEventListener("pointerdown", pressDown, { signal });
  addEventListener("pointermove", move, { passive: false, signal });
  addEventListener("pointerup", release, { signal });
  addEventListener("pointercancel", release, { signal });
  root.addEventListener("touchmove", stopFling, { passive: false, signal });
  root.addEventListener("wheel", spin, { passive: false, signal });
  root.addEventListener("contextmenu", openMenu, { signal });

  return {
    /** Let the patch in hand follow the mouse until a click places it, or end that. */
    float: (isOn = true) => {
      isFloating = isOn;
    },
    /** End a drag if its patch is no longer in hand. */
    drop: () => {
      if (!held?.carried) return;
      held.carried.remove();
      held = null;
    },
    /** Redraw the carried patch after a key has turned it. */
    redraw: () => {
      if (held?.carried) carrier.take(held);
    },
    /** Return true if a patch is being dragged. */
    isHolding: () => Boolean(held?.carried),
  };
}

/**
 * Take a patch in hand, or put it back if it was in hand. A key places it on the board at once.
 * @param {Hand} hand
 * @param {Pointing} pointing
 * @param {InHand} patch
 * @param {HTMLElement | null} field the board if a key chose the patch, null for the pointer
 */
export function takeInHand(hand, pointing, patch, field) {
  hand.take(hand.patch === patch && !field ? null : patch);
  hand.fit();
  pointing.float(!field);
  if (!field) return;
  hand.lay();
  field.focus({ preventScroll: true });
}
