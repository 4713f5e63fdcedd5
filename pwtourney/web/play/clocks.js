/* The clocks of a table, and whose turn it is. */
import { formatTime } from "../shared/gauges.js";

/** @import { Position, Seat, TableState } from "../types.d.ts" */

const SHORT = 20_000; // milliseconds: a clock with less time is shown as urgent

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
 * Say what a player is about to do.
 * @param {TableState} state
 * @param {Position} position that is shown
 * @param {Seat} seat
 * @param {boolean} isNow whether that is the current position
 */
export function describeTurn(state, position, seat, isNow) {
  if (!isNow || position.over || state.over || position.toMove !== seat) return "";
  if (state.thinking) return "thinking …";
  return state.plies.at(-1)?.[0] === seat ? "to move again" : "to move";
}
