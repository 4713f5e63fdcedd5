/* Mouse, touch and wheel: drag a patch from its card to the quilt board, and move it there. A patch
   that was clicked follows the mouse over the board until a click places it. */
import { SIZE, drawLeather, findLook } from "../shared/cloth.js";
import { closest, draw, make, targetOf } from "../shared/dom.js";

/** @import { Pair, Seat } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @import { Hand, InHand } from "./hand.js" */
/** @typedef {ReturnType<typeof beginPointing>} Pointing */

/**
 * @typedef {{
 *   hand: Hand,
 *   seat: () => Seat | null,
 *   take: (patch: string) => void,
 *   changed: (isSettled?: boolean) => void,
 * }} Acts callbacks of the table: `seat` returns the seat that the reader can play, null for none
 */
/**
 * @typedef {{
 *   patch: string | null,
 *   x: number,
 *   y: number,
 *   id: number,
 *   isTouch: boolean,
 *   carried: HTMLElement | null,
 * }} Held the last position of a pressed pointer, and what it carries
 */

const LIFT = 46; // pixels: the height of a patch above a finger, which would hide it
const START = 6; // pixels: a shorter movement is a click
const EDGE = 56; // pixels: at this distance from the top or bottom of the window the page scrolls
const SPEED = 0.5; // pixels in a millisecond
const MARGIN = 0.6; // squares: a patch this far outside of the board still counts as over it
const UNDRAWN = 30; // pixels: the side of a square while no board is drawn

/**
 * Listen to the pointer within an element.
 * @param {HTMLElement} root
 * @param {Boards} boards
 * @param {Acts} acts
 * @param {AbortSignal} [signal] ends the listening
 */
export function beginPointing(root, boards, acts, signal = new AbortController().signal) {
  const { hand } = acts;
  const { edition } = boards;
  /** @type {Held | null} */
  let held = null;
  let isScrolling = false;
  let isFloating = false; // the patch in hand follows the mouse

  /** @returns {SVGSVGElement | null} */
  const findBoard = () =>
    acts.seat() === null ? null : document.querySelector(`#seat-${acts.seat()} .quilt`);

  /**
   * Return true if an event is on the board that the reader can play on.
   * @param {Event} event
   */
  const isOnBoard = (event) => findBoard()?.contains(targetOf(event)) ?? false;

  /**
   * Convert a point of the window to squares on the board; return null outside of the board.
   * @param {number} x
   * @param {number} y
   * @returns {Pair | null}
   */
  const locate = (x, y) => {
    const matrix = findBoard()?.getScreenCTM();
    if (!matrix) return null;
    const point = new DOMPoint(x, y).matrixTransform(matrix.inverse());
    const [right, down] = [point.x / SIZE, point.y / SIZE];
    const isAcross = right > -MARGIN && right < edition.columns + MARGIN;
    return isAcross && down > -MARGIN && down < edition.rows + MARGIN ? [right, down] : null;
  };

  /** Return the side of a square in pixels. */
  const findScale = () => {
    const matrix = findBoard()?.getScreenCTM();
    return matrix ? matrix.a * SIZE : UNDRAWN;
  };

  /** Draw the patch in hand. */
  const drawInHand = () => {
    const scale = findScale();
    if (hand.patch === null) return [];
    if (hand.patch !== "leather") {
      const size = scale / parseFloat(getComputedStyle(document.documentElement).fontSize);
      return [boards.drawPatch(hand.patch, hand.orientation, { size })];
    }
    const svg = draw("svg", { viewBox: "-1 -1 22 22", width: scale, height: scale });
    svg.append(drawLeather(findLook()));
    return [svg];
  };

  /** @param {Held} pointer */
  const drawCarried = (pointer) => {
    pointer.carried?.remove();
    const carried = make("div", { class: "carried", "aria-hidden": "true" });
    carried.append(...drawInHand());
    document.body.append(carried);
    Object.assign(pointer, { carried });
    follow(pointer);
  };

  /**
   * Move the carried patch to the pointer.
   * @param {Held} pointer
   */
  const follow = ({ x, y, isTouch, carried }) => {
    if (!carried) return;
    const top = y - (isTouch ? LIFT : 0);
    const { width, height } = carried.getBoundingClientRect();
    carried.style.transform = `translate(${x - width / 2}px, ${top - height / 2}px)`;
    const place = locate(x, top);
    carried.classList.toggle("over", Boolean(place));
    if (place) hand.layAt(...place);
    else hand.lift();
    acts.changed();
  };

  /**
   * Return how many pixels of the board are hidden beyond the edge at which a patch is held:
   * negative above the window, positive below it.
   * @param {Held | null} pointer
   */
  const findRest = (pointer) => {
    const box = pointer?.carried && findBoard()?.getBoundingClientRect();
    if (!box) return 0;
    if (pointer.y < EDGE) return Math.min(0, box.top);
    if (pointer.y <= innerHeight - EDGE) return 0;
    return Math.max(0, box.bottom - innerHeight + (pointer.isTouch ? LIFT : 0));
  };

  /**
   * Scroll while a patch is held at an edge.
   * @param {number} since the time of the last frame
   */
  const scroll = (since) =>
    requestAnimationFrame((now) => {
      const [rest, before] = [findRest(held), scrollY];
      isScrolling = rest !== 0;
      if (!held || !isScrolling) return;
      // clamped, because after a long frame the patch would be outside of the board
      const far = Math.ceil(Math.min(Math.abs(rest), SPEED * Math.max(0, now - since)));
      scrollBy({ top: Math.sign(rest) * far, behavior: "instant" });
      if (scrollY !== before) follow(held);
      scroll(now);
    });

  /**
   * Return what a pressed pointer holds: the patch of a card, null for the patch that is already on
   * the board, undefined for nothing.
   * @param {Event} event
   */
  const findHeld = (event) => {
    const card = closest(targetOf(event), "[data-card]");
    if (card instanceof HTMLButtonElement && !card.disabled) return card.dataset.card;
    return isOnBoard(event) && hand.patch !== null ? null : undefined;
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
    if (pointer.patch !== null) acts.take(pointer.patch);
    drawCarried(pointer);
    return true;
  };

  /**
   * Let the patch in hand follow the mouse.
   * @param {PointerEvent} event
   */
  const float = (event) => {
    if (held || !isFloating || event.pointerType !== "mouse" || acts.seat() === null) return;
    const place = isOnBoard(event) ? locate(event.clientX, event.clientY) : null;
    if (place) hand.layAt(...place);
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
    follow(pointer);
    if (isScrolling || !findRest(pointer)) return;
    isScrolling = true;
    scroll(performance.now());
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
    const place = locate(event.clientX, event.clientY);
    // a click on the board places the patch there; a card handles its own clicks
    if (!carried && patch === null && place) hand.layAt(...place);
    if (place) isFloating = false;
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
    if (held?.carried) drawCarried(held);
    acts.changed(true);
  };

  /** @param {WheelEvent} event */
  const spin = (event) => {
    if (event.ctrlKey) return; // zooms the page; a pinch on a touchpad sends the same event
    if (acts.seat() === null || hand.patch === null) return;
    if (!held && !isOnBoard(event)) return;
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
    if (!held && !(hand.patch !== null && isOnBoard(event))) return;
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
      if (held?.carried) drawCarried(held);
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
