/* Drawings of a position: quilt boards, patches, the time track, the circle and the patches on
   offer, each with words for those who do not see it. `Boards.of(edition)` draws for one edition,
   in the colours of the moment: draw again when the reader changes between light and dark.

   A position is what `Replay.positions` computes. In a quilt, a mark is 0 for an empty square, N
   for patch N, and negative for a special patch; for any other number the square is
   known to be covered, but not by what. Squares of quilts have `data-square`, patches
   `data-patch`, spaces `data-space` and tokens `data-seat`, for code that lets a player move them. */

import * as Cloth from "./cloth.js";
import * as Dom from "./dom.js";
import { Looks } from "./looks.js";
import * as Replay from "./replay.js";
import * as Ring from "./ring.js";
import * as Sentences from "./sentences.js";
import * as Track from "./track.js";

const { make, addSpoken } = Dom;
const { SIZE, draw } = Cloth;
const { margin: MARGIN } = Looks;
const PLACED = 0.22; // how strongly squares that were just covered shine

const of = (edition) => {
  const { columns, rows } = edition;
  const at = (square) => [square % columns, Math.floor(square / columns)];

  const drawCoordinates = (look) => {
    const write = (x, y, text) => draw("text", {
      class: "coordinate", x, y, "text-anchor": "middle", "font-size": 11, fill: look.soft,
    }, text);
    return [
      ...Array.from({ length: columns }, (_, column) =>
        write((column + 0.5) * SIZE, -4, String.fromCharCode(97 + column))),
      ...Array.from({ length: rows }, (_, row) => write(-8, (row + 0.5) * SIZE + 4, row + 1)),
    ];
  };

  const key = (squares) => squares.map(([column, row]) => `${column} ${row}`).sort().join();

  /* The first orientation in which a patch covers these squares, and its top left corner. */
  const findOrientation = (number, squares) => {
    const [left, top] = [0, 1].map((axis) => Math.min(...squares.map((square) => square[axis])));
    const wanted = key(squares.map(([column, row]) => [column - left, row - top]));
    const found = Replay.ORIENTATIONS.find((name) => {
      const turned = Replay.turned(edition.patches[number][0], name).map((row) => row.join(""));
      return key(Cloth.listSquares(turned)) === wanted;
    });
    return [found, left, top];
  };

  const drawMark = (mark, squares, look) => {
    const group = draw("g", {});
    const places = squares.map(at);
    if (mark < 0) {
      group.append(Cloth.drawLeather(look));
      group.setAttribute("transform", `translate(${places[0].map((part) => part * SIZE).join(" ")})`);
      return group;
    }
    const [orientation, left, top] = edition.patches[mark] ? findOrientation(mark, places) : [];
    if (!orientation) return Cloth.drawCovered(places, look);
    group.append(Cloth.drawPatch(mark, edition.patches[mark], orientation, look));
    group.setAttribute("transform", `translate(${left * SIZE} ${top * SIZE})`);
    return group;
  };

  /* The squares of each mark of a quilt, in the order of their first squares. */
  const groupMarks = (quilt) => {
    const groups = new Map();
    quilt.forEach((mark, square) => mark && groups.set(mark, [...groups.get(mark) ?? [], square]));
    return groups;
  };

  const drawPlaced = (placed, look) => {
    const outline = Cloth.traceOutline(placed.map(at));
    const line = { d: outline, fill: "none", "stroke-linecap": "square" };
    return [
      ...placed.map((square) => draw("rect", {
        class: "placed-square", x: at(square)[0] * SIZE, y: at(square)[1] * SIZE, width: SIZE, height: SIZE,
        fill: "#ffffff", "fill-opacity": PLACED,
      })),
      draw("path", { ...line, stroke: look.halo, "stroke-width": 5 }),
      draw("path", { class: "placed", ...line, stroke: look.placed, "stroke-width": 2.6 }),
    ];
  };

  /* The children of the drawing of a quilt board. */
  const drawCloths = (quilt, before, look) => {
    const cloths = draw("g", { class: "cloths", "pointer-events": "none" });
    groupMarks(quilt).forEach((squares, mark) => cloths.append(drawMark(mark, squares, look)));
    const placed = Sentences.findPlaced(before, quilt);
    if (placed.length) cloths.append(...drawPlaced(placed, look));
    return [
      draw("rect", {
        x: -2, y: -2, width: columns * SIZE + 4, height: rows * SIZE + 4, rx: 3, fill: look.rim,
      }),
      ...quilt.map((mark, square) => draw("rect", {
        "data-square": square, x: at(square)[0] * SIZE, y: at(square)[1] * SIZE, width: SIZE, height: SIZE,
        fill: look.board, stroke: look.grid,
      })),
      cloths,
    ];
  };

  const frame = [-MARGIN, -MARGIN, columns * SIZE + MARGIN + 3, rows * SIZE + MARGIN + 3];

  /* Returns the drawing of a quilt board and, for screen readers, what lies in each row.
     `before` is the quilt one ply before, or null; without `coordinates` for small boards. */
  const drawQuilt = (name, quilt, before, { coordinates = true } = {}) => {
    const look = Cloth.colours();
    const svg = draw("svg", {
      class: "quilt", role: "img", "aria-label": Sentences.describeQuilt(edition, name, quilt, before),
      viewBox: (coordinates ? frame : [-3, -3, columns * SIZE + 6, rows * SIZE + 6]).join(" "),
    });
    if (coordinates) svg.append(...drawCoordinates(look));
    svg.append(...drawCloths(quilt, before, look));
    const spoken = make("ul", { class: "spoken" });
    spoken.append(...Sentences.describeRows(edition, quilt).map((text) => make("li", {}, text)));
    return [svg, spoken];
  };

  /* Returns one patch alone, its squares `size` em wide. */
  const drawPatch = (number, orientation = "r0", { size = 0.8 } = {}) => {
    const turned = Replay.turned(edition.patches[number][0], orientation);
    const [across, down] = [turned[0].length, turned.length];
    const svg = draw("svg", {
      class: "patch-alone", "aria-hidden": "true", width: `${Cloth.round(across * size)}em`,
      height: `${Cloth.round(down * size)}em`,
      viewBox: `-1 -1 ${across * SIZE + 2} ${down * SIZE + 2}`,
    });
    svg.append(Cloth.drawPatch(number, edition.patches[number], orientation, Cloth.colours()));
    return svg;
  };

  /* Returns the time track; `before` is the position one ply before, or null. */
  const drawTrack = (state, before = null) => {
    const side = Track.findSide(edition.last) * Track.CELL;
    const svg = draw("svg", {
      class: "track", role: "img", viewBox: `-1 -1 ${side + 2} ${side + 2}`,
      "aria-label": Sentences.describeTrack(edition, state),
    });
    svg.append(...Track.drawTrack(edition, state, before, Cloth.colours()));
    return svg;
  };

  /* Returns the circle with the track in it, and, for screen readers, its patches in order. */
  const drawCircle = (state, before = null) => {
    const svg = draw("svg", {
      class: "ring", role: "img", viewBox: `0 0 ${Ring.SIDE} ${Ring.SIDE}`,
      "aria-label": `${Sentences.describeTrack(edition, state)}; round it the circle of ${state.circle.length} patches`,
    });
    svg.append(...Ring.drawRing(edition, state, before, Cloth.colours()));
    const list = make("ol", { class: "spoken circle", "aria-label": "circle from the neutral token clockwise" });
    list.append(make("li", {}, "the neutral token"), ...state.circle.map((number, place) =>
      make("li", {}, `${Sentences.describePatch(edition, number)}${place < edition.offer ? ", on offer" : ""}`)));
    return [svg, list];
  };

  const addPrice = (line, icon, value) => {
    line.append(icon, make("span", { "aria-hidden": "true" }, value));
  };

  const drawIcon = (part, box) => {
    const svg = draw("svg", { class: "icon", "aria-hidden": "true", viewBox: box });
    svg.append(part);
    return svg;
  };
  const button = () => drawIcon(Cloth.drawButton(8, 8, 7.5, Cloth.colours()), "0 0 16 16");
  const hourglass = () => drawIcon(draw("path", {
    d: "M3 1.5h10M3 14.5h10M4 1.5q0 5 4 6.5q-4 1.5 -4 6.5M12 1.5q0 5 -4 6.5q4 1.5 4 6.5M5.5 13.5h5l-2.5 -3z",
    fill: "none", stroke: "currentColor", "stroke-width": 1.6, "stroke-linecap": "round",
  }), "0 0 16 16");
  const token = (seat) => drawIcon(Cloth.drawToken(seat, Cloth.colours()), "-9 -9 18 18");
  const tile = () => drawIcon(Cloth.drawTile(edition.tile, Cloth.colours()), "0 0 40 40");

  /* Returns the patches on offer as a list of cards: what each looks like, costs and earns. */
  const drawOffer = (state) => {
    const list = make("ol", { class: "offer", "aria-label": "patches on offer" });
    state.circle.slice(0, edition.offer).forEach((number) => {
      const [, cost, time, income] = edition.patches[number];
      const card = make("li", { "data-patch": number, title: Sentences.describePatch(edition, number) });
      const price = make("span", { class: "price", "aria-hidden": "true" });
      addPrice(price, button(), cost);
      addPrice(price, hourglass(), time);
      card.append(drawPatch(number), price);
      addSpoken(card, `${Sentences.describePatch(edition, number)}, shape ${edition.patches[number][0].join("/")}`);
      if (income) card.dataset.income = income;
      list.append(card);
    });
    return list;
  };

  return {
    edition, frame, drawQuilt, drawPatch, drawTrack, drawCircle, drawOffer, drawCoordinates, drawCloths,
    icons: { button, hourglass, token, tile },
  };
};

const seats = Sentences.SEATS;

export { seats, of };
