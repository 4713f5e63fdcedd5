/* A patch that a pressed pointer carries over the page, which scrolls while it is held at an edge of
   the window. */
import { drawLeather, findLook } from "../shared/cloth.js";
import { draw, make } from "../shared/dom.js";

/** @import { Boards } from "../shared/boards.js" */
/** @import { Aim } from "./aim.js" */
/** @import { Hand } from "./hand.js" */

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
const EDGE = 56; // pixels: at this distance from the top or bottom of the window the page scrolls
const SPEED = 0.5; // pixels in a millisecond

/**
 * Return what carries the patch in hand.
 * @param {Boards} boards
 * @param {Hand} hand
 * @param {Aim} aim
 * @param {() => void} changed is called when the patch has moved
 */
export function makeCarrier(boards, hand, aim, changed) {
  let isScrolling = false;

  /** Draw the patch in hand. */
  const drawInHand = () => {
    const scale = aim.findScale();
    if (hand.patch === null) return [];
    if (hand.patch !== "leather") {
      const size = scale / parseFloat(getComputedStyle(document.documentElement).fontSize);
      return [boards.drawPatch(hand.patch, hand.orientation, { size })];
    }
    const svg = draw("svg", { viewBox: "-1 -1 22 22", width: scale, height: scale });
    svg.append(drawLeather(findLook()));
    return [svg];
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
    const corner = aim.locate(x, top);
    carried.classList.toggle("over", Boolean(corner));
    if (corner) hand.layAt(...corner);
    else hand.lift();
    changed();
  };

  /**
   * Draw the patch in hand at a pointer, which carries it from now on.
   * @param {Held} pointer
   */
  const take = (pointer) => {
    pointer.carried?.remove();
    const carried = make("div", { class: "carried", "aria-hidden": "true" });
    carried.append(...drawInHand());
    document.body.append(carried);
    Object.assign(pointer, { carried });
    follow(pointer);
  };

  /**
   * Return how many pixels of the board are hidden beyond the edge at which a patch is held:
   * negative above the window, positive below it.
   * @param {Held} pointer
   */
  const findRest = (pointer) => {
    const box = pointer.carried?.isConnected && aim.findBoard()?.getBoundingClientRect();
    if (!box) return 0;
    if (pointer.y < EDGE) return Math.min(0, box.top);
    if (pointer.y <= innerHeight - EDGE) return 0;
    return Math.max(0, box.bottom - innerHeight + (pointer.isTouch ? LIFT : 0));
  };

  /**
   * Scroll while a patch is held at an edge.
   * @param {Held} pointer
   * @param {number} since the time of the last frame
   */
  const scroll = (pointer, since) =>
    requestAnimationFrame((now) => {
      const [rest, before] = [findRest(pointer), scrollY];
      isScrolling = rest !== 0;
      if (!isScrolling) return;
      // clamped, because after a long frame the patch would be outside of the board
      const far = Math.ceil(Math.min(Math.abs(rest), SPEED * Math.max(0, now - since)));
      scrollBy({ top: Math.sign(rest) * far, behavior: "instant" });
      if (scrollY !== before) follow(pointer);
      scroll(pointer, now);
    });

  /**
   * Move the carried patch to where the pointer is now, and scroll if that is at an edge.
   * @param {Held} pointer
   */
  const carryOn = (pointer) => {
    follow(pointer);
    if (isScrolling || !findRest(pointer)) return;
    isScrolling = true;
    scroll(pointer, performance.now());
  };

  return { take, carryOn };
}
