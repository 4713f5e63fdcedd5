/* The quilt boards of a game, with the patch in hand. */
import {
  SIZE,
  drawLeather,
  drawPatch,
  fillSquares,
  findLook,
  traceOutline,
} from "../shared/cloth.js";
import { $, draw, make } from "../shared/dom.js";
import { coverAction, placeSquare } from "../shared/shapes.js";

/** @import { Edition, Orientation, Position, Quilt, Seat, Seated } from "../types.d.ts" */
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
 * Draw a patch or a special patch, turned as an action says, at the origin.
 * @param {Edition} edition
 * @param {string} action
 */
function drawCloth(edition, action) {
  const [patch, orientation] = action.split(":");
  const look = findLook();
  if (patch === "leather") return drawLeather(look);
  const turned = /** @type {Orientation} */ (orientation);
  return drawPatch(Number(patch), edition.patches[patch], turned, look);
}

/**
 * Draw the placement of a move on a board: a light picture where the board is empty, so that nothing
 * that lies there is hidden, and an outline of all its squares.
 * @param {Edition} edition
 * @param {string} action
 * @param {string} kind
 * @param {Quilt} quilt
 */
function drawLaid(edition, action, kind, quilt) {
  const group = draw("g", { class: `laid ${kind}`, "pointer-events": "none" });
  const squares = coverAction(edition, action);
  if (!squares.length) return group;
  const places = squares.map((square) => placeSquare(edition, square));
  const left = Math.min(...places.map(([column]) => column));
  const top = Math.min(...places.map(([, row]) => row));
  const cloth = draw("g", { transform: `translate(${left * SIZE} ${top * SIZE})` });
  cloth.append(drawCloth(edition, action));
  const free = places.filter((_, index) => !quilt[squares[index]]);
  const window = draw("clipPath", { id: `free-${kind}` });
  window.append(draw("path", { d: fillSquares(free) }));
  const picture = draw("g", { class: "picture", "clip-path": `url(#free-${kind})` });
  picture.append(cloth);
  const d = traceOutline(places);
  const outlines = ["edge", "outline"].map((name) =>
    draw("path", { class: name, d, fill: "none" }),
  );
  group.append(window, picture, ...outlines);
  return group;
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
    const centre = { cx: (column + 0.5) * SIZE, cy: (row + 0.5) * SIZE };
    lights.append(draw("circle", { ...centre, r: 2.4 }));
  });
  return lights;
}

/**
 * Return the quilt board of a seat; null for no seat, or if it has none.
 * @param {Seat | null} seat
 */
export function findField(seat) {
  const field = seat === null ? null : $(`seat-${seat}`).querySelector(".field");
  return field instanceof HTMLElement ? field : null;
}

/**
 * Return the functions that draw the quilt boards of a game.
 * @param {Seated} seated
 * @param {Boards} boards
 */
export function makeSeats({ names, automa }, boards) {
  const { edition } = boards;

  /**
   * Draw the board of a seat into a box. `before` is the position one ply before, or null.
   * @param {HTMLElement} box
   * @param {Position} position
   * @param {Position | null} before
   * @param {Seat} seat
   * @param {{ coordinates: boolean, isMine: boolean }} kind whether squares have names at the edge,
   *   and whether the reader can play on the board
   */
  const drawSide = (box, position, before, seat, { coordinates, isMine }) => {
    Object.assign(box, { id: `seat-${seat}` }); // the players at one screen swap boxes
    box.classList.toggle("mine", isMine);
    box.setAttribute("aria-label", `Quilt board of ${names[seat]}`);
    if (automa && seat === 1) {
      const words = "The Automa has no quilt board: it turns over cards.";
      box.replaceChildren(make("p", { class: "lead" }, words));
      return;
    }
    const field = make("div", { class: "field" });
    const earlier = before?.players[seat].quilt ?? null;
    const { quilt } = position.players[seat];
    field.append(...boards.drawQuilt(names[seat], quilt, earlier, { coordinates }));
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

  /**
   * Show where a move would lie, such as one that a bot prefers; null to show none.
   * @param {string} kind
   * @param {Seat} seat
   * @param {string | null} action
   * @param {Quilt} [quilt] what lies on the board of the seat
   */
  const lay = (kind, seat, action, quilt = []) => {
    document.querySelectorAll(`.laid.${kind}`).forEach((part) => part.remove());
    if (action === null) return;
    document
      .getElementById(`seat-${seat}`)
      ?.querySelector(".quilt")
      ?.append(drawLaid(edition, action, kind, quilt));
  };

  return { drawSide, drawHand, lay };
}
