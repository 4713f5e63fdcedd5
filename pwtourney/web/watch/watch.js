/* The view of running games: a large one, which is followed, and a wall of small boards. */
import { countEmpty } from "../game/players.js";
import { listPositions } from "../shared/changes.js";
import { makeBoards } from "../shared/boards.js";
import {
  $,
  make,
  markReady,
  onClick,
  onColourChange,
  queryAll,
  readNumber,
  whenReleased,
  readFacts,
} from "../shared/dom.js";
import { formatScore, formatTime } from "../shared/gauges.js";
import { formatPicture } from "../shared/picture.js";
import { count } from "../shared/sentences.js";
import { offerPictures } from "../shared/share.js";
import { Featured, formatWish, listAll, parseWish } from "./featured.js";
import { drawExpected, makeLarge } from "./large.js";
import { followLatest, tellProgress } from "./latest.js";
import { drawPairing } from "./pairing.js";
import { Slots, followGame, isOn, nameGame, nameTab, tellGame, timeLeft } from "./slots.js";
import { drawUpcoming, listUnbegun } from "./upcoming.js";
import { drawWays, showNothing, tellState } from "./ways.js";

/** @import { LatestNews, Seat, SlotGame, WallNews, WatchFacts } from "../types.d.ts" */

const FRAME = 8; // milliseconds of drawing in one frame: a wall may have hundreds of boards
const PACE = 2500; // milliseconds between two sentences, which a screen reader has to read
const AGAIN = 2000; // milliseconds until the next try after the server has refused
const EVERY = 1000; // milliseconds between two requests for the record of a game

/** @type {WatchFacts} */
const watched = readFacts();
const { edition } = watched;
const boards = makeBoards(edition);
const slots = new Slots(edition);
const featured = new Featured();
const drawGame = makeLarge(edition, boards, lookAt);
const lookForLatest = followLatest(watched.games, listBots, receiveLatest);

/** Whether a run is active; null if unknown.
    @type {boolean | null} */
let isRunning = null;
/** What stands next to the games; null before the first answer.
    @type {LatestNews | null} */
let latest = null;
/** @type {EventSource | null} */
let source = null;
/** The slots to draw.
    @type {Set<number>} */
const dirty = new Set();
let isDrawing = false;
let spokenAt = -Infinity;

/** The number of the position that the reader looks back at; null for the current one.
    @type {number | null} */
let past = null;
let isLargeDue = false;
let record = ""; // the last record of a game that was fetched

/** Resolves `heard`, which is pending until the first news of games has come.
    @type {() => void} */
let hear;
/** @type {Promise<void>} */
const heard = new Promise((resolve) => {
  hear = resolve;
});

/**
 * Return the current score of a seat; null for the Automa, whose score depends on its level and is
 * counted at the end.
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function findScore({ result, now }, seat) {
  return result ? result.scores[seat] : now.players[seat].score;
}

/**
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function isMoving(game, seat) {
  return game.turn === seat && isOn(game);
}

/**
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function drawBoard({ facts, now, before }, seat) {
  if (seat === 1 && facts.automa) {
    return make("p", { class: "lead" }, "The Automa has no quilt board.");
  }
  const earlier = before?.players[seat].quilt ?? null;
  const { quilt } = now.players[seat];
  // only the large board has its rows of squares for screen readers
  return boards.drawQuilt(facts.bots[seat], quilt, earlier, { coordinates: false })[0];
}

/**
 * @param {string} name
 * @param {Seat} seat
 */
function makeClock(name, seat) {
  const spoken = { role: "timer", "aria-label": `clock of ${name}` };
  return make("span", { class: "clock", "data-clock": seat, ...spoken });
}

/**
 * Update both clocks of a game within an element.
 * @param {HTMLElement} element
 * @param {SlotGame} game
 */
