/* The patch in a player's hand, from the offer or a special one, with its orientation and its place
   on the quilt board. The lists from the server say what is legal; there are no rules here. */
import {
  ORIENTATIONS,
  coverSquares,
  flip,
  nameSquare,
  parseSquare,
  rotate,
  standUpright,
  turnShape,
} from "../shared/shapes.js";

/** @import { Choices, Edition, Orientation, Pair } from "../types.d.ts" */
/** @typedef {number | "leather"} InHand the number of a patch, or a special patch */

const NEAR = 1.1; // squares: the most that a patch jumps to a place where it fits
const LEATHER = ["#"];

/** The patch in a player's hand. */
export class Hand {
  /** @type {Choices | null} */
  #choices = null;
  /** @type {InHand | null} */
  #patch = null;
  #turn = 0; // number of the orientation
  /** Row and column of the top left corner.
      @type {Pair | null} */
  #corner = null;
  #edition;

  /** @param {Edition} edition */
  constructor(edition) {
    this.#edition = edition;
  }

  /** The patch in hand; null for none. */
  get patch() {
    return this.#patch;
  }

  /** The orientation of the patch; of those that look alike the first, as it lies on the board. */
  get orientation() {
    return ORIENTATIONS[this.#offered?.aliases[this.#turn] ?? this.#turn];
  }

  /** What may be done with the patch, if it is on offer. */
  get #offered() {
    return this.#choices?.patches?.find(({ patch }) => patch === this.#patch);
  }

  /** Row and column of the top left corner, null if it does not lie on the board. */
  get corner() {
    return this.#corner;
  }

  /** @returns {string[]} */
  get #rows() {
    if (this.#patch === null || this.#patch === "leather") return LEATHER;
    return turnShape(this.#edition.patches[this.#patch][0], this.orientation);
  }

  /** The square of the top left corner, or −1. */
  get #square() {
    if (!this.#corner) return -1;
    const [row, column] = this.#corner;
    return row * this.#edition.columns + column;
  }

  /** The legal squares of the top left corner in the current orientation. */
  get #anchors() {
    const choices = this.#choices;
    if (this.#patch === null || !choices) return [];
    if (this.#patch === "leather") return choices.leather ?? [];
    const offered = this.#offered;
    return offered?.legal[offered.aliases[this.#turn]] ?? [];
  }

  /**
   * @param {number} square
   * @returns {Pair}
   */
  #at(square) {
    const { columns } = this.#edition;
    return [Math.floor(square / columns), square % columns];
  }

  /** Move the corner so that the whole shape is on the board.
      @param {Pair} corner */
  #layWithin([row, column]) {
    const { rows, columns } = this.#edition;
    const shape = this.#rows;
    this.#corner = [
      Math.max(0, Math.min(rows - shape.length, row)),
      Math.max(0, Math.min(columns - shape[0].length, column)),
    ];
  }

  /** Change the orientation, and keep the middle of the patch in place.
      @param {number} turn */
  #reshape(turn) {
    if (this.#patch === null || this.#patch === "leather") return;
    const before = this.#rows;
    this.#turn = turn;
    if (!this.#corner) return;
    const after = this.#rows;
    const [row, column] = this.#corner;
    this.#layWithin([
      row + Math.round((before.length - after.length) / 2),
      column + Math.round((before[0].length - after[0].length) / 2),
    ]);
  }

  /** Turn the patch by quarters, clockwise if positive. */
  rotate(step = 1) {
    this.#reshape(rotate(this.#turn, step));
  }

  /** Flip the patch left to right. */
  flip() {
    this.#reshape(flip(this.#turn));
  }

