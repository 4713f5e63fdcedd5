/* The page of a table: show its state from the server, and send the actions of a person. */
import { guardFocus } from "../game/focus.js";
import { Hand } from "../game/hand.js";
import { drawHandState, findPatchByKey } from "../game/hand_view.js";
import { listenToKeys } from "../game/keys.js";
import { makeOffer } from "../game/offer.js";
import { makePlayers } from "../game/players.js";
import { beginPointing, takeInHand } from "../game/pointing.js";
import { listLast, listRuns, makeRuns } from "../game/recent.js";
import { findField, makeSeats } from "../game/seats.js";
import { describeChoice, describePlace, tellProblem, tellStep } from "../game/steps.js";
import { drawTrack } from "../game/way.js";
import { ask } from "../shared/asking.js";
import { drawBand, offerLens } from "../shared/band.js";
import { makeBoards } from "../shared/boards.js";
import { listPositions } from "../shared/changes.js";
import { SIZE } from "../shared/cloth.js";
import {
  $,
  isStill,
  make,
  markReady,
  messageOf,
  onClick,
  onColourChange,
  query,
  queryAll,
  readFacts,
} from "../shared/dom.js";
import { formatPoints } from "../shared/gauges.js";
import { showMotion } from "../shared/motion.js";
import { captionPly, formatPicture } from "../shared/picture.js";
import { tellPly } from "../shared/sentences.js";
import { offerLink, offerPictures } from "../shared/share.js";
import { describeTurn, showClocks } from "./clocks.js";
import { offerRematch, showEnd } from "./ending.js";
import { followTable } from "./following.js";
import { countFresh, describeNews, isSame, nameTab } from "./news.js";
import { Review } from "./review.js";

/** @import { Choices, Hint, Pair, Position, Seat, Step, TableFacts, TableState } from "../types.d.ts" */
/** @import { InHand } from "../game/hand.js" */

const PACE = 650; // milliseconds until the next ply of another player is drawn
const SURE = 4000; // milliseconds: a second press within this time resigns
const MOST_SHOWN = 4; // new plies that are shown in turn; earlier ones are only listed
const MOST_TOLD = 2; // plies in a row that the sentence tells of
const NARROW = matchMedia("(max-width: 44rem)"); // what happened stands far below the patches
const MOST_LISTED = 8; // moves of a player in a row that are listed as pictures

/** @type {TableFacts} */
const facts = readFacts();
const { edition } = facts;
const boards = makeBoards(edition);
const seated = {
  names: facts.seats.map(({ name }) => name),
  automa: facts.seats[1].kind === "automa",
  strengths: facts.seats,
};
const { names } = seated;
const seats = makeSeats(seated, boards);
const drawPlayers = makePlayers(seated, boards);
const drawRuns = makeRuns(seated, boards, (index) => lookAt(index + 1));
const review = new Review(facts, boards);
const hand = new Hand(edition);

let state = facts.state; // the latest state from the server
let hasState = false; // whether a state has been shown
/** The position before the first ply, and after each.
    @type {Position[]} */
let positions = [state.start];
/** A sentence for each ply, and one that leaves out what is seen on the board.
    @type {string[]} */
let sentences = [];
/** @type {string[]} */
let brief = [];
/** The number of the position that the reader looks back at; null for the current one.
    @type {number | null} */
let past = null;
/** The actions that have been shown.
    @type {string[]} */
let shown = [];
let received = 0; // when the page received the state, by its own clock
let drawnAt = -Infinity; // when a new ply was drawn, by the same clock
/** The version for which an action was sent; null once a newer state or a refusal has arrived.
    @type {number | null} */
let sent = null;
let isMoving = false; // plies are being shown, and the choices are not drawn yet
/** Resolves when all received plies have been shown.
    @type {Promise<void>} */
let waiting = Promise.resolve();
let looked = ""; // what the preview is about
/** The text of the preview, when it is known. */
let looking = Promise.resolve("");
/** What the action that is pointed at would change.
    @type {Step | null} */
