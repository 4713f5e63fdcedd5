/* What drawings are computed from; the drawings themselves are tested in a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { cutName, listPlayed, placeMarks } from "../../pwtourney/web/game/curve.js";
import { listSides, round, traceOutline } from "../../pwtourney/web/shared/cloth.js";
import {
  formatCount,
  formatPoints,
  formatTime,
  signNumbers,
} from "../../pwtourney/web/shared/gauges.js";
import { LOOKS } from "../../pwtourney/web/shared/looks.js";
import { findScale as findMarginScale } from "../../pwtourney/web/shared/margins.js";
import { fitText } from "../../pwtourney/web/shared/picture.js";
import { divide, findScale } from "../../pwtourney/web/shared/ring.js";
import { measurePatches } from "../../pwtourney/web/shared/band.js";
import {
  countCells,
  findFree,
  fitRibbon,
  listMiddles,
  windRibbon,
  windSpiral,
} from "../../pwtourney/web/shared/track.js";
import { EDITION } from "./game.mjs";

/** @import { Ply } from "../../pwtourney/web/types.d.ts" */

test("formatCount sets thousands apart as English does", () => {
  const numbers = [0, 7, 999, 1000, 12345, 999999, 1000000, 9007199254740991];
  assert.deepEqual(
    numbers.map(formatCount),
    numbers.map((number) => new Intl.NumberFormat("en").format(number)),
  );
});

test("light and dark pages have the same colours by name", () => {
  assert.deepEqual(Object.keys(LOOKS.light), Object.keys(LOOKS.dark));
});

test("hues and motifs give as many cloths as an edition may have patches", () => {
  // their numbers have no common divisor, so that a cloth comes again after all others only
  assert.equal(LOOKS.hues.length * LOOKS.motifs.length, 143);
  assert.equal(new Set(LOOKS.hues.map(String)).size, 11);
  assert.equal(new Set(LOOKS.motifs.map(String)).size, 13);
});

test("sides between two squares of a shape are none of its edge", () => {
  assert.equal(listSides([[0, 0]]).length, 4);
  assert.equal(
    listSides([
      [0, 0],
      [1, 0],
    ]).length,
    6,
  );
  assert.equal(traceOutline([[0, 0]]), "M0 0h20M0 20h20M0 0v20M20 0v20");
});

test("numbers of drawings have two decimals", () => {
  assert.equal(round(1.0061), 1.01);
  assert.equal(round(-0.001), 0);
});

test("a track winds from the corner inwards, each cell next to the one before", () => {
  const cells = windSpiral(8, 54);
  assert.deepEqual(cells.slice(0, 3), [
    [0, 0],
    [1, 0],
    [2, 0],
  ]);
  assert.deepEqual(cells[8], [7, 1]);
  assert.equal(new Set(cells.map(String)).size, 54);
  cells.slice(1).forEach(([column, row], index) => {
    const [before, above] = cells[index];
    assert.equal(Math.abs(column - before) + Math.abs(row - above), 1);
  });
});

test("the middle of a track stays free for the special tile", () => {
  assert.equal(countCells(53), 8);
  assert.equal(countCells(9), 4);
  const [column, row, across] = findFree(8, windSpiral(8, 54)) ?? [];
  assert.deepEqual([column, row, across], [2, 3, 3]);
  assert.equal(findFree(2, windSpiral(2, 4)), null);
});

test("tokens stand in the middle of their spaces", () => {
  assert.deepEqual(listMiddles(EDITION).slice(0, 2), [
    [12, 12],
    [36, 12],
  ]);
  assert.equal(listMiddles(EDITION).length, 10);
});

test("the circle is divided among patches and the neutral token", () => {
  const slots = divide(5, 3);
  const total = 5 + 3 * 0.35 + 1;
  assert.equal(slots.length, 5);
  assert.ok(slots[0].width > slots[4].width);
  const sum = slots.reduce((all, { width }) => all + width, 0);
  assert.ok(Math.abs(sum + 1 / total - 1) < 1e-9);
  slots.slice(1).forEach((slot, index) => assert.ok(slot.middle > slots[index].middle));
});

test("few patches are not larger than on a quilt board", () => {
  assert.equal(findScale([EDITION.patches[1]], divide(1, 3)), 0.9);
  const many = Array.from({ length: 33 }, () => EDITION.patches[2]);
  assert.ok(findScale(many, divide(33, 3)) < 0.9);
});

