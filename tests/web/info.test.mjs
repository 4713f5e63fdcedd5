/* The `info` lines of a bot, as docs/protocol.md describes them. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { readLine, readRest, readScore } from "../../pwtourney/web/shared/info.js";

test("the line of a bot is what follows the word in its info", () => {
  const line = "advance,12:r90:b4,leather:e5,decline,1:f0:a1,2:r0:a1";
  assert.deepEqual(readLine(`depth 3 line ${line} text x`), line.split(",").slice(0, 5));
  assert.deepEqual(readLine("line <b>,advance"), []);
  assert.deepEqual(readLine("text a line advance"), []);
  assert.deepEqual(readLine("depth 3"), []);
});

test("the score of a bot is a number, and that of its best line", () => {
  assert.equal(readScore("depth 3 score -4.5 text x"), -4.5);
  assert.equal(readScore("multipv 1 score 2"), 2);
  assert.equal(readScore("multipv 2 score 2"), null);
  assert.equal(readScore("score low"), null);
  assert.equal(readScore("score low score 4"), 4);
  assert.equal(readScore("score 3 multipv"), 3);
  assert.equal(readScore("depth  3 score 4"), null);
  assert.equal(readScore("depth  3 x score 4"), null);
  assert.equal(readScore("text my score 5"), null);
  assert.equal(readScore("depth 3"), null);
});

test("words of a bot leave out its score and its line, which are drawn", () => {
  const drawn = "depth 3 score -4.5 nodes 120 line advance,leather:e5";
  assert.equal(readRest(drawn), "depth 3 nodes 120");
  assert.equal(readRest("score 3"), "");
  assert.equal(readRest("depth"), "depth");
  assert.equal(readRest("score 3 score 4"), "score 4");
});

test("words of a bot that are not drawn stay", () => {
  for (const said of [
    "underscore 3 text outline x",
    "text my score is low, a line too",
    "score low",
    "multipv 2 score 3",
    "line <b>,advance",
    "__proto__ x",
    "constructor 3 valueOf 4",
  ]) {
    assert.equal(readRest(said), said);
  }
});
