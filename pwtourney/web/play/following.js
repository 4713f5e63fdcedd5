/* The events of a table, and whether they come: the server may end, and the table be deleted. */

import * as Asking from "../shared/asking.js";
import * as Dom from "../shared/dom.js";

const { $ } = Dom;
const { facts } = Asking;
const AGAIN = 2000; // milliseconds until a server that refuses is asked once more

const warn = (text) => {
  $("connection").textContent = text;
  $("connection").hidden = !text;
};

/* Whether the server knows the table no longer: a stream of events does not say why it ends. */
const isGone = async () => {
  try {
    return (await fetch(`/play/${facts.id}`, { method: "HEAD" })).status === 404;
  } catch {
    return false; // there is nobody to ask
  }
};

/* Calls `receive` with each state while somebody looks; where time is limited it also runs while
   the page is hidden. */
const begin = (receive) => {
  const isTimed = facts.seats.some(({ kind, clock }) => kind === "person" && (clock.move_ms || clock.game_ms));
  let source = null;

  const follow = () => {
    if (document.hidden && !isTimed) { source?.close(); source = null; return; }
    if (source) return;
    source = new EventSource(`/play/${facts.id}/events`);
    source.addEventListener("open", () => warn(""));
    source.addEventListener("message", (event) => receive(JSON.parse(event.data)));
    source.addEventListener("error", fail);
  };

  const fail = async ({ target }) => {
    if (target !== source) return; // nobody listens to it any longer
    warn("The server does not answer; trying again …");
    if (target.readyState !== EventSource.CLOSED) return; // the browser tries again
    if (await isGone()) {
      document.removeEventListener("visibilitychange", follow);
      warn("This game is gone: it was deleted.");
    } else if (target === source) {
      source = null;
      setTimeout(follow, AGAIN);
    }
  };

  document.addEventListener("visibilitychange", follow);
  follow();
};

export { begin };