test("a long text gets a smaller font", () => {
  assert.equal(fitText("ab", 15, 220), 15);
  assert.equal(fitText("a".repeat(62), 15, 220), 5.72);
  assert.equal(fitText("", 15, 220), 15);
});

test("margins of a curve are those of the first seat", () => {
  const plies = /** @type {Ply[]} */ ([
    [0, "advance", 1, "", 4],
    [1, "advance", 1, "", 3],
    [1, "advance", 1, "hello"],
    [0, "advance", 1],
  ]);
  assert.deepEqual(listPlayed(["ant", "bee"], plies), [
    { name: "ant", seat: 0, points: [[1, 4]] },
    { name: "bee", seat: 1, points: [[2, -3]] },
  ]);
});

test("a long name is cut in the middle", () => {
  assert.equal(cutName("greedy", 6), "greedy");
  assert.equal(cutName("greedy-deep#12", 10), "greed…p#12");
  assert.equal(cutName("greedy-deep#12", 3), "g…2");
});

test("marks of a curve keep off each other and off the words above the lines", () => {
  /** @type {[number, number][]} */
  const points = [
    [100, 40],
    [104, 40],
    [108, 40],
    [200, 22],
  ];
  const placed = placeMarks(points, ["??", "?", "??", "?!"], [19, 100]);
  assert.deepEqual(
    placed.map(([x]) => x),
    [100, 104, 108, 200],
  );
  const [first, second, third, high] = placed.map(([, y]) => y);
  assert.ok(first < 40, "above its point");
  assert.ok(second > 40 && third > second + 11, "the next ones below, one under the other");
  assert.ok(high > 22, "there is no room above it");
});

test("the scale of a curve fits its margins, with lines at round numbers up to 200 points", () => {
  assert.deepEqual(findMarginScale([]), { step: 5, most: 10 });
  assert.deepEqual(findMarginScale([3, -21]), { step: 10, most: 30 });
  assert.deepEqual(findMarginScale([900]), { step: 100, most: 200 });
  assert.deepEqual(findMarginScale([48], 1.9), { step: 50, most: 50 });
  assert.deepEqual(findMarginScale([48]), { step: 25, most: 50 });
  // a scale of 200 points for margins of 80 left most of the drawing empty
  assert.deepEqual(findMarginScale([-80, 79]), { step: 40, most: 80 });
  assert.deepEqual(findMarginScale([-80, 79], 1.5), { step: 80, most: 80 });
  assert.deepEqual(findMarginScale([101], 1.5), { step: 120, most: 120 });
});

test("little time is shown in tenths of seconds", () => {
  assert.deepEqual([-5, 19_940, 20_000, 125_900].map(formatTime), [
    "0.0 s",
    "19.9 s",
    "0:20",
    "2:05",
  ]);
});

test("a hyphen before a number becomes a minus sign, one within a word does not", () => {
  const texts = ["-120", "< -120", "score -3.5 text a-1", "1e-5"].map(signNumbers);
  assert.deepEqual(texts, ["−120", "< −120", "score −3.5 text a-1", "1e-5"]);
});

test("points have at most one decimal, and no sign if that leaves 0", () => {
  assert.deepEqual([2.04, -3.25, -0.04].map(formatPoints), ["+2", "−3.3", "0"]);
});

test("the rows of a ribbon run to and fro", () => {
  assert.deepEqual(windRibbon(3, 7), [
    [0, 0],
    [1, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [0, 1],
    [0, 2],
  ]);
});

test("a ribbon has as few rows as its cells allow, of the same length", () => {
  assert.equal(fitRibbon(53, 1248, 30), 27);
  assert.equal(fitRibbon(53, 1888, 30), 54);
  assert.equal(fitRibbon(53, 374, 26), 14);
  assert.equal(fitRibbon(29, 10, 26), 1);
});

test("patches stand upright in a box for the widest and the highest", () => {
  assert.deepEqual(measurePatches(EDITION), { wide: 2, tall: 2 });
  const patches = { 1: EDITION.patches[1], 4: [["#####", "..#.."], 1, 1, 0] };
  assert.deepEqual(measurePatches(/** @type {any} */ ({ ...EDITION, patches })), {
    wide: 2,
    tall: 5,
  });
});
