/* The page of a table: show its state from the server, and send the actions of a person. */
import { ask, readFacts } from "../shared/asking.js";
import { makeBoards } from "../shared/boards.js";
import { SIZE, drawLeather, findLook } from "../shared/cloth.js";
import {
  $,
  addSpoken,
  draw,
  isStill,
  make,
  markReady,
  messageOf,
  onClick,
  onColourChange,
  queryAll,
  targetOf,
} from "../shared/dom.js";
import { showMotion } from "../shared/motion.js";
import { formatPicture } from "../shared/picture.js";
import { describePatch, tellPly } from "../shared/sentences.js";
import { offerPictures } from "../shared/share.js";
import { guardFocus } from "./focus.js";
import { followTable } from "./following.js";
import { Hand } from "./hand.js";
import { countFresh, describeNews, isSame } from "./news.js";
import { beginPointing } from "./pointing.js";
import { makeSeats, showClocks } from "./seats.js";
import { tellBriefly, tellStep } from "./steps.js";

/** @import { Offered, Position, Step, TableFacts, TableState } from "../types.d.ts" */
/** @import { InHand } from "./hand.js" */

const PACE = 650; // milliseconds between two new plies when several are shown in turn
const SURE = 4000; // milliseconds: a second press within this time resigns

/** @type {TableFacts} */
const facts = readFacts();
const { edition } = facts;
const boards = makeBoards(edition);
const seats = makeSeats(facts, boards);
const hand = new Hand(edition);

let state = facts.state; // the latest state from the server
let hasState = false; // whether a state has been shown
/** The actions that have been shown.
    @type {string[]} */
let shown = [];
let received = 0; // when the page received the state, by its own clock
/** The version for which an action was sent; null once a newer state or a refusal has arrived.
    @type {number | null} */
let sent = null;
let isMoving = false; // plies are being shown, and the choices are not drawn yet
/** Resolves when all received plies have been shown.
    @type {Promise<void>} */
let waiting = Promise.resolve();
/** The sentences of the plies that were shown last.
    @type {string[]} */
let news = [];
let looked = ""; // the action that the preview is about
/** The text of the preview, when it is known. */
let looking = Promise.resolve("");
let near = facts.people[0]; // the seat whose board is next to the patches on narrow pages

/** Return the current position. */
function now() {
  return state.trail[state.trail.length - 1];
}

/** Return the position one ply before; null at the start. */
function earlier() {
  return state.trail[state.trail.length - 2] ?? null;
}

/** Return the seat of the person to move; null for none. */
function mySeat() {
  return hasState && state.choices && !isMoving ? state.turn : null;
}

/** @param {Step} step */
function tell(step) {
  return tellStep(step, edition.currency);
}

/**
 * Show a text below the patches.
 * @param {string} text
 * @param {"" | "fit" | "misfit"} [kind]
 */
function say(text, kind = "") {
  $("preview").textContent = text;
  $("preview").className = `preview ${kind}`;
}

/** Show what the current action would change, or the rule that forbids it. Return that sentence,
    even if it was shown before. */
function look() {
  const action = hand.action();
  const key = `${state.version} ${action}`;
  if (looked !== key) {
    looked = key;
    looking = describeHand(action, key);
  }
  return looking;
}

/**
 * @param {string | null} action
 * @param {string} key identifies the preview, which may have changed when the answer arrives
 */
async function describeHand(action, key) {
  const [text, kind] = await judge(action);
  if (looked === key) say(text, kind);
  return text;
}

/**
 * Return the text about an action, and its kind.
 * @param {string | null} action null if nothing lies on the board
 * @returns {Promise<[text: string, kind: "" | "fit" | "misfit"]>}
 */
async function judge(action) {
  if (action === null) {
    return [
      hand.patch === null ? tellUsual() : "Drag it onto your quilt board, or press the arrows.",
      "",
    ];
  }
  try {
    const answer = await ask(`/play/${facts.id}/look`, { action });
    if (answer.problem) return [`${action}: ${answer.problem}.`, "misfit"];
    return [`${action}: ${tell(answer)}.`, "fit"];
  } catch (error) {
    return [messageOf(error), "misfit"];
  }
}

function tellUsual() {
  if (!state.choices) return "";
  if (state.choices.leather) return "Place the special patch on any empty square.";
  return "Take a patch, or advance.";
}

/**
 * Make the button of a patch that can be taken in hand.
 * @param {InHand} patch
 */
