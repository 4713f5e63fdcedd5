/* The view of running games: a large one, which is followed, and a wall of small boards. On the page
   of a single game, that one is large. */
import { isForGame } from "../game/keys.js";
import { makeBoards } from "../shared/boards.js";
import { listPositions } from "../shared/changes.js";
import { $, markReady, onClick, onColourChange, readFacts } from "../shared/dom.js";
import { formatTime } from "../shared/gauges.js";
import { captionPly, formatPicture } from "../shared/picture.js";
import { offerLink, offerPictures } from "../shared/share.js";
import { formatGame, formatPly, parseOldGame, parsePly } from "../shared/game_address.js";
import { Featured, formatWish, listAll, parseWish } from "./featured.js";
import { listPairings, listWishes, offerWishes, tellNoGame } from "./follow.js";
import { makeLarge } from "./large.js";
import { drawProgress, followLatest } from "./latest.js";
import { drawPairing } from "./pairing.js";
import {
  Slots,
  followGame,
  isOn,
  nameGame,
  nameTab,
  tellAbsent,
  tellEnd,
  tellGame,
  timeLeft,
} from "./slots.js";
import { drawUpcoming, listUnbegun } from "./upcoming.js";
import { Wall } from "./wall.js";
import { drawNeighbours, drawWays, setWay, showNothing, tellState } from "./ways.js";

/** @import { LatestNews, SlotGame, WallNews, WatchFacts } from "../types.d.ts" */

const PACE = 2500; // milliseconds between two sentences, which a screen reader has to read
const AGAIN = 2000; // milliseconds until the next try after the server has refused
const EVERY = 1000; // milliseconds between two requests for the record of a game

/** @type {WatchFacts} */
const watched = readFacts();
const { edition, root, own } = watched;
const boards = makeBoards(edition);
const slots = new Slots(edition);
const featured = new Featured();
const drawGame = makeLarge(edition, boards, lookAt);
const wall = new Wall(boards, slots, (name) => formatGame(root, name));
const lookForLatest = followLatest(root, listQuestion, receiveLatest);

/** Whether a run is active; null if unknown.
    @type {boolean | null} */
let isRunning = null;
/** What stands next to the games; null before the first answer.
    @type {LatestNews | null} */
let latest = null;
/** @type {EventSource | null} */
let source = null;
let spokenAt = -Infinity;

/** The number of the position that the reader looks back at; null for the current one.
    @type {number | null} */
let past = null;
/** The number of the position to look back at once the game is known: the address names it.
    @type {number | null} */
let awaited = null;
let large = ""; // the name of the game that is shown large
let isLargeDue = false;
let record = ""; // the last record of a game that was fetched

/** Resolves `heard`, which is pending until the first news of games has come.
    @type {() => void} */
let hear;
/** @type {Promise<void>} */
const heard = new Promise((resolve) => {
  hear = resolve;
});

/** @param {SlotGame} game */
function showClocksOfLarge(game) {
  [0, 1].forEach((seat) => {
    const clock = document.getElementById(`clock-${seat}`);
    const left = past === null && isOn(game) ? timeLeft(game, seat, performance.now()) : null;
    if (clock) clock.textContent = left === null ? "" : formatTime(left);
  });
}

/** Draw the game that is followed, or its position that the reader looks back at. */
function drawLarge() {
  const game = featured.shown;
  $("large").hidden = !game;
  if (!game) return;
  $("missing").hidden = true;
  $("title").textContent = game.facts.bots.join(" – ");
  document.title = nameTab(game);
  linkGame(game);
  drawPairing(latest?.pairing ?? null, game.facts.bots, root);
  drawGame(game, past);
  showSteps(game);
  showClocksOfLarge(game);
  tell(game);
}

/**
 * Link to the page of the game, and to what can be done with the position that is shown.
 * @param {SlotGame} game
 */
