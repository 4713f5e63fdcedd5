/* The view of running games: a wall of small boards, and one large game named by the address. */
import { readFacts } from "../shared/asking.js";
import { makeBoards } from "../shared/boards.js";
import { $, make, markReady, onColourChange, queryAll, readNumber } from "../shared/dom.js";
import { drawBar, formatPoints, formatTime } from "../shared/gauges.js";
import { formatPicture } from "../shared/picture.js";
import { count, describePurse } from "../shared/sentences.js";
import { offerPictures } from "../shared/share.js";
import { followLatest } from "./latest.js";
import { Slots, findExpected, findSaid, isOn, tellGame, timeLeft } from "./slots.js";

/** @import { Seat, SlotGame, WallNews, WatchFacts } from "../types.d.ts" */

const FRAME = 8; // milliseconds of drawing in one frame: a wall may have hundreds of boards
const PACE = 2500; // milliseconds between two sentences, which a screen reader has to read
const AGAIN = 2000; // milliseconds until the next try after the server has refused

/** @type {WatchFacts} */
const watched = readFacts();
const { edition } = watched;
const boards = makeBoards(edition);
const slots = new Slots(edition);

/** Whether a run is active; null if unknown.
    @type {boolean | null} */
let isRunning = null;
/** @type {EventSource | null} */
let source = null;
/** The slots to draw.
    @type {Set<number>} */
const dirty = new Set();
let isDrawing = false;
let spokenAt = -Infinity;

/** Return the slot of the large game; null for none. */
function chosen() {
  const named = /^#slot=(\d+)$/.exec(location.hash);
  if (named) return Number(named[1]);
  const all = slots.list();
  return all.length === 1 ? all[0] : null;
}

/** @param {SlotGame} game */
function nameGame({ facts }) {
  return `${facts.pair}.${facts.number}`;
}

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
 * Draw the margin that a bot expects, as a bar towards the side that it sees ahead.
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function drawExpected(game, seat) {
  const [name, points] = [game.facts.bots[seat], findExpected(game, seat)];
  if (points === null) return drawBar(null, `${name} has not said what it expects`);
  const words = `${name} expects ${formatPoints(points)} points for itself`;
  return drawBar(seat ? -points : points, words);
}

/**
 * @param {SlotGame} game
 * @param {Seat} seat
 * @param {boolean} coordinates
 * @returns {Element[]}
 */
