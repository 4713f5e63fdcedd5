"use strict";
/* Asks the server now and then what is new, and takes over what has changed. */
(() => {
  const told = (state) => {
    const running = state.running.map((each) => `${each.first}–${each.second} (pair ${each.pair})`);
    const done = `${state.pairs} of at most ${state.planned} pairs are stored`;
    return running.length ? `${done}; playing: ${running.join(", ")}` : `${done}${state.over ? "; complete" : ""}`;
  };
  const look = async () => {
    try {
      const state = await (await fetch("/state.json")).json();
      document.getElementById("live").textContent = told(state);
      if (pwtourney.head() !== state.head) { // what comes may be older still: then it is asked again
        const text = await (await fetch("/")).text();
        await pwtourney.refresh(new DOMParser().parseFromString(text, "text/html"));
      }
    } catch (error) {
      document.getElementById("live").textContent = "the server does not answer any more";
    }
    setTimeout(look, 2000);
  };
  look();
})();
