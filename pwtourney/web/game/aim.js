/* Where on the quilt board a pointer is. */
import { SIZE } from "../shared/cloth.js";
import { targetOf } from "../shared/dom.js";

/** @import { Edition, Pair, Seat } from "../types.d.ts" */
/** @typedef {ReturnType<typeof makeAim>} Aim */

const MARGIN = 0.6; // squares: a patch this far outside of the board still counts as over it
const UNDRAWN = 30; // pixels: the side of a square while no board is drawn

/**
 * Return what finds the board that the reader can play on, and places on it.
 * @param {Edition} edition
 * @param {() => Seat | null} findSeat returns the seat that the reader can play, null for none
 */
export function makeAim(edition, findSeat) {
  /** @returns {SVGSVGElement | null} */
  const findBoard = () => {
    const seat = findSeat();
    return seat === null ? null : document.querySelector(`#seat-${seat} .quilt`);
  };

  /**
   * Return true if an event is on the board.
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

  return { findBoard, isOnBoard, locate, findScale };
}
