/* A position that is put together: by patches that are placed, squares that are covered, and
   numbers. The server judges each change by the rules. */

import * as Asking from "../shared/asking.js";
import * as Boards from "../shared/boards.js";
import * as Dom from "../shared/dom.js";
import * as Orientations from "../shared/orientations.js";
import * as Replay from "../shared/replay.js";
import * as Sentences from "../shared/sentences.js";

const { $, make } = Dom;
const ORDER = Replay.ORIENTATIONS;
const COVERED = 1_000_000; // the mark of a square of which only is known that it is covered

let hooks = null; let edition = null; let boards = null; let values = null; let past = [];
let brush = null; let orientation = "r0"; let cursor = [0, 0]; let timer = null; let latest = 0; let text = "";

/* Shows where something would be placed, on the board that is pointed at. */
const drawCursor = () => [0, 1].forEach((seat) => {
  const board = $("edit-boards").children[seat];
  const isPointed = board.matches(":focus-within, :hover");
  const ghost = new Set(brush === null ? [cursor[seat]] : Replay.covered(edition, String(brush), orientation, Sentences.nameSquare(edition, cursor[seat])));
  board.querySelectorAll("[data-square]").forEach((square) =>
    square.classList.toggle("hinted", isPointed && ghost.has(Number(square.dataset.square))));
});

const fits = (seat, square) => {
  const shape = Replay.turned(edition.patches[brush][0], orientation);
  const [column, row] = [square % edition.columns, Math.floor(square / edition.columns)];
  if (column + shape[0].length > edition.columns || row + shape.length > edition.rows) return null;
  const covers = Replay.covered(edition, String(brush), orientation, Sentences.nameSquare(edition, square));
  return covers.every((each) => !values.players[seat].quilt[each]) ? covers : null;
};

const keep = () => { past.push(JSON.stringify(values)); if (past.length > 100) past.shift(); };

/* Applies what is typed or chosen with each key: a number is one step for undo, however long. */
const listen = (element, apply) => {
  let isTyping = false;
  element.addEventListener("input", () => {
    if (!values) return;
    if (!isTyping) keep();
    isTyping = true;
    apply();
    change(false);
  });
  element.addEventListener("change", () => { isTyping = false; });
};

/* Places the chosen patch with its top left corner on a square, or covers that square. */
const place = (seat, square) => {
  const player = values.players[seat];
  cursor[seat] = square;
  if (brush === null) {
    keep();
    player.quilt[square] = player.quilt[square] ? 0 : COVERED;
    change();
    return;
  }
  const covers = fits(seat, square);
  if (!covers) { say(`Patch ${brush} does not fit on ${Sentences.nameSquare(edition, square)}.`, false); return; }
  keep();
  covers.forEach((each) => { player.quilt[each] = brush; });
  player.income = String(Number(player.income) + edition.patches[brush][3]);
  values.circle = values.circle.filter((each) => each !== brush);
  brush = null;
  change();
};

const drawBoard = (seat) => {
  const player = values.players[seat];
  const box = make("div", { class: "board" });
  box.append(make("h3", {}, `${Boards.seats[seat]} seat`));
  const fields = make("div", { class: "fields" });
  ["buttons", "income", "space"].forEach((key) => {
    const label = make("label", {}, `${key} `);
    const input = make("input", { inputmode: "numeric", size: 4, autocomplete: "off" });
    input.value = player[key];
    listen(input, () => { player[key] = input.value.trim(); });
    label.append(input);
    fields.append(label);
  });
  const quilt = make("div", { class: "edit-quilt", tabindex: 0, role: "application", "aria-label": `Quilt board of the ${Boards.seats[seat]} seat: arrows move, Enter covers` });
  quilt.append(...boards.drawQuilt(`the ${Boards.seats[seat]} seat`, player.quilt, null));
  quilt.addEventListener("click", (event) => {
    const square = event.target.closest("[data-square]");
    if (square) place(seat, Number(square.dataset.square));
  });
  quilt.addEventListener("mousemove", (event) => {
    const square = event.target.closest("[data-square]");
    if (square && cursor[seat] !== Number(square.dataset.square)) { cursor[seat] = Number(square.dataset.square); drawCursor(); }
  });
  quilt.addEventListener("keydown", (event) => press(event, seat));
  ["focus", "blur", "mouseleave"].forEach((event) => quilt.addEventListener(event, drawCursor));
  box.append(fields, quilt);
  return box;
};

