"use strict";
/* What a page asks the server for: JSON both ways. A problem comes as a sentence. */
const Asking = (() => {
  const facts = JSON.parse(Dom.$("facts").textContent);

  /* Returns what the server answers; throws an Error with its sentence, and the status. */
  const ask = async (path, words = {}) => {
    let answer;
    try {
      answer = await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(words),
      });
    } catch {
      throw Object.assign(new Error("the server does not answer: is the arena still running?"), { status: 0 });
    }
    const said = await answer.text();
    let found = { problem: said.trim() };
    try { found = JSON.parse(said); } catch { /* the guard answers in plain text */ }
    if (answer.ok) return found;
    throw Object.assign(new Error(found.problem || `the server answers ${answer.status}`), { status: answer.status });
  };

  return { facts, ask };
})();