function makeCard(patch) {
  const card = make("button", {
    type: "button",
    class: "card",
    "data-card": patch,
    "aria-pressed": hand.patch === patch,
  });
  card.addEventListener("click", (event) => choose(patch, event.detail === 0));
  return card;
}

/**
 * Draw one card: a button with the patch, its price and its effects.
 * @param {Offered} offered
 */
function drawCard({ patch, problem, step }) {
  const card = makeCard(patch);
  const [rows, cost, time, income] = edition.patches[patch];
  const price = make("span", { class: "price", "aria-hidden": "true" });
  price.append(
    boards.icons.button(),
    make("span", {}, cost),
    boards.icons.hourglass(),
    make("span", {}, time),
  );
  const orientation = hand.patch === patch ? hand.orientation : "r0";
  const brief = step ? tellBriefly(step) : problem.replace(`patch ${patch} `, "");
  card.append(
    boards.drawPatch(patch, orientation, { size: 0.75 }),
    price,
    make("small", { "aria-hidden": "true" }, brief),
  );
  const words = describePatch(edition, patch);
  const brings = step ? tell(step) : problem;
  addSpoken(card, `${words}, shape ${rows.join("/")}; ${brings}`);
  card.title = `${words}; ${brings}`;
  card.classList.toggle("barred", Boolean(problem));
  card.dataset.income = String(income);
  return card;
}

function drawLeatherCard() {
  const card = makeCard("leather");
  const size = { viewBox: "-1 -1 22 22", width: 36, height: 36 };
  const svg = draw("svg", { ...size, "aria-hidden": "true" });
  svg.append(drawLeather(findLook()));
  card.append(svg, make("span", {}, "special patch"));
  return card;
}

/**
 * Make a button for an action without a placement: to advance, or to decline.
 * @param {string} action
 * @param {Step} step
 */
function drawPlain(action, step) {
  const attributes = { type: "button", class: "card plain", id: action };
  const button = make("button", attributes);
  button.append(make("strong", {}, action), make("span", {}, tell(step)));
  button.addEventListener("click", () => act({ do: "play", action }));
  return button;
}

function drawOffer() {
  const { patches, advance, decline } = state.choices ?? {};
  const cards = [];
  if (patches) cards.push(...patches.map(drawCard));
  else if (state.choices) cards.push(drawLeatherCard());
  if (advance) cards.push(drawPlain("advance", advance));
  if (decline) cards.push(drawPlain("decline", decline));
  $("offer").replaceChildren(...cards);
}

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
  seats.drawHand(hand, mySeat());
  const canTurn = hand.patch !== null && hand.patch !== "leather";
  enable("turn", canTurn);
  enable("flip", canTurn);
  enable("drop", hand.patch !== null);
  enable("play", sent === null && hand.isLegal());
  queryAll(document, "[data-card]").forEach((card) => {
    card.setAttribute("aria-pressed", String(String(hand.patch) === card.dataset.card));
  });
  $("table").classList.toggle("holding", hand.patch !== null);
  const action = hand.action();
  if (isSettled || !pointing.isHolding()) look();
  else if (action && hand.isLegal()) say(`${action}: it fits here.`, "fit");
  else if (action) say(`${action}: it does not fit here.`, "misfit");
}

/** Return the quilt board that the reader can play on. */
function findField() {
  const seat = mySeat();
  const field = seat === null ? null : $(`seat-${seat}`).querySelector(".field");
  return field instanceof HTMLElement ? field : null;
}

/**
 * Take a patch in hand; if a key chose it, place it on the board at once.
 * @param {InHand} patch
 * @param {boolean} isByKey
 */
function choose(patch, isByKey) {
  if (mySeat() === null) return;
  if (hand.patch === patch && !isByKey) hand.take(null);
  else hand.take(patch);
  if (isByKey) {
    hand.lay();
    findField()?.focus({ preventScroll: true });
  }
  showHand(true);
}

function showEnd() {
  $("end").hidden = !state.over;
  if (state.over) $("result").textContent = state.over.text;
}

function listPlies() {
  const items = state.plies.map(([seat, action, micros, info], place) => {
    const item = make("li");
    const said = `${(micros / 1e6).toFixed(1)} s${info ? `, ${info}` : ""} `;
    const link = {
      href: `/play/new?from=${facts.id}&ply=${place + 1}`,
      "aria-label": `play on from ply ${place + 1}`,
    };
    item.append(
      `${seats.names[seat]} ${action} `,
      make("span", { class: "lead" }, said),
      make("a", link, "play on from here"),
    );
    return item;
  });
  $("plies").replaceChildren(...items);
}