  /**
   * Set the current choices, null for none. The patch in hand stays if it is still on offer.
   * @param {Choices | null} choices
   */
  offerChoices(choices) {
    this.#choices = choices;
    const isThere = choices?.patches
      ? choices.patches.some(({ patch }) => patch === this.#patch)
      : Boolean(choices) && this.#patch === "leather";
    if (!isThere) this.take(null);
  }

  /**
   * Take a patch in hand, or null to drop it.
   * @param {InHand | null} patch
   */
  take(patch) {
    if (this.#patch === patch) return;
    this.#patch = patch;
    this.#turn = this.#upright;
    this.#corner = null;
  }

  /** The number of the orientation in which the patch lies on offer. */
  get #upright() {
    if (this.#patch === null || this.#patch === "leather") return 0;
    return ORIENTATIONS.indexOf(standUpright(this.#edition.patches[this.#patch][0]));
  }

  /** Turn the patch until it fits somewhere; it stays as it is if it fits nowhere. */
  fit() {
    if (this.#patch === null || this.#patch === "leather") return;
    const before = this.#turn;
    for (const step of ORIENTATIONS.keys()) {
      this.#turn = (before + step) % ORIENTATIONS.length;
      if (this.#anchors.length) return;
    }
    this.#turn = before;
  }

  /** Place the patch where it first fits, turned if necessary, as the start for moves by keys. */
  lay() {
    if (this.#patch === null || this.#corner) return;
    this.fit();
    const [first] = this.#anchors;
    this.#corner = first === undefined ? [0, 0] : this.#at(first);
  }

  /**
   * Move the patch by rows and columns; if it is not on the board, place it first.
   * @param {number} down
   * @param {number} right
   */
  move(down, right) {
    if (this.#corner) this.#layWithin([this.#corner[0] + down, this.#corner[1] + right]);
    else this.lay();
  }

  /** Row and column of the corner of the patch when its middle is at a point.
      @param {number} x
      @param {number} y
      @returns {Pair} */
  #aimAt(x, y) {
    const shape = this.#rows;
    return [y - shape.length / 2, x - shape[0].length / 2];
  }

  /**
   * Return which of some squares of the corner is nearest to a place, and how far away it is.
   * @param {number[]} anchors
   * @param {Pair} aim
   * @returns {[nearest: number, least: number]}
   */
  #findNearest(anchors, [top, left]) {
    let nearest = -1;
    let least = Infinity;
    for (const square of anchors) {
      const [row, column] = this.#at(square);
      const distance = Math.hypot(row - top, column - left);
      if (distance < least) [nearest, least] = [square, distance];
    }
    return [nearest, least];
  }

  /**
   * Place the patch with its middle at a point, or at the nearest legal place close to it. The
   * point is in squares from the corner of the board.
   * @param {number} x
   * @param {number} y
   */
  layAt(x, y) {
    const aim = this.#aimAt(x, y);
    const [nearest, least] = this.#findNearest(this.#anchors, aim);
    if (least <= NEAR) this.#corner = this.#at(nearest);
    else this.#layWithin([Math.round(aim[0]), Math.round(aim[1])]);
  }

  /**
   * Place the patch so that it covers the square at a point, at the legal place whose middle is
   * nearest to the point; as `layAt` does where it cannot cover that square.
   * @param {number} x
   * @param {number} y
   */
  layOver(x, y) {
    const { rows, columns } = this.#edition;
    const [row, column] = [Math.floor(y), Math.floor(x)];
    const isOnBoard = row >= 0 && row < rows && column >= 0 && column < columns;
    const anchors = isOnBoard ? this.#listCovering(row * columns + column) : [];
    const [nearest] = this.#findNearest(anchors, this.#aimAt(x, y));
    if (anchors.length) this.#corner = this.#at(nearest);
    else this.layAt(x, y);
  }

  /** Return the legal squares of the corner with which the patch covers a square.
      @param {number} square */
  #listCovering(square) {
    const shape = this.#rows;
    return this.#anchors.filter((anchor) =>
      coverSquares(this.#edition, shape, anchor).includes(square),
    );
  }

  /**
   * Place the patch as in the text of an action.
   * @param {string} action
   */
  layAs(action) {
    const words = action.split(":");
    this.#patch = words[0] === "leather" ? "leather" : Number(words[0]);
    const orientation = /** @type {Orientation} */ (words[1]);
    this.#turn = words.length === 3 ? ORIENTATIONS.indexOf(orientation) : 0;
    this.#corner = this.#at(parseSquare(this.#edition, words[words.length - 1]));
  }

  /** Remove the patch from the board, and keep it in hand. */
  lift() {
    this.#corner = null;
  }

  /** Return true if the current placement is legal. */
  isLegal() {
    return this.#corner !== null && this.#anchors.includes(this.#square);
  }

  /** Return the text of the action for the current placement; null if there is none. */
  action() {
    if (this.#patch === null || !this.#corner) return null;
    const name = nameSquare(this.#edition, this.#square);
    if (this.#patch === "leather") return `leather:${name}`;
    return `${this.#patch}:${this.orientation}:${name}`;
  }

  /** Return a text that changes whenever a patch is taken, turned or moved. */
  describe() {
    return `${this.#patch} ${this.#turn} ${this.#corner}`;
  }

  /** Return the squares that the patch covers. */
  squares() {
    return this.#corner ? coverSquares(this.#edition, this.#rows, this.#square) : [];
  }

  /** Return the squares that the patch could cover in its current orientation. */
  lit() {
    const shape = this.#rows;
    return new Set(this.#anchors.flatMap((anchor) => coverSquares(this.#edition, shape, anchor)));
  }
}
