/* The viewer, which steps through one game. */
import { drawMarginCurve, listPlayed } from "../game/curve.js";
import { listMargins } from "../game/evaluations.js";
import { captionClock } from "../game/players.js";
import { makeMoves, markMove } from "../game/recent.js";
import { makeSpectatorView } from "../game/spectator_view.js";
import { makeBoards } from "../shared/boards.js";
import { listPositions } from "../shared/changes.js";
import { $, make, onClick, onColourChange, query, targetOf } from "../shared/dom.js";
import { formatPicture } from "../shared/picture.js";
import { tellPly } from "../shared/sentences.js";
import { offerLink, offerPictures } from "../shared/share.js";
import { formatGame } from "../shared/game_address.js";
import { formatFragment } from "./address.js";
import {
  facts,
  findRow,
  games,
  loadEvaluations,
  loadGame,
  loadState,
  nameInArena,
} from "./data.js";
import { explainMissing, explainToCome } from "./absences.js";
import { describeThought, quotePly } from "./thoughts.js";
import { titleGame } from "./title.js";
import { describeResult, namesOf, readId, verdictOf } from "./rows.js";

/** @import { KeptMargins, Position, Replayable, Seat } from "../types.d.ts" */
/** @import { GameEntry } from "./data.js" */
/**
 * @typedef {{
 *   id: string,
 *   game: Replayable,
 *   names: string[],
 *   verdict: string,
 *   winner: Seat | null,
 *   result: string,
 *   positions: Position[],
 *   sentences: string[],
 *   evaluations: KeptMargins[],
 * }} Shown `sentences` has one for each ply, `evaluations` what bots that evaluated the game expected
 */

const MILLISECONDS = 700; // between two plies while the viewer plays
const HERE = "."; // a tournament has all of its views below the path of its page
const { edition } = facts;
const boards = makeBoards(edition);
const drawScene = makeSpectatorView(edition, boards);
const drawMoves = makeMoves(boards, (index) => go(index + 1));

/** @type {Shown | null} */
let shown = null;
let awaited = ""; // the game that was requested last: the answer for another one comes too late
let missing = ""; // the game about which a sentence is shown
let ply = 0;
let drawn = -1; // the ply that was drawn last
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
 * Write how long both players have thought so far, where that was measured.
 * @param {Shown} open
 */
function writeTimes(open) {
  const { game, positions } = open;
  positions[ply].players.forEach(({ micros }, seat) => {
    const isMeasured = game.plies.some(([mover, , time]) => mover === seat && time >= 0);
    if (!isMeasured || isAutoma(open, seat)) return;
    const seconds = (micros / 1e6).toFixed(2);
    const clock = $(`clock-${seat}`);
    clock.textContent = `${seconds} s`;
    clock.title = `thought for ${seconds} s`;
    captionClock(query($(`player-${seat}`), ".timer small"), "used");
  });
}

/** @param {Shown} open */
function drawPosition(open) {
  const { game, names, positions, verdict } = open;
  const position = positions[ply];
  const isOver = ply === lastPly(open);
  drawScene(
    { names, automa: isAutoma(open, 1) },
    {
      position,
      before: ply ? positions[ply - 1] : null,
      turns: [0, 1].map((seat) => (position.toMove === seat && !isOver ? "to move" : "")),
      isOver,
      ending: { verdict, winner: open.winner, scores: game.scores, void: Boolean(game.void) },
      isStep: ply === drawn + 1,
    },
  );
  drawn = ply;
  writeTimes(open);
}

/** @param {Shown} open */
function describePly(open) {
  const last = lastPly(open);
  if (!ply) return `The start of ${last} plies`;
  const end = ply === last ? ` ${open.result}.` : "";
  return `Ply ${ply} of ${last}: ${open.sentences[ply - 1]}${end}`;
}

/**
 * Write what the bot expected with the shown ply, and how long it thought; the notation is shown on
 * hover.
 * @param {Shown} open
 */
function writeThought({ game, names }) {
  const played = ply ? game.plies[ply - 1] : null;
  const box = $("thought");
  box.textContent = played ? describeThought(names, played) : "";
  box.title = played ? quotePly(played) : "";
}

function drawGame() {
  if (!shown) return;
  drawPosition(shown);
  $("ply", HTMLInputElement).value = String(ply);
  $("what").textContent = describePly(shown);
  writeThought(shown);
  $("shared").textContent = ""; // the message was about another ply
  markMove($("moves"), ply - 1);
  const isLast = ply === lastPly(shown);
  ["first", "back"].forEach((id) => enable(id, ply > 0));
  ["on", "last"].forEach((id) => enable(id, !isLast));
  markPly(ply);
  linkViews(shown.id);
}

/**
 * Link to the other views of a game, at the shown ply, which only a server has.
 * @param {string} id
 */
function linkViews(id) {
  const name = encodeURIComponent(nameInArena(id));
  document.getElementById("game-page")?.setAttribute("href", formatGame(HERE, id, ply));
  document.getElementById("analyse-game")?.setAttribute("href", `/analyse?game=${name}#ply=${ply}`);
}

/**
 * Return the margins that bots expected which evaluated the game, the newest of each bot.
 * @param {KeptMargins[]} evaluations the oldest first
 */
function listEvaluated(evaluations) {
  const newest = new Map(evaluations.map((evaluation) => [evaluation.bot, evaluation]));
  return [...newest.values()].map(({ bot, plies }) => ({
    name: `evaluated by ${bot}`,
    points: listMargins({ evaluations: plies }),
  }));
}

