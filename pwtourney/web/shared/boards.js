/* Drawings of quilt boards, patches and icons, with words for screen readers. `makeBoards(edition)`
   draws for one edition, in the current colours: draw again when the reader changes between light
   and dark. Squares of quilts have `data-square`, for code that lets a player cover them. */
import {
  SIZE,
  drawButton,
  drawCovered,
  drawLeather,
  drawPatch,
  drawTileMark,
  drawToken,
  findLook,
  round,
  traceOutline,
} from "./cloth.js";
import { draw, make } from "./dom.js";
import { LOOKS } from "./looks.js";
import { describeQuilt, describeRows } from "./sentences.js";
import {
  findOrientation,
  findPlaced,
  groupMarks,
  nameColumn,
  placeSquare,
  turnShape,
} from "./shapes.js";

/** @import { Edition, Look, Orientation, Quilt, Seat } from "../types.d.ts" */
/** @typedef {ReturnType<typeof makeBoards>} Boards */

const MARGIN = LOOKS.margin;
const PLACED = 0.22; // opacity of the light on squares that were just covered

/**
 * Return the functions that draw positions of an edition.
 * @param {Edition} edition
 */
export function makeBoards(edition) {
  const { columns, rows } = edition;
  const frame = [-MARGIN, -MARGIN, columns * SIZE + MARGIN + 3, rows * SIZE + MARGIN + 3];

  /**
   * Draw the letters and numbers around a quilt board.
   * @param {Look} look
   */
  const drawCoordinates = (look) => {
    /**
     * @param {number} x
     * @param {number} y
     * @param {string | number} text
     */
    const write = (x, y, text) => {
      const words = { class: "coordinate", x, y, "text-anchor": "middle", "font-size": 11 };
      return draw("text", { ...words, fill: look.soft }, text);
    };
    return [
      ...Array.from({ length: columns }, (_, column) =>
        write((column + 0.5) * SIZE, -4, nameColumn(column)),
      ),
      ...Array.from({ length: rows }, (_, row) => write(-8, (row + 0.5) * SIZE + 4, row + 1)),
    ];
  };

  /**
   * Draw the patch that covers some squares.
   * @param {number} mark
   * @param {number[]} squares
   * @param {Look} look
   */
  const drawMark = (mark, squares, look) => {
    const places = squares.map((square) => placeSquare(edition, square));
    const group = draw("g");
    if (mark < 0) {
      const [[column, row]] = places;
      group.append(drawLeather(look));
      group.setAttribute("transform", `translate(${column * SIZE} ${row * SIZE})`);
      return group;
    }
    const patch = edition.patches[mark];
    const lie = patch && findOrientation(patch[0], places);
    if (!lie) return drawCovered(places, look);
    group.append(drawPatch(mark, patch, lie.orientation, look));
    group.setAttribute("transform", `translate(${lie.left * SIZE} ${lie.top * SIZE})`);
    return group;
  };

  /**
   * Draw a light around the squares that were just covered.
   * @param {number[]} squares
   * @param {Look} look
   */
  const drawPlaced = (squares, look) => {
    const places = squares.map((square) => placeSquare(edition, square));
    const line = { d: traceOutline(places), fill: "none", "stroke-linecap": "square" };
    return [
      ...places.map(([column, row]) =>
        draw("rect", {
          class: "placed-square",
          x: column * SIZE,
          y: row * SIZE,
          width: SIZE,
          height: SIZE,
          fill: "#ffffff",
          "fill-opacity": PLACED,
        }),
      ),
      draw("path", { ...line, stroke: look.halo, "stroke-width": 5 }),
      draw("path", { class: "placed", ...line, stroke: look.placed, "stroke-width": 2.6 }),
    ];
  };

  /**
   * Draw a quilt board, as the children of its drawing.
   * @param {Quilt} quilt
   * @param {Quilt | null} before
   * @param {Look} look
   */
  const drawCloths = (quilt, before, look) => {
    const cloths = draw("g", { class: "cloths", "pointer-events": "none" });
    groupMarks(quilt).forEach((squares, mark) => cloths.append(drawMark(mark, squares, look)));
    const placed = findPlaced(before, quilt);
    if (placed.length) cloths.append(...drawPlaced(placed, look));
    const size = { width: columns * SIZE + 4, height: rows * SIZE + 4 };
    return [
      draw("rect", { x: -2, y: -2, ...size, rx: 3, fill: look.rim }),
      ...quilt.map((_, square) => {
        const [column, row] = placeSquare(edition, square);
        return draw("rect", {
          "data-square": square,
          x: column * SIZE,
          y: row * SIZE,
          width: SIZE,
          height: SIZE,
          fill: look.board,
          stroke: look.grid,
        });
      }),
      cloths,
    ];
  };

  /**
   * Draw a quilt board and list, for screen readers, what lies in each row. `before` is the quilt
   * one ply before, or null; small boards have no `coordinates`.
   * @param {string} name
   * @param {Quilt} quilt
   * @param {Quilt | null} before
   * @param {{ coordinates?: boolean }} [options]
   * @returns {[SVGSVGElement, HTMLUListElement]}
   */
  const drawQuilt = (name, quilt, before, { coordinates = true } = {}) => {
    const look = findLook();
    const bare = [-3, -3, columns * SIZE + 6, rows * SIZE + 6];
    const svg = draw("svg", {
      class: "quilt",
      role: "img",
      "aria-label": describeQuilt(edition, name, quilt, before),
      viewBox: (coordinates ? frame : bare).join(" "),
    });
    if (coordinates) svg.append(...drawCoordinates(look));
    svg.append(...drawCloths(quilt, before, look));
    const spoken = make("ul", { class: "spoken" });
    spoken.append(...describeRows(edition, quilt).map((text) => make("li", {}, text)));
    return [svg, spoken];
  };

  /**
   * Draw one patch alone, its squares `size` em wide.
   * @param {number} number
   * @param {Orientation} [orientation]
   * @param {{ size?: number }} [options]
   */
  const drawPatchAlone = (number, orientation = "r0", { size = 0.8 } = {}) => {
    const turned = turnShape(edition.patches[number][0], orientation);
    const [across, down] = [turned[0].length, turned.length];
    const svg = draw("svg", {
      class: "patch-alone",
      "aria-hidden": "true",
      // the edge of a patch reaches a little beyond its squares
      width: `${round((across + 2 / SIZE) * size)}em`,
      height: `${round((down + 2 / SIZE) * size)}em`,
      viewBox: `-1 -1 ${across * SIZE + 2} ${down * SIZE + 2}`,
    });
    svg.append(drawPatch(number, edition.patches[number], orientation, findLook()));
    return svg;
  };

  /**
   * @param {SVGElement} part
   * @param {string} box
   */
  const drawIcon = (part, box) => {
    const svg = draw("svg", { class: "icon", "aria-hidden": "true", viewBox: box });
    svg.append(part);
    return svg;
  };
  const icons = {
    button: () => drawIcon(drawButton(8, 8, 7.5, findLook()), "0 0 16 16"),
    hourglass: () => {
      const line = {
        d: "M3 1.5h10M3 14.5h10M4 1.5q0 5 4 6.5q-4 1.5 -4 6.5M12 1.5q0 5 -4 6.5q4 1.5 4 6.5M5.5 13.5h5l-2.5 -3z",
        fill: "none",
        stroke: "currentColor",
        "stroke-width": 1.6,
        "stroke-linecap": "round",
      };
      return drawIcon(draw("path", line), "0 0 16 16");
    },
    /** @param {Seat} seat */
    token: (seat) => drawIcon(drawToken(seat, findLook()), "-9 -9 18 18"),
    /** @param {number} points that the special tile brings */
    tile: (points) => drawIcon(drawTileMark(points, findLook()), "0 0 20 20"),
  };

  return {
    edition,
    frame,
    icons,
    drawQuilt,
    drawPatch: drawPatchAlone,
    drawCoordinates,
    drawCloths,
  };
}
