/* What is analysed, and where in it one is, as the address says it; and what stays as long as the
   tab: texts of games, which are too long for an address, and branches. */
import { findFork, listActions } from "./lines.js";

/** @import { LineNode, Source } from "../types.d.ts" */

const MOST_KEPT = 40; // branches that come back when the page is loaded again

/**
 * @param {string} key
 * @param {string} text
 */
function keep(key, text) {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // there is no room: it is as good as before until the page is left
  }
}

/**
 * Keep a text; return its number, by which it is found again.
 * @param {string} text
 */
function numberText(text) {
  for (let number = 1; ; number += 1) {
    const kept = sessionStorage.getItem(`analyse-text-${number}`);
    if (kept === null) keep(`analyse-text-${number}`, text);
    if (kept === null || kept === text) return number;
  }
}

/**
 * Return a source as the words of an address.
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
 * Return the source that the words of an address name; null for none.
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
  const kept = text === undefined ? null : sessionStorage.getItem(`analyse-text-${text}`);
  return kept === null ? null : { text: kept };
}

/**
 * Return the fragment of an address that names a node: the ply of the line that was opened, and what
 * was tried from there on.
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
 * Keep branches, each as its actions.
 * @param {Source} source
 * @param {string[][]} branches
 */
export function keepBranches(source, branches) {
  keep(branchesKey(source), JSON.stringify(branches.slice(0, MOST_KEPT)));
}

/**
 * Return the branches that were kept.
 * @param {Source} source
 * @returns {string[][]}
 */
export function readBranches(source) {
  return JSON.parse(sessionStorage.getItem(branchesKey(source)) ?? "[]");
}
