/* The viewer, which steps through one game. */
import { countGain, drawSketch, sketchMove } from "../game/sketch.js";
import { makeBoards } from "../shared/boards.js";
import { listPositions } from "../shared/changes.js";
import {
  $,
  addSpoken,
  make,
  makeButton,
  onClick,
  onColourChange,
  targetOf,
} from "../shared/dom.js";
import { formatPoints, formatScore } from "../shared/gauges.js";
import { showMotion } from "../shared/motion.js";
import { formatPicture } from "../shared/picture.js";
import { SEATS, describePurse, tellPly } from "../shared/sentences.js";
import { offerLink, offerPictures } from "../shared/share.js";
import { formatFragment } from "./address.js";
import { facts, findRow, games, loadGame } from "./data.js";
import { drawEvaluation } from "./evaluation.js";
import { explainMissing } from "./missing.js";
import { describeResult, namesOf } from "./rows.js";

/** @import { Ply, Position, Replayable, Seat } from "../types.d.ts" */
/** @import { Found } from "./data.js" */
/** @typedef {{ id: string, game: Replayable, names: string[], result: string, positions: Position[] }} Shown */

const MILLISECONDS = 700; // between two plies while the viewer plays
const { edition } = facts;
const boards = makeBoards(edition);

/** @type {Shown | null} */
let shown = null;
let awaited = ""; // the game that was requested last: the answer for another one comes too late
let ply = 0;
/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;
/** @type {(count: number) => void} */
let markPly = () => {};
let moved = () => {}; // called when another ply is shown

/** @param {Shown} open */
const lastPly = ({ positions }) => positions.length - 1;

/** The page of a bot hides the viewer; keys and playing then have no effect. */
const isVisible = () => $("viewer").getClientRects().length > 0;

/**
 * Enable a button, or disable it with aria-disabled so that it keeps the focus.
 * @param {string} id
 * @param {boolean} isOn
 */
export function enable(id, isOn) {
  $(id).setAttribute("aria-disabled", String(!isOn));
}

/** @param {string} text */
function makeTitle(text) {
  const level = Number($("title").tagName.slice(1)) + 1;
  return make(/** @type {"h3"} */ (`h${level}`), {}, text);
}

/**
 * Draw what a player owns in words, with pictures of a button and of the special tile.
 * @param {Position} position
 * @param {Seat} seat
 */
function drawPurse(position, seat) {
  const line = make("p", { class: "purse" });
  line.append(boards.icons.button(), describePurse(edition, position.players[seat]));
  if (position.tile === seat && edition.tile) line.append(boards.icons.tile(), "special tile");
  return line;
}

/**
 * Return the name of a game; a game that was saved on its own has no tournament id.
 * @param {Shown} open
 */
function nameGame({ id, names }) {
  return `${facts.saved ? "" : `Game ${id}: `}${names[0]} against ${names[1]}`;
}

/**
 * @param {Shown} open
 * @param {Seat} seat
 */
function isAutoma({ game }, seat) {
  return seat === 1 && Boolean(game.automa);
}

/**
 * Return the current score of a seat; null for the Automa, whose score depends on its level and is
 * counted at the end.
 * @param {Shown} open
 * @param {Seat} seat
 */
function findScore(open, seat) {
  if (ply === lastPly(open)) return open.game.scores[seat];
  return open.positions[ply].players[seat].score;
}

/**
 * Say how a player stands: the squares and spaces that are left, or the score at the end.
 * @param {Shown} open
 * @param {Seat} seat
 */
function describeStanding(open, seat) {
  if (ply === lastPly(open)) {
    const score = findScore(open, seat);
    return score === null ? "" : `score ${formatScore(score)}`;
  }
  const { quilt, space } = open.positions[ply].players[seat];
  const toGo = `${Math.max(0, edition.last - space)} to go`;
  if (isAutoma(open, seat)) return toGo;
  return `${quilt.filter((mark) => !mark).length} empty, ${toGo}`;
}

/**
 * Draw the side of one player.
 * @param {Shown} open
 * @param {Seat} seat
 */
