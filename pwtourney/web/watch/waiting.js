/* A page that waits for a run: it loads again as soon as there is something to show. */
import { $, markReady } from "../shared/dom.js";

const MILLISECONDS = 1000; // between two questions

async function look() {
  try {
    /** @type {{ waiting?: boolean }} */
    const { waiting } = await (await fetch(`${$("state").dataset.root}/state.json`)).json();
    if (!waiting) {
      location.reload();
      return;
    }
  } catch {
    $("state").textContent = "The server does not answer any more.";
  }
  setTimeout(look, MILLISECONDS);
}

markReady();
look();
