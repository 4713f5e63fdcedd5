/* Which game is shown large: that of the page, or one of the run, of a bot, of a pairing or of a slot
   until it has ended and its result could be read. */
import { isOn, nameGame } from "./slots.js";

/** @import { SlotGame } from "../types.d.ts" */
/** @import { Slots } from "./slots.js" */
/** What is followed: the run if nothing is named. A game is that of the page.
    @typedef {{ game?: string, slot?: number, bot?: string, against?: string }} Wish */

export const READING = 5000; // milliseconds for which a result stays
const PATIENCE = 20_000; // milliseconds to wait for the result of a game that has left its slot

/**
 * Return what the fragment of an address names.
 * @param {string} fragment
 * @returns {Wish}
 */
export function parseWish(fragment) {
  const words = new URLSearchParams(fragment.slice(1));
  const [slot, bot, against] = ["slot", "bot", "against"].map((name) => words.get(name));
  if (slot && /^\d+$/.test(slot)) return { slot: Number(slot) };
  if (!bot) return {};
  return against ? { bot, against } : { bot };
}

/**
 * Return the fragment of an address that names a wish; `#` for the run.
 * @param {Wish} wish
 */
export function formatWish({ slot, bot, against }) {
  if (slot !== undefined) return `#slot=${slot}`;
  if (bot === undefined) return "#";
  return `#${new URLSearchParams(against === undefined ? { bot } : { bot, against })}`;
}

/**
 * Return true if a game belongs to what is followed, whatever its slot.
 * @param {SlotGame} game
 * @param {Wish} wish
 */
function isOfBots({ facts }, { bot, against }) {
  return [bot, against].every((name) => name === undefined || facts.bots.includes(name));
}

/** The game that is shown large. All times are milliseconds of the clock of the page. */
export class Featured {
  /** @type {Wish} */
  #wish = {};
  /** @type {SlotGame | null} */
  #shown = null;
  /** The name of a stored game to show until one of what is followed is played; null for none.
      @type {string | null} */
  #suggested = null;
  /** Since when the reader sees its result; null while he does not.
      @type {number | null} */
  #ended = null;
  /** When it was found to be neither running nor to have a result; null while it is not.
      @type {number | null} */
  #lost = null;
  #isHeld = false;
  #isSeen = true;

  /** The game that is shown; null for none. */
  get shown() {
    return this.#shown;
  }

  /** What is followed. */
  get wish() {
    return this.#wish;
  }

  /**
   * Follow something else.
   * @param {Wish} wish
   */
  follow(wish) {
    this.#wish = wish;
    this.#isHeld = false;
    const { game, slot } = wish;
    const shown = this.#shown;
    const isKept =
      shown !== null &&
      (game === undefined || nameGame(shown) === game) &&
      (slot === undefined || (shown.slot === slot && shown.live)) &&
      isOfBots(shown, wish);
    if (!isKept) this.#show(null);
  }

  /**
   * Show a stored game unless one is shown.
   * @param {string | null} name null for none
   */
  suggest(name) {
    if (!this.#shown) this.#suggested = name;
  }

  /** Keep the shown game while the reader looks back, or stop that; he reads the result only then.
      @param {boolean} isHeld */
  hold(isHeld) {
    this.#isHeld = isHeld;
  }

  /** Keep the shown game while nobody sees the page, or stop that.
      @param {boolean} isSeen */
  see(isSeen) {
    this.#isSeen = isSeen;
    this.#ended = null;
  }

  /**
   * Take the record of a game that is no longer in a slot.
   * @param {SlotGame} game
   */
  take(game) {
    if (nameGame(game) === this.#name) this.#shown = game;
  }

  /** The name of the game whose record is needed, because no slot shows it; null for none.
      @param {Slots} slots
      @returns {string | null} */
  needed(slots) {
    const name = this.#name;
    if (name === null || (this.#shown?.stored && nameGame(this.#shown) === name)) return null;
    return this.#find(slots, name) ? null : name;
  }

  /**
   * Return the game to show now; null for none.
   * @param {Slots} slots
   * @param {number} now
   */
  update(slots, now) {
    const current = this.#name === null ? undefined : this.#find(slots, this.#name);
    const isOlder = Boolean(this.#shown?.stored) && !current?.stored; // than the record of it
    if (current && !isOlder) this.#shown = current;
    this.#watchEnd(Boolean(current && isOn(current)), now);
    const next = this.#mayLeave(now) ? this.#findNext(slots) : undefined;
    if (next) this.#show(next);
    return this.#shown;
  }

  /** The name of the game that is shown, asked for or suggested; null for none. */
  get #name() {
    return this.#wish.game ?? (this.#shown ? nameGame(this.#shown) : this.#suggested);
  }

  /**
   * Note since when the reader sees the result of the shown game, or when the game was lost. Both are
   * forgotten for a game that is played again.
   * @param {boolean} isRunning
   * @param {number} now
   */
  #watchEnd(isRunning, now) {
    if (!this.#shown) return;
    const { result } = this.#shown;
    const isRead = result !== null && this.#isSeen && !this.#isHeld;
    this.#ended = isRead ? (this.#ended ?? now) : null;
    this.#lost = result || isRunning ? null : (this.#lost ?? now);
  }

  /** @param {SlotGame | null} game */
  #show(game) {
    [this.#shown, this.#suggested, this.#ended, this.#lost] = [game, null, null, null];
  }

  /**
   * Return true if another game may take the place of the shown one.
   * @param {number} now
   */
  #mayLeave(now) {
    if (!this.#shown) return true;
    if (!this.#isSeen || this.#isHeld || this.#wish.game !== undefined) return false;
    if (this.#ended !== null) return now - this.#ended >= READING;
    return this.#lost !== null && now - this.#lost >= PATIENCE;
  }

  /**
   * Return the game of a slot by its name.
   * @param {Slots} slots
   * @param {string} name
   */
  #find(slots, name) {
    return listAll(slots).find((game) => nameGame(game) === name);
  }

  /**
   * Return the next game of what is followed: a running one, of the same slot if possible; at first
   * also one that has ended.
   * @param {Slots} slots
   */
  #findNext(slots) {
    const { game: name, slot } = this.#wish;
    if (name !== undefined) return this.#find(slots, name);
    const known = listAll(slots).filter(
      (game) => (slot === undefined || game.slot === slot) && isOfBots(game, this.#wish),
    );
    const running = known.filter(isOn);
    const same = running.find((game) => game.slot === this.#shown?.slot);
    return same ?? running[0] ?? (this.#shown ? undefined : known.at(-1));
  }
}

/**
 * Return all games, in the order of their slots.
 * @param {Slots} slots
 */
export function listAll(slots) {
  return slots.list().flatMap((slot) => slots.get(slot) ?? []);
}
