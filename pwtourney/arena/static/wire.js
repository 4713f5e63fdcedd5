"use strict";
/* What a page asks of the server. A problem is an error whose message is a sentence. */
const Wire = (() => {
  const post = async (path, asked) => {
    let answer;
    try {
      answer = await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked),
      });
    } catch {
      throw new Error("The server cannot be reached.");
    }
    const isJson = (answer.headers.get("Content-Type") ?? "").includes("json");
    const told = isJson ? await answer.json() : { problem: `The server refuses this (${answer.status}).` };
    if (!answer.ok) throw new Error(told.problem);
    return told;
  };

  return { post };
})();
