/* What moves when a ply is shown: the token along the track, and the cloth onto the quilt board.
   Nothing moves for readers who want less motion. */

import * as Track from "./track.js";

const STEP = 70; // milliseconds for each space of the track
const LAYING = 260;

const isWanted = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

/* Moves the token of each seat from where it was, space by space; drawn where it is now. */
const moveTokens = (box, edition, before, after) => {
  const middles = Track.listMiddles(edition);
  after.players.forEach((player, seat) => {
    const from = before.players[seat].space;
    const own = `.token[data-seat="${seat}"]`;
    const token = box.querySelector(`.ring ${own}, .track ${own}`);
    if (!token || from >= player.space) return;
    const [x, y] = middles[player.space];
    const way = middles.slice(from, player.space + 1);
    const base = token.getAttribute("transform");
    const [left, top] = base.match(/-?[\d.]+/g).map(Number);
    const frames = way.map(([column, row]) => ({ transform: `translate(${left + column - x}px, ${top + row - y}px)` }));
    token.animate(frames, { duration: STEP * (frames.length - 1), easing: "linear" });
  });
};

const layCloths = (box) => box.querySelectorAll(".placed-square, .placed").forEach((part) =>
  part.animate([{ opacity: 0 }, { opacity: 1 }], { duration: LAYING, easing: "ease-out" }));

/* Shows what one ply changed, in a drawing of the position after it. */
const show = (box, edition, before, after) => {
  if (!isWanted()) return;
  moveTokens(box, edition, before, after);
  layCloths(box);
};

export { show };
