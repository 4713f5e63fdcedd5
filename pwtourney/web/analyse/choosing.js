/* The list of legal moves in notation, filtered by words. Without a filter it lists the patches with
   the number of their placements. */
import { makeBoards } from "../shared/boards.js";
import { $, make, makeButton } from "../shared/dom.js";
import { count } from "../shared/sentences.js";
import { countWays, describeMove, filterMoves } from "./moves.js";

/** @import { Edition, Orientation } from "../types.d.ts" */
/** @import { Move } from "./moves.js" */
/**
 * @typedef {{
 *   tryMove: (action: string) => void,
 *   hint: (action: string | null) => void,
 * }} ChoosingHooks callbacks of the view: play a move; show where it would lie, null for none
 */

const MOST = 60; // listed moves

/** @type {ChoosingHooks} */
let hooks;
/** @type {Edition | null} */
let edition = null;
/** @type {Move[]} */
let moves = [];

/** Return the words of the filter. */
function readWords() {
  return $("move-words", HTMLInputElement).value.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Return the moves that match the filter. */
function listFiltered() {
  return edition ? filterMoves(edition, moves, readWords()) : [];
}

/**
 * While the pointer is on a button, show where its action would lie.
 * @param {HTMLElement} button
 * @param {() => string | null} find the action; null for none
 */
export function hintAt(button, find) {
  ["mouseenter", "focus"].forEach((event) =>
    button.addEventListener(event, () => hooks.hint(find())),
  );
  ["mouseleave", "blur"].forEach((event) => button.addEventListener(event, () => hooks.hint(null)));
}

/**
 * Make an item of the list: a button with a patch and a text.
 * @param {[number: number, orientation: Orientation] | null} shape
 * @param {string} text
 * @param {() => void} act
 * @returns {[item: HTMLLIElement, button: HTMLButtonElement]}
 */
function makeItem(shape, text, act) {
  const item = make("li");
  const button = makeButton("", act, { class: "tool move" });
  if (shape && edition) button.append(makeBoards(edition).drawPatch(...shape, { size: 0.5 }));
  button.append(make("span", {}, text));
  item.append(button);
  return [item, button];
}

/** @param {Move} move */
function drawMove({ action, patch }) {
  const orientation = /** @type {Orientation} */ (action.split(":")[1]);
  const [item, button] = makeItem(patch === null ? null : [patch, orientation], action, () =>
    hooks.tryMove(action),
  );
  hintAt(button, () => action);
  return item;
}

/**
 * Draw a patch with the number of ways to place it.
 * @param {number} number
 * @param {number} ways
 */
function drawGroup(number, ways) {
  const [item] = makeItem([number, "r0"], `patch ${number}: ${count(ways, "ways")}`, () => {
    $("move-words", HTMLInputElement).value = String(number);
    drawMoves();
    $("moves").querySelector("button")?.focus();
  });
  return item;
}

function listGroups() {
  const single = moves.filter((move) => move.patch === null).slice(0, MOST);
  const groups = [...countWays(moves)].map(([number, ways]) => drawGroup(number, ways));
  return [...single.map(drawMove), ...groups];
}

function drawMoves() {
  const matches = listFiltered();
  const isShort = readWords().length > 0;
  $("moves").replaceChildren(...(isShort ? matches.slice(0, MOST).map(drawMove) : listGroups()));
  const more = isShort && matches.length > MOST ? `, the first ${MOST} are listed` : "";
  $("move-count").textContent = moves.length
    ? `${matches.length} of ${count(moves.length, "moves")}${more}`
    : "Nothing can be played here.";
  hooks.hint(null);
}

/**
 * Offer the moves of a position.
 * @param {Edition} shown
 * @param {string[]} legal
 */
export function offerMoves(shown, legal) {
  edition = shown;
  $("move-words", HTMLInputElement).value = "";
  moves = legal.map((action) => describeMove(shown, action));
  drawMoves();
}

/** Return the moves that the filter leaves, if it leaves some out; none otherwise. */
export function listChosen() {
  const matches = listFiltered();
  return matches.length < moves.length ? matches.map(({ action }) => action) : [];
}

/** @param {KeyboardEvent} event */
function press(event) {
  const matches = listFiltered();
  const words = readWords();
  if (event.key !== "Enter" || !matches.length || !words.length) return;
  const written = words.join(" ");
  const exact =
    matches.length === 1 ? matches[0] : matches.find(({ action }) => action === written);
  if (exact) {
    hooks.tryMove(exact.action);
    event.preventDefault();
  } else {
    $("moves").querySelector("button")?.focus();
  }
}

/** @param {ChoosingHooks} listeners */
export function beginChoosing(listeners) {
  hooks = listeners;
  $("move-words").addEventListener("input", drawMoves);
  $("move-words").addEventListener("keydown", press);
}