function linkGame(game) {
  const name = nameGame(game);
  const ply = past ?? game.plies.length;
  $("deal").textContent = `game ${name}`;
  if (!own) setWay("deal", formatGame(root, name));
  const { analysis, canPlay } = watched;
  setWay("open-game", analysis && game.stored ? `${analysis}${name}${formatPly(ply)}` : "");
  const isEnd = past === null && !isOn(game);
  const isPlayable = canPlay && !game.facts.automa && !isEnd;
  if (own) setWay("play-on", isPlayable ? `${formatGame(root, name)}/play?ply=${ply}` : "");
}

/** @param {SlotGame} game */
function showSteps(game) {
  const number = past ?? game.plies.length;
  const slider = $("ply", HTMLInputElement);
  slider.max = String(game.plies.length);
  slider.value = String(number);
  slider.setAttribute("aria-valuetext", `move ${number}`);
  $("earlier", HTMLButtonElement).disabled = !number;
  $("later", HTMLButtonElement).disabled = past === null;
  $("now", HTMLButtonElement).disabled = past === null;
  $("step").textContent = `move ${number} of ${game.plies.length}`;
}

/**
 * Look at the position after this many plies; the game stays until the reader returns.
 * @param {number} number
 */
function lookAt(number) {
  const game = featured.shown;
  if (!game) return;
  past = number >= game.plies.length ? null : Math.max(0, number);
  featured.hold(past !== null);
  if (own) history.replaceState(null, "", formatPly(past) || location.pathname);
  drawLarge();
}

/**
 * Look at the position some plies before or after the one that is shown.
 * @param {number} plies
 */
function step(plies) {
  lookAt((past ?? featured.shown?.plies.length ?? 0) + plies);
}

/** Draw the large game in the next frame. */
function drawLargeSoon() {
  if (isLargeDue) return;
  isLargeDue = true;
  requestAnimationFrame(() => {
    isLargeDue = false;
    drawLarge();
  });
}

/** Let the game that is followed change, and draw it if it has changed. */
function updateLarge() {
  const before = featured.shown;
  const game = featured.update(slots, performance.now());
  const name = game ? nameGame(game) : "";
  if (name !== large) {
    large = name;
    past = null;
    spokenAt = -Infinity;
    if (!own) wall.mark(name);
    lookForLatest();
    if (awaited !== null) lookAt(awaited);
    awaited = null;
  } else if (game === before) return;
  drawLargeSoon();
}

/** Ask for the record of the followed game, if it has left its slot before it was stored. */
async function fetchRecord() {
  const name = document.hidden ? null : featured.needed(slots);
  if (name === null) return;
  let text = "null";
  try {
    const answer = await fetch(`${root}/watch/game/${name}`);
    if (answer.ok) text = await answer.text();
  } catch {
    return; // the stream of the games says that the server does not answer
  }
  showRecord(name, text);
}

/**
 * Show the record of a game. If it is shown already, do nothing, so that the ply that the reader
 * looks at stays.
 * @param {string} name
 * @param {string} text the record as it was sent; `null` if there is none
 */
function showRecord(name, text) {
  const { shown } = featured;
  if (text === record && shown && nameGame(shown) === name) return;
  record = text;
  const news = JSON.parse(text);
  const game = news && followGame(edition, undefined, news, performance.now());
  if (game) featured.take(game);
  $("missing").hidden = Boolean(game) || featured.shown !== null;
  $("missing-game").textContent = tellAbsent(name, latest);
  updateLarge();
  drawLargeSoon();
}

/**
 * Show in brief what the boards below it show: the last ply, or how the game has ended. Return the
 * whole sentence.
 * @param {SlotGame} game
 */
function showSentence(game) {
  const { whole, brief } = game.past[(past ?? game.plies.length) - 1] ?? { whole: "", brief: "" };
  const begin = past === null ? tellGame(game) : "The start.";
  const end = past === null ? tellEnd(game) : "";
  const seen = end ? tellGame(game, { isBrief: true }) : brief || begin;
  const sentence = end || whole || begin;
  $("told").textContent = seen;
  $("told").title = sentence;
  $("told").classList.toggle("ended", past === null && !isOn(game));
  return sentence;
}

