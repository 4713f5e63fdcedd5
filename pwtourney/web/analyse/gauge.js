/* The evaluation of the shown position: a bar and a sentence that says who is ahead, by whom. */
import { $, make } from "../shared/dom.js";
import { drawBar } from "../shared/gauges.js";

/** @import { LineNode, Study } from "../types.d.ts" */

const EVEN = 0.05; // points: a smaller margin is none

/**
 * Return the expected margin of a position and who expects it: a bot that was asked here, or the
 * player to move as it played; null if nobody has said a margin.
 * @param {Study} study
 * @param {LineNode} node
 * @returns {[margin: number, judge: string] | null}
 */
export function findExpected({ names, plies }, { margin, judge, main, number }) {
  if (margin !== null) return [margin, judge];
  const ply = main ? plies[number] : undefined;
  if (!ply || ply.margin === null) return null;
  return [ply.margin, `${names[ply.seat]}, as it played`];
}

/**
 * Say who is ahead by how many points, and who says so.
 * @param {string[]} names
 * @param {number} margin of the first seat
 * @param {string} judge
 */
export function describeExpected(names, margin, judge) {
  const points = Number(Math.abs(margin).toFixed(1));
  const isOver = judge === "result";
  const who = names[margin > 0 ? 0 : 1];
  if (Math.abs(margin) < EVEN) return isOver ? "The game is a tie." : `Even (${judge})`;
  return isOver ? `${who} wins by ${points}.` : `${who} is ahead by ${points} (${judge})`;
}

/**
 * Draw the evaluation of a node.
 * @param {Study} study
 * @param {LineNode} node
 */
export function drawGauge(study, node) {
  const expected = findExpected(study, node);
  const [margin, judge] = expected ?? [null, ""];
  const words =
    margin === null
      ? "No bot has evaluated this position."
      : describeExpected(study.names, margin, judge);
  const others = Object.entries(node.others).map(([name, other]) =>
    make("span", { class: "other" }, describeExpected(study.names, other, name)),
  );
  $("gauge").replaceChildren(drawBar(margin), make("span", {}, words), ...others);
}
