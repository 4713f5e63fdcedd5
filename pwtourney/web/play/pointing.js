/* Mouse, finger and wheel: a patch is dragged from its card to the quilt board, and on there. */

import * as Cloth from "../shared/cloth.js";
import * as Dom from "../shared/dom.js";
import { Looks } from "../shared/looks.js";

const { make } = Dom;
const LIFT = 46; // pixels: so far above a finger a patch is held, which would hide it
const START = 6; // pixels: less than that is a click
const EDGE = 56; // pixels: so close to the top or bottom of the window the page scrolls
const SPEED = 0.5; // pixels in a millisecond

/* `act` has: hand, seat() (of the board that can be played on, or null), take(patch), changed(). */
const begin = (root, boards, act) => {
  const { hand } = act;
  const { edition } = boards;
  let held = null; // where the pointer went down, and what it carries since
  let isScrolling = false;

  const board = () => (act.seat() === null ? null : document.querySelector(`#seat-${act.seat()} .quilt`));

  /* Where a point of the window lies on the board, in squares; null if that is outside. */
  const locate = (x, y, margin = 0.6) => {
    const svg = board();
    if (!svg) return null;
    const point = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
    const [right, down] = [point.x / Looks.square, point.y / Looks.square];
    const inside = right > -margin && down > -margin && right < edition.columns + margin && down < edition.rows + margin;
    return inside ? [right, down] : null;
  };

  const scale = () => (board() ? board().getScreenCTM().a * Looks.square : 30);

  const drawCarried = () => {
    held.carried?.remove();
    const size = scale() / parseFloat(getComputedStyle(document.documentElement).fontSize);
    held.carried = make("div", { class: "carried", "aria-hidden": "true" });
    if (hand.patch === "leather") {
      const svg = make("svg:svg", { viewBox: "-1 -1 22 22", width: scale(), height: scale() });
      svg.append(Cloth.drawLeather(Cloth.colours()));
      held.carried.append(svg);
    } else held.carried.append(boards.drawPatch(hand.patch, hand.orientation, { size }));
    document.body.append(held.carried);
    follow(held.x, held.y);
  };

  const follow = (x, y) => {
    const top = y - (held.touch ? LIFT : 0);
    const { width, height } = held.carried.getBoundingClientRect();
    held.carried.style.transform = `translate(${x - width / 2}px, ${top - height / 2}px)`;
    const place = locate(x, top);
    held.carried.classList.toggle("over", Boolean(place));
    if (place) hand.layAt(...place);
    else hand.lift();
    act.changed();
  };

  /* How many pixels the board goes on above (less than 0) or below the edge at which a patch is held. */
  const findRest = () => {
    const box = held?.carried && board()?.getBoundingClientRect();
    if (!box) return 0;
    if (held.y < EDGE) return Math.min(0, box.top);
    return held.y > innerHeight - EDGE ? Math.max(0, box.bottom - innerHeight + (held.touch ? LIFT : 0)) : 0;
  };

  /* Scrolls as long as a patch is held there. */
  const scroll = (since) => requestAnimationFrame((now) => {
    const [rest, before] = [findRest(), scrollY];
    isScrolling = rest !== 0;
    if (!isScrolling) return;
    // however long the frame was: farther, and the patch would be held outside of the board
    const far = Math.ceil(Math.min(Math.abs(rest), SPEED * Math.max(0, now - since)));
    scrollBy({ top: Math.sign(rest) * far, behavior: "instant" });
    if (scrollY !== before) follow(held.x, held.y);
    scroll(now);
  });

  const down = (event) => {
    if (event.button > 0 || held || act.seat() === null) return;
    const card = event.target.closest("[data-card]");
    const own = board();
    if (card && !card.disabled) {
      held = { patch: card.dataset.card };
    } else if (own && own.contains(event.target) && hand.patch !== null) {
      held = { patch: null };
    } else return;
    Object.assign(held, { x: event.clientX, y: event.clientY, id: event.pointerId, touch: event.pointerType === "touch" });
  };

  const move = (event) => {
    if (!held || event.pointerId !== held.id) return;
    const [x, y] = [event.clientX, event.clientY];
    if (!held.carried) {
      if (Math.hypot(x - held.x, y - held.y) < START) return;
      if (act.seat() === null) { held = null; return; } // the turn has gone since
      if (held.patch !== null) act.take(held.patch);
      drawCarried();
    }
    event.preventDefault();
    [held.x, held.y] = [x, y];
    follow(x, y);
    if (!isScrolling && findRest()) { isScrolling = true; scroll(performance.now()); }
  };

  const up = (event) => {
    if (!held || event.pointerId !== held.id) return;
    const done = held;
    held = null;
    done.carried?.remove();
    if (event.type === "pointercancel") { act.changed(); return; }
    const place = locate(event.clientX, event.clientY);
    // a click on the board lays the patch there; one on a card is the card's own
    if (!done.carried && done.patch === null && place) hand.layAt(...place);
    act.changed(true);
  };

  const wheel = (event) => {
    if (event.ctrlKey) return; // zooms the page, as two fingers do
    if (act.seat() === null || hand.patch === null) return;
    if (!held && !board()?.contains(event.target)) return;
    event.preventDefault();
    if (event.shiftKey) hand.flip();
    else hand.rotate(event.deltaY > 0 || event.deltaX > 0 ? 1 : -1);
    if (held?.carried) drawCarried();
    act.changed(true);
  };

  /* The right button flips; a finger that rests asks for the same menu, and goes on dragging. */
  const menu = (event) => {
    if (!held && !(hand.patch !== null && board()?.contains(event.target))) return;
    event.preventDefault();
    if (hand.patch === null || held?.touch || event.pointerType === "touch") return;
    hand.flip();
    if (held?.carried) drawCarried();
    act.changed(true);
  };

  root.addEventListener("pointerdown", down);
  addEventListener("pointermove", move, { passive: false });
  addEventListener("pointerup", up);
  addEventListener("pointercancel", up);
  root.addEventListener("wheel", wheel, { passive: false });
  root.addEventListener("contextmenu", menu);
  /* Ends a drag whose patch is no longer in hand: what is carried is what is there. */
  const drop = () => {
    if (!held?.carried) return;
    held.carried.remove();
    held = null;
  };

  /* Draws what is carried once more, after it was turned by a key. */
  return { drop, redraw: () => held?.carried && drawCarried(), isHolding: () => Boolean(held?.carried) };
};

export { begin };
