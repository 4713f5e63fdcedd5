/* A game as spectators see it: the scoreboard, both quilt boards, the patches on offer or the final
   score in their place, the track and the circle. Nothing can be chosen. */
import { drawBand, offerLens } from "../shared/band.js";
import { $, addSpoken, make } from "../shared/dom.js";
import { formatScore } from "../shared/gauges.js";
import { showMotion } from "../shared/motion.js";
import { tellNobody } from "../shared/sentences.js";
import { Hand } from "./hand.js";
import { makeOffer } from "./offer.js";
import { makePlayers } from "./players.js";
import { drawPoints, listPoints } from "./points.js";
import { makeSeats } from "./seats.js";
import { drawTrack } from "./way.js";

/** @import { Edition, Ending, Points, Position, Seated } from "../types.d.ts" */
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
 * Return the title above both sides: points follow, or what has decided without them.
 * @param {Ending} ending
 * @param {string[]} names
 */
export function nameEnding({ verdict, winner, scores, void: isVoid = false }, names) {
  const isTie = winner !== null && scores[0] === scores[1];
  if (verdict === "finished") return isTie ? `Tie: ${names[winner]} arrived first` : "Final score";
  return winner === null ? tellNobody(verdict, isVoid) : "Decided by a fault";
}

/**
 * Return what a side has at the end: points, or who won by the fault of the other. Points say
 * nothing about a game that a fault has ended, and the title says why nobody has won.
 * @param {Ending} ending
 * @param {number} seat
 * @param {string} [loss] what the loser by a fault has
 */
export function tellSide({ verdict, winner, scores }, seat, loss = verdict) {
  if (verdict === "finished") return formatScore(scores[seat]);
  if (winner === null) return "";
  return winner === seat ? "won" : loss;
}

/**
 * Draw what the points of a finished game consist of.
 * @param {Boards} boards
 * @param {Seated} seated
 * @param {(Points | null)[]} points
 * @param {Ending} ending
 */
function drawReasons({ edition, icons }, { names }, points, { scores }) {
  const heads = names.map((name, seat) => {
    const head = make("th", { scope: "col", title: name });
    head.append(icons.token(seat));
    addSpoken(head, name);
    return head;
  });
  // both sides have the total already
  const table = drawPoints(heads, listPoints(edition, points, scores).slice(0, -1));
  table.className = "points";
  return table;
}

/**
 * Show how a game has ended in the place of the patches on offer.
 * @param {Boards} boards
 * @param {Seated} seated
 * @param {Position} position
 * @param {Ending} ending
 */
function drawFinal(boards, seated, { points }, ending) {
  const { verdict, winner } = ending;
  const { names } = seated;
  const kind = verdict === "finished" ? "" : "fault";
  const sides = names.map((name, seat) => {
    const side = make("p", { class: winner === seat ? "won" : "" });
    const who = make("span", { class: "who", title: name });
    who.append(boards.icons.token(seat), name);
    side.append(who, make("strong", { class: kind }, tellSide(ending, seat)));
    return side;
  });
  const title = nameEnding(ending, names);
  const reasons = points ? [drawReasons(boards, seated, points, ending)] : [];
  $("final").replaceChildren(make("h3", { title }, title), ...sides, ...reasons);
}

/**
 * Return the function that draws a scene of a game.
 * @param {Edition} edition
 * @param {Boards} boards
 */
export function makeSpectatorView(edition, boards) {
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
    // what is measured comes first: after a change, the browser would have to lay out the page again
    const scrolled = $("circle").querySelector("ol")?.scrollLeft ?? 0;
    const across = drawTrack($("game"), edition, position, before, null);
    const seats = makeSeats(seated, boards);
    const kind = { coordinates: true, isMine: false };
    [0, 1].forEach((seat) => seats.drawSide($(`seat-${seat}`), position, before, seat, kind));
    makePlayers(seated, boards)(position, turns);
    drawOffer(position, null);
    $("game").classList.toggle("over", isOver);
    $("final").hidden = !isOver || !ending;
    if (ending) drawFinal(boards, seated, position, ending);
    const over = position.over || isOver; // a fault ends a game before its position is final
    $("circle").replaceChildren(drawBand(boards, { ...position, over }));
    if (scrolled) $("circle").firstElementChild?.scrollTo({ left: scrolled });
    if (before && isStep) showMotion($("game"), edition, before, position, across);
  };
}
