/* The position editor: place patches, cover squares and type numbers. The server checks each
   change by the rules. */
import { ask } from "../shared/asking.js";
import { makeBoards } from "../shared/boards.js";
import {
  $,
  addSpoken,
  closest,
  make,
  makeButton,
  messageOf,
  onClick,
  onColourChange,
  query,
  queryAll,
  readNumber,
  targetOf,
} from "../shared/dom.js";
import { SEATS, count, describePatch } from "../shared/sentences.js";
import { flip, nameSquare, rotate } from "../shared/shapes.js";
import {
  describeTaken,
  dropPatch,
  editPosition,
  findCovered,
  listTaken,
  moveCursor,
  placePatch,
  putBack,
  reshape,
  shiftPatch,
  toggleSquare,
} from "./edited.js";

/** @import { Orientation, Position, Seat, Source, StudyEdition } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @import { EditedPosition, NumberKey } from "./edited.js" */
/** @typedef {{ edition: StudyEdition, position: Position }} Shown */
/**
 * @typedef {{ current: () => Shown | null, open: (source: Source) => void }} EditorHooks callbacks
 *   of the view: `current` returns the position that is shown, null for none
 */

const RESTING = 120; // milliseconds after a change before it is checked
const MOST_STEPS = 100; // steps of undo
/** @type {NumberKey[]} */
const NUMBERS = ["buttons", "income", "space"];

/** @type {EditorHooks} */
let hooks;
/** @type {StudyEdition} */
let edition;
/** @type {Boards} */
let boards;
/** The edited position; null before the first one.
    @type {EditedPosition | null} */
let values = null;
/** Earlier positions, as JSON.
    @type {string[]} */
let past = [];
/** The patch that the next click places; null for a single square.
    @type {number | null} */
let brush = null;
/** @type {Orientation} */
let orientation = "r0";
let cursor = [0, 0]; // the square under the cursor on each board
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let latest = 0; // number of the latest check; older answers are dropped
let text = ""; // the notation of the position, once the server has accepted it

function nameBrush() {
  return brush === null ? "a single square" : `patch ${brush}, ${orientation}`;
}

/** Return the boards that are drawn. */
function findQuilts() {
  return queryAll($("edit-boards"), ".edit-quilt");
}

/** Show on the board under the cursor where a click would place the patch. */
function drawCursor() {
  [...$("edit-boards").children].forEach((board, seat) => {
    const isPointed = board.matches(":focus-within, :hover");
    const square = cursor[seat];
    const covered = brush === null ? [square] : findCovered(edition, brush, orientation, square);
    const ghost = new Set(covered ?? [square]);
    board.querySelectorAll("[data-square]").forEach((each) => {
      const number = readNumber(/** @type {SVGElement} */ (each), "square");
      each.classList.toggle("hinted", isPointed && ghost.has(number));
    });
  });
}

/**
 * Store a position for undo: the current one, or an earlier one as JSON.
 * @param {string} [before]
 */
function keep(before = JSON.stringify(values)) {
  past.push(before);
  if (past.length > MOST_STEPS) past.shift();
}

/**
 * Apply each input of a field; a whole number is one step for undo, however many keys it takes.
 * @param {HTMLElement} element
 * @param {() => void} apply
 */
function listen(element, apply) {
  let isTyping = false;
  element.addEventListener("input", () => {
    if (!values) return;
    if (!isTyping) keep();
    isTyping = true;
    apply();
    showChange(false);
  });
  element.addEventListener("change", () => {
    isTyping = false;
  });
}

/**
 * Place the chosen patch with its top left corner on a square, or cover that square.
 * @param {Seat} seat
 * @param {number} square
 */
function placeAt(seat, square) {
  if (!values) return;
  cursor[seat] = square;
  const before = JSON.stringify(values);
  if (brush === null) {
    toggleSquare(values, seat, square);
  } else if (placePatch(edition, values, seat, brush, orientation, square)) {
    brush = null;
    writeFields(values);
  } else {
    say(`Patch ${brush} does not fit on ${nameSquare(edition, square)}.`, "failed");
    return;
  }
  keep(before);
  showChange();
}

/**
 * @param {Seat} seat
 * @param {EditedPosition} position
 */
function drawFields(seat, { players }) {
  const player = players[seat];
  const fields = make("div", { class: "fields" });
  NUMBERS.forEach((key) => {
    const label = make("label", {}, `${key} `);
    const input = make("input", { inputmode: "numeric", size: 4, autocomplete: "off" });
    input.value = player[key];
    listen(input, () => {
      player[key] = input.value.trim();
    });
    label.append(input);
    fields.append(label);
  });
  return fields;
}

/**
 * @param {Seat} seat
 * @param {EditedPosition} position
 */
