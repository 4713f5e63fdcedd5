/* Games that are played now: a wall of small boards, and one game large, which the address names. */

import * as Boards from "../shared/boards.js";
import * as Dom from "../shared/dom.js";
import * as Gauges from "../shared/gauges.js";
import * as Picture from "../shared/picture.js";
import * as Replay from "../shared/replay.js";
import * as Sentences from "../shared/sentences.js";
import * as Share from "../shared/share.js";
import * as Slots from "./slots.js";

const { $, make } = Dom;
const facts = JSON.parse($("facts").textContent);
const { edition } = facts;
const boards = Boards.of(edition);
const slots = Slots.of(edition);
const FRAME = 8; // milliseconds of drawing in one frame: a wall may have hundreds of boards
const PACE = 2500; // milliseconds between two sentences: a screen reader has to read them

let running = null; // whether a run goes on
let source = null;
let dirty = new Set(); // slots to be drawn
let isDrawing = false;
let toldAt = -Infinity;

const chosen = () => {
  const found = /^#slot=(\d+)$/.exec(location.hash);
  const all = slots.list();
  if (found) return Number(found[1]);
  return all.length === 1 ? all[0] : null;
};

const nameGame = (game) => `${game.facts.pair}.${game.facts.number}`;
const score = (game, seat) => {
  if (game.result) return game.result.scores[seat];
  return seat === 1 && game.facts.automa ? null : Replay.score(edition, game.now, seat);
};

/* What a bot expects, as a bar towards the side that it sees ahead. */
const drawBar = (game, seat) => {
  const [name, points] = [game.facts.bots[seat], Slots.expected(game, seat)];
  if (points === null) return Gauges.drawBar(null, `${name} has not said what it expects`);
  return Gauges.drawBar(seat ? -points : points, `${name} expects ${Gauges.sign(points)} points for itself`);
};

const drawBoard = (game, seat, coordinates) => {
  if (seat === 1 && game.facts.automa) return [make("p", { class: "lead" }, "The Automa has no quilt board.")];
  const quilt = game.now.players[seat].quilt;
  return boards.drawQuilt(game.facts.bots[seat], quilt, game.before?.players[seat].quilt ?? null, { coordinates });
};

/* One game of the wall: a link that makes it large. */
const drawTile = (slot, game) => {
  const tile = make("li", { "data-slot": slot, class: game.live && !game.over ? "live" : "ended" });
  const link = make("a", { href: `#slot=${slot}` });
  link.append(make("strong", {}, game.facts.bots.join(" – ")), make("small", {}, ` game ${nameGame(game)}`));
  tile.append(link);
  const pair = make("div", { class: "pair" });
  [0, 1].forEach((seat) => {
    const side = make("div", { class: `small-side${game.turn === seat && game.live && !game.over ? " moving" : ""}` });
    const line = make("p", { class: "line" });
    line.append(make("span", {}, score(game, seat) ?? ""), Gauges.makeClock(game.facts.bots[seat], seat));
    // a screen reader reads rows of squares where a board is large
    side.append(line, drawBoard(game, seat, false)[0], drawBar(game, seat));
    pair.append(side);
  });
  tile.append(pair, make("p", { class: "ending" }, game.result || !game.live ? Slots.tell(game) : ""));
  Gauges.showClocks(tile, game);
  return tile;
};

const drawSide = (game, seat) => {
  const name = game.facts.bots[seat];
  const head = make("div", { class: "head" });
  const title = make("h3", { id: `name-${seat}` });
  title.append(boards.icons.token(seat), name);
  const purse = make("p", { class: "purse" });
  purse.append(boards.icons.button(), Sentences.describePurse(edition, game.now.players[seat]));
  if (game.now.tile === seat && edition.tile) purse.append(boards.icons.tile(), make("span", { class: "spoken" }, ", special tile"));
  const points = score(game, seat);
  head.append(title, Gauges.makeClock(name, seat), purse, make("p", { class: "score" }, points === null ? "" : `score ${points}`));
  const expects = Slots.expected(game, seat);
  const words = make("p", { class: "words" }, Slots.said(game, seat));
  const bar = make("div", { class: "expects" });
  bar.append(drawBar(game, seat), make("span", { "aria-hidden": "true" }, expects === null ? "" : `expects ${Gauges.sign(expects)}`));
  const box = $(`seat-${seat}`);
  box.classList.toggle("moving", game.turn === seat && game.live && !game.over);
  box.replaceChildren(head, bar, ...drawBoard(game, seat, true), words);
};

const showPlies = (game) => {
  const list = $("plies");
  if (list.dataset.game !== nameGame(game) || game.plies.length < list.children.length) list.replaceChildren();
  list.dataset.game = nameGame(game);
  game.past.slice(list.children.length).forEach((text) => list.append(make("li", {}, text)));
};

const drawLarge = (game) => {
  $("title").textContent = game.facts.bots.join(" – ");
  $("deal").textContent = `game ${nameGame(game)}, ${game.plies.length} ${game.plies.length === 1 ? "ply" : "plies"}`;
  [0, 1].forEach((seat) => drawSide(game, seat));
  $("middle").replaceChildren(...boards.drawCircle(game.now, game.before));
  showPlies(game);
  Gauges.showClocks($("large"), game);
  tell(game);
};

