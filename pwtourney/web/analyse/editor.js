/* The position editor: place patches, cover squares and type numbers. The server says what follows
   from each change, and checks the position by the rules. */
import { ask } from "../shared/asking.js";
import { drawUpright, writePrice } from "../shared/band.js";
import { makeBoards } from "../shared/boards.js";
import {
  $,
  addSpoken,
  make,
  makeButton,
  messageOf,
  onClick,
  onColourChange,
  queryAll,
  setMeasures,
  targetOf,
} from "../shared/dom.js";
import { count, describePatch } from "../shared/sentences.js";
import { flip, nameSquare, rotate } from "../shared/shapes.js";
import {
  describeTaken,
  dropPatch,
  editPosition,
  listFields,
  listTaken,
  mergeAnswer,
  reshape,
  shiftPatch,
  takeSuggested,
  typeField,
} from "./edited_position.js";
import { makeQuilts } from "./quilts.js";

/** @import { FormAnswer, FormChange, Position, Seat, Source, StudyEdition } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @import { EditedPosition } from "./edited_position.js" */
/** @import { Brush } from "./quilts.js" */
/** @typedef {{ edition: StudyEdition, position: Position }} Shown */
/**
 * @typedef {{ current: () => Shown | null, open: (source: Source) => void }} EditorHooks callbacks
 *   of the view: `current` returns the position that is shown, null for none
 */

const RESTING = 120; // milliseconds after a key before the position is checked
const HINT = "What a patch costs and brings is filled in, and said here.";
const MOST_STEPS = 100; // steps of undo

/** @type {EditorHooks} */
let hooks;
/** @type {StudyEdition} */
let edition;
/** @type {Boards} */
let boards;
/** @type {ReturnType<typeof makeQuilts>} */
let quilts;
/** The edited position; null before the first one.
    @type {EditedPosition | null} */
let values = null;
/** Earlier positions, as JSON.
    @type {string[]} */
let past = [];
/** @type {Brush} */
let brush = { patch: null, orientation: "r0" };
/** The values that the server has suggested for fields that the reader has typed.
    @type {Record<string, string | null>} */
let suggested = {};
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let latest = 0; // number of the latest check; older answers are dropped
let loads = 0; // number of positions that were loaded; changes of earlier ones are dropped
let turn = Promise.resolve(); // resolves when the changes so far are done: each needs the last one
let text = ""; // the notation of the position, once the server has accepted it

function nameBrush() {
  const { patch, orientation } = brush;
  return patch === null ? "a single square" : `patch ${patch}, ${orientation}`;
}

/**
 * Store a position for undo: the current one, or an earlier one as JSON.
 * @param {string} [before]
 */
function keep(before = JSON.stringify(values)) {
  past.push(before);
  if (past.length > MOST_STEPS) past.shift();
  $("edit-undo", HTMLButtonElement).disabled = false;
}

/**
 * Show whether the position can be opened.
 * @param {string} sentence
 * @param {"" | "passed" | "failed"} kind
 */
function setVerdict(sentence, kind) {
  $("edit-verdict").textContent = sentence;
  $("edit-verdict").className = kind;
  $("edit-open", HTMLButtonElement).disabled = kind !== "passed";
}

/**
 * Say what followed from the last change, and offer what would follow for typed fields.
 * @param {FormAnswer} answer
 */
function tellFollowing({ misfit = "", said = "", kept = "", suggested: offered = {} }) {
  suggested = offered;
  $("edit-said").textContent = misfit
    ? `${misfit[0].toUpperCase()}${misfit.slice(1)}.`
    : said || HINT;
  $("edit-said").className = misfit ? "failed" : "";
  $("edit-kept").textContent = kept && `Kept as typed. By the rules: ${kept}`;
  $("edit-take").hidden = !kept;
}

/** Drop the last verdict: the position cannot be opened until the server has checked it. */
function forget() {
  latest += 1;
  text = "";
  setVerdict("Checking …", "");
}

/**
 * Ask the server about a position, and what follows from a change of it.
 * @param {EditedPosition} position
 * @param {FormChange} [change]
 * @returns {Promise<FormAnswer>}
 */
function askAbout(position, change) {
  const words = change ? { change } : {};
  return ask("/analyse/check", { ...position, ...words, edition: edition.name });
}

/** @param {FormAnswer} answer */
function showVerdict({ problem, over, legal = 0, text: notation = "" }) {
  if (problem) {
    setVerdict(problem, "failed");
    return;
  }
  text = notation;
  const verb = legal === 1 ? "is" : "are";
  const moves = `${count(legal, "moves")} ${verb} legal`;
  setVerdict(`This position is possible: ${over ? "the game is over" : moves}.`, "passed");
}

/** Let the server check the position. */
async function check() {
  if (!values) return;
  const mine = latest;
  const answer = await askAbout(values).catch((error) => ({ problem: messageOf(error) }));
  if (mine === latest) showVerdict(answer);
}

