/* Clocks and evaluation bars, which are next to the boards of two bots. */
import { draw } from "./dom.js";

const SCALE = 20; // points: at this margin three quarters of a side are filled

/**
 * Format the remaining time: with tenths of seconds if it is short, else as minutes and seconds.
 * @param {number} milliseconds
 */
export function formatTime(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 20) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/**
 * Format a score, which may be below 0.
 * @param {number} score
 */
export function formatScore(score) {
  return String(score).replace("-", "−");
}

/**
 * Write the numbers of a text with minus signs instead of hyphens.
 * @param {string} text
 */
export function signNumbers(text) {
  return text.replace(/(?<![\w.-])-(?=\d)/g, "−");
}

/**
 * Format points with their sign and at most one decimal.
 * @param {number} points
 */
export function formatPoints(points) {
  const rounded = Number(points.toFixed(1));
  return rounded > 0 ? `+${rounded}` : formatScore(rounded);
}

/**
 * Return a whole number with its thousands apart: 12,345. The browser's `toLocaleString` would first
 * load the rules of languages, which delays the first drawing of a game.
 * @param {number} number
 */
export function formatCount(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * Return how far a search has come, in words: its depth and its nodes, as far as they are known.
 * @param {number | null} depth
 * @param {number | null} nodes
 */
export function listProgress(depth, nodes) {
  return [
    ...(depth ? [`depth ${depth}`] : []),
    ...(nodes === null ? [] : [`${formatCount(nodes)} nodes`]),
  ];
}

/**
 * Return who is ahead by a margin of the first seat, null if nobody is, and by how many points, with
 * at most one decimal.
 * @param {string[]} names
 * @param {number} margin
 * @returns {{ who: string | null, points: string }}
 */
export function splitMargin(names, margin) {
  const rounded = Number(margin.toFixed(1));
  const who = rounded === 0 ? null : names[rounded > 0 ? 0 : 1];
  return { who, points: String(Math.abs(rounded)) };
}

/**
 * Say who is ahead and by how many points, as in "greedy by 12"; "level" if nobody is.
 * @param {string[]} names
 * @param {number} margin of the first seat
 */
export function tellLead(names, margin) {
  const { who, points } = splitMargin(names, margin);
  return who === null ? "level" : `${who} by ${points}`;
}

/**
 * Draw a bar from the middle to the left or right for the lead of the first seat, null if unknown.
 * `words` say the same to screen readers; omit them if the page has the same text next to the bar.
 * @param {number | null} margin
 * @param {string} [words]
 */
export function drawBar(margin, words) {
  const spoken = words ? { role: "img", "aria-label": words } : { "aria-hidden": "true" };
  const svg = draw("svg", {
    class: "bar-of",
    viewBox: "0 0 200 10",
    preserveAspectRatio: "none",
    ...spoken,
  });
  const points = margin ?? 0;
  const width = 100 * Math.tanh(Math.abs(points) / SCALE);
  const isFirst = points >= 0;
  const box = { x: isFirst ? 100 - width : 100, y: 1, width, height: 8 };
  svg.append(
    draw("rect", { class: "ground", x: 0, y: 0, width: 200, height: 10 }),
    draw("rect", { class: `level seat-${isFirst ? 0 : 1}`, ...box }),
    draw("path", { class: "middle-line", d: "M100 0v10" }),
  );
  return svg;
}