function drawQuilt(seat, { players }) {
  const name = `the ${SEATS[seat]} seat`;
  const label = `Quilt board of ${name}: arrows move, Enter covers`;
  const attributes = { tabindex: 0, role: "application", "aria-label": label };
  const quilt = make("div", { class: "edit-quilt", ...attributes });
  quilt.append(...boards.drawQuilt(name, players[seat].quilt, null));
  /** @param {Event} event */
  const findSquare = (event) => {
    const square = closest(targetOf(event), "[data-square]");
    return square && readNumber(square, "square");
  };
  quilt.addEventListener("click", (event) => {
    const square = findSquare(event);
    if (square !== null) placeAt(seat, square);
  });
  quilt.addEventListener("mousemove", (event) => {
    const square = findSquare(event);
    if (square === null || cursor[seat] === square) return;
    cursor[seat] = square;
    drawCursor();
  });
  quilt.addEventListener("keydown", (event) => press(event, seat));
  ["focus", "blur", "mouseleave"].forEach((kind) => quilt.addEventListener(kind, drawCursor));
  return quilt;
}

/**
 * @param {Seat} seat
 * @param {EditedPosition} position
 */
function drawBoard(seat, position) {
  const box = make("div", { class: "board" });
  const title = make("h3", {}, `${SEATS[seat]} seat`);
  box.append(title, drawFields(seat, position), drawQuilt(seat, position));
  return box;
}

/**
 * @param {Seat} seat
 * @param {number} square
 */
function pointAt(seat, square) {
  cursor[seat] = square;
  drawCursor();
  const isCovered = values?.players[seat].quilt[square];
  const place = `${nameSquare(edition, square)}, ${isCovered ? "covered" : "empty"}`;
  $("edit-brush").textContent = `${place}; ${nameBrush()}`;
}

/**
 * Return what a key does on a board; null for nothing.
 * @param {string} key
 * @param {Seat} seat
 */
function findAct(key, seat) {
  const square = moveCursor(edition, cursor[seat], key);
  if (square !== null) return () => pointAt(seat, square);
  if (key === "Enter" || key === " ") {
    return () => {
      placeAt(seat, cursor[seat]);
      findQuilts()[seat].focus({ preventScroll: true });
    };
  }
  /** @type {Record<string, () => void>} */
  const acts = { r: turnBrush, f: flipBrush };
  return acts[key.toLowerCase()] ?? null;
}

/**
 * @param {KeyboardEvent} event
 * @param {Seat} seat
 */
function press(event, seat) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const act = findAct(event.key, seat);
  if (!act) return;
  act();
  event.preventDefault();
}

function turnBrush() {
  orientation = reshape(orientation, (number) => rotate(number));
  drawBrush();
}

function flipBrush() {
  orientation = reshape(orientation, flip);
  drawBrush();
}

/**
 * Draw a patch as a button of a list.
 * @param {number} number
 * @param {string} name what the button does
 * @param {(number: number) => void} act
 */
function drawPatchButton(number, name, act) {
  const item = make("li");
  const isPressed = number === brush;
  const words = describePatch(edition, number);
  const attributes = { class: "tool patch", "aria-pressed": isPressed, title: words };
  const button = makeButton("", () => act(number), attributes);
  button.append(
    boards.drawPatch(number, isPressed ? orientation : "r0", { size: 0.5 }),
    make("span", { "aria-hidden": "true" }, number),
  );
  addSpoken(button, `${name} ${words}`);
  item.append(button);
  return item;
}

/** @param {number} number */
function choosePatch(number) {
  brush = brush === number ? null : number;
  orientation = "r0";
  drawBrush();
}

/**
 * Redraw a list, and focus the element at the index that had the focus before.
 * @param {HTMLElement} list
 * @param {() => void} redraw
 */
function keepFocus(list, redraw) {
  const place = [...list.children].findIndex((item) => item.contains(document.activeElement));
  redraw();
  if (place < 0) return;
  const item = list.children[Math.min(place, list.children.length - 1)];
  item?.querySelector("button")?.focus({ preventScroll: true });
}

/** Draw the patch to place next, and the circle to choose from. */
function drawBrush() {
  const circle = values?.circle ?? [];
  $("edit-brush").textContent = nameBrush();
  ["turn", "flip", "square", "earlier", "later", "drop"].forEach((name) => {
    $(`edit-${name}`, HTMLButtonElement).disabled = brush === null;
  });
  const list = $("edit-circle");
  keepFocus(list, () => {
    list.replaceChildren(...circle.map((number) => drawPatchButton(number, "choose", choosePatch)));
  });
  drawCursor();
}

/** @param {EditedPosition} position */
function drawTaken(position) {
  $("edit-taken-sum").textContent = describeTaken(edition, position);
  /** @param {number} number */
  const act = (number) => {
    keep();
    putBack(edition, position, number);
    writeFields(position);
    showChange();
  };
  const items = listTaken(edition, position).map((number) =>
    drawPatchButton(number, "put back", act),
  );
  $("edit-taken").replaceChildren(...items);
}

/**
 * @param {string} sentence
 * @param {"" | "passed" | "failed"} kind
 */
function say(sentence, kind) {
  $("edit-verdict").textContent = sentence;
  $("edit-verdict").className = kind;
}

/**
 * Show whether the position can be opened.
 * @param {string} sentence
 * @param {"" | "passed" | "failed"} kind
 */
