/* What a person has in hand: a patch on offer or a special patch, how it is turned, and where it
   lies on the quilt board. Knows what is legal from the server's lists, and judges nothing itself. */

import * as Orientations from "../shared/orientations.js";
import * as Replay from "../shared/replay.js";
import * as Sentences from "../shared/sentences.js";

const { ORIENTATIONS, turned } = Replay;
const NEAR = 1.1; // squares: so far a patch jumps to a place where it fits

const of = (edition) => {
  const { rows, columns } = edition;
  let choices = null; let patch = null; let turn = 0; let corner = null;

  const at = (number) => [Math.floor(number / columns), number % columns];
  const isLeather = () => patch === "leather";
  const offer = () => choices?.patches?.find((each) => each.patch === patch);
  const shape = () => (isLeather() ? [["#"]] : turned(edition.patches[patch][0], ORIENTATIONS[turn]));
  /* The squares on which the top left corner may lie. */
  const listAnchors = () => {
    if (patch === null || !choices) return [];
    if (isLeather()) return choices.leather ?? [];
    const found = offer();
    return found?.legal[found.aliases[turn]] ?? [];
  };

  const clamp = () => {
    if (!corner) return;
    const [down, across] = [shape().length, shape()[0].length];
    corner = [
      Math.max(0, Math.min(rows - down, corner[0])),
      Math.max(0, Math.min(columns - across, corner[1])),
    ];
  };

  /* Keeps the middle where it is while the patch is turned. */
  const reshape = (next) => {
    if (patch === null || isLeather()) return;
    const before = [shape().length, shape()[0].length];
    turn = next;
    if (!corner) return;
    corner = [0, 1].map((axis) =>
      corner[axis] + Math.round((before[axis] - [shape().length, shape()[0].length][axis]) / 2));
    clamp();
  };

  const rotate = (step = 1) => reshape(Orientations.rotate(turn, step));
  const flip = () => reshape(Orientations.flip(turn));

  const square = () => corner[0] * columns + corner[1];
  const isLegal = () => corner !== null && listAnchors().includes(square());

  const cover = (anchor) => {
    const [top, left] = at(anchor);
    return shape().flatMap((row, down) => [...row].flatMap((mark, right) =>
      (mark === "#" ? [(top + down) * columns + left + right] : [])));
  };

  /* What may be chosen from now on; what was in hand stays, if it is still on offer. */
  const offerChoices = (found) => {
    choices = found;
    const isThere = found && (found.patches ? found.patches.some((each) => each.patch === patch) : isLeather());
    if (!isThere) { patch = null; corner = null; turn = 0; }
  };

  const take = (chosen) => {
    if (patch === chosen) return;
    patch = chosen;
    turn = 0;
    corner = null;
  };

  /* Lays it where it fits first: there it can be moved from by keys. */
  const lay = () => {
    if (patch === null || corner) return;
    const names = isLeather() ? [0] : ORIENTATIONS.map((_, number) => (turn + number) % ORIENTATIONS.length);
    const fitting = names.find((number) => { turn = number; return listAnchors().length; });
    if (fitting === undefined) { turn = 0; corner = [0, 0]; return; }
    corner = at(listAnchors()[0]);
  };

  const move = (down, right) => {
    if (!corner) lay();
    else { corner = [corner[0] + down, corner[1] + right]; clamp(); }
  };

  /* Lays it with its middle on a point in squares from the corner of the board, or on the
     nearest place close to it where it fits. */
  const layAt = (x, y) => {
    const [top, left] = [y - shape().length / 2, x - shape()[0].length / 2];
    const far = (anchor) => Math.hypot(Math.floor(anchor / columns) - top, (anchor % columns) - left);
    const near = listAnchors().reduce((best, each) => (best === null || far(each) < far(best) ? each : best), null);
    if (near !== null && far(near) <= NEAR) corner = at(near);
    else { corner = [Math.round(top), Math.round(left)]; clamp(); }
  };

  /* Lays it as the text of an action has it. */
  const layAs = (action) => {
    const words = action.split(":");
    patch = words[0] === "leather" ? "leather" : Number(words[0]);
    turn = words.length === 3 ? ORIENTATIONS.indexOf(words[1]) : 0;
    corner = at(Replay.squareAt(words[words.length - 1], edition));
  };

  const lift = () => { corner = null; };

  /* The text of the action that is shown; null if nothing lies on the board. */
  const action = () => {
    if (patch === null || !corner) return null;
    const name = Sentences.nameSquare(edition, square());
    return isLeather() ? `leather:${name}` : `${patch}:${ORIENTATIONS[turn]}:${name}`;
  };

  /* How it is held, in a text: two that are equal mean that nothing was taken, turned or moved. */
  const describe = () => `${patch} ${turn} ${corner}`;

  return {
    offerChoices, take, lay, layAt, layAs, lift, move, rotate, flip, action, isLegal, describe,
    get patch() { return patch; },
    get orientation() { return ORIENTATIONS[turn]; },
    get corner() { return corner; },
    /* The squares that it covers, and those that it could cover as it is turned now. */
    squares: () => (corner ? cover(square()) : []),
    lit: () => new Set(listAnchors().flatMap(cover)),
  };
};

export { of };
