/* The small boards of all slots: each is a link to its game. */
import { countEmpty } from "../game/players.js";
import { $, make, queryAll, readNumber, whenReleased } from "../shared/dom.js";
import { formatScore, formatTime } from "../shared/gauges.js";
import { count } from "../shared/sentences.js";
import { drawExpected } from "./large.js";
import { isOn, nameGame, tellEnd, timeLeft } from "./slots.js";

/** @import { Seat, SlotGame } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @import { Slots } from "./slots.js" */

const FRAME = 8; // milliseconds of drawing in one frame: a wall may have hundreds of boards

/**
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function isMoving(game, seat) {
  return game.turn === seat && isOn(game);
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
 * Return what a player of a small board has: buttons and empty squares, and in the end the points.
 * @param {Boards} boards
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function drawHoldings({ edition, icons }, game, seat) {
  const box = make("span");
  const player = game.now.players[seat];
  if (game.result?.verdict === "finished") {
    box.append(make("strong", {}, formatScore(game.result.scores[seat])));
  } else if (!(seat === 1 && game.facts.automa)) {
    const empty = countEmpty(player);
    box.append(icons.button(), `${player.buttons} · ${empty} empty`);
    box.title = `${count(player.buttons, edition.currency)}, ${count(empty, "empty squares")}`;
  }
  return box;
}

/**
 * @param {Boards} boards
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function drawBoard(boards, { facts, now, before }, seat) {
  if (seat === 1 && facts.automa) {
    return make("p", { class: "lead" }, "The Automa has no quilt board.");
  }
  const earlier = before?.players[seat].quilt ?? null;
  const { quilt } = now.players[seat];
  // only the large board has its rows of squares for screen readers
  return boards.drawQuilt(facts.bots[seat], quilt, earlier, { coordinates: false })[0];
}

/**
 * @param {Boards} boards
 * @param {SlotGame} game
 * @param {Seat} seat
 */
function drawSide(boards, game, seat) {
  const side = make("div", { class: `small-side${isMoving(game, seat) ? " moving" : ""}` });
  const who = make("p", { class: "who" });
  who.append(boards.icons.token(seat), game.facts.bots[seat]);
  const line = make("p", { class: "line" });
  line.append(drawHoldings(boards, game, seat), makeClock(game.facts.bots[seat], seat));
  side.append(who, line, drawBoard(boards, game, seat), drawExpected(game, seat));
  return side;
}

/**
 * Draw one game of the wall.
 * @param {Boards} boards
 * @param {SlotGame} game
 * @param {string} address of the game
 */
function drawTile(boards, game, address) {
  const kind = isOn(game) ? "live" : "ended";
  const tile = make("li", { "data-slot": game.slot, class: kind });
  const link = make("a", { href: address });
  const names = make("strong", {}, game.facts.bots.join(" – "));
  link.append(names, make("small", {}, ` game ${nameGame(game)}`));
  const pair = make("div", { class: "pair" });
  pair.append(drawSide(boards, game, 0), drawSide(boards, game, 1));
  tile.append(link, pair, make("p", { class: "ending" }, tellEnd(game)));
  showClocks(tile, game);
  return tile;
}

/** @param {number} slot */
function findTile(slot) {
  return document.querySelector(`[data-slot="${slot}"]`);
}

/**
 * Insert a tile at its place on the wall.
 * @param {number} slot
 * @param {HTMLElement} tile
 */
function insertTile(slot, tile) {
  const next = queryAll($("wall"), "[data-slot]").find((other) => readNumber(other, "slot") > slot);
  $("wall").insertBefore(tile, next ?? null);
}

/** The wall of all small boards, which draws what has changed. */
export class Wall {
  #boards;
  #slots;
  #findAddress;
  /** The name of the game that is shown large. */
  #large = "";
  /** The slots to draw.
      @type {Set<number>} */
  #dirty = new Set();
  #isDrawing = false;

  /**
   * @param {Boards} boards
   * @param {Slots} slots
   * @param {(name: string) => string} findAddress returns the address of a game
   */
  constructor(boards, slots, findAddress) {
    this.#boards = boards;
    this.#slots = slots;
    this.#findAddress = findAddress;
  }

  /** True if nothing is missing: each game of several has a board. */
  get isWhole() {
    return $("wall").hidden || this.#slots.list().every(findTile);
  }

  /** Draw changed slots, from the next frame on. The board of a game that is alone, and so shown
      large, waits until another game joins.
      @param {number[]} changed */
  draw(changed) {
    changed.forEach((slot) => this.#dirty.add(slot));
    $("wall").hidden = this.#slots.list().length < 2;
    if ($("wall").hidden || this.#isDrawing || !this.#dirty.size) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => this.#drawSome());
  }

  /** Mark the small board of the game that is shown large.
      @param {string} name */
  mark(name) {
    this.#large = name;
    this.#list().forEach(([tile, game]) => this.#markTile(tile, game));
  }

  /** Update the clocks of all games. */
  showClocks() {
    this.#list().forEach(([tile, game]) => {
      if (game) showClocks(tile, game);
    });
  }

  /** @returns {[tile: HTMLElement, game: SlotGame | undefined][]} */
  #list() {
    const tiles = queryAll($("wall"), "[data-slot]");
    return tiles.map((tile) => [tile, this.#slots.get(readNumber(tile, "slot"))]);
  }

  /**
   * @param {HTMLElement} tile
   * @param {SlotGame | undefined} game
   */
  #markTile(tile, game) {
    tile.classList.toggle("chosen", game !== undefined && nameGame(game) === this.#large);
  }

  /** Draw changed slots for at most 8 ms a frame; the next frames draw the rest. */
  #drawSome() {
    const until = performance.now() + FRAME;
    for (const slot of this.#dirty) {
      if (performance.now() > until) break;
      this.#dirty.delete(slot);
      whenReleased(findTile(slot) ?? $("wall"), () => this.#drawSlot(slot));
    }
    this.#isDrawing = this.#dirty.size > 0;
    if (this.#isDrawing) requestAnimationFrame(() => this.#drawSome());
  }

  /** @param {number} slot */
  #drawSlot(slot) {
    const game = this.#slots.get(slot);
    const old = findTile(slot);
    if (!game) {
      old?.remove();
      return;
    }
    const hadFocus = old?.contains(document.activeElement);
    const tile = drawTile(this.#boards, game, this.#findAddress(nameGame(game)));
    if (old) old.replaceWith(tile);
    else insertTile(slot, tile);
    if (hadFocus) tile.querySelector("a")?.focus({ preventScroll: true });
    this.#markTile(tile, game);
  }
}
