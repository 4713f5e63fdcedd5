/* The quilt boards of a table, with the patch in hand. */
import { SIZE, drawLeather, drawPatch, findLook, traceOutline } from "../shared/cloth.js";
import { $, draw, make, query } from "../shared/dom.js";
import { placeSquare } from "../shared/shapes.js";

/** @import { Edition, Position, Seat, TableFacts } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @import { Hand } from "./hand.js" */

const HELP = "Your quilt board: 1 to 3 take a patch, arrows move it, R turns, F flips, Enter plays";

/**
 * Draw the patch in hand on the board of the player to move.
 * @param {Edition} edition
 * @param {Hand} hand
 */
function drawGhost(edition, hand) {
  const kind = hand.isLegal() ? "fits" : "misfits";
  const ghost = draw("g", { class: `ghost ${kind}`, "pointer-events": "none" });
  const { patch, corner } = hand;
  if (patch === null || !corner) return ghost;
  const look = findLook();
  const [row, column] = corner;
  const cloth = draw("g", { transform: `translate(${column * SIZE} ${row * SIZE})` });
  cloth.append(
    patch === "leather"
      ? drawLeather(look)
      : drawPatch(patch, edition.patches[patch], hand.orientation, look),
  );
  const places = hand.squares().map((square) => placeSquare(edition, square));
  ghost.append(cloth, draw("path", { class: "outline", d: traceOutline(places), fill: "none" }));
  return ghost;
}

/**
 * Mark each square that the patch in hand could cover, with a dot that hides nothing.
 * @param {Edition} edition
 * @param {Hand} hand
 */
function drawLights(edition, hand) {
  const lights = draw("g", { class: "lights", "pointer-events": "none" });
  hand.lit().forEach((square) => {
    const [column, row] = placeSquare(edition, square);
    const place = { cx: (column + 0.5) * SIZE, cy: (row + 0.5) * SIZE };
    lights.append(draw("circle", { ...place, r: 2.4 }));
  });
  return lights;
}

/**
 * Return the functions that draw the quilt boards of a table.
 * @param {TableFacts} facts
 * @param {Boards} boards
 */
export function makeSeats(facts, boards) {
  const { edition } = boards;
  const names = facts.seats.map((seat) => seat.name);

  /**
   * Draw one side. `before` is the position one ply before, or null.
   * @param {Position} position
   * @param {Position | null} before
   * @param {Seat} seat
   * @param {{ isNear: boolean, isMine: boolean }} kind whether the board is the large one, and
   *   whether the reader can play on it
   */
  const drawSide = (position, before, seat, { isNear, isMine }) => {
    const box = query(document, isNear ? ".side.near" : ".side:not(.near)");
    box.id = `seat-${seat}`; // the boxes stay, also where the players at one screen swap boards
    box.classList.toggle("mine", isMine);
    box.setAttribute("aria-label", `Quilt board of ${names[seat]}`);
    if (facts.seats[seat].kind === "automa") {
      const words = "The Automa has no quilt board: it turns over cards.";
      box.replaceChildren(make("p", { class: "lead" }, words));
      return;
    }
    const field = make("div", { class: "field" });
    const earlier = before?.players[seat].quilt ?? null;
    const { quilt } = position.players[seat];
    field.append(...boards.drawQuilt(names[seat], quilt, earlier, { coordinates: isNear }));
    if (isMine) {
      field.tabIndex = 0;
      field.setAttribute("role", "application");
      field.setAttribute("aria-label", HELP);
    }
    box.replaceChildren(field);
  };

  /**
   * Redraw only the patch in hand; called at every move of the pointer.
   * @param {Hand} hand
   * @param {Seat | null} seat
   */
  const drawHand = (hand, seat) => {
    document.querySelectorAll(".ghost, .lights").forEach((part) => part.remove());
    const svg = seat === null ? null : $(`seat-${seat}`).querySelector(".quilt");
    svg?.append(drawLights(edition, hand), drawGhost(edition, hand));
  };

  return { names, drawSide, drawHand };
}