const press = (event, seat) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { columns, rows } = edition;
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
  if (step) {
    const square = cursor[seat];
    const sideways = Math.abs(step) === 1 && Math.floor((square + step) / columns) !== Math.floor(square / columns);
    if (!sideways && square + step >= 0 && square + step < rows * columns) cursor[seat] = square + step;
    drawCursor();
    const covered = values.players[seat].quilt[cursor[seat]] ? "covered" : "empty";
    $("edit-brush").textContent = `${Sentences.nameSquare(edition, cursor[seat])}, ${covered}; ${nameBrush()}`;
  } else if (event.key === "Enter" || event.key === " ") {
    place(seat, cursor[seat]);
    $("edit-boards").querySelectorAll(".edit-quilt")[seat].focus({ preventScroll: true });
  } else if (event.key === "r" || event.key === "R") turn();
  else if (event.key === "f" || event.key === "F") flip();
  else return;
  event.preventDefault();
};

const nameBrush = () => (brush === null ? "a single square" : `patch ${brush}, ${orientation}`);
const reshape = (change) => { orientation = ORDER[change(ORDER.indexOf(orientation))]; drawBrush(); };
const turn = () => reshape((number) => Orientations.rotate(number));
const flip = () => reshape(Orientations.flip);

const drawPatchButton = (number, { pressed, act, name }) => {
  const item = make("li");
  const button = make("button", { type: "button", class: "tool patch", "aria-pressed": pressed, title: Sentences.describePatch(edition, number) });
  button.append(boards.drawPatch(number, pressed ? orientation : "r0", { size: 0.5 }), make("span", { "aria-hidden": "true" }, number));
  Dom.addSpoken(button, `${name} ${Sentences.describePatch(edition, number)}`);
  button.addEventListener("click", () => act(number));
  item.append(button);
  return item;
};

const choose = (number) => { [brush, orientation] = brush === number ? [null, "r0"] : [number, "r0"]; drawBrush(); };
const putBack = (number) => {
  keep();
  values.circle.push(number);
  values.players.forEach((player) => {
    if (!player.quilt.includes(number)) return;
    player.quilt = player.quilt.map((mark) => (mark === number ? 0 : mark));
    player.income = String(Math.max(0, Number(player.income) - edition.patches[number][3]));
  });
  change();
};

const listTaken = () => {
  const waiting = values.late ? edition.latePatches : [];
  return Object.keys(edition.patches).map(Number).filter((number) => !values.circle.includes(number) && !waiting.includes(number));
};

const drawBrush = () => {
  const focused = document.activeElement?.closest("#edit-circle li");
  const spot = focused ? [...$("edit-circle").children].indexOf(focused) : -1;
  $("edit-brush").textContent = nameBrush();
  ["turn", "flip", "square", "earlier", "later", "drop"].forEach((name) => { $(`edit-${name}`).disabled = brush === null; });
  $("edit-circle").replaceChildren(...values.circle.map((number) => drawPatchButton(number, { pressed: number === brush, act: choose, name: "choose" })));
  if (spot >= 0) $("edit-circle").children[Math.min(spot, values.circle.length - 1)]?.querySelector("button").focus({ preventScroll: true });
  drawCursor();
};

const drawTaken = () => {
  const taken = listTaken();
  const sum = (index) => taken.reduce((total, number) => total + edition.patches[number][index], 0);
  const squares = taken.reduce((total, number) => total + edition.patches[number][0].join("").replaceAll(".", "").length, 0);
  const covered = values.players.reduce((total, player) => total + player.quilt.filter(Boolean).length, 0);
  $("edit-taken-sum").textContent = taken.length
    ? `Squares: ${squares}, and covered are ${covered}. Income: ${sum(3)}. Cost: ${sum(1)}. Spaces that they move tokens: ${sum(2)}. Choose a patch to put it back.`
    : "All patches are in the circle.";
  $("edit-taken").replaceChildren(...taken.map((number) => drawPatchButton(number, { pressed: false, act: putBack, name: "put back" })));
};

const say = (sentence, good) => {
  $("edit-verdict").textContent = sentence;
  $("edit-verdict").className = good ? "passed" : "failed";
};

const verdict = (sentence, good) => {
  say(sentence, good);
  $("edit-open").disabled = !good;
};