function judge(sentence, kind) {
  say(sentence, kind);
  $("edit-open", HTMLButtonElement).disabled = kind !== "passed";
}

/** Read the fields that belong to neither player. */
function readFields() {
  if (!values) return;
  const mover = document.querySelector("[name=edit-to-move]:checked");
  values.toMove = mover instanceof HTMLInputElement ? mover.value : "0";
  values.pending = $("edit-pending", HTMLInputElement).value;
  values.tile = $("edit-tile", HTMLSelectElement).value || null;
  values.late = $("edit-late", HTMLInputElement).checked && edition.latePatches.length > 0;
}

/**
 * Write the fields that belong to neither player.
 * @param {EditedPosition} position
 */
function writeFields({ toMove, pending, tile, late }) {
  const mover = query(document, `[name=edit-to-move][value="${toMove}"]`);
  if (mover instanceof HTMLInputElement) mover.checked = true;
  $("edit-pending", HTMLInputElement).value = pending;
  $("edit-tile", HTMLSelectElement).value = tile ?? "";
  $("edit-late", HTMLInputElement).checked = late;
}

/** Drop the last verdict: the position cannot be opened until the server has checked it. */
function forget() {
  latest += 1;
  text = "";
  judge("Checking …", "");
}

/** Let the server check the position. */
async function check() {
  const mine = latest;
  let answer;
  try {
    answer = await ask("/analyse/check", { ...values, edition: edition.name });
  } catch (error) {
    answer = { problem: messageOf(error) };
  }
  if (mine !== latest) return;
  if (answer.problem) {
    judge(answer.problem, "failed");
    return;
  }
  text = answer.text;
  const verb = answer.legal === 1 ? "is" : "are";
  const moves = `${count(answer.legal, "moves")} ${verb} legal`;
  const sentence = `This position is possible: ${answer.over ? "the game is over" : moves}.`;
  judge(sentence, "passed");
}

/**
 * Draw the current position, and let the server check it.
 * @param {boolean} [redraw] whether the boards have changed
 */
function showChange(redraw = true) {
  if (!values) return;
  readFields();
  if (redraw) {
    const place = findQuilts().findIndex((quilt) => quilt === document.activeElement);
    $("edit-boards").replaceChildren(drawBoard(0, values), drawBoard(1, values));
    drawBrush();
    findQuilts()[place]?.focus({ preventScroll: true });
  }
  drawTaken(values);
  forget();
  clearTimeout(timer);
  timer = setTimeout(check, RESTING);
}

/**
 * Load a position from the server into the editor.
 * @param {Shown} shown
 */
function load(shown) {
  ({ edition } = shown);
  boards = makeBoards(edition);
  [brush, past, cursor] = [null, [], [0, 0]];
  values = editPosition(shown.position);
  $("edit-edition", HTMLSelectElement).value = edition.name;
  writeFields(values);
  const tile = $("edit-tile").closest("label");
  if (tile) tile.hidden = !edition.tile;
  $("edit-late-label").hidden = !edition.latePatches.length;
  showChange();
}

async function loadStart() {
  clearTimeout(timer);
  forget();
  const mine = latest;
  const name = $("edit-edition", HTMLSelectElement).value;
  try {
    const opened = await ask("/analyse/open", { source: { seed: 1, edition: name } });
    if (mine !== latest) return;
    load({ edition: opened.edition, position: opened.points[0].position });
  } catch (error) {
    if (mine === latest) judge(messageOf(error), "failed");
  }
}

/** Show the editor; if it has no position yet, load the one that the view shows. */
export function showEditor() {
  const current = hooks.current();
  $("edit-current", HTMLButtonElement).disabled = !current;
  if (values) return;
  if (current) load(current);
  else loadStart();
}

function loadCurrent() {
  const current = hooks.current();
  if (current) load(current);
}

/** @param {number} step */
function shift(step) {
  if (!values) return;
  const before = JSON.stringify(values);
  if (!shiftPatch(values, brush, step)) return;
  keep(before);
  showChange();
}

function drop() {
  if (!values || brush === null) return;
  keep();
  dropPatch(values, brush);
  brush = null;
  showChange();
}

function undo() {
  const before = past.pop();
  if (before === undefined) return;
  /** @type {EditedPosition} */
  const position = JSON.parse(before);
  values = position;
  writeFields(position);
  showChange();
}

/** @param {EditorHooks} listeners */
export function beginEditor(listeners) {
  hooks = listeners;
  onColourChange(() => showChange());
  onClick("edit-current", loadCurrent);
  onClick("edit-start", loadStart);
  onClick("edit-undo", undo);
  onClick("edit-turn", turnBrush);
  onClick("edit-flip", flipBrush);
  onClick("edit-square", () => {
    brush = null;
    drawBrush();
  });
  onClick("edit-earlier", () => shift(-1));
  onClick("edit-later", () => shift(1));
  onClick("edit-drop", drop);
  onClick("edit-open", () => hooks.open({ text, edition: edition.name }));
  $("edit-edition").addEventListener("change", loadStart);
  listen($("edit-fields"), readFields);
}