function showClocks(element, game) {
  queryAll(element, "[data-clock]").forEach((clock) => {
    const seat = readNumber(clock, "clock");
    const left = timeLeft(game, seat, performance.now());
    clock.textContent = left === null ? "" : formatTime(left);
    clock.classList.toggle("running", isMoving(game, seat));
  });
}

/**
 * Return the result of a game, empty while it is running.
 * @param {SlotGame} game
 */
function tellEnd(game) {
  return isOn(game) ? "" : tellGame(game);
}

/**
 * Return what a player of a small board has: buttons and empty squares, and in the end the points.
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function drawHoldings(game, seat) {
  const box = make("span");
  const player = game.now.players[seat];
  if (game.result?.verdict === "finished") {
    box.append(make("strong", {}, formatScore(game.result.scores[seat])));
  } else if (!(seat === 1 && game.facts.automa)) {
    const empty = countEmpty(player);
    box.append(boards.icons.button(), `${player.buttons} · ${empty} empty`);
    box.title = `${count(player.buttons, edition.currency)}, ${count(empty, "empty squares")}`;
  }
  return box;
}

/**
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function drawSmallSide(game, seat) {
  const side = make("div", { class: `small-side${isMoving(game, seat) ? " moving" : ""}` });
  const who = make("p", { class: "who" });
  who.append(boards.icons.token(seat), game.facts.bots[seat]);
  const line = make("p", { class: "line" });
  line.append(drawHoldings(game, seat), makeClock(game.facts.bots[seat], seat));
  side.append(who, line, drawBoard(game, seat), drawExpected(game, seat));
  return side;
}

/**
 * Draw one game of the wall, as a link to its large view.
 * @param {number} slot
 * @param {SlotGame} game
 */
function drawTile(slot, game) {
  const tile = make("li", { "data-slot": slot, class: isOn(game) ? "live" : "ended" });
  const link = make("a", { href: `#slot=${slot}` });
  const names = make("strong", {}, game.facts.bots.join(" – "));
  link.append(names, make("small", {}, ` game ${nameGame(game)}`));
  const pair = make("div", { class: "pair" });
  pair.append(drawSmallSide(game, 0), drawSmallSide(game, 1));
  tile.append(link, pair, make("p", { class: "ending" }, tellEnd(game)));
  showClocks(tile, game);
  return tile;
}

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
  $("title").textContent = game.facts.bots.join(" – ");
  document.title = nameTab(game);
  $("deal").textContent = `game ${nameGame(game)}`;
  $("deal", HTMLAnchorElement).href = `#game=${nameGame(game)}`;
  $("open-game", HTMLAnchorElement).href = `${watched.games}${nameGame(game)}`;
  $("open-game").hidden = !game.stored;
  drawPairing(latest?.pairing ?? null, game.facts.bots);
  drawGame(game, past);
  showSteps(game);
  showClocksOfLarge(game);
  tell(game);
}

/** @param {SlotGame} game */
function showSteps(game) {
  const number = past ?? game.plies.length;
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
  drawLarge();
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
  if (game === before) return;
  const isOther = !before || !game || nameGame(before) !== nameGame(game);
  if (isOther) {
    past = null;
    spokenAt = -Infinity;
    markChosen();
    lookForLatest();
  }
  drawLargeSoon();
}

/** Mark the small board of the game that is shown large. */
function markChosen() {
  const { shown } = featured;
  queryAll($("wall"), "[data-slot]").forEach((tile) => {
    const game = slots.get(readNumber(tile, "slot"));
    const isShown = Boolean(game && shown && nameGame(game) === nameGame(shown));
    tile.classList.toggle("chosen", isShown);
  });
}

/** Ask for the record of the followed game, if it has left its slot before it was stored. */
async function fetchRecord() {
  const name = document.hidden ? null : featured.needed(slots);
  if (name === null) return;
  let text = "null";
  try {
    const answer = await fetch(`watch/game/${name}`);
    if (answer.ok) text = await answer.text();
  } catch {
    return; // the stream of the games says that the server does not answer
  }
  showRecord(name, text);
}