let planned = null;
/** Ends the question for a hint, which is about the current position only. */
let asking = new AbortController();
let across = 1; // cells in a row of the ribbon
let near = facts.people[0] ?? 0; // the seat whose board is large

/** Return the number of the position that is shown. */
function shownNumber() {
  return past ?? positions.length - 1;
}

/** Return the seat of the person to move; null for none. */
function mySeat() {
  return hasState && state.choices && !isMoving && past === null ? state.turn : null;
}

/**
 * Show a text above the patches.
 * @param {string} text
 * @param {"" | "fit" | "misfit"} [kind]
 */
function say(text, kind = "") {
  $("preview").textContent = text;
  $("preview").className = `preview ${kind}`;
  $("preview").dataset.action = hand.action() ?? "";
}

/** Show what the current action would change, or the rule that forbids it. Return that sentence,
    even if it was shown before. */
function look() {
  const key = `${state.version} ${past} ${hand.patch} ${hand.action()}`;
  if (looked !== key) {
    looked = key;
    looking = describeHand(hand.action(), key);
  }
  return looking;
}

/**
 * @param {string | null} action
 * @param {string} key identifies the preview, which may have changed when the answer arrives
 */
async function describeHand(action, key) {
  const [text, kind] = await describeAction(action);
  if (looked === key) say(text, kind);
  return text;
}

/**
 * Return the text about an action, and its kind.
 * @param {string | null} action null if nothing lies on the board
 * @returns {Promise<[text: string, kind: "" | "fit" | "misfit"]>}
 */
async function describeAction(action) {
  if (action === null) return instruct();
  try {
    const answer = await ask(`/play/${facts.id}/look`, { action });
    if (answer.problem) return [tellProblem(answer.problem), "misfit"];
    return [`${tellStep(answer, edition.currency)}.`, "fit"];
  } catch (error) {
    return [messageOf(error), "misfit"];
  }
}

/**
 * Say what can be done now, the easiest way first.
 * @returns {[text: string, kind: "" | "fit" | "misfit"]}
 */
function instruct() {
  const { choices } = state;
  if (past !== null) return ["You look back. Press “now” to return.", ""];
  if (!choices) {
    const isThinking = state.thinking && state.turn !== null;
    return [isThinking ? `${names[state.turn ?? 0]} is thinking …` : "", ""];
  }
  const offered = choices.patches?.find(({ patch }) => patch === hand.patch);
  if (offered?.problem) return [tellProblem(offered.problem), "misfit"];
  if (hand.patch !== null) return [describePlace(hand.patch === "leather"), ""];
  return [instructFree(choices), ""];
}

/**
 * Say what can be done with an empty hand; on a phone, what the opponent did.
 * @param {Choices} choices
 */
function instructFree(choices) {
  const run = listLast(state.plies);
  const isTold = NARROW.matches && run.length && state.plies[run[0]][0] !== state.turn;
  const isStuck = choices.patches?.every(({ problem }) => problem);
  if (!isTold || isStuck || choices.leather) return describeChoice(choices);
  const moves = run.length > 1 ? `${run.length} moves; the last: ` : "";
  return `${moves}${brief[brief.length - 1]}`;
}

/** Return what the chosen or pointed action would change. */
function findStep() {
  if (planned) return planned;
  return state.choices?.patches?.find(({ patch }) => patch === hand.patch)?.step ?? null;
}

/** Draw the track, with the way that the player to move would go. */
function drawWay() {
  const seat = mySeat();
  const step = seat === null ? null : findStep();
  const [position, before] = [positions[shownNumber()], positions[shownNumber() - 1] ?? null];
  const reach = step && seat !== null ? /** @type {[Seat, Pair]} */ ([seat, step.space]) : null;
  across = drawTrack($("table"), edition, position, before, reach);
}

/**
 * Show where a token would go.
 * @param {Step | null} step
 */
