/* The drawing of a position of an analysis: boards, players, circle and track. */
import { makePlayers } from "../game/players.js";
import { drawTrack } from "../game/way.js";
import { drawBand } from "../shared/band.js";
import { $ } from "../shared/dom.js";

/** @import { LineNode, Pair, Seat, Study } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */
/** @import { makeSeats } from "../game/seats.js" */

/**
 * Say whose turn it is.
 * @param {LineNode} node
 * @param {Seat} seat
 */
function tellTurn({ point }, seat) {
  if (point.over || point.position.toMove !== seat) return "";
  return point.automa ? "turns over a card" : "to move";
}

/**
 * Return the functions that draw positions of a study.
 * @param {Study} study
 * @param {Boards} boards
 * @param {ReturnType<typeof makeSeats>} seats
 */
export function makeScene({ edition, names, automa }, boards, seats) {
  const drawPlayers = makePlayers({ names, automa }, boards);

  /** @param {LineNode} node */
  const drawCircle = ({ point }) => {
    const scrolled = $("circle").querySelector("ol")?.scrollLeft ?? 0;
    $("circle").replaceChildren(drawBand(boards, point.position));
    $("circle").firstElementChild?.scrollTo({ left: scrolled });
  };

  return {
    /**
     * Draw the boards, the players and the circle of a node.
     * @param {LineNode} node
     */
    drawNode: (node) => {
      const { position, over, automa: isAutomas } = node.point;
      const before = node.parent?.point.position ?? null;
      [0, 1].forEach((seat) => {
        const isMine = !over && !isAutomas && position.toMove === seat;
        seats.drawSide($(`seat-${seat}`), position, before, seat, { coordinates: true, isMine });
      });
      const turns = names.map((_, seat) => tellTurn(node, seat));
      drawPlayers(position, turns);
      drawCircle(node);
    },
    /**
     * Draw the track of a node, with the way of a token; return how many spaces are in a row.
     * @param {LineNode | null} node
     * @param {[Seat, Pair] | null} way
     */
    drawWay: (node, way) => {
      if (!node) return 1;
      const before = node.parent?.point.position ?? null;
      return drawTrack($("game"), edition, node.point.position, before, way);
    },
  };
}