function drawBoard({ facts, now, before }, seat, coordinates) {
  if (seat === 1 && facts.automa) {
    return [make("p", { class: "lead" }, "The Automa has no quilt board.")];
  }
  const earlier = before?.players[seat].quilt ?? null;
  const { quilt } = now.players[seat];
  return boards.drawQuilt(facts.bots[seat], quilt, earlier, { coordinates });
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
  return game.result || !game.live ? tellGame(game) : "";
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
  const score = make("span", {}, findScore(game, seat) ?? "");
  line.append(score, makeClock(game.facts.bots[seat], seat));
  // only the large board has its rows of squares for screen readers
  side.append(who, line, drawBoard(game, seat, false)[0], drawExpected(game, seat));
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

/**
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function drawHead(game, seat) {
  const name = game.facts.bots[seat];
  const head = make("div", { class: "head" });
  const title = make("h3", { id: `name-${seat}` });
  title.append(boards.icons.token(seat), name);
  const purse = make("p", { class: "purse" });
  purse.append(boards.icons.button(), describePurse(edition, game.now.players[seat]));
  if (game.now.tile === seat && edition.tile) {
    purse.append(boards.icons.tile(), make("span", { class: "spoken" }, ", special tile"));
  }
  const score = findScore(game, seat);
  const words = score === null ? "" : `score ${score}`;
  head.append(title, makeClock(name, seat), purse, make("p", { class: "score" }, words));
  return head;
}

/**
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function drawSide(game, seat) {
  const expected = findExpected(game, seat);
  const words = expected === null ? "" : `expects ${formatPoints(expected)}`;
  const bar = make("div", { class: "expects" });
  bar.append(drawExpected(game, seat), make("span", { "aria-hidden": "true" }, words));
  const box = $(`seat-${seat}`);
  box.classList.toggle("moving", isMoving(game, seat));
  box.replaceChildren(
    drawHead(game, seat),
    bar,
    ...drawBoard(game, seat, true),
    make("p", { class: "words" }, findSaid(game, seat)),
  );
}

/** @param {SlotGame} game */
function showPlies(game) {
  const list = $("plies");
  const isOther = list.dataset.game !== nameGame(game);
  if (isOther || game.plies.length < list.children.length) list.replaceChildren();
  list.dataset.game = nameGame(game);
  const fresh = game.past.slice(list.children.length);
  list.append(...fresh.map((text) => make("li", {}, text)));
}

/** @param {SlotGame} game */
function drawLarge(game) {
  $("title").textContent = game.facts.bots.join(" – ");
  const plies = game.plies.length === 1 ? "1 ply" : `${game.plies.length} plies`;
  $("deal").textContent = `game ${nameGame(game)}, ${plies}`;
  drawSide(game, 0);
  drawSide(game, 1);
  $("middle").replaceChildren(...boards.drawCircle(game.now, game.before));
  showPlies(game);
  showClocks($("large"), game);
  tell(game);
}

/**
 * Show the last ply of the large game, and announce it, at most every 2.5 seconds.
 * @param {SlotGame} game
 */
function tell(game) {
  const text = `${game.past.at(-1) ?? ""} ${tellEnd(game)}`.trim() || tellGame(game);
  $("told").textContent = text; // what is seen is about the boards next to it, now
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
function drawSlot(slot) {
  const game = slots.get(slot);
  const old = document.querySelector(`[data-slot="${slot}"]`);
  if (!game) {
    old?.remove();
    return;
  }
  const hadFocus = old?.contains(document.activeElement);
  const tile = drawTile(slot, game);
  if (old) old.replaceWith(tile);
  else insertTile(slot, tile);
  if (hadFocus) tile.querySelector("a")?.focus({ preventScroll: true });
  if (slot === chosen()) drawLarge(game);
}

/** Draw changed slots for at most 8 ms a frame; the next frames draw the rest. */
function drawSome() {
  const until = performance.now() + FRAME;
  const large = chosen();
  if (large !== null && dirty.delete(large)) drawSlot(large);
  for (const slot of dirty) {
    if (performance.now() > until) break;
    dirty.delete(slot);
    drawSlot(slot);
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

/** Return all games, in the order of their slots. */
function listGames() {
  return slots.list().flatMap((slot) => slots.get(slot) ?? []);
}

function describeState() {
  const games = listGames();
  const live = games.filter(isOn).length;
  if (isRunning && !live) return "A run goes on; no game is being played now.";
  if (isRunning) return `${count(live, "games")} ${live === 1 ? "is" : "are"} being played.`;
  const now = "Nothing is being played now";
  return games.length ? `${now}. The last games were:` : `${now}, and no game is stored.`;
}

/**
 * Show the wall or the large game that the address names.
 * @param {boolean} isAsked whether the reader has just chosen
 */
function choose(isAsked) {
  const slot = chosen();
  const game = slots.get(slot);
  const wasHidden = $("large").hidden;
  $("large").hidden = !game;
  $("close").hidden = slots.list().length < 2;
  queryAll($("wall"), "[data-slot]").forEach((tile) => {
    tile.classList.toggle("chosen", readNumber(tile, "slot") === slot);
  });
  $("wall").hidden = Boolean(game) && slots.list().length === 1;
  if (!game) return;
  if (isAsked || wasHidden) {
    spokenAt = -Infinity;
    drawLarge(game);
  }
  if (isAsked) {
    $("title").focus({ preventScroll: true });
    $("large").scrollIntoView({ block: "start" });
  }
}

/** @param {WallNews} news */
function receive(news) {
  isRunning = news.running;
  const changed = slots.receive(news, performance.now());
  draw([...changed, ...news.gone]);
  const text = describeState();
  if ($("state").textContent !== text) $("state").textContent = text;
  choose(false);
  markReady();
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
  source = new EventSource("/watch/events");
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
  const game = slots.get(chosen());
  if (!game || $("large").hidden) return;
  showClocks($("large"), game);
  tell(game);
}

function describePicture() {
  const game = slots.get(chosen());
  if (!game) return null;
  const { bots, automa } = game.facts;
  const last = game.plies.at(-1);
  const number = game.plies.length;
  const words = {
    names: bots,
    automa: Boolean(automa),
    title: `Game ${nameGame(game)}: ${bots[0]} against ${bots[1]}`,
    scores: [0, 1].map((seat) => findScore(game, seat)),
    caption: last ? `Ply ${number}: ${bots[last[0]]} ${last[1]}` : "The start",
  };
  return {
    name: `game-${nameGame(game)}-ply-${number}`,
    text: formatPicture(boards, game.now, game.before, words),
  };
}

offerPictures(describePicture);
addEventListener("hashchange", () => choose(true));
document.addEventListener("visibilitychange", listen);
onColourChange(() => draw(slots.list()));
setInterval(showAllClocks, 100);
listen();
followLatest(watched);
// for tests and the console
Object.assign(globalThis, {
  pwtourney: {
    list: () => slots.list(),
    game: (/** @type {number} */ slot) => slots.get(slot),
    isRunning: () => isRunning,
  },
});