function plan(step) {
  planned = step;
  drawWay();
}

const drawOffer = makeOffer($("table"), boards, hand, {
  choose,
  play: (action) => act({ do: "play", action }),
  plan,
});

/**
 * @param {string} id of a button
 * @param {boolean} isOn
 */
function enable(id, isOn) {
  $(id, HTMLButtonElement).disabled = !isOn;
}

/**
 * Show the patch in hand and its preview; called at every move of the pointer.
 * @param {boolean} [isSettled] whether it rests where it is
 */
function showHand(isSettled = false) {
  if (hand.patch === null) pointing.drop();
  drawHandState($("table"), seats, hand, mySeat(), sent === null);
  const action = hand.action();
  if (isSettled || !action) {
    look();
    return;
  }
  looked = ""; // so that `look` repeats its sentence once the patch has left the board
  if (hand.isLegal()) say("It fits here.", "fit");
  else say("It does not fit here.", "misfit");
}

/**
 * Take a patch in hand; if a key chose it, place it on the board at once.
 * @param {InHand} patch
 * @param {boolean} isByKey
 */
function choose(patch, isByKey) {
  const field = findField(mySeat());
  if (!field) return;
  takeInHand(hand, pointing, patch, isByKey ? field : null);
  planned = null;
  drawWay();
  showHand(true);
}

/** List all plies in notation, each with a link to play on from it. */
function listPlies() {
  const items = state.plies.map(([seat, action, micros, info], number) => {
    const item = make("li");
    const said = `${(micros / 1e6).toFixed(1)} s${info ? `, ${info}` : ""} `;
    const link = {
      href: `/play/new?from=${facts.id}&ply=${number + 1}`,
      "aria-label": `play on from ply ${number + 1}`,
    };
    item.append(
      `${names[seat]} ${action} `,
      make("span", { class: "lead" }, said),
      make("a", link, "play on from here"),
    );
    return item;
  });
  $("plies").replaceChildren(...items);
}

/**
 * Draw the position that is shown, with the changes of its last ply.
 * @param {boolean} hasMotion
 */
function drawPosition(hasMotion) {
  const [number, isNow] = [shownNumber(), past === null];
  const [position, before] = [positions[number], positions[number - 1] ?? null];
  focus.keep();
  if (isNow) near = mySeat() ?? near;
  [0, 1].forEach((seat) => {
    const isNear = seat === near;
    const box = query(document, isNear ? ".side.near" : ".side:not(.near)");
    const isMine = isNow && mySeat() === seat;
    seats.drawSide(box, position, before, seat, { coordinates: isNear, isMine });
  });
  drawPlayers(
    position,
    names.map((_, seat) => describeTurn(state, position, seat, isNow)),
  );
  drawWay();
  const scrolled = $("circle").querySelector("ol")?.scrollLeft ?? 0;
  $("circle").replaceChildren(drawBand(boards, position));
  $("circle").firstElementChild?.scrollTo({ left: hasMotion ? 0 : scrolled });
  if (before && hasMotion) showMotion($("table"), edition, before, position, across);
}

/**
 * Return the sentences of the plies that the last player has played in a row.
 * @param {TableState["plies"]} plies
 */
function listNews(plies) {
  return listLast(plies)
    .slice(-MOST_TOLD)
    .map((index) => brief[index]);
}

/** Draw what both players have played last, and where the reader is among all moves. */
function drawNews() {
  const plies = state.plies.slice(0, shownNumber());
  drawRuns(state.plies, positions, sentences, listRuns(plies, MOST_LISTED), facts.people);
  queryAll($("moves"), "[data-ply]").forEach((button) => {
    button.toggleAttribute(
      "aria-current",
      past !== null && Number(button.dataset.ply) === past - 1,
    );
  });
  const count = state.plies.length;
  $("step").textContent = past === null ? "" : `move ${past} of ${count}`;
  enable("earlier", shownNumber() > 0);
  enable("later", past !== null);
  enable("now", past !== null);
  $("status").textContent =
    past === null
      ? describeNews(listNews(plies), state, names, facts.people.length)
      : (brief[past - 1] ?? "The start of the game.");
}

