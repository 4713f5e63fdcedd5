/* What a page asks the server for: JSON both ways. A problem comes as a sentence. */
import { $ } from "./dom.js";

/**
 * Return the data that came with the page, which its server describes.
 * @returns {any}
 */
export function readFacts() {
  return JSON.parse($("facts").textContent ?? "");
}

/**
 * Return what an answer says. What guards the server says plain sentences; a page with an error is
 * for readers, not for scripts.
 * @param {Response} answer
 * @returns {Promise<any>}
 */
async function read(answer) {
  const type = answer.headers.get("Content-Type") ?? "";
  const text = await answer.text();
  if (!answer.ok && type.startsWith("text/plain")) return { problem: text.trim() };
  try {
    return JSON.parse(text);
  } catch {
    const what = `the server cannot do this now (HTTP ${answer.status})`;
    throw new Error(`${what}: try again, or see what it says in its terminal`);
  }
}

/**
 * Return what the server answers; throw an error with its sentence if it refuses.
 * @param {string} path
 * @param {object} [words]
 * @returns {Promise<any>}
 */
export async function ask(path, words = {}) {
  const options = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(words),
  };
  const answer = await fetch(path, options).catch(() => {
    throw new Error("the server does not answer: is the arena still running?");
  });
  const content = await read(answer);
  if (answer.ok) return content;
  throw new Error(content.problem || `the server answers ${answer.status}`);
}