/**
 * Draw a position, with the changes of its last ply.
 * @param {Position} position
 * @param {Position | null} before
 * @param {boolean} isNow whether it is the current position
 */
function drawPosition(position, before, isNow) {
  focus.keep();
  if (isNow) near = mySeat() ?? near;
  [0, 1].forEach((seat) => {
    seats.drawSide(state, position, before, seat, isNow && mySeat() === seat);
    $(`seat-${seat}`).classList.toggle("near", seat === near);
  });
  $("middle").replaceChildren(...boards.drawCircle(position, before));
  if (before) showMotion($("table"), edition, before, position);
}

function enableTools() {
  enable("back", sent === null && !state.undo);
  $("back").title = state.undo || "take back your last action (U)";
  enable("hint", sent === null && Boolean(state.choices));
  enable("resign", sent === null && !state.over);
}

/** @param {string[]} told sentences of the plies that are new */
function drawAll(told) {
  drawPosition(now(), earlier(), true);
  hand.offerChoices(state.choices);
  drawOffer();
  if (hand.patch === null && state.choices?.leather) hand.take("leather");
  $("status").textContent = describeNews(told, state, seats.names, facts.people.length);
  $("trouble").hidden = !state.trouble;
  $("trouble-text").textContent = state.trouble;
  enableTools();
  showEnd();
  listPlies();
  showClocks(state, performance.now() - received);
  looked = "";
  showHand(true);
  focus.restore();
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/**
 * Adopt a state; return the sentences that stay, and the number of new plies.
 * @param {TableState} next
 * @param {number} came
 * @returns {[told: string[], fresh: number]}
 */
function takeOver(next, came) {
  const { isOn, fresh } = countFresh(shown, next);
  const isNew = hasState && next.version > state.version;
  // the patch in hand was meant for another position, even if it is on offer again
  if (isNew) {
    hand.take(null);
    pointing.drop();
  }
  // an event may arrive before the answer to the same action, which is then outdated
  if (sent !== null && next.version > sent) sent = null;
  // an answer and an event may have the same state: the sentences stay
  const told = isOn && next.plies.length === shown.length ? news : [];
  const toTell = hasState ? fresh : 0;
  [state, hasState, received] = [next, true, came];
  shown = next.plies.map(([, action]) => action);
  news = told;
  return [told, toTell];
}

/**
 * Show the new plies one by one, as far as their positions were sent, and then the choices. `came`
 * is when the state was received; its clock runs from then, however long it has waited here.
 * @param {TableState} next
 * @param {number} came
 */
async function show(next, came) {
  if (hasState && next.version < state.version) return;
  if (hasState && isSame(state, next)) {
    [state, received] = [next, came];
    return;
  }
  const [told, fresh] = takeOver(next, came);
  for (let step = fresh; step > 0; step -= 1) {
    const at = next.trail.length - step;
    const ply = next.plies[next.plies.length - step];
    const [before, after] = next.trail.slice(at - 1, at + 1);
    told.push(tellPly(edition, seats.names, before, after, ply));
    if (step > 1 && !document.hidden && !isStill()) {
      isMoving = true;
      drawPosition(after, before, false);
      $("status").textContent = told[told.length - 1];
      await pause(PACE);
    }
  }
  isMoving = false;
  drawAll(told);
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
 * @param {{ hint: string, info: string }} answer
 */
function describeHint(bot, { hint: action, info }) {
  const step = action === "advance" ? state.choices?.advance : null;
  const would = `${bot} would play ${action}${step ? ` (${tell(step)})` : ""}`;
  return `${would}${info ? `: ${info}` : ""}.`;
}

/**
 * Show what a bot would play.
 * @param {string} bot
 * @param {{ hint: string, info: string }} answer
 * @param {string} held the hand when the bot was asked, as `Hand.describe` returns it
 */
async function showHint(bot, answer, held) {
  const { version } = state;
  const isIdle = hand.describe() === held; // a patch that was turned in the meantime stays in hand
  if (isIdle && answer.hint.includes(":")) hand.layAs(answer.hint);
  else if (isIdle) hand.take(null);
  showHand(true);
  const said = await look();
  if (state.version !== version) return;
  const words = describeHint(bot, answer);
  if (hand.action() === null) say(words, "fit");
  else say(`${words} ${said}`, hand.isLegal() ? "fit" : "misfit");
  if (isIdle && answer.hint === "advance") $("advance").focus();
}

async function hint() {
  if (!state.choices || sent !== null) return;
  const { version } = state;
  const bot = $("hint-bot", HTMLSelectElement).value;
  const held = hand.describe();
  say(`${bot} is thinking about a hint …`);
  focus.keep();
  enable("hint", false);
  try {
    const answer = await ask(`/play/${facts.id}/hint`, { bot, version });
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

/** Return the picture of the current position; the Automa has no score before the end. */
function describePicture() {
  const { names } = seats;
  const isAutoma = facts.seats[1].kind === "automa";
  const last = state.plies.at(-1);
  const count = state.plies.length;
  const words = {
    names,
    automa: isAutoma,
    title: `${names[0]} against ${names[1]}`,
    scores: state.scores.map((score, seat) => (seat && isAutoma && !state.over ? null : score)),
    caption: last ? `Ply ${count}: ${names[last[0]]} ${last[1]}` : "The start",
  };
  return {
    name: `game-${facts.id}-ply-${count}`,
    text: formatPicture(boards, now(), earlier(), words),
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
  showHand(true);
}

/**
 * @param {number} down
 * @param {number} right
 */
function moveHand(down, right) {
  hand.move(down, right);
  showHand(true);
}

function takeBack() {
  if (state.undo) say(state.undo, "misfit");
  else act({ do: "back" });
}

function toggleHelp() {
  $("keys").hidden = !$("keys").hidden;
  $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
}

/** What keys do while a patch is in hand.
    @type {Record<string, () => void>} */
const MOVES = {
  ArrowUp: () => moveHand(-1, 0),
  ArrowDown: () => moveHand(1, 0),
  ArrowLeft: () => moveHand(0, -1),
  ArrowRight: () => moveHand(0, 1),
};

/** @type {Record<string, () => void>} */
const KEYS = {
  f: flip,
  escape: drop,
  a: () => document.getElementById("advance")?.focus(),
  h: hint,
  u: takeBack,
  "?": toggleHelp,
};

/**
 * Return the patch that a number key takes in hand; null for none.
 * @param {string} key
 * @returns {InHand | null}
 */
function findNumbered(key) {
  if (key === "1" && state.choices?.leather) return "leather";
  return state.choices?.patches?.[Number(key) - 1]?.patch ?? null;
}

/**
 * Return what a key does; null for nothing.
 * @param {KeyboardEvent} event
 * @returns {(() => void) | null}
 */
function findAct(event) {
  const { key } = event;
  if (MOVES[key] && hand.patch !== null) return MOVES[key];
  const patch = findNumbered(key);
  if (patch !== null) return () => choose(patch, true);
  if (key.toLowerCase() === "r") return () => turn(event.shiftKey ? -1 : 1);
  if (key === "Enter" && !targetOf(event).closest("button")) return play;
  return KEYS[key.toLowerCase()] ?? null;
}

/**
 * Return true if no other element uses a key.
 * @param {KeyboardEvent} event
 */
function isOurs(event) {
  const target = targetOf(event);
  if (event.altKey || event.ctrlKey || event.metaKey) return false;
  if (target.closest("select, input, summary, a")) return false;
  return target === document.body || Boolean(target.closest("main"));
}

/** @param {KeyboardEvent} event */
function press(event) {
  if (!hasState || !isOurs(event)) return;
  // a held key plays only once: its repeats would play in another position
  const isHeld = event.repeat && (event.key === "Enter" || event.key === " ");
  const does = isHeld ? () => {} : findAct(event);
  if (!does) return;
  does();
  event.preventDefault();
}

const pointing = beginPointing($("table"), boards, {
  hand,
  seat: mySeat,
  take: (patch) => hand.take(patch === "leather" ? patch : Number(patch)),
  changed: showHand,
});
const focus = guardFocus($("table"), () => (state.over ? $("save") : findField()));

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
  onClick("help", toggleHelp);
  onClick("back", () => act({ do: "back" }));
  onClick("retry", () => act({ do: "retry" }));
  offerPictures(describePicture);
  document.addEventListener("keydown", press);
  onColourChange(() => drawAll([]));
  setInterval(() => showClocks(state, performance.now() - received), 200);
  await receive(facts.state);
  followTable(facts, receive);
  markReady();
}

// for tests and the console
Object.assign(globalThis, {
  pwtourney: { facts, state: () => (hasState ? state : null), square: SIZE },
});
begin();
