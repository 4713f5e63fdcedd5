/* What a page asks the server for: JSON both ways. A problem comes as a sentence. */

import * as Dom from "./dom.js";

const given = Dom.$("facts");
const facts = given && JSON.parse(given.textContent);

/* Returns what an answer says. What guards the server says plain sentences; a page with an error
   is for readers, not for scripts. */
const read = async (answer) => {
  const type = answer.headers.get("Content-Type") ?? "";
  const text = await answer.text();
  if (!answer.ok && type.startsWith("text/plain")) return { problem: text.trim() };
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the server cannot do this now (HTTP ${answer.status}): try again, or see what it says in its terminal`);
  }
};

/* Returns what the server answers; throws an Error with its sentence. */
const ask = async (path, words = {}) => {
  let answer;
  try {
    answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(words),
    });
  } catch {
    throw new Error("the server does not answer: is the arena still running?");
  }
  const found = await read(answer);
  if (answer.ok) return found;
  throw new Error(found.problem || `the server answers ${answer.status}`);
};

export { facts, ask };
