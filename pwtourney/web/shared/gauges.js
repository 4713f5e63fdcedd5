/* Clocks and bars of evaluation: what shows how two bots stand, next to their boards. */

import * as Dom from "./dom.js";
import * as Slots from "../watch/slots.js";

const { make } = Dom;
const SCALE = 20; // points at which three quarters of a side are filled

/* Time that is left: tenths of seconds where there is little, else minutes and seconds. */
const formatTime = (milliseconds) => {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 20) return seconds.toFixed(1);
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
};

const makeClock = (name, seat) =>
  make("span", { class: "clock", role: "timer", "data-clock": seat, "aria-label": `clock of ${name}` });

/* Writes what both clocks of a game show, in whatever element they are. */
const showClocks = (element, game) => element.querySelectorAll("[data-clock]").forEach((clock) => {
  const seat = Number(clock.dataset.clock);
  const left = Slots.timeLeft(game, seat);
  clock.textContent = left === null ? "" : formatTime(left);
  clock.classList.toggle("running", game.turn === seat && game.live && !game.over);
});

const sign = (points) => (points > 0 ? `+${points}` : String(points).replace("-", "−"));

/* A bar from the middle to the left or right: how far ahead the first seat is, null if that is
   unknown; `words` say the same to those who do not see it, none where they stand next to it. */
const drawBar = (margin, words) => {
  const svg = make("svg:svg", { class: "bar-of", viewBox: "0 0 200 10", preserveAspectRatio: "none" });
  if (words) Object.entries({ role: "img", "aria-label": words }).forEach((each) => svg.setAttribute(...each));
  else svg.setAttribute("aria-hidden", "true");
  const width = 100 * Math.tanh(Math.abs(margin) / SCALE);
  svg.append(
    make("svg:rect", { class: "ground", x: 0, y: 0, width: 200, height: 10 }),
    make("svg:rect", { class: `level seat-${margin >= 0 ? 0 : 1}`, x: margin >= 0 ? 100 - width : 100, y: 1, width, height: 8 }),
    make("svg:path", { class: "middle-line", d: "M100 0v10" }),
  );
  return svg;
};

export { formatTime, makeClock, showClocks, drawBar, sign };
