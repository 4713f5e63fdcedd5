/* What a bot thought of a ply that it played: in words, and as it said it. */
import { signNumbers, splitMargin } from "../shared/gauges.js";

/** @import { Ply } from "../types.d.ts" */

/**
 * Return how long a ply took; empty if nobody measured it.
 * @param {number} micros
 */
function formatThinking(micros) {
  if (micros < 0) return "";
  if (micros < 1e6) return `thought for ${(micros / 1000).toFixed(1)} ms`;
  return `thought for ${(micros / 1e6).toFixed(1)} s`;
}

/**
 * Describe in words what a bot expected with its ply, and how long it thought.
 * @param {string[]} names
 * @param {Ply} ply
 */
export function describeThought(names, [seat, , micros, , margin]) {
  const time = formatThinking(micros);
  if (margin === undefined) return time && `${names[seat]} ${time}`;
  const { who, points } = splitMargin(names, seat ? -margin : margin);
  const ahead = who === null ? "level" : `${who} by ${points}`;
  return [`${names[seat]} expects: ${ahead}`, time].filter(Boolean).join("; ");
}

/**
 * Return a ply in notation, with what the bot said.
 * @param {Ply} ply
 */
export function quotePly([, action, , said]) {
  return said ? `${action} · ${signNumbers(said)}` : action;
}
