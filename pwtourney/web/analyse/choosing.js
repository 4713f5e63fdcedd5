/* The list of legal moves, filtered by words and by clicked squares and patches. Without a filter
   it lists the patches with the number of their placements. */
import { makeBoards } from "../shared/boards.js";
import { $, addSpoken, closest, make, makeButton, readNumber } from "../shared/dom.js";
import { count } from "../shared/sentences.js";
import { coverAction, nameSquare } from "../shared/shapes.js";
import { countWays, describeMove, filterMoves } from "./moves.js";

/** @import { Edition, Orientation, Seat } from "../types.d.ts" */
/** @import { Move } from "./moves.js" */
/** @typedef {(seat: Seat) => Element | null} FindBoard */

const MOST = 60; // listed moves

/** The edition and the seat to move; null before the first position.
    @type {{ edition: Edition, seat: Seat } | null} */
let turn = null;
/** @type {Move[]} */
let moves = [];
/** The patch and the squares that were clicked.
    @type {number | null} */
let patch = null;
/** @type {Set<number>} */
let squares = new Set();
/** @type {(action: string) => void} */
let chosen = () => {};
/** @type {FindBoard} */
let findBoard = () => null;

/** Return the words of the filter. */
function readWords() {
  return $("move-words", HTMLInputElement).value.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Return the moves that match the filter. */
function listFiltered() {
  return turn ? filterMoves(turn.edition, moves, { words: readWords(), patch, squares }) : [];
}

function isFiltered() {
  return patch !== null || squares.size > 0 || readWords().length > 0;
}

/**
 * Show on the quilt board the squares that a move would cover.
 * @param {number[]} covers
 */
function hint(covers) {
  const board = turn && findBoard(turn.seat);
  board?.querySelectorAll("[data-square]").forEach((square) => {
    const number = readNumber(/** @type {SVGElement} */ (square), "square");
    square.classList.toggle("wanted", squares.has(number));
    square.classList.toggle("hinted", covers.includes(number));
  });
}

/**
 * While the pointer is on a button, show the squares that its action would cover.
 * @param {HTMLElement} button
 * @param {() => string | null} find the action; null for none
 */
export function hintAt(button, find) {
  const show = () => {
    const action = find();
    if (action && turn) hint(coverAction(turn.edition, action));
  };
  ["mouseenter", "focus"].forEach((event) => button.addEventListener(event, show));
  ["mouseleave", "blur"].forEach((event) => button.addEventListener(event, () => hint([])));
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
  if (shape && turn) button.append(makeBoards(turn.edition).drawPatch(...shape, { size: 0.5 }));
  button.append(make("span", {}, text));
  item.append(button);
  return [item, button];
}

/** @param {Move} move */
function drawMove({ action, patch: number }) {
  const orientation = /** @type {Orientation} */ (action.split(":")[1]);
  const [item, button] = makeItem(number === null ? null : [number, orientation], action, () =>
    chosen(action),
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
    patch = number;
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

/**
 * Draw a part of the filter, with a button that removes it.
 * @param {string} text
 * @param {() => void} remove
 */
function drawMark(text, remove) {
  const item = make("li");
  const act = () => {
    remove();
    drawMoves();
  };
  const button = makeButton(`${text} ✕`, act, { class: "tool" });
  addSpoken(button, " remove");
  item.append(button);
  return item;
}

function drawMarks() {
  const marks = [];
  if (patch !== null) {
    const forget = () => {
      patch = null;
    };
    marks.push(drawMark(`patch ${patch}`, forget));
  }
  squares.forEach((square) => {
    const name = turn ? nameSquare(turn.edition, square) : "";
    marks.push(drawMark(`square ${name}`, () => squares.delete(square)));
  });
  $("move-marks").replaceChildren(...marks);
}

function drawMoves() {
  const found = listFiltered();
  const isShort = isFiltered();
  drawMarks();
  $("moves").replaceChildren(...(isShort ? found.slice(0, MOST).map(drawMove) : listGroups()));
  const more = isShort && found.length > MOST ? `, the first ${MOST} are listed` : "";
  $("move-count").textContent = moves.length
    ? `${found.length} of ${count(moves.length, "moves")}${more}`
    : "Nothing can be played here.";
  hint([]);
}

/**
 * Offer the moves of a position.
 * @param {Edition} edition
 * @param {Seat} seat the seat to move, −1 for none
 * @param {string[]} legal
 */
export function offerMoves(edition, seat, legal) {
  [turn, patch, squares] = [{ edition, seat }, null, new Set()];
  $("move-words", HTMLInputElement).value = "";
  moves = legal.map((action) => describeMove(edition, action));
  drawMoves();
}

/** @param {number} square */
function toggleSquare(square) {
  if (!squares.delete(square)) squares.add(square);
  if (!listFiltered().length) squares = new Set([square]);
  drawMoves();
}

/** @param {number} number */
function togglePatch(number) {
  patch = patch === number ? null : number;
  squares.clear();
  drawMoves();
}

/**
 * Filter by the square of a quilt board, or by the patch, that was clicked.
 * @param {Element} target
 * @param {Seat | null} seat of the board of the target; null if it is on none
 */
export function clickAt(target, seat) {
  const square = closest(target, "[data-square]");
  const clicked = closest(target, "[data-patch]");
  if (square && seat === turn?.seat) {
    toggleSquare(readNumber(square, "square"));
  } else if (clicked) {
    const number = readNumber(clicked, "patch");
    if (moves.some((move) => move.patch === number)) togglePatch(number);
  }
}

/** @param {KeyboardEvent} event */
function press(event) {
  const found = listFiltered();
  if (event.key !== "Enter" || !found.length || !isFiltered()) return;
  const words = readWords().join(" ");
  const exact = found.length === 1 ? found[0] : found.find(({ action }) => action === words);
  if (exact) {
    chosen(exact.action);
    event.preventDefault();
  } else {
    $("moves").querySelector("button")?.focus();
  }
}

/**
 * Set up the list; `listener` is called with an action to try.
 * @param {(action: string) => void} listener
 * @param {FindBoard} find returns the quilt board of a seat
 */
export function beginChoosing(listener, find) {
  [chosen, findBoard] = [listener, find];
  $("move-words").addEventListener("input", drawMoves);
  $("move-words").addEventListener("keydown", press);
}