/** Offer to go another way from the position that the reader looks back at. */
function offerWays() {
  if (past === null) return;
  const on = { class: "tool", href: `/play/new?from=${facts.id}&ply=${past}` };
  const study = { class: "tool", href: `/analyse?table=${facts.id}#ply=${past}` };
  $("plain").append(make("a", on, "play on from here"), make("a", study, "analyse"));
}

function enableTools() {
  enable("back", sent === null && !state.undo);
  $("back").title = state.undo || "take back your last action (U)";
  enable("hint", sent === null && Boolean(state.choices));
  enable("resign", sent === null && !state.over);
}

/** @param {boolean} hasMotion */
function drawAll(hasMotion) {
  drawPosition(hasMotion);
  hand.offerChoices(state.choices);
  drawOffer(positions[shownNumber()], past === null ? state.choices : null);
  offerWays();
  if (hand.patch === null && state.choices?.leather) {
    hand.take("leather");
    pointing.float();
  }
  drawNews();
  $("trouble").hidden = !state.trouble;
  $("trouble-text").textContent = state.trouble;
  enableTools();
  showEnd(boards, names, past === null ? state.over : null, positions[positions.length - 1]);
  if (past === null && state.over) review.show(state);
  listPlies();
  showClocks(state, performance.now() - received);
  document.title = nameTab(state, names, facts.people);
  looked = "";
  showHand(true);
  focus.restore();
}

/**
 * Show an earlier position, or the current one again.
 * @param {number} number
 */