function drawBoard(open, seat) {
  const position = open.positions[ply];
  const player = position.players[seat];
  const name = `${open.names[seat]} (${SEATS[seat]})`;
  const isMoving = position.toMove === seat && ply !== lastPly(open);
  const box = make("div", { class: `board${isMoving ? " moving" : ""}` });
  const title = makeTitle(name);
  title.prepend(boards.icons.token(seat));
  const words = describeStanding(open, seat);
  box.append(title, drawPurse(position, seat), make("p", { class: "score" }, words));
  if (isAutoma(open, seat)) return box;
  const before = ply ? open.positions[ply - 1].players[seat].quilt : null;
  box.append(...boards.drawQuilt(name, player.quilt, before));
  if (open.game.plies.some(([, , micros]) => micros >= 0)) {
    const seconds = (player.micros / 1e6).toFixed(2);
    box.append(make("p", { class: "lead" }, `thought for ${seconds} s`));
  }
  return box;
}

/**
 * Return what a bot said with a ply; large pages omit texts.
 * @param {Ply} played
 */
function describeThought([, , , said, margin]) {
  if (said) return ` – ${said}`;
  return margin === undefined ? "" : ` – score ${formatPoints(margin)}`;
}

/** @param {Shown} open */
function describePly(open) {
  const last = lastPly(open);
  if (!ply) return `The start of ${last} plies`;
  const played = open.game.plies[ply - 1];
  const [before, after] = open.positions.slice(ply - 1, ply + 1);
  const told = tellPly(edition, open.names, before, after, played);
  const end = ply === last ? ` ${open.result}.` : "";
  // the time may not have been measured
  const time = played[2] < 0 ? "" : `, ${(played[2] / 1000).toFixed(1)} ms`;
  const rest = `${played[1]}${time}${describeThought(played)}`;
  return `Ply ${ply} of ${last}: ${told}${end} ${rest}`;
}

/** @param {Shown} open */
function drawPosition(open) {
  const position = open.positions[ply];
  const before = ply ? open.positions[ply - 1] : null;
  const middle = make("div", { id: "track" });
  middle.append(boards.drawOffer(position), ...boards.drawCircle(position, before));
  $("boards").replaceChildren(drawBoard(open, 0), middle, drawBoard(open, 1));
}