/**
 * Show the last ply of the large game, and announce it, at most every 2.5 seconds.
 * @param {SlotGame} game
 */
function tell(game) {
  const text = showSentence(game);
  if (past !== null) return;
  const now = performance.now();
  if ((isOn(game) && now - spokenAt < PACE) || $("spoken").textContent === text) return;
  spokenAt = now;
  $("spoken").textContent = text;
}

/** Draw what stands around the games: what is being played, how far the run is, what comes next. */
function drawAround() {
  const games = listAll(slots);
  const live = games.filter(isOn).length;
  const text = tellState(isRunning, live, latest);
  if ($("state").textContent !== text) $("state").textContent = text;
  if (latest) drawProgress(latest, isRunning === false);
  showNothing(isRunning !== null && !games.length && !featured.shown, Boolean(isRunning));
  const begun = games.map(({ facts }) => facts.pair);
  drawUpcoming(listUnbegun(latest?.next ?? [], begun), Boolean(isRunning));
}

/** Return the bots of the game that is shown large; none without one. */
function listBots() {
  return featured.shown?.facts.bots ?? [];
}

/** Return what the answer about results is to say in addition: the score of two bots, the last game of
    those that are followed, and the games before and after that of the page. */
function listQuestion() {
  const words = listBots().map((bot) => ["bot", bot]);
  const { bot, against } = featured.wish;
  const followed = [bot, against].flatMap((name) => (name ? [["follow", name]] : []));
  return [...words, ...followed, ...(own ? [["game", own]] : [])];
}

/**
 * Show the last stored game of bots that are followed while they do not play, or say that there is none.
 * @param {LatestNews} news
 */
function fillIn({ newest }) {
  const { wish, shown } = featured;
  if (own || shown || isRunning === null || newest === undefined) return;
  featured.suggest(newest);
  const isAbsent = !newest && formatWish(wish) !== "#";
  $("missing").hidden = !isAbsent;
  if (isAbsent) $("missing-game").textContent = tellNoGame(wish);
  fetchRecord();
}

/** Follow what the address names, or on the page of a game look at the position that it names. */
function followAddress() {
  if (own) {
    lookAt(parsePly(location.hash) ?? Infinity);
    return;
  }
  if (leaveOldAddress()) return;
  featured.follow(parseWish(location.hash));
  if (latest) latest = { ...latest, newest: undefined }; // it was that of the bots before
  $("missing").hidden = true;
  past = null;
  spokenAt = -Infinity;
  offerAll();
  updateLarge();
  drawLargeSoon();
  lookForLatest();
}

/** Go to the page of the game that the address names, if it does as it once did; return true then. */
function leaveOldAddress() {
  const game = parseOldGame(location.hash);
  if (game !== null) location.replace(formatGame(root, game, parsePly(location.hash)));
  return game !== null;
}

/** Offer what can be followed. */
function offerAll() {
  if (own) return;
  const playing = listAll(slots).map(({ facts }) => facts.bots);
  const bots = [...(latest?.table.bots ?? []), ...playing.flat().sort()];
  const { wish } = featured;
  offerWishes(wish, listWishes(wish, bots, listPairings(playing), slots.list()));
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else {
    $("evening")
      .requestFullscreen()
      .catch(() => {});
  } // the browser may forbid it
}

function nameFullScreen() {
  $("full").textContent = document.fullscreenElement ? "leave full screen" : "full screen";
}

/** @param {WallNews} news */
function receive(news) {
  isRunning = news.running;
  const changed = slots.receive(news, performance.now());
  if (!own) wall.draw([...changed, ...news.gone]);
  offerAll();
  updateLarge();
  drawAround();
  if (featured.shown && changed.includes(featured.shown.slot)) drawLargeSoon();
  if (latest) fillIn(latest);
  hear();
}

/** @param {LatestNews} news */
function receiveLatest(news) {
  latest = news;
  drawWays(news.results[0], root);
  if (own) drawNeighbours(news.neighbours, root);
  drawAround();
  offerAll();
  drawPairing(news.pairing, listBots(), root);
  fillIn(news);
}

