/* The source and the place of an analysis in the address. The storage of the tab keeps texts of
   games, which are too long for an address, branches, and which bot marks a game. */
import { recall, recallData, remember } from "../shared/memory.js";
import { findFork, listActions } from "./lines.js";

/** @import { LineNode, Source } from "../types.d.ts" */

const MOST_KEPT = 40; // branches that a reload of the page restores

/**
 * Store a text; return its number, which finds it again.
 * @param {string} text
 */
function numberText(text) {
  for (let number = 1; ; number += 1) {
    const kept = recall("tab", `analyse-text-${number}`);
    if (kept === null) remember("tab", `analyse-text-${number}`, text);
    if (kept === null || kept === text) return number;
  }
}

/**
 * Return a source as the query of an address.
 * @param {Source} source
 * @returns {string}
 */
export function formatSource({ text, ...rest }) {
  const pairs = Object.entries(rest).map(([key, value]) => [key, String(value)]);
  if (text === undefined) return String(new URLSearchParams(pairs));
  if (text.trim().startsWith("pwtourney-game")) return `text=${numberText(text)}`;
  return String(new URLSearchParams([["position", text.trim()], ...pairs]));
}

/**
 * Return the source in the query of an address; null for none.
 * @param {string} search
 * @returns {Source | null}
 */
export function parseSource(search) {
  const words = Object.fromEntries(new URLSearchParams(search));
  const { game, table, position, seed, edition = "original", text } = words;
  if (game !== undefined) return { game };
  if (table !== undefined) return { table };
  if (position !== undefined) return { text: position, edition };
  if (seed !== undefined) return { seed, edition };
  const kept = text === undefined ? null : recall("tab", `analyse-text-${text}`);
  return kept === null ? null : { text: kept };
}

/**
 * Return the addresses of the tournament of a stored game and of the game itself, those of a
 * tournament on a shelf below its name; null for other sources.
 * @param {Source} source
 */
export function findWays({ game }) {
  if (game === undefined) return null;
  const end = game.lastIndexOf(":");
  const root = end < 0 ? "" : `/of/${encodeURIComponent(game.slice(0, end))}`;
  return { tournament: `${root}/tournament`, game: `${root}/game/${game.slice(end + 1)}` };
}

/**
 * Return the fragment of an address that names a node: the ply of the opened line, and the actions
 * that were tried from there.
 * @param {LineNode} node
 */
export function formatPlace(node) {
  const fork = findFork(node);
  const line = listActions(node).slice(fork.number);
  const words = new URLSearchParams({ ply: String(fork.number) });
  if (line.length) words.set("line", line.join(","));
  return `#${words}`;
}

/**
 * Return the ply and the actions that a fragment names.
 * @param {string} fragment
 * @returns {[ply: number, line: string[]]}
 */
export function parsePlace(fragment) {
  const words = new URLSearchParams(fragment.slice(1));
  const line = (words.get("line") ?? "").split(",").filter(Boolean);
  return [Number(words.get("ply")) || 0, line];
}

/** @param {Source} source */
function branchesKey(source) {
  return `analyse-branches?${formatSource(source)}`;
}

/**
 * Store branches, each as its actions.
 * @param {Source} source
 * @param {string[][]} branches
 */
export function keepBranches(source, branches) {
  remember("tab", branchesKey(source), JSON.stringify(branches.slice(0, MOST_KEPT)));
}

/**
 * Return the stored branches.
 * @param {Source} source
 * @returns {string[][]}
 */
export function readBranches(source) {
  const branches = recallData("tab", branchesKey(source));
  if (!Array.isArray(branches)) return [];
  return branches.filter(
    (branch) => Array.isArray(branch) && branch.every((action) => typeof action === "string"),
  );
}

/** @param {Source} source */
function evaluatorKey(source) {
  return `analyse-judge?${formatSource(source)}`;
}

/**
 * Store the name of the bot whose evaluation of a game is shown.
 * @param {Source} source
 * @param {string} name
 */
export function keepEvaluator(source, name) {
  remember("tab", evaluatorKey(source), name);
}

/**
 * Return the name of the bot whose evaluation was shown last; null for none.
 * @param {Source} source
 */
export function readEvaluator(source) {
  return recall("tab", evaluatorKey(source));
}