function drawCurve() {
  if (!shown) return;
  const { game, names, verdict, evaluations } = shown;
  const result = verdict === "finished" ? game.scores[0] - game.scores[1] : null;
  const series = [...listPlayed(names, game.plies), ...listEvaluated(evaluations)];
  markPly = drawMarginCurve({ players: names, series, plies: game.plies.length, result, go });
  markPly(ply);
}

function pause() {
  clearInterval(timer);
  timer = undefined;
  $("play").textContent = "▶ play";
}

/**
 * @param {Shown} open
 * @param {number} number
 */
function clampPly(open, number) {
  return Math.max(0, Math.min(lastPly(open), Math.trunc(number) || 0));
}

/** @param {number} number of a ply; clamped to the plies of the game */
function go(number) {
  if (!shown) return;
  ply = clampPly(shown, number);
  drawGame();
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
  if (ply === lastPly(open)) go(0);
  $("play").textContent = "❚❚ pause";
  timer = setInterval(() => playOn(open), MILLISECONDS);
}

/**
 * List all moves as pictures; a sentence and the notation are shown on hover.
 * @param {Shown} open
 */
function listMoves({ game, positions, sentences }) {
  const titles = sentences.map((sentence, index) => `${sentence} ${game.plies[index][1]}`);
  drawMoves(game.plies, positions, titles);
}

/**
 * Show a game at a ply.
 * @param {string} id
 * @param {GameEntry} entry
 * @param {KeptMargins[]} evaluations
 * @param {number} first ply to show
 */
function showGame(id, { row, game }, evaluations, first) {
  const names = namesOf(facts, row);
  const positions = listPositions(edition, game);
  const sentences = game.plies.map((move, index) =>
    tellPly(edition, names, positions[index], positions[index + 1], move, { isBrief: true }),
  );
  const [verdict, winner] = [verdictOf(facts, row), row[6] < 0 ? null : row[6]];
  const result = describeResult(facts, row);
  shown = { id, game, names, verdict, winner, result, positions, sentences, evaluations };
  $("viewer").classList.add("open");
  $("title").textContent = nameGame(shown);
  if (!facts.saved) titleGame(nameGame(shown));
  const faults = game.faults.map(([seat, fault, text]) => `${names[seat]}: ${fault}: ${text}`);
  const said = [`${shown.result}.`, game.note, ...faults];
  $("said").textContent = said.filter(Boolean).join(" ");
  $("ply", HTMLInputElement).max = String(lastPly(shown));
  listMoves(shown);
  drawn = -1;
  ply = clampPly(shown, first);
  drawGame();
  drawCurve();
}

/**
 * Show a game at a ply, or explain why the page does not have it.
 * @param {string} word its id, or its number in the schedule
 * @param {number} [first] ply to show
 */
export async function openGame(word, first = 0) {
  const id = readId(games.list, word);
  pause();
  forgetMissing();
  awaited = id;
  const [entry, kept] = await Promise.all([
    loadGame(id).catch(() => undefined), // the server does not answer
    loadEvaluations([id]).catch(() => null), // the curve is complete without them
  ]);
  if (awaited !== id) return;
  if (entry) {
    showGame(id, entry, kept?.[id] ?? [], first);
    return;
  }
  closeGame();
  if (entry === null) {
    await explain(word, id);
  } else {
    $("missing").textContent = `The server does not send game ${id}: is it still running?`;
  }
}

/**
 * Say why a game is missing; the way to a game that is played now is a link.
 * @param {string} word
 * @param {string} id
 */
async function explain(word, id) {
  const row = findRow(id);
  const isListed = games.list.some(([pair]) => pair === parseInt(id, 10));
  const state = isListed ? null : await loadState().catch(() => null);
  if (awaited && awaited !== id) return;
  const { text, isRunning } = state ? explainToCome(state, id) : { text: "", isRunning: false };
  $("missing").textContent = text || explainMissing(facts, word, id, row, games.list.length);
  if (isRunning) $("missing").append(" ", make("a", { href: formatGame(HERE, id) }, "Watch it"));
  missing = id;
}

/** Remove the sentence about a game that is missing. */
export function forgetMissing() {
  $("missing").textContent = "";
  missing = "";
}

/** Return the game that the reader has asked for and that has ended since; empty for none. */
export function findArrived() {
  return missing && findRow(missing) ? missing : "";
}

/** Return the picture of the shown position, as the text of an SVG file. */
export function formatShown() {
  if (!shown) return "";
  const open = shown;
  const played = ply ? open.game.plies[ply - 1] : null;
  const last = played ? `: ${open.names[played[0]]} ${played[1]}` : "";
  const words = {
    names: open.names,
    title: nameGame(open),
    caption: `Ply ${ply} of ${lastPly(open)}${last}`,
    automa: isAutoma(open, 1),
    scores: ply === lastPly(open) ? open.game.scores : null,
  };
  return formatPicture(boards, open.positions[ply], open.positions[ply - 1] ?? null, words);
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
  titleGame("");
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
  addEventListener("resize", () => {
    if (!shown || !isVisible()) return;
    drawPosition(shown);
    drawCurve();
  });
  onColourChange(() => {
    if (!shown || !isVisible()) return;
    listMoves(shown);
    drawGame();
  });
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
