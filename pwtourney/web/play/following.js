/* Follow the events of a table, and notice if the server has ended or the table was deleted. */
import { $ } from "../shared/dom.js";

/** @import { TableFacts, TableState } from "../types.d.ts" */

const AGAIN = 2000; // milliseconds until the next try after the server has refused

/** @param {string} text */
function warn(text) {
  $("connection").textContent = text;
  $("connection").hidden = !text;
}

/**
 * Return true if the server no longer has the table. An EventSource does not report the status.
 * @param {string} id
 */
async function isGone(id) {
  try {
    return (await fetch(`/play/${id}`, { method: "HEAD" })).status === 404;
  } catch {
    return false; // the server does not answer
  }
}

/**
 * Call `receive` with each state of a table while the page is visible. If time is limited, also
 * while the page is hidden, because the clock keeps running.
 * @param {TableFacts} facts
 * @param {(state: TableState) => void} receive
 */
export function followTable({ id, seats }, receive) {
  const isTimed = seats.some(
    ({ kind, clock }) => kind === "person" && (clock.move_ms || clock.game_ms),
  );
  /** @type {EventSource | null} */
  let source = null;

  const follow = () => {
    if (document.hidden && !isTimed) {
      source?.close();
      source = null;
      return;
    }
    if (source) return;
    source = new EventSource(`/play/${id}/events`);
    source.addEventListener("open", () => warn(""));
    source.addEventListener("message", (event) => receive(JSON.parse(event.data)));
    source.addEventListener("error", fail);
  };

  /** @param {Event} event */
  const fail = async ({ target }) => {
    if (target !== source || !source) return; // an event of an old stream
    warn("The server does not answer; trying again …");
    if (source.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
    if (await isGone(id)) {
      document.removeEventListener("visibilitychange", follow);
      warn("This game is gone: it was deleted.");
    } else if (target === source) {
      source = null;
      setTimeout(follow, AGAIN);
    }
  };

  document.addEventListener("visibilitychange", follow);
  follow();
}
