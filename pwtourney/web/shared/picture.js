/* A picture of a position that stands on its own: both quilt boards with what their players have,
   and the circle with the track between them. report/drawing.py draws the same. */

import * as Cloth from "./cloth.js";
import * as Dom from "./dom.js";
import * as Ring from "./ring.js";
import * as Sentences from "./sentences.js";

const { round, draw } = Cloth;
const [WIDTH, HEIGHT] = [1110, 520];
const [QUILT, TALL] = [300, 330];
const SIDES = [20, 790];
const ABOUT = 0.62; // how wide a letter is about, by the size of its font

const write = (x, y, size, fill, text, weight = "normal") => draw("text", {
  x, y, "font-size": size, "font-weight": weight, fill,
}, text);

/* The size of a font with which a text has room. */
const fit = (text, size, width) => round(Math.min(size, width / (ABOUT * Math.max(1, text.length))));

const drawQuilt = (boards, x, quilt, before, look) => {
  const svg = draw("svg", {
    x, y: 130, width: QUILT, height: TALL, viewBox: boards.frame.join(" "), preserveAspectRatio: "xMidYMin",
  });
  svg.append(...boards.drawCoordinates(look), ...boards.drawCloths(quilt, before, look));
  return svg;
};

const drawSide = (boards, position, before, { names, scores, automa }, seat, look) => {
  const { edition } = boards;
  const player = position.players[seat];
  const x = SIDES[seat];
  const moving = position.toMove === seat && !Sentences.isOver(edition, position);
  const token = Cloth.drawToken(seat, look);
  token.setAttribute("transform", `translate(${x + 11} 72) scale(1.2)`);
  const has = `${Sentences.describePurse(edition, player)}, space ${player.space}`;
  const parts = [
    draw("rect", {
      x: x - 8, y: 52, width: QUILT + 16, height: 418, rx: 8, fill: "none", "stroke-width": 2,
      stroke: moving ? look.accent : look.table,
    }),
    token,
    write(x + 28, 77, fit(names[seat], 15, 220), look.ink, names[seat], "bold"),
    write(x, 99, fit(has, 13, 250), look.ink, has),
    write(x, 118, 13, look.soft, scores[seat] === null ? "" : `score ${scores[seat]}`),
  ];
  if (!(seat && automa)) parts.push(drawQuilt(boards, x, player.quilt, before?.players[seat].quilt ?? null, look));
  if (position.tile === seat && edition.tile) {
    const tile = Cloth.drawTile(edition.tile, look);
    tile.setAttribute("transform", `translate(${x + QUILT - 42} 64) scale(1.1)`);
    parts.push(tile);
  }
  return parts;
};

/* Returns the picture as an element. `before` is the position one ply before, or null; `words`
   are the names of both seats, their scores (null if unknown), a title, a caption, and whether
   the second seat is the Automa, which has no quilt board. */
const drawPicture = (boards, position, before, words, dark = Dom.dark()) => {
  const look = Cloth.colours(dark);
  const svg = draw("svg", {
    xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT,
    "font-family": "system-ui, sans-serif", role: "img",
  });
  svg.append(
    draw("title", {}, `${words.title}. ${words.caption}`),
    draw("rect", { x: 0, y: 0, width: WIDTH, height: HEIGHT, fill: look.paper }),
    write(20, 32, fit(words.title, 17, 1070), look.ink, words.title, "bold"),
    write(20, 500, fit(words.caption, 13, 1070), look.soft, words.caption),
    ...[0, 1].flatMap((seat) => drawSide(boards, position, before, words, seat, look)));
  const ring = draw("svg", {
    x: 340, y: 48, width: 430, height: 430, viewBox: `0 0 ${Ring.SIDE} ${Ring.SIDE}`,
  });
  ring.append(...Ring.drawRing(boards.edition, position, before, look));
  svg.append(ring);
  return svg;
};

/* Returns the same as the text of a file. */
const format = (...given) => `${new XMLSerializer().serializeToString(drawPicture(...given))}\n`;

export { WIDTH, HEIGHT, drawPicture, format };