function lookAt(number) {
  if (isMoving) return;
  past = number >= positions.length - 1 ? null : Math.max(0, number);
  hand.take(null);
  planned = null;
  drawAll(true);
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/**
 * Adopt a state; return the number of plies to show in turn.
 * @param {TableState} next
 * @param {number} came
 */
function takeOver(next, came) {
  const count = countFresh(shown, next);
  const isNew = hasState && next.version > state.version;
  // the patch in hand was meant for another position, even if it is on offer again
  if (isNew) {
    hand.take(null);
    pointing.drop();
    asking.abort();
    past = null;
  }
  // an event may arrive before the answer to the same action, which is then outdated
  if (sent !== null && next.version > sent) sent = null;
  const actions = next.plies.map(([, action]) => action);
  [state, received, planned] = [next, came, null];
  positions = listPositions(edition, next);
  [sentences, brief] = [false, true].map((isBrief) =>
    next.plies.map((ply, number) =>
      tellPly(edition, names, positions[number], positions[number + 1], ply, { isBrief }),
    ),
  );
  shown = actions;
  const isFirst = !hasState;
  hasState = true;
  return isFirst ? 0 : Math.min(count, MOST_SHOWN);
}

/** Wait until the ply that was drawn last has been seen for a while. */
async function letSee() {
  const left = drawnAt + PACE - performance.now();
  if (left > 0 && !document.hidden && !isStill()) await pause(left);
}

/**
 * Return true if the first new ply of a state is another player's: it may arrive as soon as the
 * last one is drawn.
 * @param {TableState} next
 */
function hasNewsOfOthers(next) {
  const ply = countFresh(shown, next) ? next.plies[shown.length] : undefined;
  return hasState && ply !== undefined && !facts.people.includes(ply[0]);
}

/**
 * Show all but the last of some new plies one after another.
 * @param {number} count
 */
async function showInTurn(count) {
  for (let step = count; step > 1 && !document.hidden && !isStill(); step -= 1) {
    isMoving = true;
    past = positions.length - step;
    drawPosition(true);
    drawOffer(positions[past], null);
    drawNews();
    drawnAt = performance.now();
    await letSee();
  }
  [isMoving, past] = [false, null];
}

/**
 * Show the new plies one by one, and then the choices. `came` is when the state was received; its
 * clock runs from then, however long it has waited here.
 * @param {TableState} next
 * @param {number} came
 */
async function show(next, came) {
  if (hasState && next.version < state.version) return;
  if (hasState && isSame(state, next)) {
    [state, received] = [next, came];
    return;
  }
  if (hasNewsOfOthers(next)) await letSee();
  const isEnd = hasState && !state.over && Boolean(next.over);
  const count = takeOver(next, came);
  await showInTurn(count);
  drawAll(count > 0);
  if (isEnd) showTop(isStill() ? "instant" : "smooth");
  if (count) drawnAt = performance.now();
}

/** @param {TableState} next */
function receive(next) {
  const came = performance.now();
  const showing = waiting.then(() => show(next, came));
  waiting = showing.catch(() => {});
  return showing;
}

/**
 * Send the action of a person, and show its result or the reason why it was refused.
 * @param {object} words
 */
async function act(words) {
  if (sent !== null || isMoving || !hasState) return;
  const { version } = state;
  const settle = () => {
    if (sent === version) sent = null;
    enableTools();
    showHand(true);
    focus.restore();
  };
  focus.keep();
  sent = version;
  enableTools();
  showHand();
  try {
    const answer = await ask(`/play/${facts.id}/action`, { ...words, version });
    await receive(answer.state);
    settle();
  } catch (error) {
    settle();
    await looking;
    say(messageOf(error), "misfit");
  }
}

function play() {
  if (hand.action() === null) return;
  if (hand.isLegal()) {
    act({ do: "play", action: hand.action() });
    return;
  }
  looked = "";
  look();
}

/**
 * Describe what a bot would play.
 * @param {string} bot
 * @param {Hint} answer
 */
function describeHint(bot, { hint: action, expects: expected }) {
  const would = `${bot} would ${action.includes(":") ? "play this" : action}`;
  const step = action === "advance" ? state.choices?.advance : null;
  const brings = step ? ` ${tellStep(step, edition.currency)}.` : "";
  const expects = expected === null ? "" : ` and expects ${formatPoints(expected)} at the end`;
  return `${would}${expects}.${brings}`;
}

/**
 * Show what a bot would play.
 * @param {string} bot
 * @param {Hint} answer
 * @param {string} held the hand when the bot was asked, as `Hand.describe` returns it
 */
async function showHint(bot, answer, held) {
  const { version } = state;
  const isIdle = hand.describe() === held; // a patch that was turned in the meantime stays in hand
  if (isIdle && answer.hint.includes(":")) hand.layAs(answer.hint);
  else if (isIdle) hand.take(null);
  pointing.float(false);
  showHand(true);
  const said = await look();
  if (state.version !== version) return;
  const words = describeHint(bot, answer);
  if (hand.action() === null) say(words, "fit");
  else say(`${words} ${said}`, hand.isLegal() ? "fit" : "misfit");
  if (answer.hint !== "advance") return;
  $("advance").classList.add("hinted");
  if (isIdle) $("advance").focus();
}

/**
 * Show what is said above the patches; on a phone the buttons below the game are far from it.
 * @param {ScrollBehavior} [behavior]
 */
function showTop(behavior = "instant") {
  if (NARROW.matches) scrollTo({ top: 0, behavior });
}

async function hint() {
  if (!state.choices || sent !== null || past !== null) return;
  const { version } = state;
  const bot = $("hint-bot", HTMLSelectElement).value;
  const held = hand.describe();
  showTop();
  say(`${bot} is thinking about a hint …`);
  focus.keep();
  enable("hint", false);
  asking = new AbortController();
  try {
    const answer = await ask(`/play/${facts.id}/hint`, { bot, version }, asking.signal);
    if (state.version === version) await showHint(bot, answer, held);
    else return;
  } catch (error) {
    if (state.version === version) say(messageOf(error), "misfit");
  }
  enable("hint", sent === null && Boolean(state.choices));
  focus.restore();
}

function resign() {
  const button = $("resign");
  const isTurn = state.turn !== null && facts.people.includes(state.turn);
  if (button.dataset.sure === "yes") {
    act({ do: "resign", seat: isTurn ? state.turn : facts.people[0] });
    return;
  }
  button.dataset.sure = "yes";
  button.textContent = "really resign?";
  setTimeout(() => {
    button.dataset.sure = "";
    button.textContent = "resign";
  }, SURE);
}

/** Return the picture of the shown position. */
function describePicture() {
  const number = shownNumber();
  const words = {
    names,
    automa: seated.automa,
    title: `${names[0]} against ${names[1]}`,
    caption: captionPly(names, state.plies, number),
    scores: past === null && state.over ? state.over.scores : null,
  };
  return {
    name: `game-${facts.id}-ply-${number}`,
    text: formatPicture(boards, positions[number], positions[number - 1] ?? null, words),
  };
}

/** @param {number} [step] quarters clockwise */
function turn(step = 1) {
  hand.rotate(step);
  pointing.redraw();
  showHand(true);
}

function flip() {
  hand.flip();
  pointing.redraw();
  showHand(true);
}

function drop() {
  hand.take(null);
  drawWay();
  showHand(true);
}

function takeBack() {
  showTop();
  if (state.undo) say(state.undo, "misfit");
  else act({ do: "back" });
}

const pointing = beginPointing($("table"), boards, {
  hand,
  seat: mySeat,
  onTake: drawWay,
  changed: showHand,
});
const focus = guardFocus($("table"), () => (state.over ? $("rematch") : findField(mySeat())));

/** Listen to the keys of the table. */
function listen() {
  listenToKeys(
    {
      isHolding: () => hand.patch !== null,
      findPatch: (number) => findPatchByKey(state.choices, number),
      choose: (patch) => choose(patch, true),
      move: (down, right) => {
        hand.move(down, right);
        pointing.float(false);
        showHand(true);
      },
      turn,
      flip,
      drop,
      play,
      others: {
        a: () => document.getElementById("advance")?.focus(),
        h: hint,
        u: takeBack,
        arrowleft: () => lookAt(shownNumber() - 1),
        arrowright: () => lookAt(shownNumber() + 1),
        "?": () => $("keys").togglePopover(),
      },
    },
    // Escape closes the panel of keys, and puts no patch back then
    ({ key }) => hasState && (key === "?" || !$("keys").matches(":popover-open")),
  );
}

async function begin() {
  const select = $("hint-bot", HTMLSelectElement);
  select.append(...facts.bots.map((bot) => new Option(bot, bot)));
  if (facts.hint) select.value = facts.hint;
  onClick("turn", () => turn());
  onClick("flip", flip);
  onClick("drop", drop);
  onClick("play", play);
  onClick("hint", hint);
  onClick("resign", resign);
  onClick("back", takeBack);
  onClick("retry", () => act({ do: "retry" }));
  onClick("earlier", () => lookAt(shownNumber() - 1));
  onClick("later", () => lookAt(shownNumber() + 1));
  onClick("now", () => lookAt(positions.length - 1));
  // the reader's numbers stand above the large board, which is that of the reader
  $("table").classList.toggle("second", facts.people.length === 1 && near === 1);
  offerRematch(facts.id, (text) => {
    $("result").textContent = text;
    $("result").hidden = false;
  });
  offerPictures(describePicture);
  offerLink($("copy-link"), () => location.origin + location.pathname);
  offerLens($("circle"), boards);
  listen();
  onColourChange(() => drawAll(false));
  setInterval(() => showClocks(state, performance.now() - received), 200);
  await receive(facts.state);
  new ResizeObserver(drawWay).observe($("track"));
  followTable(facts, receive);
  markReady();
}

// for tests and the console
Object.assign(globalThis, {
  pwtourney: { facts, state: () => (hasState ? state : null), square: SIZE },
});
begin();
