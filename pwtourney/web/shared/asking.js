/* Requests to the server, with JSON in both directions. An error is a sentence to show. */
/**
 * Return the data of an answer. The access checks of the server answer with a plain sentence, which
 * becomes a `problem`. Throw an error for anything else that is not JSON, such as an HTML page.
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
 * Return the server's answer; throw an error with its sentence if it refuses.
 * @param {string} path
 * @param {object} [words]
 * @param {AbortSignal | null} [signal] ends the request, and the work on it
 * @returns {Promise<any>}
 */
export async function ask(path, words = {}, signal = null) {
  const options = {
    signal,
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
