"use strict";
/* Clocks and bars of evaluation: what shows how two bots stand, next to their boards. */
const Gauges = (() => {
  const { make } = Dom;
  const SCALE = 20; // points at which three quarters of a side are filled

  const format = (milliseconds) => {
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
    clock.textContent = left === null ? "" : format(left);
    clock.classList.toggle("running", game.turn === seat && game.live && !game.over);
  });

  const sign = (points) => (points > 0 ? `+${points}` : String(points).replace("-", "−"));

  /* A bar from the middle to the left or right: what a bot expects, seen from the first seat. */
  const drawBar = (name, seat, points) => {
    const svg = make("svg:svg", {
      class: "bar-of", role: "img", viewBox: "0 0 200 10", preserveAspectRatio: "none",
      "aria-label": points === null ? `${name} has not said what it expects` : `${name} expects ${sign(points)} points for itself`,
    });
    const own = points === null ? 0 : seat === 0 ? points : -points;
    const width = 100 * Math.tanh(Math.abs(own) / SCALE);
    svg.append(
      make("svg:rect", { class: "ground", x: 0, y: 0, width: 200, height: 10 }),
      make("svg:rect", { class: `level seat-${own >= 0 ? 0 : 1}`, x: own >= 0 ? 100 - width : 100, y: 1, width, height: 8 }),
      make("svg:path", { class: "middle-line", d: "M100 0v10" }),
    );
    return svg;
  };

  return { makeClock, showClocks, drawBar, sign };
})();
