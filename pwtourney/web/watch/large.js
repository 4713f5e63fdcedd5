/* The large game: the scoreboard, both quilt boards, the patches on offer, what the bots expect, the
   curve of the game, the track and the circle. */
import { drawMarginCurve } from "../game/curve.js";
import { Hand } from "../game/hand.js";
import { makeOffer } from "../game/offer.js";
import { makePlayers } from "../game/players.js";
import { listLast, makeMoves } from "../game/recent.js";
import { makeSeats } from "../game/seats.js";
import { drawSketch, sketchMove } from "../game/sketch.js";
import { drawTrack } from "../game/way.js";
import { drawBand, offerLens } from "../shared/band.js";
import { listPositions } from "../shared/changes.js";
import { $, make } from "../shared/dom.js";
import { drawBar, formatPoints, formatScore, signNumbers } from "../shared/gauges.js";
import { showMotion } from "../shared/motion.js";
import { findExpected, findSaid, isOn, nameGame, readLine } from "./slots.js";

/** @import { Edition, Pair, Position, Seat, SlotGame, TablePly } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

const MOST_LISTED = 10; // moves that are listed as pictures

/**
 * Draw the margin that a bot expects: as a bar towards the side that it sees ahead, and as a number
 * behind a word, which may be left out.
 * @param {SlotGame} game
 * @param {Seat} seat
 * @param {string} [word]
 */
export function drawExpected(game, seat, word = "") {
  const [name, points] = [game.facts.bots[seat], findExpected(game, seat)];
  const box = make("div", { class: "expects" });
  if (points === null) {
    box.append(drawBar(null, `${name} has not said what it expects`));
    return box;
  }
  const number = formatPoints(points);
  const words = `${name} expects ${number} points for itself`;
  box.title = words;
  const bar = drawBar(seat ? -points : points, words);
  box.append(bar, make("span", { "aria-hidden": "true" }, `${word} ${number}`.trim()));
  return box;
}

/**
 * Return true if a game is shown at its end, where nothing can be chosen any more.
 * @param {SlotGame} game
 * @param {number | null} past the number of the position that is looked back at; null for now
 */
function isAtEnd(game, past) {
  return past === null && !isOn(game);
}

/**
 * Show the points of both players in the place of the patches on offer, which it hides, once the
 * game is over.
 * @param {Boards} boards
 * @param {SlotGame} game
 * @param {boolean} isEnd
 */
function showFinal(boards, { facts, result }, isEnd) {
  $("game").classList.toggle("over", isEnd);
  const box = $("final");
  box.hidden = !isEnd || !result;
  box.replaceChildren();
  if (box.hidden || !result) return;
  const { verdict } = result; // the points alone do not explain a game that a fault has ended
  box.append(make("h3", {}, verdict === "finished" ? "Final score" : verdict));
  facts.bots.forEach((bot, seat) => {
    const side = make("p", { class: result.winner === seat ? "won" : "" });
    const name = make("span", { class: "who", title: bot });
    name.append(boards.icons.token(seat), bot);
    side.append(name, make("strong", {}, formatScore(result.scores[seat])));
    box.append(side);
  });
}

/**
 * Return the margins of the first seat that both bots expected before their plies.
 * @param {SlotGame} game
 */
export function listExpected({ facts, plies }) {
  return facts.bots.map((name, seat) => ({
    name,
    seat,
    points: plies.flatMap(([mover, , , , margin], place) =>
      mover === seat && typeof margin === "number"
        ? [/** @type {Pair} */ ([place + 1, seat ? -margin : margin])]
        : [],
    ),
  }));
}

/**
 * Return the function that draws the large game, or an earlier position of it.
 * @param {Edition} edition
 * @param {Boards} boards
 * @param {(number: number) => void} look shows the position after this many plies
 */
export function makeLarge(edition, boards, look) {
  const drawMoves = makeMoves(boards, (place) => look(place + 1));
  const drawOffer = makeOffer($("game"), boards, new Hand(edition), {
    choose: () => {},
    play: () => {},
    plan: () => {},
  });
  offerLens($("circle"), boards);
  let drawn = ""; // the game and the ply that were drawn last

  /**
   * Draw what a bot says: the margin that it expects, its line as pictures, and its words.
   * @param {SlotGame} game
   * @param {Seat} seat
   */
  const drawWords = (game, seat) => {
    const said = findSaid(game, seat);
    const bar = drawExpected(game, seat, "expects");
    const line = make("p", { class: "line-of" });
    readLine(said).forEach((action) => {
      const [picture, words] = sketchMove(action);
      const isKnown = typeof picture !== "number" || edition.patches[picture];
      if (!isKnown) return;
      const move = make("span", { class: "sketched" });
      move.append(drawSketch(boards, picture), make("span", {}, words));
      line.append(move);
    });
    $(`says-${seat}`).replaceChildren(bar, line, make("p", { class: "words" }, signNumbers(said)));
  };

  /**
   * @param {SlotGame} game
   * @param {Position} position
   * @param {Seat} seat
   * @param {boolean} isNow
   */
  const tellTurn = (game, position, seat, isNow) => {
    const isTurn = isNow ? isOn(game) && game.turn === seat : position.toMove === seat;
    return isTurn && !position.over ? "to move" : "";
  };

  /**
   * Draw the moves that led to a position.
   * @param {SlotGame} game
   * @param {Position[]} positions
   * @param {number} number
   */
  const drawRecent = (game, positions, number) => {
    const plies = game.plies.map(
      ([seat, action, micros, said]) =>
        /** @type {TablePly} */ ([seat, action, micros, said ?? ""]),
    );
    const last = listLast(plies.slice(0, number), MOST_LISTED);
    const first = Math.max(0, number - MOST_LISTED);
    const shown = Array.from({ length: number - first }, (_, place) => first + place);
    drawMoves(plies, positions, game.past, shown.length ? shown : last, []);
  };

  /**
   * @param {SlotGame} game
   * @param {number | null} past the number of the position that is looked back at; null for now
   */
  return (game, past) => {
    const { facts } = game;
    const positions = listPositions(edition, { ...game, start: facts.start });
    const number = past ?? positions.length - 1;
    const [position, before] = [positions[number], positions[number - 1] ?? null];
    const seated = { names: facts.bots, automa: facts.automa };
    const seats = makeSeats(seated, boards);
    [0, 1].forEach((seat) => {
      const kind = { coordinates: true, isMine: false };
      seats.drawSide($(`seat-${seat}`), position, before, seat, kind);
      drawWords(game, seat);
    });
    const turns = [0, 1].map((seat) => tellTurn(game, position, seat, past === null));
    makePlayers(seated, boards)(position, turns);
    drawOffer(position, null);
    const isEnd = isAtEnd(game, past);
    showFinal(boards, game, isEnd);
    const over = position.over || isEnd; // a fault ends a game before its position is final
    $("circle").replaceChildren(drawBand(boards, { ...position, over }));
    const across = drawTrack($("game"), edition, position, before, null);
    const name = `${nameGame(game)} ${number}`;
    const isNext = drawn === `${nameGame(game)} ${number - 1}`;
    drawn = name;
    if (before && isNext) showMotion($("game"), edition, before, position, across);
    const result = game.result?.verdict === "finished" ? game.result.scores : null;
    const margin = result && result[0] - result[1];
    drawMarginCurve(listExpected(game), game.plies.length, margin, [], look)(number);
    drawRecent(game, positions, number);
  };
}
