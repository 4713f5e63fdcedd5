/* Asks the server now and then what is new, and takes over what has changed. */
import * as Data from "./data.js";
import { refresh } from "./main.js";

const told = (state) => {
  const list = (pairs) => pairs.map((each) => `${each.first}–${each.second} (pair ${each.pair})`).join(", ");
  const next = state.next.length ? `; next: ${list(state.next)}` : "";
  const done = `${state.pairs} of at most ${state.planned} pairs are stored`;
  return state.running.length ? `${done}; playing: ${list(state.running)}${next}` : `${done}${state.over ? "; complete" : ""}`;
};
const look = async () => {
  try {
    const state = await (await fetch("/state.json")).json();
    document.getElementById("live").textContent = told(state);
    if (Data.facts.head !== state.head) { // what comes may be older still: then it is asked again
      const text = await (await fetch("/")).text();
      await refresh(new DOMParser().parseFromString(text, "text/html"));
    }
  } catch (error) {
    document.getElementById("live").textContent = "the server does not answer any more";
  }
  setTimeout(look, 2000);
};
look();