/**
 * Show the record of a game unless it is shown already: who reads it keeps the place.
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
  $("missing-game").textContent = `Game ${name} is neither being played nor stored.`;
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
  const told = end || whole || begin;
  $("told").textContent = seen;
  $("told").title = told;
  $("told").classList.toggle("ended", past === null && !isOn(game));
  return told;
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

/**
 * Insert a tile at its place on the wall.
 * @param {number} slot
 * @param {HTMLElement} tile
 */
function insertTile(slot, tile) {
  const next = queryAll($("wall"), "[data-slot]").find((each) => readNumber(each, "slot") > slot);
  $("wall").insertBefore(tile, next ?? null);
}

/** @param {number} slot */
function findTile(slot) {
  return document.querySelector(`[data-slot="${slot}"]`);
}

/** @param {number} slot */
function drawSlot(slot) {
  const game = slots.get(slot);
  const old = findTile(slot);
  if (!game) {
    old?.remove();
    return;
  }
  const hadFocus = old?.contains(document.activeElement);
  const tile = drawTile(slot, game);
  if (old) old.replaceWith(tile);
  else insertTile(slot, tile);
  if (hadFocus) tile.querySelector("a")?.focus({ preventScroll: true });
  const { shown } = featured;
  tile.classList.toggle("chosen", Boolean(shown && nameGame(shown) === nameGame(game)));
}

/** Draw changed slots for at most 8 ms a frame; the next frames draw the rest. */
function drawSome() {
  const until = performance.now() + FRAME;
  for (const slot of dirty) {
    if (performance.now() > until) break;
    dirty.delete(slot);
    whenReleased(findTile(slot) ?? $("wall"), () => drawSlot(slot));
  }
  isDrawing = dirty.size > 0;
  if (isDrawing) requestAnimationFrame(drawSome);
}

/** @param {number[]} changed */
function draw(changed) {
  changed.forEach((slot) => dirty.add(slot));
  if (isDrawing || !dirty.size) return;
  isDrawing = true;
  requestAnimationFrame(drawSome);
}

/** Draw what stands around the games: what is being played, how far the run is, what comes next. */
function drawAround() {
  const games = listAll(slots);
  const live = games.filter(isOn).length;
  const text = tellState(isRunning, live, latest);
  if ($("state").textContent !== text) $("state").textContent = text;
  if (latest) $("progress").textContent = tellProgress(latest, isRunning === false);
  showNothing(isRunning !== null && !games.length && !featured.shown, Boolean(isRunning));
  const begun = games.map(({ facts }) => facts.pair);
  drawUpcoming(listUnbegun(latest?.next ?? [], begun), Boolean(isRunning));
}

/** Return the bots of the game that is shown large; none without one. */
function listBots() {
  return featured.shown?.facts.bots ?? [];
}

/** Follow what the address names. */
function followAddress() {
  featured.follow(parseWish(location.hash));
  $("missing").hidden = true;
  past = null;
  spokenAt = -Infinity;
  offerWishes();
  updateLarge();
  drawLargeSoon();
  fetchRecord();
}