/* Says the last ply of the large game, not more often than it can be read. */
const tell = (game) => {
  const now = performance.now();
  const isOver = game.over || !game.live;
  if (!isOver && now - toldAt < PACE) return;
  const last = game.past[game.past.length - 1] ?? "";
  const ending = game.result || !game.live ? Slots.tell(game) : "";
  const text = `${last} ${ending}`.trim() || Slots.tell(game);
  if ($("told").textContent === text) return;
  toldAt = now;
  $("told").textContent = text;
};

const drawSlot = (slot) => {
  const game = slots.get(slot);
  const old = document.querySelector(`[data-slot="${slot}"]`);
  if (!game) { old?.remove(); return; }
  const hadFocus = old?.contains(document.activeElement);
  const tile = drawTile(slot, game);
  if (old) old.replaceWith(tile);
  else {
    const next = [...$("wall").children].find((each) => Number(each.dataset.slot) > slot);
    $("wall").insertBefore(tile, next ?? null);
  }
  if (hadFocus) tile.querySelector("a").focus({ preventScroll: true });
  if (slot === chosen()) drawLarge(game);
};

/* Draws what has changed, as much as fits in a frame; the rest comes with the next ones. */
const drawSome = () => {
  const until = performance.now() + FRAME;
  const large = chosen();
  if (dirty.delete(large)) drawSlot(large);
  for (const slot of dirty) {
    if (performance.now() > until) break;
    dirty.delete(slot);
    drawSlot(slot);
  }
  isDrawing = dirty.size > 0;
  if (isDrawing) requestAnimationFrame(drawSome);
};

const draw = (changed) => {
  changed.forEach((slot) => dirty.add(slot));
  if (!isDrawing && dirty.size) { isDrawing = true; requestAnimationFrame(drawSome); }
};

const describeState = () => {
  const all = slots.list().map(slots.get);
  const live = all.filter((game) => game.live && !game.over).length;
  if (running) return live ? `${live} ${live === 1 ? "game is" : "games are"} being played.` : "A run goes on; no game is being played now.";
  return all.length ? "Nothing is being played now. The last games were:" : "Nothing is being played now, and no game is stored.";
};

/* Shows the wall or the large game, as the address says. */
const choose = (isAsked) => {
  const slot = chosen();
  const game = slots.get(slot);
  const wasHidden = $("large").hidden;
  $("large").hidden = !game;
  $("close").hidden = slots.list().length < 2;
  document.querySelectorAll("#wall > li").forEach((tile) => tile.classList.toggle("chosen", Number(tile.dataset.slot) === slot));
  $("wall").hidden = Boolean(game) && slots.list().length === 1;
  if (!game) return;
  if (isAsked || wasHidden) { toldAt = -Infinity; drawLarge(game); }
  if (isAsked) { $("title").focus({ preventScroll: true }); $("large").scrollIntoView({ block: "start" }); }
};

const receive = (news) => {
  running = news.running;
  const changed = slots.receive(news);
  draw([...changed, ...news.gone]);
  const text = describeState();
  if ($("state").textContent !== text) $("state").textContent = text;
  choose(false);
  document.documentElement.dataset.ready = "yes";
};

/* Listens while somebody looks: games are sampled more often while somebody does. */
const listen = () => {
  if (document.hidden) { source?.close(); source = null; return; }
  if (source) return;
  source = new EventSource("/watch/events");
  // a stream that begins sends all games: those that are here may be gone
  source.addEventListener("open", () => { draw(slots.list()); slots.clear(); });
  source.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    $("state").textContent = "The server does not answer; trying again …";
    if (source?.readyState === EventSource.CLOSED) { source = null; setTimeout(listen, 2000); }
  });
};

const showClocks = () => {
  document.querySelectorAll("[data-slot]").forEach((tile) => {
    const game = slots.get(Number(tile.dataset.slot));
    if (game) Gauges.showClocks(tile, game);
  });
  const game = slots.get(chosen());
  if (game && !$("large").hidden) { Gauges.showClocks($("large"), game); tell(game); }
};

const describePicture = () => {
  const game = slots.get(chosen());
  if (!game) return null;
  const [{ bots, automa }, number, [seat, action] = []] = [game.facts, game.plies.length, game.plies.at(-1)];
  const words = {
    names: bots, automa: Boolean(automa), title: `Game ${nameGame(game)}: ${bots[0]} against ${bots[1]}`,
    scores: [0, 1].map((each) => score(game, each)),
    caption: action ? `Ply ${number}: ${bots[seat]} ${action}` : "The start",
  };
  return {
    name: `game-${nameGame(game)}-ply-${number}`, text: Picture.format(boards, game.now, game.before, words),
  };
};

Share.offerPictures(describePicture);
addEventListener("hashchange", () => choose(true));
document.addEventListener("visibilitychange", listen);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(slots.list()));
setInterval(showClocks, 100);
listen();
globalThis.pwtourney = { list: slots.list, game: slots.get, isRunning: () => running }; // for tests and the console