function checkSoon() {
  forget();
  clearTimeout(timer);
  timer = setTimeout(check, RESTING);
}

/**
 * Change the position once the changes before are done.
 * @param {(position: EditedPosition) => void | Promise<void>} change
 */
function enqueue(change) {
  turn = turn
    .then(async () => {
      if (values) await change(values);
    })
    .catch((error) => setVerdict(messageOf(error), "failed"));
}

/**
 * Let the server change the position, and show what follows.
 * @param {FormChange} change
 */
function follow(change) {
  enqueue(async (sent) => {
    const [mine, loaded] = [latest, loads];
    /** @type {FormAnswer} */
    const answer = await askAbout(sent, change).catch((error) => ({ misfit: messageOf(error) }));
    if (loaded !== loads) return;
    tellFollowing(answer);
    if (!values || !answer.values) return;
    keep();
    values = mergeAnswer(sent, values, answer.values);
    if (change.kind === "place") brush = { patch: null, orientation: "r0" };
    draw(values);
    if (mine !== latest) {
      checkSoon(); // what was typed meanwhile, and what has followed
      return;
    }
    clearTimeout(timer);
    forget();
    showVerdict(answer);
  });
}

/**
 * Place the chosen patch with its top left corner on a square, or cover that square.
 * @param {Seat} seat
 * @param {number} square
 */
function useSquare(seat, square) {
  const { patch, orientation } = brush;
  if (patch === null) follow({ kind: "square", seat, square });
  else follow({ kind: "place", seat, patch, orientation, square });
}

/**
 * Say what is under the cursor.
 * @param {Seat} seat
 * @param {number} square
 */
function pointAt(seat, square) {
  const isCovered = values?.players[seat].quilt[square];
  const words = `${nameSquare(edition, square)}, ${isCovered ? "covered" : "empty"}`;
  $("edit-brush").textContent = `${words}; ${nameBrush()}`;
}

/** @param {(number: number) => number} change */
function turnBrush(change) {
  brush = { ...brush, orientation: reshape(brush.orientation, change) };
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
  const words = describePatch(edition, number);
  const isPressed = number === brush.patch;
  const attributes = { class: "patch", "aria-pressed": isPressed, title: words };
  const button = makeButton("", () => act(number), attributes);
  button.append(drawUpright(boards, number), make("span", { "aria-hidden": "true" }, number));
  addSpoken(button, `${name} ${words}`);
  item.append(button);
  return item;
}

/** @param {number} patch */
function choosePatch(patch) {
  brush = { patch: brush.patch === patch ? null : patch, orientation: "r0" };
  drawBrush();
}

/**
 * Redraw a list, and focus the element at the index that had the focus before.
 * @param {HTMLElement} list
 * @param {() => void} redraw
 */
function keepFocus(list, redraw) {
  const index = [...list.children].findIndex((item) => item.contains(document.activeElement));
  const scrolled = list.scrollLeft;
  redraw();
  Object.assign(list, { scrollLeft: scrolled });
  if (index < 0) return;
  const item = list.children[Math.min(index, list.children.length - 1)];
  item?.querySelector("button")?.focus({ preventScroll: true });
}

/** Draw the patch to place next, and the circle to choose from. */
function drawBrush() {
  const { patch, orientation } = brush;
  const isPatch = patch !== null;
  $("edit-brush").textContent = isPatch ? `patch ${patch}` : nameBrush();
  if (isPatch) addSpoken($("edit-brush"), `, ${orientation}`);
  $("edit-cloth").replaceChildren(
    ...(isPatch ? [boards.drawPatch(patch, orientation, { size: 1 })] : []),
  );
  $("edit-price").replaceChildren(...(isPatch ? [writePrice(boards, patch)] : []));
  ["turn", "flip", "square", "earlier", "later", "drop"].forEach((name) => {
    $(`edit-${name}`, HTMLButtonElement).disabled = !isPatch;
  });
  const list = $("edit-circle");
  keepFocus(list, () => {
    const items = (values?.circle ?? []).map((number, index) => {
      const item = drawPatchButton(number, "choose", choosePatch);
      item.classList.toggle("offered", index < edition.offer);
      return item;
    });
    list.replaceChildren(...items);
  });
  quilts.drawCursor();
}

/** @param {EditedPosition} position */
function drawTaken(position) {
  $("edit-taken-sum").textContent = describeTaken(edition, position);
  /** @param {number} patch */
  const act = (patch) => follow({ kind: "back", patch });
  const list = $("edit-taken");
  keepFocus(list, () => {
    const numbers = listTaken(edition, position);
    list.replaceChildren(...numbers.map((number) => drawPatchButton(number, "put back", act)));
  });
}

/** Return the fields that the server may fill in. */
function findFields() {
  return /** @type {(HTMLInputElement | HTMLSelectElement)[]} */ (
    queryAll($("editor"), "[data-field]")
  );
}