function lose() {
  $("state").textContent = "The server does not answer; trying again …";
  if (source?.readyState !== EventSource.CLOSED) return;
  source = null;
  setTimeout(listen, AGAIN);
}

/** Listen only while the page is visible: a viewer makes workers write their games more often. */
function listen() {
  featured.see(!document.hidden);
  if (document.hidden) {
    source?.close();
    source = null;
    return;
  }
  if (source) return;
  source = new EventSource(`${root}/watch/events`);
  // a new stream sends all games, and the known ones may no longer exist
  source.addEventListener("open", () => {
    if (!own) wall.draw(slots.list());
    slots.clear();
  });
  source.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  source.addEventListener("error", lose);
}

function showAllClocks() {
  if (!own) wall.showClocks();
  updateLarge();
  const game = featured.shown;
  if (!game || isLargeDue || $("large").hidden) return; // another game may not be drawn yet
  showClocksOfLarge(game);
  tell(game);
}

/** Mark the page as ready once each game has been drawn; news that come all the time do not delay it. */
function markReadyWhenDrawn() {
  requestAnimationFrame(() => {
    // what was due for the large game is drawn in this frame
    if (own || wall.isWhole) markReady();
    else markReadyWhenDrawn();
  });
}

function describePicture() {
  const game = featured.shown;
  if (!game) return null;
  const { bots, automa, start } = game.facts;
  const number = past ?? game.plies.length;
  const positions = listPositions(edition, { ...game, start });
  const words = {
    names: bots,
    automa: Boolean(automa),
    title: `Game ${nameGame(game)}: ${bots[0]} against ${bots[1]}`,
    caption: captionPly(bots, game.plies, number),
    scores: past === null ? (game.result?.scores ?? null) : null,
  };
  return {
    name: `game-${nameGame(game)}-ply-${number}`,
    text: formatPicture(boards, positions[number], positions[number - 1] ?? null, words),
  };
}

/** What keys do.
    @type {Record<string, () => void>} */
const KEYS = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  Home: () => lookAt(0),
  End: () => lookAt(Infinity),
};

/** @param {KeyboardEvent} event */
function press(event) {
  if (!(event.key in KEYS) || !featured.shown || !isForGame(event)) return;
  KEYS[event.key]();
  event.preventDefault();
}

function listenToReader() {
  onClick("earlier", () => step(-1));
  onClick("later", () => step(1));
  onClick("now", () => lookAt(Infinity));
  onClick("full", toggleFullScreen);
  const slider = $("ply", HTMLInputElement);
  slider.addEventListener("input", () => lookAt(Number(slider.value)));
  document.addEventListener("keydown", press);
  if (!own) {
    $("follow").addEventListener("change", () => {
      location.hash = $("follow", HTMLSelectElement).value;
    });
  }
  document.addEventListener("fullscreenchange", nameFullScreen);
  addEventListener("hashchange", followAddress);
  document.addEventListener("visibilitychange", listen);
  onColourChange(() => {
    if (!own) wall.draw(slots.list());
    drawLargeSoon();
  });
}

/** Return the address of the game and of the position that are shown. */
function findLink() {
  const game = featured.shown;
  return game ? new URL(formatGame(root, nameGame(game), past), location.href).href : location.href;
}

function beginPage() {
  awaited = own ? parsePly(location.hash) : null;
  featured.follow(own ? { game: own } : parseWish(location.hash));
  offerPictures(describePicture);
  offerLink($("copy-link"), findLink);
  listenToReader();
  setInterval(showAllClocks, 100);
  setInterval(fetchRecord, EVERY);
  new ResizeObserver(drawLargeSoon).observe($("track"));
  listen();
  Promise.all([heard, lookForLatest(), fetchRecord()]).then(markReadyWhenDrawn);
}

if (own || !leaveOldAddress()) beginPage();
// for tests and the console
Object.assign(globalThis, {
  pwtourney: {
    list: () => slots.list(),
    game: (/** @type {number} */ slot) => slots.get(slot),
    shown: () => featured.shown,
    isRunning: () => isRunning,
  },
});
