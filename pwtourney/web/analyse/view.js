/* The game view of an analysis: the shown position, and a patch in hand to try other moves with, as
   at a table. */
import { Hand } from "../game/hand.js";
import { drawHandState, findPatchByKey } from "../game/hand_view.js";
import { makeOffer } from "../game/offer.js";
import { beginPointing, takeInHand } from "../game/pointing.js";
import { findField, makeSeats } from "../game/seats.js";
import { offerLens } from "../shared/band.js";
import { makeBoards } from "../shared/boards.js";
import { $, closest, makeButton, queryAll, readNumber, targetOf } from "../shared/dom.js";
import { showMotion } from "../shared/motion.js";
import { findOffered, instruct } from "./instructing.js";
import { makeScene } from "./scene.js";

/** @import { Choices, LineNode, Pair, Seat, Step, Study } from "../types.d.ts" */
/** @import { InHand } from "../game/hand.js" */
/** @typedef {ReturnType<typeof makeView>} View */

/**
 * Return the view of a study. It listens until `close` is called.
 * @param {Study} study
 * @param {(action: string) => void} tryMove plays an action from the shown position
 */
export function makeView(study, tryMove) {
  const { edition, names, automa } = study;
  const boards = makeBoards(edition);
  const seats = makeSeats({ names, automa }, boards);
  const scene = makeScene(study, boards, seats);
  const hand = new Hand(edition);
  const closing = new AbortController();
  /** @type {LineNode | null} */
  let shown = null;
  /** @type {Choices | null} */
  let choices = null;
  /** What the action that is pointed at would change.
      @type {Step | null} */
  let planned = null;
  /** The way of a token that would have been better; null for none.
      @type {[Seat, Pair] | null} */
  let preferred = null;

  /** Return the seat that the reader can play; null for none. */
  const mySeat = () => (shown && choices ? shown.point.position.toMove : null);

  /** Return what the move in hand, or the one that is pointed at, would change. */
  const findStep = () => planned ?? findOffered(choices, hand)?.step ?? null;

  const showHand = () => {
    drawHandState($("game"), seats, hand, mySeat(), true);
    queryAll($("circle"), ".offered").forEach((item) => {
      item.classList.toggle("chosen", String(hand.patch) === item.dataset.patch);
    });
    const [text, kind] = instruct(choices, hand, findStep(), edition.currency);
    $("preview").textContent = text;
    $("preview").className = `preview ${kind}`;
  };

  /**
   * Return the way that the move in hand would go.
   * @returns {[Seat, Pair] | null}
   */
  const findWay = () => {
    const step = findStep();
    const seat = mySeat();
    return step && seat !== null ? [seat, step.space] : null;
  };

  /** Draw the track, with the way that the player to move would go, or should have gone. */
  const drawWay = () => scene.drawWay(shown, findWay() ?? preferred);

  /**
   * Take a patch in hand; if a key chose it, place it on the board at once.
   * @param {InHand} patch
   * @param {boolean} isByKey
   */
  const choose = (patch, isByKey) => {
    const field = findField(mySeat());
    if (!field) return;
    takeInHand(hand, pointing, patch, isByKey ? field : null);
    planned = null;
    drawWay();
    showHand();
  };

  const drawOffer = makeOffer($("game"), boards, hand, {
    choose,
    play: tryMove,
    plan: (step) => {
      planned = step;
      drawWay();
    },
  });
  const pointing = beginPointing(
    $("game"),
    boards,
    {
      hand,
      seat: mySeat,
      onTake: drawWay,
      changed: showHand,
    },
    closing.signal,
  );
  offerLens($("circle"), boards, closing.signal);
  $("circle").addEventListener(
    "click",
    (event) => {
      const button = closest(targetOf(event), ".offered [data-lens]");
      if (button && choices?.patches) choose(readNumber(button, "lens"), event.detail === 0);
    },
    { signal: closing.signal },
  );
  const resized = new ResizeObserver(() => drawWay());
  resized.observe($("track"));
  closing.signal.addEventListener("abort", () => resized.disconnect());

  /**
   * Draw a node; its choices are offered later.
   * @param {LineNode} node
   */
  const draw = (node) => {
    const { position } = node.point;
    const before = node.parent?.point.position ?? null;
    const isNext = Boolean(node.parent) && shown === node.parent;
    [shown, choices, planned, preferred] = [node, null, null, null];
    hand.take(null);
    pointing.drop();
    scene.drawNode(node);
    drawOffer(position, null);
    const across = drawWay();
    if (before && isNext) showMotion($("game"), edition, before, position, across);
    showHand();
  };

  /**
   * Offer what can be played in the shown position.
   * @param {LineNode} node
   * @param {Choices | null} given
   * @param {string[]} legal the legal actions; on the Automa's turn, its card
   */
  const offer = (node, given, legal) => {
    choices = given;
    hand.offerChoices(given);
    drawOffer(node.point.position, given);
    if (given?.leather && hand.patch === null) {
      hand.take("leather");
      pointing.float();
    }
    if (node.point.automa) {
      const [card] = legal;
      $("plain").replaceChildren(
        makeButton("turn over the card", () => tryMove(card), { class: "card plain", id: "card" }),
      );
    }
    showHand();
  };

  /**
   * Show the move that would have been better than the last one: a patch on the board, an advance on
   * the track; null to show none.
   * @param {Seat} seat
   * @param {string | null} action
   */
  const showBetter = (seat, action) => {
    const way = action === "advance" ? shown?.parent?.point.advance : null;
    const quilt = shown?.point.position.players[seat].quilt;
    seats.lay("better", seat, way ? null : action, quilt);
    preferred = way ? [seat, way] : null;
    drawWay();
  };

  const play = () => {
    const action = hand.action();
    if (action !== null && hand.isLegal()) tryMove(action);
  };

  /** @param {() => void} change */
  const reshape = (change) => {
    change();
    pointing.redraw();
    showHand();
  };

  return {
    boards,
    draw,
    offer,
    play,
    choose,
    isHolding: () => hand.patch !== null,
    /** Return the patch that a number key takes; null for none.
        @param {number} number */
    findPatch: (number) => findPatchByKey(choices, number),
    /** @param {number} [step] quarters clockwise */
    turn: (step = 1) => reshape(() => hand.rotate(step)),
    flip: () => reshape(() => hand.flip()),
    /**
     * @param {number} down
     * @param {number} right
     */
    move: (down, right) => {
      hand.move(down, right);
      pointing.float(false);
      showHand();
    },
    drop: () => {
      hand.take(null);
      drawWay();
      showHand();
    },
    /**
     * Show where a move of the player to move would lie; null to show none.
     * @param {string | null} action
     */
    hint: (action) => seats.lay("hint", shown?.point.position.toMove ?? 0, action),
    showBetter,
    close: () => closing.abort(),
  };
}
