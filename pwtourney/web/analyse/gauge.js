/* The evaluation of the shown position: a bar and a sentence that says who is ahead, by whom. */
import { $, make } from "../shared/dom.js";
import { drawBar, splitMargin } from "../shared/gauges.js";
import { beginWith, speakOf } from "../shared/sentences.js";

/** @import { LineNode, Study } from "../types.d.ts" */

/**
 * Return the margins that are expected in a position, each with who expects it: the bots that were
 * asked about it, else the bot that evaluated the game, else the player to move as it played.
 * @param {Study} study
 * @param {LineNode} node
 * @returns {[margin: number, evaluator: string][]}
 */
export function listExpected({ names, plies }, { margins, margin, evaluator, main, number }) {
  const all = Object.entries(margins).map(
    ([name, expected]) => /** @type {[number, string]} */ ([expected, name]),
  );
  if (all.length) return all;
  if (margin !== null) return [[margin, evaluator]];
  const ply = main ? plies[number] : undefined;
  if (!ply || ply.margin === null) return [];
  return [[ply.margin, `${names[ply.seat]}, as it played`]];
}

/**
 * Say who is ahead by how many points, and who says so.
 * @param {string[]} names
 * @param {number} margin of the first seat
 * @param {string} evaluator
 */
export function describeExpected(names, margin, evaluator) {
  const { who, points } = splitMargin(names, margin);
  const isOver = evaluator === "result";
  if (who === null) return isOver ? "The game is a tie." : `Level (${evaluator})`;
  if (isOver) return `${beginWith(who)} ${speakOf(who, "wins")} by ${points}.`;
  return `${beginWith(who)} ${speakOf(who, "is")} ahead by ${points} (${evaluator})`;
}

/**
 * Draw the evaluation of a node; the bar is that of the first who says one.
 * @param {Study} study
 * @param {LineNode} node
 */
export function drawGauge(study, node) {
  const expected = listExpected(study, node);
  const [first = "No bot has evaluated this position.", ...others] = expected.map(
    ([margin, evaluator]) => describeExpected(study.names, margin, evaluator),
  );
  $("gauge").replaceChildren(
    drawBar(expected[0]?.[0] ?? null),
    make("span", {}, first),
    ...others.map((words) => make("span", { class: "other" }, words)),
  );
}