/**
 * Write the values of all fields.
 * @param {EditedPosition} position
 */
function writeFields(position) {
  const fields = listFields(position);
  findFields().forEach((field) => {
    const value = fields[field.dataset.field ?? ""] ?? "";
    if (field instanceof HTMLInputElement && field.type === "radio") {
      field.checked = field.value === value;
    } else if (field.value.trim() !== value) {
      field.value = value;
    }
  });
  $("edit-late", HTMLInputElement).checked = position.late;
}

/** @param {EditedPosition} position */
function draw(position) {
  writeFields(position);
  quilts.draw(position);
  drawBrush();
  drawTaken(position);
}

/** Apply each input of a field; a whole number is one step for undo, however many keys it takes. */
function listenToFields() {
  let isTyping = false;
  $("editor").addEventListener("input", (event) => {
    const field = /** @type {HTMLInputElement | HTMLSelectElement} */ (targetOf(event));
    const name = field.dataset.field;
    const isLate = field.id === "edit-late";
    if (!values || !(name || isLate)) return;
    if (!isTyping) keep();
    isTyping = true;
    values = name
      ? typeField(values, name, name === "tile" ? field.value || null : field.value.trim())
      : { ...values, late: $("edit-late", HTMLInputElement).checked };
    tellFollowing({});
    drawTaken(values);
    checkSoon();
  });
  $("editor").addEventListener("change", () => {
    isTyping = false;
  });
}

/**
 * Load a position from the server into the editor.
 * @param {Shown} shown
 */
function load(shown) {
  loads += 1;
  ({ edition } = shown);
  boards = makeBoards(edition);
  setMeasures($("editor"), { columns: edition.columns, rows: edition.rows });
  [brush, past] = [{ patch: null, orientation: "r0" }, []];
  quilts.reset();
  values = editPosition(shown.position);
  $("edit-edition", HTMLSelectElement).value = edition.name;
  $("edit-tile-label").hidden = !edition.tile;
  $("edit-late-label").hidden = !edition.latePatches.length;
  $("edit-undo", HTMLButtonElement).disabled = true;
  tellFollowing({});
  draw(values);
  checkSoon();
}

async function loadStart() {
  clearTimeout(timer);
  forget();
  const mine = latest;
  const name = $("edit-edition", HTMLSelectElement).value;
  try {
    const opened = await ask("/analyse/open", { source: { seed: 1, edition: name } });
    if (mine === latest) load({ edition: opened.edition, position: opened.points[0].position });
  } catch (error) {
    if (mine === latest) setVerdict(messageOf(error), "failed");
  }
  if (values) $("edit-edition", HTMLSelectElement).value = edition.name; // of what is drawn
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

/**
 * Replace the position by one that the page has made, which the server then checks.
 * @param {EditedPosition} position
 */
function replace(position) {
  values = position;
  tellFollowing({});
  draw(position);
  checkSoon();
}

/** @param {number} step */
function shift(step) {
  enqueue((position) => {
    const before = JSON.stringify(position);
    if (!shiftPatch(position, brush.patch, step)) return;
    keep(before);
    replace(position);
  });
}

function drop() {
  enqueue((position) => {
    if (brush.patch === null) return;
    keep();
    dropPatch(position, brush.patch);
    brush = { patch: null, orientation: "r0" };
    replace(position);
  });
}

function undo() {
  enqueue(() => {
    const before = past.pop();
    $("edit-undo", HTMLButtonElement).disabled = !past.length;
    if (before !== undefined) replace(JSON.parse(before));
  });
}

/** Fill in what the server has suggested for fields that the reader has typed. */
function fillIn() {
  enqueue((position) => {
    keep();
    replace(takeSuggested(position, suggested));
    $("edit-undo").focus({ preventScroll: true });
  });
}

/** @param {EditorHooks} listeners */
export function beginEditor(listeners) {
  hooks = listeners;
  const [turnRight, flipOver] = [
    () => turnBrush((number) => rotate(number)),
    () => turnBrush(flip),
  ];
  quilts = makeQuilts($("edit-boards"), () => boards, {
    brush: () => brush,
    act: useSquare,
    point: pointAt,
    keys: { r: turnRight, f: flipOver },
  });
  onColourChange(() => {
    if (values) draw(values);
  });
  onClick("edit-current", loadCurrent);
  onClick("edit-start", loadStart);
  onClick("edit-undo", undo);
  onClick("edit-take", fillIn);
  onClick("edit-turn", turnRight);
  onClick("edit-flip", flipOver);
  onClick("edit-square", () => {
    brush = { patch: null, orientation: "r0" };
    drawBrush();
  });
  onClick("edit-earlier", () => shift(-1));
  onClick("edit-later", () => shift(1));
  onClick("edit-drop", drop);
  onClick("edit-open", () => hooks.open({ text, edition: edition.name }));
  $("edit-edition").addEventListener("change", loadStart);
  listenToFields();
}
