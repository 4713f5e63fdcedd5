/* The moves that can be tried in a position: a list that is filtered by words, and by squares and
   patches of the drawing. Without a filter the patches are listed, with how many ways there are. */

import * as Lines from "./lines.js";
import * as Boards from "../shared/boards.js";
import * as Dom from "../shared/dom.js";
import * as Replay from "../shared/replay.js";
import * as Sentences from "../shared/sentences.js";

const { $, make } = Dom;
const MOST = 60; // that are listed

let edition = null; let moves = []; let patch = null; let squares = new Set();
let mover = null; let chosen = () => {}; let quilt = () => null;

const describe = (action) => {
  const words = action.split(":");
  if (words.length === 3 && words[0] !== "card") {
    return { action, patch: Number(words[0]), covers: Replay.covered(edition, ...words) };
  }
  if (words[0] === "leather") {
    return { action, patch: null, covers: [Replay.squareAt(words[1], edition)] };
  }
  return { action, patch: null, covers: [] };
};

const name = (square) => Sentences.nameSquare(edition, square);
const matches = (move, word) => {
  if (/^\d+$/.test(word)) return move.patch === Number(word);
  if (Replay.ORIENTATIONS.includes(word)) return move.action.split(":")[1] === word; // "r90" names no square
  if (/^[a-z]\d+$/.test(word)) return move.covers.some((square) => name(square) === word);
  return move.action.includes(word);
};

const filter = () => {
  const words = $("move-words").value.toLowerCase().split(/\s+/).filter(Boolean);
  return moves.filter((move) => (patch === null || move.patch === patch)
    && [...squares].every((square) => move.covers.includes(square))
    && words.every((word) => matches(move, word)));
};

const isFiltered = () => patch !== null || squares.size > 0 || $("move-words").value.trim() !== "";

/* Shows on the quilt board what a move would cover. */
const hint = (covers) => {
  const board = quilt(mover);
  if (!board) return;
  board.querySelectorAll("[data-square]").forEach((square) => {
    const number = Number(square.dataset.square);
    square.classList.toggle("wanted", squares.has(number));
    square.classList.toggle("hinted", covers.includes(number));
  });
};

/* Lets a button show, as long as it is pointed at, what its action would cover; null for none. */
const hintAt = (button, find) => {
  ["mouseenter", "focus"].forEach((event) => button.addEventListener(event, () => {
    const action = find();
    if (action) hint(describe(action).covers);
  }));
  ["mouseleave", "blur"].forEach((event) => button.addEventListener(event, () => hint([])));
};

const drawMove = (move) => {
  const item = make("li");
  const button = make("button", { type: "button", class: "tool move" });
  if (move.patch !== null) {
    const [, orientation] = move.action.split(":");
    button.append(Boards.of(edition).drawPatch(move.patch, orientation, { size: 0.5 }));
  }
  button.append(make("span", {}, Lines.nameAction(move.action)));
  button.addEventListener("click", () => chosen(move.action));
  hintAt(button, () => move.action);
  item.append(button);
  return item;
};

const drawGroup = (number, count) => {
  const item = make("li");
  const button = make("button", { type: "button", class: "tool move" });
  button.append(Boards.of(edition).drawPatch(number, "r0", { size: 0.5 }), make("span", {},
    `patch ${number}: ${count} ${count === 1 ? "way" : "ways"}`));
  button.addEventListener("click", () => { patch = number; draw(); $("moves").querySelector("button")?.focus(); });
  item.append(button);
  return item;
};

const listGroups = () => {
  const counts = new Map();
  moves.forEach((move) => move.patch !== null && counts.set(move.patch, (counts.get(move.patch) ?? 0) + 1));
  const single = moves.filter((move) => move.patch === null).slice(0, MOST);
  return [...single.map(drawMove), ...[...counts].map(([number, count]) => drawGroup(number, count))];
};

const drawMarks = () => {
  const drop = (text, act) => {
    const item = make("li");
    const button = make("button", { type: "button", class: "tool" }, `${text} ✕`);
    Dom.addSpoken(button, " remove");
    button.addEventListener("click", () => { act(); draw(); });
    item.append(button);
    return item;
  };
  $("move-marks").replaceChildren(
    ...(patch === null ? [] : [drop(`patch ${patch}`, () => { patch = null; })]),
    ...[...squares].map((square) => drop(`square ${name(square)}`, () => squares.delete(square))));
};

const draw = () => {
  const found = filter();
  const all = isFiltered();
  drawMarks();
  $("moves").replaceChildren(...(all ? found.slice(0, MOST).map(drawMove) : listGroups()));
  const more = all && found.length > MOST ? `, the first ${MOST} are listed` : "";
  $("move-count").textContent = moves.length
    ? `${found.length} of ${moves.length} ${moves.length === 1 ? "move" : "moves"}${more}` : "Nothing can be played here.";
  hint([]);
};

/* Offers the moves of a position. */
const offer = (toEdition, seat, legal) => {
  [edition, mover, patch, squares] = [toEdition, seat, null, new Set()];
  $("move-words").value = "";
  moves = legal.map(describe);
  draw();
};

/* A square of a quilt board, or a patch, was clicked. */
const click = (target, seat) => {
  const square = target.closest("[data-square]");
  const clicked = target.closest("[data-patch]");
  if (square && seat === mover) {
    const number = Number(square.dataset.square);
    if (!squares.delete(number)) squares.add(number);
    const found = filter();
    if (!found.length) squares = new Set([number]);
    draw();
  } else if (clicked && moves.some((move) => move.patch === Number(clicked.dataset.patch))) {
    const number = Number(clicked.dataset.patch);
    patch = patch === number ? null : number;
    squares.clear();
    draw();
  }
};

const begin = (listener, findQuilt) => {
  [chosen, quilt] = [listener, findQuilt];
  $("move-words").addEventListener("input", draw);
  $("move-words").addEventListener("keydown", (event) => {
    const found = filter();
    if (event.key === "Enter" && found.length && isFiltered()) {
      const exact = found.find((move) => move.action === $("move-words").value.trim().toLowerCase());
      if (exact || found.length === 1) { chosen((exact ?? found[0]).action); event.preventDefault(); }
      else $("moves").querySelector("button").focus();
    }
  });
};

export { begin, offer, click, hintAt };
