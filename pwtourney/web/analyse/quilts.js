/* The quilt boards of the editor with their numbers: a click or Enter acts on a square, and a ghost
   shows where the chosen patch would lie. The elements stay, what is in them changes. */
import { closest, make, readNumber, targetOf } from "../shared/dom.js";
import { SEATS } from "../shared/sentences.js";
import { NUMBERS, findCovered, moveCursor } from "./edited_position.js";

/** @import { FormValues, Orientation, Seat } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @typedef {{ patch: number | null, orientation: Orientation }} Brush the patch that the next click
    places as it lies; null for a single square */
/**
 * @typedef {{
 *   brush: () => Brush,
 *   act: (seat: Seat, square: number) => void,
 *   point: (seat: Seat, square: number) => void,
 *   keys: Record<string, () => void>,
 * }} QuiltHooks callbacks of the editor: use a square; say what is under the cursor that a key has
 *   moved; what other keys do
 */

/**
 * Make the field of a number.
 * @param {string} key
 * @param {Seat} seat
 */
function makeField(key, seat) {
  const label = make("label", {}, `${key} `);
  const field = { inputmode: "numeric", size: 3, autocomplete: "off" };
  label.append(make("input", { ...field, "data-field": `${key}:${seat}` }));
  return label;
}

/**
 * Return the square of an event on a board; null for none.
 * @param {Event} event
 */
function findSquare(event) {
  const square = closest(targetOf(event), "[data-square]");
  return square && readNumber(square, "square");
}

/**
 * Make both boards in an element.
 * @param {HTMLElement} root
 * @param {() => Boards} boards
 * @param {QuiltHooks} hooks
 */
export function makeQuilts(root, boards, hooks) {
  const cursor = [0, 0]; // the square under the cursor on each board

  /** Show on the board under the cursor where a click would place the patch. */
  const drawCursor = () => {
    const { patch, orientation } = hooks.brush();
    quilts.forEach((quilt, seat) => {
      const isPointed = quilt.matches(":focus, :hover");
      const square = cursor[seat];
      const covered =
        patch === null ? null : findCovered(boards().edition, patch, orientation, square);
      const ghost = new Set(covered ?? [square]);
      quilt.querySelectorAll("[data-square]").forEach((drawn) => {
        const number = readNumber(/** @type {SVGElement} */ (drawn), "square");
        drawn.classList.toggle("hinted", isPointed && ghost.has(number));
      });
    });
  };

  /**
   * Return what a key does on a board; null for nothing.
   * @param {string} key
   * @param {Seat} seat
   */
  const findAct = (key, seat) => {
    const square = moveCursor(boards().edition, cursor[seat], key);
    if (square !== null) {
      return () => {
        cursor[seat] = square;
        drawCursor();
        hooks.point(seat, square);
      };
    }
    if (key === "Enter" || key === " ") return () => hooks.act(seat, cursor[seat]);
    return hooks.keys[key.toLowerCase()] ?? null;
  };

  /**
   * @param {KeyboardEvent} event
   * @param {Seat} seat
   */
  const press = (event, seat) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const act = findAct(event.key, seat);
    if (!act) return;
    act();
    event.preventDefault();
  };

  /** @param {Seat} seat */
  const makeQuilt = (seat) => {
    const label = `Quilt board of the ${SEATS[seat]} seat: arrows move, Enter covers`;
    const attributes = { tabindex: 0, role: "application", "aria-label": label };
    const quilt = make("div", { class: "edit-quilt", ...attributes });
    quilt.addEventListener("click", (event) => {
      const square = findSquare(event);
      if (square === null) return;
      cursor[seat] = square;
      hooks.act(seat, square);
    });
    quilt.addEventListener("mousemove", (event) => {
      const square = findSquare(event);
      if (square === null || cursor[seat] === square) return;
      cursor[seat] = square;
      drawCursor();
    });
    quilt.addEventListener("keydown", (event) => press(event, seat));
    ["focus", "blur", "mouseleave"].forEach((kind) => quilt.addEventListener(kind, drawCursor));
    return quilt;
  };

  const quilts = SEATS.map((_, seat) => makeQuilt(seat));
  SEATS.forEach((name, seat) => {
    const board = make("div", { class: "board" });
    const fields = make("div", { class: "fields" });
    fields.append(
      make("h3", { class: `seat-${seat}` }, `${name} seat`),
      ...NUMBERS.map((key) => makeField(key, seat)),
    );
    board.append(fields, quilts[seat]);
    root.append(board);
  });

  return {
    drawCursor,
    /** @param {FormValues} values */
    draw: ({ players }) => {
      quilts.forEach((quilt, seat) => {
        const name = `the ${SEATS[seat]} seat`;
        quilt.replaceChildren(...boards().drawQuilt(name, players[seat].quilt, null));
      });
      drawCursor();
    },
    /** Put the cursor on the first square of both boards. */
    reset: () => cursor.fill(0),
  };
}
