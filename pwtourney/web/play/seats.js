/* The two sides of a table: name, purse, clock and quilt board, with the patch in hand. */
import { SIZE, drawLeather, drawPatch, findLook, traceOutline } from "../shared/cloth.js";
import { $, draw, make } from "../shared/dom.js";
import { formatTime } from "../shared/gauges.js";
import { describePurse } from "../shared/sentences.js";
import { placeSquare } from "../shared/shapes.js";

/** @import { Edition, Position, Seat, TableFacts, TableState } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @import { Hand } from "./hand.js" */

const SHORT = 20_000; // milliseconds: a clock with less time is shown as urgent
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
 * Highlight each square that the patch in hand could cover.
 * @param {Edition} edition
 * @param {Hand} hand
 */
function drawLights(edition, hand) {
  const lights = draw("g", { class: "lights", "pointer-events": "none" });
  hand.lit().forEach((square) => {
    const [column, row] = placeSquare(edition, square);
    const place = { x: column * SIZE + 2, y: row * SIZE + 2 };
    lights.append(draw("rect", { ...place, width: SIZE - 4, height: SIZE - 4, rx: 4 }));
  });
  return lights;
}

/**
 * Return how many milliseconds a seat has left; null if its time is not limited.
 * @param {TableState} state
 * @param {Seat} seat
 * @param {number} passed milliseconds since the page received the state
 */
export function timeLeft({ clock, turn, over }, seat, passed) {
  const limit = clock.limits[seat];
  if (limit === null) return null;
  if (over?.verdict === "timeout" && over.winner === 1 - seat) return 0;
  if (turn !== seat) return limit;
  return limit - clock.spent - (clock.running ? passed : 0);
}

/**
 * Show the times of both clocks.
 * @param {TableState} state
 * @param {number} passed milliseconds since the page received the state
 */
export function showClocks(state, passed) {
  [0, 1].forEach((seat) => {
    const clock = document.getElementById(`clock-${seat}`);
    const left = timeLeft(state, seat, passed);
    if (!clock) return;
    clock.textContent = left === null ? "" : formatTime(left);
    const isUrgent = state.turn === seat || left === 0;
    clock.classList.toggle("short", left !== null && isUrgent && left < SHORT);
  });
}

/**
 * Return the functions that draw the sides of a table.
 * @param {TableFacts} facts
 * @param {Boards} boards
 */
export function makeSeats(facts, boards) {
  const { edition } = boards;
  const names = facts.seats.map((seat) => seat.name);
  /** @param {Seat} seat */
  const isAutoma = (seat) => facts.seats[seat].kind === "automa";

  /**
   * @param {Position} position
   * @param {Seat} seat
   */
  const drawPurse = (position, seat) => {
    const line = make("p", { class: "purse" });
    line.append(boards.icons.button(), describePurse(edition, position.players[seat]));
    if (position.tile === seat && edition.tile) {
      line.append(boards.icons.tile(), make("span", { class: "spoken" }, ", special tile"));
    }
    return line;
  };

  /**
   * @param {TableState} state
   * @param {Position} position
   * @param {Seat} seat
   */
  const drawHead = (state, position, seat) => {
    const head = make("div", { class: "head" });
    const title = make("h2", { id: `name-${seat}` });
    title.append(boards.icons.token(seat), names[seat]);
    const label = { role: "timer", "aria-label": `clock of ${names[seat]}` };
    const clock = make("p", { class: "clock", id: `clock-${seat}`, ...label });
    const score = isAutoma(seat) && !state.over ? "" : `score ${state.scores[seat]}`;
    head.append(title, clock, drawPurse(position, seat), make("p", { class: "score" }, score));
    return head;
  };

  /**
   * Draw one side. `before` is the position one ply before, or null.
   * @param {TableState} state
   * @param {Position} position
   * @param {Position | null} before
   * @param {Seat} seat
   * @param {boolean} isMine whether the reader can play on this board
   */
  const drawSide = (state, position, before, seat, isMine) => {
    const box = $(`seat-${seat}`);
    box.classList.toggle("moving", state.turn === seat);
    box.classList.toggle("mine", isMine);
    box.replaceChildren(drawHead(state, position, seat));
    if (isAutoma(seat)) {
      const words = "The Automa has no quilt board: it turns over cards.";
      box.append(make("p", { class: "lead" }, words));
      return;
    }
    const field = make("div", { class: "field" });
    const earlier = before?.players[seat].quilt ?? null;
    field.append(...boards.drawQuilt(names[seat], position.players[seat].quilt, earlier));
    if (isMine) {
      field.tabIndex = 0;
      field.setAttribute("role", "application");
      field.setAttribute("aria-label", HELP);
    }
    box.append(field);
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
