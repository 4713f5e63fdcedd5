/* A complete picture of a position: both quilt boards with the purses of their players, and the
   circle with the track between them. */
import { drawTile, drawToken, findLook, round } from "./cloth.js";
import { draw, isDark } from "./dom.js";
import { formatScore } from "./gauges.js";
import { RING_SIDE, drawRing } from "./ring.js";
import { describePurse } from "./sentences.js";

/** @import { Look, PictureWords, Played, Position, Quilt, Seat } from "../types.d.ts" */
/** @import { Boards } from "./boards.js" */

const [WIDTH, HEIGHT] = [1110, 520];
const [QUILT, TALL] = [300, 330];
const SIDES = [20, 790];
const ABOUT = 0.62; // estimated width of a letter, relative to the font size

/**
 * Write a text, bold if it is a name.
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {string} fill
 * @param {string} text
 * @param {"normal" | "bold"} [weight]
 */
function write(x, y, size, fill, text, weight = "normal") {
  return draw("text", { x, y, "font-size": size, "font-weight": weight, fill }, text);
}

/**
 * Return a font size at which a text fits a width.
 * @param {string} text
 * @param {number} size the largest size
 * @param {number} width
 */
export function fitText(text, size, width) {
  return round(Math.min(size, width / (ABOUT * Math.max(1, text.length))));
}

/**
 * @param {Boards} boards
 * @param {number} x
 * @param {Quilt} quilt
 * @param {Quilt | null} before
 * @param {Look} look
 */
function drawQuilt(boards, x, quilt, before, look) {
  const svg = draw("svg", {
    x,
    y: 130,
    width: QUILT,
    height: TALL,
    viewBox: boards.frame.join(" "),
    preserveAspectRatio: "xMidYMin",
  });
  svg.append(...boards.drawCoordinates(look), ...boards.drawCloths(quilt, before, look));
  return svg;
}

/**
 * @param {Boards} boards
 * @param {Position} position
 * @param {Position | null} before
 * @param {PictureWords} words
 * @param {Seat} seat
 * @param {Look} look
 */
function drawSide(boards, position, before, { names, scores, automa }, seat, look) {
  const { edition } = boards;
  const player = position.players[seat];
  const x = SIDES[seat];
  const isMoving = position.toMove === seat && !position.over;
  const token = drawToken(seat, look);
  token.setAttribute("transform", `translate(${x + 11} 72) scale(1.2)`);
  const has = `${describePurse(edition, player)}, space ${player.space}`;
  const points = scores ? scores[seat] : player.score;
  const score = points === null ? "" : `score ${formatScore(points)}`;
  const box = { x: x - 8, y: 52, width: QUILT + 16, height: 418, rx: 8, fill: "none" };
  const edge = { "stroke-width": 2, stroke: isMoving ? look.accent : look.table };
  /** @type {SVGElement[]} */
  const parts = [
    draw("rect", { ...box, ...edge }),
    token,
    write(x + 28, 77, fitText(names[seat], 15, 220), look.ink, names[seat], "bold"),
    write(x, 99, fitText(has, 13, 250), look.ink, has),
    write(x, 118, 13, look.soft, score),
  ];
  if (!(seat && automa)) {
    const earlier = before?.players[seat].quilt ?? null;
    parts.push(drawQuilt(boards, x, player.quilt, earlier, look));
  }
  if (position.tile === seat && edition.tile) {
    const tile = drawTile(edition.tile, look);
    tile.setAttribute("transform", `translate(${x + QUILT - 42} 64) scale(1.1)`);
    parts.push(tile);
  }
  return parts;
}

/**
 * Draw the picture. `before` is the position one ply before, or null.
 * @param {Boards} boards
 * @param {Position} position
 * @param {Position | null} before
 * @param {PictureWords} words
 * @param {boolean} [dark]
 */
function drawPicture(boards, position, before, words, dark = isDark()) {
  const look = findLook(dark);
  const svg = draw("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    width: WIDTH,
    height: HEIGHT,
    "font-family": "system-ui, sans-serif",
    role: "img",
  });
  const { title, caption } = words;
  svg.append(
    draw("title", {}, `${title}. ${caption}`),
    draw("rect", { x: 0, y: 0, width: WIDTH, height: HEIGHT, fill: look.paper }),
    write(20, 32, fitText(title, 17, 1070), look.ink, title, "bold"),
    write(20, 500, fitText(caption, 13, 1070), look.soft, caption),
    ...[0, 1].flatMap((seat) => drawSide(boards, position, before, words, seat, look)),
  );
  const box = `0 0 ${RING_SIDE} ${RING_SIDE}`;
  const ring = draw("svg", { x: 340, y: 48, width: 430, height: 430, viewBox: box });
  ring.append(...drawRing(boards.edition, position, before, look));
  svg.append(ring);
  return svg;
}

/**
 * Return a picture of a position as the text of an SVG file. `before` is the position one ply
 * before, or null.
 * @param {Boards} boards
 * @param {Position} position
 * @param {Position | null} before
 * @param {PictureWords} words
 */
export function formatPicture(boards, position, before, words) {
  const picture = drawPicture(boards, position, before, words);
  return `${new XMLSerializer().serializeToString(picture)}\n`;
}

/**
 * Return the caption of a position: the ply that led to it.
 * @param {string[]} names
 * @param {Played[]} plies
 * @param {number} number of the position
 */
export function captionPly(names, plies, number) {
  if (!number) return "The start";
  const [seat, action] = plies[number - 1];
  return `Ply ${number}: ${names[seat]} ${action}`;
}