function drawGame() {
  if (!shown) return;
  drawPosition(shown);
  $("ply", HTMLInputElement).value = String(ply);
  $("what").textContent = describePly(shown);
  $("shared").textContent = ""; // the message was about another ply
  $("plies")
    .querySelectorAll("button")
    .forEach((button, place) => {
      if (place === ply - 1) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
  const isLast = ply === lastPly(shown);
  ["first", "back"].forEach((id) => enable(id, ply > 0));
  ["on", "last"].forEach((id) => enable(id, !isLast));
  markPly(ply);
  const link = document.getElementById("analyse-game"); // only on pages that an arena serves
  if (!link) return;
  const id = encodeURIComponent(`${link.dataset.prefix}${shown.id}`);
  link.setAttribute("href", `/analyse?game=${id}#ply=${ply}`);
}

function drawCurve() {
  if (!shown) return;
  markPly = drawEvaluation(shown.game, shown.names, go);
  markPly(ply);
}

function pause() {
  clearInterval(timer);
  timer = undefined;
  $("play").textContent = "▶ play";
}

/** @param {number} number of a ply; clamped to the plies of the game */
function go(number) {
  if (!shown) return;
  const from = ply;
  ply = Math.max(0, Math.min(lastPly(shown), Math.trunc(number) || 0));
  drawGame();
  if (ply === from + 1) {
    showMotion($("boards"), edition, shown.positions[from], shown.positions[ply]);
  }
  moved();
}

/** @param {Shown} open */
function playOn(open) {
  if (isVisible()) go(ply + 1);
  if (!isVisible() || ply === lastPly(open)) pause();
}

function play() {
  const open = shown;
  if (timer || !open) {
    pause();
    return;
  }
  if (ply === lastPly(open)) ply = 0;
  $("play").textContent = "❚❚ pause";
  timer = setInterval(() => playOn(open), MILLISECONDS);
}

/**
 * List all plies as pictures; their notation is shown on hover.
 * @param {Shown} open
 */
function listPlies({ game, positions }) {
  const items = game.plies.map(([seat, action], place) => {
    const item = make("li");
    const gained = countGain(positions[place], positions[place + 1]);
    const [picture, words] = sketchMove(action, gained);
    const button = makeButton("", () => go(place + 1), { title: action });
    button.append(boards.icons.token(seat), drawSketch(boards, picture), words);
    addSpoken(button, `, ${action}`);
    item.append(button);
    return item;
  });
  $("plies").replaceChildren(...items);
}

/**
 * Show a game that was found, at a ply.
 * @param {string} id
 * @param {Found} found
 * @param {number} first ply to show
 */
function showGame(id, { row, game }, first) {
  const names = namesOf(facts, row);
  const positions = listPositions(edition, game);
  shown = { id, game, names, result: describeResult(facts, row), positions };
  $("viewer").classList.add("open");
  $("title").textContent = nameGame(shown);
  const faults = game.faults.map(([seat, verdict, text]) => `${names[seat]}: ${verdict}: ${text}`);
  const said = [`${shown.result}.`, game.note, ...faults];
  $("said").textContent = said.filter(Boolean).join(" ");
  $("ply", HTMLInputElement).max = String(lastPly(shown));
  listPlies(shown);
  ply = Math.max(0, Math.min(lastPly(shown), Math.trunc(first) || 0));
  drawGame();
  drawCurve();
}

/**
 * Show a game at a ply, or explain why the page does not have it.
 * @param {string} id
 * @param {number} [first] ply to show
 */
export async function openGame(id, first = 0) {
  pause();
  forgetMissing();
  awaited = id;
  try {
    const found = await loadGame(id);
    if (awaited !== id) return;
    if (found) {
      showGame(id, found, first);
      return;
    }
    closeGame();
    $("missing").textContent = explainMissing(facts, id, findRow(id), games.list.length);
  } catch {
    closeGame();
    $("missing").textContent = `The server does not send game ${id}: is it still running?`;
  }
}

/** Remove the sentence about a game that is missing. */
export function forgetMissing() {
  $("missing").textContent = "";
}

/** Return the picture of the shown position, as the text of an SVG file. */
export function formatShown() {
  if (!shown) return "";
  const open = shown;
  const played = ply ? open.game.plies[ply - 1] : null;
  const last = played ? `: ${open.names[played[0]]} ${played[1]}` : "";
  const words = {
    names: open.names,
    scores: [0, 1].map((seat) => findScore(open, seat)),
    title: nameGame(open),
    caption: `Ply ${ply} of ${lastPly(open)}${last}`,
    automa: isAutoma(open, 1),
  };
  const before = ply ? open.positions[ply - 1] : null;
  return formatPicture(boards, open.positions[ply], before, words);
}

/** Return the file name of a picture.
    @param {Shown} open */
function namePicture({ id, names }) {
  return `game-${facts.saved ? names.join("-") : id}-ply-${ply}`;
}

/** Close the viewer. */
export function closeGame() {
  pause();
  shown = null;
  awaited = "";
  $("viewer").classList.remove("open");
}

/** Move the focus and the window to the viewer. */
export function focusViewer() {
  $("viewer").focus({ preventScroll: true });
  $("viewer").scrollIntoView();
}

/**
 * Return what a key does; null if another element uses the key.
 * @param {string} key
 * @param {HTMLElement} target
 * @returns {(() => void) | null}
 */
function findStep(key, target) {
  /** @type {Record<string, () => void>} */
  const steps = {
    ArrowLeft: () => go(ply - 1),
    ArrowRight: () => go(ply + 1),
    Home: () => go(0),
    End: () => go(Infinity),
  };
  if (key === " " && target.tagName !== "BUTTON") return play;
  return steps[key] ?? null;
}

/** @param {KeyboardEvent} event */
function press(event) {
  const target = targetOf(event);
  if (!shown || !isVisible() || event.altKey || event.ctrlKey || event.metaKey) return;
  if (target !== document.body && !target.closest("#viewer")) return;
  if (target.id === "ply") return;
  const step = findStep(event.key, target);
  if (!step) return;
  step();
  event.preventDefault();
}

/**
 * Set up the viewer; `listener` is called whenever it shows another ply.
 * @param {() => void} listener
 */
export function beginViewer(listener) {
  moved = listener;
  onClick("first", () => go(0));
  onClick("back", () => go(ply - 1));
  onClick("play", play);
  onClick("on", () => go(ply + 1));
  onClick("last", () => go(Infinity));
  offerLink($("copy"), () => location.href.split("#")[0] + formatFragment(findPlace()));
  offerPictures(() => (shown ? { name: namePicture(shown), text: formatShown() } : null));
  const slider = $("ply", HTMLInputElement);
  slider.addEventListener("input", () => go(Number(slider.value)));
  document.addEventListener("keydown", press);
  addEventListener("resize", drawCurve);
  onColourChange(drawGame);
}

/** Return the state of the viewer for the address; empty if no game is shown.
    @returns {{ game?: string, ply?: number }} */
export function findPlace() {
  return shown ? { game: shown.id, ply } : {};
}

/** Return true if a game is open. */
export function isOpen() {
  return $("viewer").classList.contains("open");
}
