/* The large game: the scoreboard, both quilt boards, the patches on offer, what the bots expect, the
   curve of the game, the track and the circle. */
import { drawMarginCurve, listOfPlayers } from "../game/curve.js";
import { makeMoves, markMove } from "../game/recent.js";
import { drawSketch, sketchMove } from "../game/sketch.js";
import { makeSpectatorView } from "../game/spectator_view.js";
import { listPositions } from "../shared/changes.js";
import { $, make, whenReleased } from "../shared/dom.js";
import { drawBar, listProgress, signNumbers, splitMargin } from "../shared/gauges.js";
import { markEnds } from "./fading.js";
import { findExpected, findSaid, isOn, nameGame } from "./slots.js";

/** @import { Edition, Position, Seat, SlotGame } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

/**
 * Draw the margin that a bot expects: as a bar towards the side that it sees ahead, and in words.
 * @param {SlotGame} game
 * @param {Seat} seat
 */
export function drawExpected(game, seat) {
  const { bots } = game.facts;
  const name = bots[seat];
  const margin = findExpected(game, seat);
  const box = make("div", { class: "expects" });
  if (margin === null) {
    box.append(drawBar(null, `${name} has not said what it expects`), make("span"));
    return box;
  }
  const ahead = splitMargin(bots, margin);
  const lead = make("span", { class: "ahead", "aria-hidden": "true" });
  if (!isOn(game)) {
    // the result is another; a phone has no room for the whole
    lead.append(make("span", { class: "rest" }, "last "), "expected: ");
    box.classList.add("ended");
  }
  if (ahead.who === null) lead.append("level");
  else lead.append(make("span", { class: "leader" }, ahead.who), ` by ${ahead.points}`);
  box.title = `${name} expects: ${lead.textContent}`;
  box.append(drawBar(margin, box.title), lead);
  return box;
}

/**
 * Return the function that draws the large game, or an earlier position of it.
 * @param {Edition} edition
 * @param {Boards} boards
 * @param {(number: number) => void} look shows the position after this many plies
 */
export function makeLarge(edition, boards, look) {
  const drawMoves = makeMoves(boards, (index) => look(index + 1));
  const drawScene = makeSpectatorView(edition, boards);
  const fadeMoves = markEnds($("moves"));
  let drawn = ""; // the game and the ply that were drawn last

  /**
   * Draw what a bot says: the margin that it expects, its line as pictures, and the rest in words.
   * @param {SlotGame} game
   * @param {Seat} seat
   */
  const drawWords = (game, seat) => {
    const said = findSaid(game, seat);
    const bar = drawExpected(game, seat);
    const line = make("p", { class: "line-of" });
    said?.line.forEach((action) => {
      const [picture, words] = sketchMove(action);
      const move = make("span", { class: "sketched" });
      move.append(drawSketch(boards, picture), make("span", {}, words));
      line.append(move);
    });
    const words = said ? [...listProgress(said.depth, said.nodes), said.text] : [];
    const sentence = signNumbers(words.filter(Boolean).join(", "));
    $(`says-${seat}`).replaceChildren(bar, line, make("p", { class: "words" }, sentence));
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
   * List the moves of a game, and mark the last one that is shown.
   * @param {SlotGame} game
   * @param {Position[]} positions
   * @param {number} number
   */
  const drawRecent = (game, positions, number) => {
    const sentences = game.past.map(({ whole }) => whole);
    whenReleased($("moves"), () => {
      drawMoves(game.plies, positions, sentences);
      markMove($("moves"), number - 1);
      fadeMoves();
    });
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
    const name = `${nameGame(game)} ${number}`;
    drawScene(seated, {
      position,
      before,
      turns: [0, 1].map((seat) => tellTurn(game, position, seat, past === null)),
      isOver: past === null && !isOn(game), // nothing can be chosen any more
      ending: game.result,
      isStep: drawn === `${nameGame(game)} ${number - 1}`,
    });
    drawn = name;
    // who looks back sees what the bots expected then
    const seen = past === null ? game : { ...game, plies: game.plies.slice(0, past), said: null };
    [0, 1].forEach((seat) => drawWords(seen, seat));
    const scores = game.result?.verdict === "finished" ? game.result.scores : null;
    const result = scores && scores[0] - scores[1];
    const margins = game.plies.map(([seat, , , said]) => ({ seat, margin: said?.margin ?? null }));
    const series = listOfPlayers(facts.bots, margins);
    drawMarginCurve({
      players: facts.bots,
      series,
      plies: game.plies.length,
      result,
      go: look,
    })(number);
    drawRecent(game, positions, number);
  };
}