/** Offer what can be followed: the run, a bot, a slot, and the game that the address names. */
function offerWishes() {
  const { wish } = featured;
  const bots = [...new Set(listAll(slots).flatMap(({ facts }) => facts.bots))].sort();
  const places = slots.list();
  /** @type {[string, string][]} */
  const options = [
    ["#", "the run"],
    ...bots.map((bot) => /** @type {[string, string]} */ ([formatWish({ bot }), bot])),
    ...places.map(
      (slot) => /** @type {[string, string]} */ ([formatWish({ slot }), `board ${slot + 1}`]),
    ),
  ];
  const chosen = formatWish(wish);
  if (wish.game !== undefined) options.push([chosen, `game ${wish.game}`]);
  else if (!options.some(([value]) => value === chosen)) options.push([chosen, wish.bot ?? "…"]);
  const key = JSON.stringify([options, chosen]);
  const select = $("follow", HTMLSelectElement);
  if (select.dataset.said === key) return;
  select.dataset.said = key;
  select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
  select.value = chosen;
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else {
    $("large")
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
  draw([...changed, ...news.gone]);
  offerWishes();
  updateLarge();
  drawAround();
  if (featured.shown && changed.includes(featured.shown.slot)) drawLargeSoon();
  markChosen();
  $("wall").hidden = slots.list().length < 2;
  hear();
}

/** @param {LatestNews} news */
function receiveLatest(news) {
  latest = news;
  drawWays(news.results[0], watched.games);
  drawAround();
  drawPairing(news.pairing, listBots());
}

function lose() {
  $("state").textContent = "The server does not answer; trying again …";
  if (source?.readyState !== EventSource.CLOSED) return;
  source = null;
  setTimeout(listen, AGAIN);
}

/** Listen only while the page is visible: a viewer makes workers write their games more often. */
function listen() {
  if (document.hidden) {
    source?.close();
    source = null;
    return;
  }
  if (source) return;
  source = new EventSource("watch/events");
  // a new stream sends all games, and the known ones may no longer exist
  source.addEventListener("open", () => {
    draw(slots.list());
    slots.clear();
  });
  source.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  source.addEventListener("error", lose);
}

function showAllClocks() {
  queryAll($("wall"), "[data-slot]").forEach((tile) => {
    const game = slots.get(readNumber(tile, "slot"));
    if (game) showClocks(tile, game);
  });
  updateLarge();
  const game = featured.shown;
  if (!game || $("large").hidden) return;
  showClocksOfLarge(game);
  tell(game);
}

/** Mark the page as ready in the first frame in which nothing is left to draw. */
function markReadyWhenDrawn() {
  if (isDrawing || isLargeDue) requestAnimationFrame(markReadyWhenDrawn);
  else markReady();
}

function describePicture() {
  const game = featured.shown;
  if (!game) return null;
  const { bots, automa, start } = game.facts;
  const number = past ?? game.plies.length;
  const last = game.plies[number - 1];
  const positions = listPositions(edition, { ...game, start });
  const words = {
    names: bots,
    automa: Boolean(automa),
    title: `Game ${nameGame(game)}: ${bots[0]} against ${bots[1]}`,
    scores:
      past === null
        ? [0, 1].map((seat) => findScore(game, seat))
        : positions[number].players.map(({ score }) => score),
    caption: last ? `Ply ${number}: ${bots[last[0]]} ${last[1]}` : "The start",
  };
  return {
    name: `game-${nameGame(game)}-ply-${number}`,
    text: formatPicture(boards, positions[number], positions[number - 1] ?? null, words),
  };
}

function listenToReader() {
  const step = (/** @type {number} */ by) =>
    lookAt((past ?? featured.shown?.plies.length ?? 0) + by);
  onClick("earlier", () => step(-1));
  onClick("later", () => step(1));
  onClick("now", () => lookAt(Infinity));
  onClick("full", toggleFullScreen);
  $("follow").addEventListener("change", () => {
    location.hash = $("follow", HTMLSelectElement).value;
  });
  document.addEventListener("fullscreenchange", nameFullScreen);
  addEventListener("hashchange", followAddress);
  document.addEventListener("visibilitychange", listen);
  onColourChange(() => {
    draw(slots.list());
    drawLargeSoon();
  });
}

offerPictures(describePicture);
listenToReader();
setInterval(showAllClocks, 100);
setInterval(fetchRecord, EVERY);
new ResizeObserver(drawLargeSoon).observe($("track"));
featured.follow(parseWish(location.hash));
listen();
Promise.all([heard, lookForLatest()]).then(markReadyWhenDrawn);
// for tests and the console
Object.assign(globalThis, {
  pwtourney: {
    list: () => slots.list(),
    game: (/** @type {number} */ slot) => slots.get(slot),
    shown: () => featured.shown,
    isRunning: () => isRunning,
  },
});
