/* What bots have said of positions: remembered by position for the visit, and over a reload of the page
   in the storage of the tab. */
import { makeAnalysis } from "../game/analysis.js";
import { recallData, remember } from "../shared/memory.js";
import { nameEvaluator } from "./evaluators.js";

/** @import { AskedBot, Info, LineNode, NodeAnalysis } from "../types.d.ts" */

const MEMORY = "analyse-answers";
const MOST = 60; // positions of which a reload restores the answers

/** The answers of this visit by what they are about.
    @type {WeakMap<LineNode, NodeAnalysis>} */
const answered = new WeakMap();

/**
 * Return true if data is what a bot has said, as this page stores it.
 * @param {any} bot
 * @returns {bot is AskedBot}
 */
function isAnswer(bot) {
  const isNamed = typeof bot?.name === "string" && typeof bot.limit === "object" && bot.limit;
  const lists = [bot?.infos, bot?.evaluations];
  return isNamed && lists.every(Array.isArray) && bot.infos.every(isInfo);
}

/** @param {any} info */
function isInfo(info) {
  return (
    Array.isArray(info?.line) &&
    info.line.every((/** @type {unknown} */ x) => typeof x === "string")
  );
}

/** @returns {Record<string, AskedBot[]>} the answers by position, the latest last */
function readStored() {
  const stored = recallData("tab", MEMORY);
  if (stored === null || typeof stored !== "object") return {};
  const entries = Object.entries(stored);
  return Object.fromEntries(
    entries.filter(([, bots]) => Array.isArray(bots) && bots.every(isAnswer)),
  );
}

/**
 * Return the infos that are shown of an answer: the last of each line, and those that say last how
 * far the bot has come.
 * @param {Info[]} infos
 */
export function trimInfos(infos) {
  const shown = new Set([
    infos.findLast(({ depth }) => depth !== null),
    infos.findLast(({ nodes }) => nodes !== null),
  ]);
  const ranks = new Set(infos.map(({ rank }) => rank));
  ranks.forEach((rank) => {
    shown.add(infos.findLast((info) => info.rank === rank && info.line.length > 0));
  });
  return infos.filter((info) => shown.has(info));
}

/**
 * Return the name of a position: the text of its patches means another one in another edition.
 * @param {string} edition
 * @param {LineNode} node
 */
function nameKey(edition, { point }) {
  return `${edition} ${point.text}`;
}

/**
 * Remember what bots have said of a position, if they have said anything.
 * @param {string} edition
 * @param {NodeAnalysis} analysis
 */
export function rememberAnswers(edition, analysis) {
  const { node, bots } = analysis;
  if (!bots.some(({ infos, action }) => infos.length || action)) return;
  answered.set(node, analysis);
  const key = nameKey(edition, node);
  const others = Object.entries(readStored()).filter(([other]) => other !== key);
  const trimmed = bots.map((bot) => ({ ...bot, infos: trimInfos(bot.infos) }));
  const stored = [...others, [key, trimmed]].slice(-MOST);
  remember("tab", MEMORY, JSON.stringify(Object.fromEntries(stored)));
}

/**
 * Return the margin that each bot expects from its best line, by its name with its limit.
 * @param {AskedBot[]} bots
 * @returns {Record<string, number>}
 */
export function listMarginsSaid(bots) {
  const said = bots.flatMap((bot) => {
    const best = bot.infos.findLast(({ margin, rank }) => margin !== null && rank <= 1);
    return best ? [[nameEvaluator(bot), best.margin]] : [];
  });
  return Object.fromEntries(said);
}

/**
 * Return what bots have last said of a position; null for nothing.
 * @param {string} edition
 * @param {LineNode} node
 * @returns {NodeAnalysis | null}
 */
export function findRemembered(edition, node) {
  const known = answered.get(node);
  if (known) return known;
  const bots = readStored()[nameKey(edition, node)];
  if (!bots) return null;
  const analysis = { ...makeAnalysis("", [], null), bots, node, over: true, isRestricted: false };
  answered.set(node, analysis);
  if (!Object.keys(node.margins).length) node.margins = listMarginsSaid(bots);
  return analysis;
}
