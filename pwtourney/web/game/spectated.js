/* A game as spectators see it: the scoreboard, both quilt boards, the patches on offer or the final
   score in their place, the track and the circle. Nothing can be chosen. */
import { drawBand, offerLens } from "../shared/band.js";
import { $, make } from "../shared/dom.js";
import { formatScore } from "../shared/gauges.js";
import { showMotion } from "../shared/motion.js";
import { tellNobody } from "../shared/sentences.js";
import { Hand } from "./hand.js";
import { makeOffer } from "./offer.js";
import { makePlayers } from "./players.js";
import { makeSeats } from "./seats.js";
import { drawTrack } from "./way.js";

/** @import { Edition, Ending, Position, Seated } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

/**
 * @typedef {{
 *   position: Position,
 *   before: Position | null,
 *   turns: string[],
 *   isOver: boolean,
 *   ending: Ending | null,
 *   isStep: boolean,
 * }} Scene `before` is the position one ply before; `turns` says what each player is about to do;
 *   `ending` is known when the result is; `isStep` is true if the ply before was shown last
 */

/**
 * Return the title above both sides: points follow, or a fault, or nobody has won.
 * @param {Ending} ending
 */
export function nameEnding({ verdict, winner }) {
  if (verdict === "finished") return "Final score";
  return winner === null ? tellNobody(verdict) : "Decided by a fault";
}

/**
 * Return what a side has at the end: points, or who won by the fault of the other. Points say
 * nothing about a game that a fault has ended, and the title says why nobody has won.
 * @param {Ending} ending
 * @param {number} seat
 */
export function tellSide({ verdict, winner, scores }, seat) {
  if (verdict === "finished") return formatScore(scores[seat]);
  if (winner === null) return "";
  return winner === seat ? "won" : verdict;
}

/**
 * Show how a game has ended in the place of the patches on offer.
 * @param {Boards} boards
 * @param {string[]} names
 * @param {Ending} ending
 */
function drawFinal(boards, names, ending) {
  const { verdict, winner } = ending;
  const kind = verdict === "finished" ? "" : "fault";
  const sides = names.map((name, seat) => {
    const side = make("p", { class: winner === seat ? "won" : "" });
    const who = make("span", { class: "who", title: name });
    who.append(boards.icons.token(seat), name);
    side.append(who, make("strong", { class: kind }, tellSide(ending, seat)));
    return side;
  });
  $("final").replaceChildren(make("h3", {}, nameEnding(ending)), ...sides);
}

/**
 * Return the function that draws a scene of a game.
 * @param {Edition} edition
 * @param {Boards} boards
 */
export function makeSpectated(edition, boards) {
  const drawOffer = makeOffer($("game"), boards, new Hand(edition), {
    choose: () => {},
    play: () => {},
    plan: () => {},
  });
  offerLens($("circle"), boards);

  /**
   * @param {Seated} seated
   * @param {Scene} scene
   */
  return (seated, { position, before, turns, isOver, ending, isStep }) => {
    const seats = makeSeats(seated, boards);
    const kind = { coordinates: true, isMine: false };
    [0, 1].forEach((seat) => seats.drawSide($(`seat-${seat}`), position, before, seat, kind));
    makePlayers(seated, boards)(position, turns);
    drawOffer(position, null);
    $("game").classList.toggle("over", isOver);
    $("final").hidden = !isOver || !ending;
    if (ending) drawFinal(boards, seated.names, ending);
    const over = position.over || isOver; // a fault ends a game before its position is final
    const scrolled = $("circle").querySelector("ol")?.scrollLeft ?? 0;
    $("circle").replaceChildren(drawBand(boards, { ...position, over }));
    $("circle").firstElementChild?.scrollTo({ left: scrolled });
    const across = drawTrack($("game"), edition, position, before, null);
    if (before && isStep) showMotion($("game"), edition, before, position, across);
  };
}
