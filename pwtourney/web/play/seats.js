/* The two sides of a table: name, purse, clock and quilt board, with what is about to be played. */

import * as Cloth from "../shared/cloth.js";
import * as Dom from "../shared/dom.js";
import * as Gauges from "../shared/gauges.js";
import { Looks } from "../shared/looks.js";
import * as Sentences from "../shared/sentences.js";

const { $, make } = Dom;

const of = (facts, boards) => {
  const { edition } = boards;
  const names = facts.seats.map((seat) => seat.name);
  const SIZE = Looks.square;

  const drawPurse = (position, seat) => {
    const line = make("p", { class: "purse" });
    line.append(boards.icons.button(), Sentences.describePurse(edition, position.players[seat]));
    if (position.tile === seat && edition.tile) line.append(boards.icons.tile(), make("span", { class: "spoken" }, ", special tile"));
    return line;
  };

  const drawHead = (state, position, seat) => {
    const head = make("div", { class: "head" });
    const title = make("h2", { id: `name-${seat}` });
    title.append(boards.icons.token(seat), names[seat]);
    const clock = make("p", { class: "clock", id: `clock-${seat}`, role: "timer", "aria-label": `clock of ${names[seat]}` });
    head.append(title, clock, drawPurse(position, seat));
    const score = state.scores[seat];
    const isAutoma = facts.seats[seat].kind === "automa";
    head.append(make("p", { class: "score" }, isAutoma && !state.over ? "" : `score ${score}`));
    return head;
  };

  /* What lies in hand, on the board of the player who is to move. */
  const drawGhost = (hand) => {
    const ghost = make("svg:g", { class: `ghost ${hand.isLegal() ? "fits" : "misfits"}`, "pointer-events": "none" });
    if (hand.patch === null || !hand.corner) return ghost;
    const look = Cloth.colours();
    const [row, column] = hand.corner;
    const cloth = make("svg:g", { transform: `translate(${column * SIZE} ${row * SIZE})` });
    cloth.append(hand.patch === "leather" ? Cloth.drawLeather(look)
      : Cloth.drawPatch(hand.patch, edition.patches[hand.patch], hand.orientation, look));
    const places = hand.squares().map((square) => [square % edition.columns, Math.floor(square / edition.columns)]);
    const outline = make("svg:path", { class: "outline", d: Cloth.traceOutline(places), fill: "none" });
    ghost.append(cloth, outline);
    return ghost;
  };

  const drawLights = (hand) => {
    const lights = make("svg:g", { class: "lights", "pointer-events": "none" });
    hand.lit().forEach((square) => lights.append(make("svg:rect", {
      x: (square % edition.columns) * SIZE + 2, y: Math.floor(square / edition.columns) * SIZE + 2,
      width: SIZE - 4, height: SIZE - 4, rx: 4,
    })));
    return lights;
  };

  /* Draws one side. `before` is the position one ply before, or null. */
  const draw = (state, position, before, seat, isMine) => {
    const box = $(`seat-${seat}`);
    box.classList.toggle("moving", state.turn === seat);
    box.classList.toggle("mine", isMine);
    box.replaceChildren(drawHead(state, position, seat));
    if (facts.seats[seat].kind === "automa") {
      box.append(make("p", { class: "lead" }, "The Automa has no quilt board: it turns over cards."));
      return;
    }
    const field = make("div", { class: "field" });
    field.append(...boards.drawQuilt(names[seat], position.players[seat].quilt, before?.players[seat].quilt ?? null));
    if (isMine) {
      field.tabIndex = 0;
      field.setAttribute("role", "application");
      field.setAttribute("aria-label", "Your quilt board: 1 to 3 take a patch, arrows move it, R turns, F flips, Enter plays");
    }
    box.append(field);
  };

  /* Draws what is in hand once more, and nothing else: with every move of the pointer. */
  const drawHand = (hand, seat) => {
    const svg = seat === null ? null : $(`seat-${seat}`).querySelector(".quilt");
    document.querySelectorAll(".ghost, .lights").forEach((each) => each.remove());
    if (!svg) return;
    svg.append(drawLights(hand), drawGhost(hand));
  };

  const showClocks = (state, received) => [0, 1].forEach((seat) => {
    const { limits, spent, running } = state.clock;
    const element = $(`clock-${seat}`);
    if (!element) return;
    const moving = state.turn === seat;
    const used = moving ? spent + (running ? performance.now() - received : 0) : 0;
    const limit = limits[seat];
    const isOut = state.over?.verdict === "timeout" && state.over.winner === 1 - seat;
    const left = isOut ? 0 : limit - used;
    if (limit === null) element.textContent = "";
    else {
      element.textContent = Gauges.formatTime(left);
      element.classList.toggle("short", (moving || isOut) && left < 20_000);
    }
  });

  return { names, draw, drawHand, showClocks };
};

export { of };