const readValues = () => {
  values.toMove = document.querySelector("[name=edit-to-move]:checked").value;
  values.pending = $("edit-pending").value;
  values.tile = $("edit-tile").value === "" ? null : $("edit-tile").value;
  values.late = $("edit-late").checked && Boolean(edition.latePatches.length);
};

/* What was judged is old: nothing can be opened before the answer about what is there now. */
const forget = () => {
  latest += 1;
  text = "";
  verdict("Checking …", false);
  $("edit-verdict").className = "";
};

const check = async () => {
  const mine = latest;
  let told;
  try {
    told = await Asking.ask("/analyse/check", { ...values, edition: edition.name });
  } catch (error) {
    if (mine === latest) verdict(error.message, false);
    return;
  }
  if (mine !== latest) return;
  if (told.problem) { verdict(told.problem, false); return; }
  text = told.text;
  const moves = told.over ? "the game is over" : `${told.legal} ${told.legal === 1 ? "move is" : "moves are"} legal`;
  verdict(`This position is possible: ${moves}.`, true);
};

/* Draws the position as it is now, and has it judged. */
const change = (redraw = true) => {
  readValues();
  if (redraw) {
    const focused = [...$("edit-boards").querySelectorAll(".edit-quilt")].indexOf(document.activeElement);
    $("edit-boards").replaceChildren(drawBoard(0), drawBoard(1));
    drawBrush();
    if (focused >= 0) $("edit-boards").querySelectorAll(".edit-quilt")[focused].focus({ preventScroll: true });
  }
  drawTaken();
  forget();
  clearTimeout(timer);
  timer = setTimeout(check, 120);
};

/* Takes over a position as the server describes it. */
const load = (toEdition, position) => {
  edition = toEdition;
  boards = Boards.of(edition);
  [brush, past, cursor] = [null, [], [0, 0]];
  values = {
    players: position.players.map(({ quilt, buttons, income, space }) => ({
      quilt: [...quilt], buttons: String(buttons), income: String(income), space: String(space),
    })),
    circle: [...position.circle],
  };
  $("edit-edition").value = edition.name;
  document.querySelector(`[name=edit-to-move][value="${position.toMove}"]`).checked = true;
  $("edit-pending").value = position.pending;
  $("edit-tile").value = position.tile ?? "";
  $("edit-tile").closest("label").hidden = !edition.tile;
  $("edit-late-label").hidden = !edition.latePatches.length;
  $("edit-late").checked = position.late.length > 0;
  change();
};

const loadStart = async (name) => {
  clearTimeout(timer);
  forget();
  const mine = latest;
  try {
    const opened = await Asking.ask("/analyse/open", { source: { seed: 1, edition: name } });
    if (mine === latest) load(opened.edition, opened.points[0].position);
  } catch (error) {
    if (mine === latest) verdict(error.message, false);
  }
};

const show = () => {
  const current = hooks.current();
  $("edit-current").disabled = !current;
  if (!values && current) load(current.edition, current.position);
  else if (!values) loadStart($("edit-edition").value);
};

const shift = (step) => {
  const place = values.circle.indexOf(brush);
  const to = place + step;
  if (place < 0 || to < 0 || to >= values.circle.length) return;
  keep();
  [values.circle[place], values.circle[to]] = [values.circle[to], values.circle[place]];
  change();
};

const undo = () => {
  if (!past.length) return;
  values = JSON.parse(past.pop());
  document.querySelector(`[name=edit-to-move][value="${values.toMove}"]`).checked = true;
  [$("edit-pending").value, $("edit-tile").value, $("edit-late").checked] = [values.pending, values.tile ?? "", values.late];
  change();
};

const begin = (listeners) => {
  hooks = listeners;
  const act = (id, what) => $(id).addEventListener("click", what);
  act("edit-current", () => { const now = hooks.current(); if (now) load(now.edition, now.position); });
  act("edit-start", () => loadStart($("edit-edition").value));
  act("edit-undo", undo);
  act("edit-turn", turn);
  act("edit-flip", flip);
  act("edit-square", () => { brush = null; drawBrush(); });
  act("edit-earlier", () => shift(-1));
  act("edit-later", () => shift(1));
  act("edit-drop", () => { keep(); values.circle = values.circle.filter((each) => each !== brush); brush = null; change(); });
  act("edit-open", () => hooks.open({ text, edition: edition.name }));
  $("edit-edition").addEventListener("change", () => loadStart($("edit-edition").value));
  listen($("edit-fields"), readValues);
};

export { begin, show };
