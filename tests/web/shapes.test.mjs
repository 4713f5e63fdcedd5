import assert from "node:assert/strict";
import { test } from "node:test";

import {
  ORIENTATIONS,
  coverAction,
  coverSquares,
  findOrientation,
  findPlaced,
  flip,
  groupMarks,
  listSquares,
  nameSquare,
  parseSquare,
  rotate,
  standUpright,
  turnShape,
} from "../../pwtourney/web/shared/shapes.js";
import { EDITION } from "./game.mjs";

const SHAPE = ["##.", ".##", "..#"];

test("a shape is flipped left to right first, then turned clockwise", () => {
  assert.deepEqual(turnShape(["##", "#."], "r90"), ["##", ".#"]);
  assert.deepEqual(turnShape(["###", "#.."], "r90"), ["##", ".#", ".#"]);
  assert.deepEqual(turnShape(["###", "#.."], "f0"), ["###", "..#"]);
  assert.deepEqual(turnShape(["###", "#.."], "f90"), [".#", ".#", "##"]);
});

test("four turns and two flips lead back", () => {
  for (const [number] of ORIENTATIONS.entries()) {
    let turned = number;
    for (let step = 0; step < 4; step += 1) turned = rotate(turned);
    assert.equal(turned, number);
    assert.equal(rotate(rotate(number), -1), number);
    assert.equal(flip(flip(number)), number);
  }
});

test("an orientation that is turned looks like the shape that is turned", () => {
  for (const [number, name] of ORIENTATIONS.entries()) {
    const shape = turnShape(SHAPE, name);
    assert.deepEqual(turnShape(shape, "r90"), turnShape(SHAPE, ORIENTATIONS[rotate(number)]));
    assert.deepEqual(turnShape(shape, "f0"), turnShape(SHAPE, ORIENTATIONS[flip(number)]));
  }
});

test("names of squares lead to the squares and back", () => {
  assert.equal(nameSquare(EDITION, 0), "a1");
  assert.equal(nameSquare(EDITION, 5), "c2");
  for (let square = 0; square < 6; square += 1) {
    assert.equal(parseSquare(EDITION, nameSquare(EDITION, square)), square);
  }
});

test("an action covers the squares of its patch, or one of leather, or none", () => {
  assert.deepEqual(coverAction(EDITION, "2:r0:b1"), [1, 4, 5]);
  assert.deepEqual(coverAction(EDITION, "2:r90:a1"), [0, 1, 3]);
  assert.deepEqual(coverAction(EDITION, "leather:c2"), [5]);
  assert.deepEqual(coverAction(EDITION, "advance"), []);
  assert.deepEqual(coverAction(EDITION, "decline"), []);
  assert.deepEqual(coverAction(EDITION, "card:4:2"), []);
  assert.deepEqual(coverSquares(EDITION, ["#", "#"], 2), [2, 5]);
});

test("the orientation of covered squares is found, with its corner", () => {
  const squares = listSquares(turnShape(SHAPE, "f90")).map(([column, row]) => [
    column + 4,
    row + 2,
  ]);
  const lie = findOrientation(SHAPE, /** @type {[number, number][]} */ (squares));
  assert.deepEqual([lie?.left, lie?.top], [4, 2]);
  assert.deepEqual(turnShape(SHAPE, lie?.orientation ?? "r0"), turnShape(SHAPE, "f90"));
  assert.equal(findOrientation(SHAPE, [[0, 0]]), null);
});

test("squares of a quilt are grouped by what covers them", () => {
  const groups = groupMarks([7, 0, -3, 7, 0, 7]);
  assert.deepEqual(
    [...groups],
    [
      [7, [0, 3, 5]],
      [-3, [2]],
    ],
  );
});

test("only squares that were empty before were placed", () => {
  assert.deepEqual(findPlaced([1, 0, 0, 0], [1, 2, 2, 0]), [1, 2]);
  assert.deepEqual(findPlaced(null, [1, 2, 2, 0]), []);
});

test("a shape stands upright if it is at least as high as wide", () => {
  assert.equal(standUpright(["###"]), "r90");
  assert.equal(standUpright(["#", "#"]), "r0");
  assert.equal(standUpright(["##", "#."]), "r0");
});
