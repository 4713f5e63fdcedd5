/* A table: shows what the server says of it, and sends what a person does. */

import * as Focus from "./focus.js";
import * as Following from "./following.js";
import * as Hand from "./hand.js";
import * as Pointing from "./pointing.js";
import * as Seats from "./seats.js";
import * as Steps from "./steps.js";
import * as Asking from "../shared/asking.js";
import * as Boards from "../shared/boards.js";
import * as Cloth from "../shared/cloth.js";
import * as Dom from "../shared/dom.js";
import { Looks } from "../shared/looks.js";
import * as Motion from "../shared/motion.js";
import * as Picture from "../shared/picture.js";
import * as Sentences from "../shared/sentences.js";
import * as Share from "../shared/share.js";

const { $, make } = Dom;
const { facts, ask } = Asking;
const { edition } = facts;
const boards = Boards.of(edition);
const seats = Seats.of(facts, boards);
const hand = Hand.of(edition);
const PACE = 650; // milliseconds between two plies that are shown one after the other
const steps = Steps.of(edition);

let state = null; // as the server sent it last
let shown = []; // the plies that have been shown
let received = 0; // when it came, by the clock of the page
let sent = null; // the version for which an action was sent; null once it is known what came of it
let moving = false; // plies are being shown: what can be done now is not drawn yet
let waiting = Promise.resolve(); // plies are shown one after the other
let news = []; // the sentences of the plies that were shown last
let looked = ""; // the action that the preview is about
let looking = Promise.resolve(); // what the preview says of it, once that is known
let near = facts.people[0]; // the seat whose board stands next to the patches where there is little room

const position = () => state.trail[state.trail.length - 1];
const mySeat = () => (state?.choices && !moving ? state.turn : null);

const say = (text, kind = "") => {
  $("preview").textContent = text;
  $("preview").className = `preview ${kind}`;
};

/* Says what the action that is shown would change, or the rule that forbids it. Returns that
   sentence, also if it was said before. */
const look = () => {
  const action = hand.action();
  const key = `${state.version} ${action}`;
  if (looked !== key) {
    looked = key;
    looking = describeHand(action, key);
  }
  return looking;
};

const describeHand = async (action, key) => {
  const tell = (text, kind) => {
    if (looked === key) say(text, kind); // or else it has been moved on meanwhile
    return text;
  };
  if (!action) return tell(hand.patch === null ? usual() : "Drag it onto your quilt board, or press the arrows.");
  try {
    const found = await ask(`/play/${facts.id}/look`, { action });
    return found.problem ? tell(`${action}: ${found.problem}.`, "misfit") : tell(`${action}: ${steps.tell(found)}.`, "fit");
  } catch (error) { return tell(error.message, "misfit"); }
};

const usual = () => {
  if (!state.choices) return "";
  if (state.choices.leather) return "Place the special patch on any empty square.";
  return "Take a patch, or advance.";
};

/* One card: a button with the patch, its price and what it brings. */
const drawCard = (each) => {
  const pressed = hand.patch === each.patch;
  const card = make("button", {
    type: "button", class: "card", "data-card": each.patch, "aria-pressed": pressed,
  });
  const [rows, cost, time, income] = edition.patches[each.patch];
  const price = make("span", { class: "price", "aria-hidden": "true" });
  price.append(boards.icons.button(), make("span", {}, cost), boards.icons.hourglass(), make("span", {}, time));
  card.append(boards.drawPatch(each.patch, pressed ? hand.orientation : "r0", { size: 0.75 }), price);
  const brings = each.problem || steps.tell(each.step);
  card.append(make("small", { "aria-hidden": "true" }, each.problem ? each.problem.replace(`patch ${each.patch} `, "") : steps.tellBriefly(each.step)));
  Dom.addSpoken(card, `${Sentences.describePatch(edition, each.patch)}, shape ${rows.join("/")}; ${brings}`);
  card.title = `${Sentences.describePatch(edition, each.patch)}; ${brings}`;
  card.classList.toggle("barred", Boolean(each.problem));
  card.dataset.income = income;
  card.addEventListener("click", (event) => choose(each.patch, event.detail === 0));
  return card;
};

const drawLeatherCard = () => {
  const card = make("button", {
    type: "button", class: "card", "data-card": "leather", "aria-pressed": hand.patch === "leather",
  });
  const svg = make("svg:svg", { viewBox: "-1 -1 22 22", width: 36, height: 36, "aria-hidden": "true" });
  svg.append(Cloth.drawLeather(Cloth.colours()));
  card.append(svg, make("span", {}, "special patch"));
  card.addEventListener("click", (event) => choose("leather", event.detail === 0));
  return card;
};

/* A button that plays something without a place: to advance, or to decline. */
const drawPlain = (id, word, action, step) => {
  const button = make("button", { type: "button", class: "card plain", id });
  button.append(make("strong", {}, word), make("span", {}, steps.tell(step)));
  button.addEventListener("click", () => act({ do: "play", action }));
  return button;
};

const drawOffer = () => {
  const { choices } = state;
  const cards = [];
  if (choices?.patches) {
    cards.push(...choices.patches.map(drawCard), drawPlain("advance", "advance", "advance", choices.advance));
  } else if (choices) {
    cards.push(drawLeatherCard());
    if (choices.decline) cards.push(drawPlain("decline", "decline", "decline", choices.decline));
  }
  $("offer").replaceChildren(...cards);
};

const enable = (id, on) => { $(id).disabled = !on; };

/* What follows from what is in hand: with every move of the pointer. */
const showHand = (settled = false) => {
  if (hand.patch === null) pointing.drop();
  seats.drawHand(hand, mySeat());
  enable("turn", hand.patch !== null && hand.patch !== "leather");
  enable("flip", hand.patch !== null && hand.patch !== "leather");
  enable("drop", hand.patch !== null);
  enable("play", sent === null && hand.isLegal());
  document.querySelectorAll("[data-card]").forEach((card) =>
    card.setAttribute("aria-pressed", String(hand.patch) === card.dataset.card));
  $("table").classList.toggle("holding", hand.patch !== null);
  if (settled || !pointing.isHolding()) look();
  else if (hand.action()) say(hand.isLegal() ? `${hand.action()}: it fits here.` : `${hand.action()}: it does not fit here.`, hand.isLegal() ? "fit" : "misfit");
};

const findField = () => $(`seat-${mySeat()}`)?.querySelector(".field");
const focus = Focus.of($("table"), () => (state.over ? $("save") : findField()));

const choose = (patch, byKey) => {
  if (mySeat() === null) return;
  if (hand.patch === patch && !byKey) hand.take(null);
  else hand.take(patch);
  if (byKey) {
    hand.lay();
    findField()?.focus({ preventScroll: true });
  }
  showHand(true);
};

const showEnd = () => {
  $("end").hidden = !state.over;
  if (state.over) $("result").textContent = state.over.text;
};

const listPlies = () => $("plies").replaceChildren(...state.plies.map(([seat, action, micros, info], number) => {
  const item = make("li");
  item.append(`${seats.names[seat]} ${action} `, make("span", { class: "lead" }, `${(micros / 1e6).toFixed(1)} s${info ? `, ${info}` : ""} `));
  item.append(make("a", { href: `/play/new?from=${facts.id}&ply=${number + 1}`, "aria-label": `play on from ply ${number + 1}` }, "play on from here"));
  return item;
}));

const describeTurn = () => {
  const name = seats.names[state.turn];
  if (state.choices) return facts.people.length > 1 ? `${Sentences.tellTurn(name)}.` : "It is your turn.";
  return state.trouble ? `${Sentences.tellTurn(name)}.` : `${name} is thinking …`;
};

/* What was played, and who is to move, which the last sentence of a ply says as well. */
const describeNews = (told) => {
  if (state.over) return [...told, state.over.text].join(" ");
  const last = told[told.length - 1] ?? "";
  const isSaid = `; ${Sentences.tellTurn(seats.names[state.turn])}.`;
  const news = last.endsWith(isSaid) ? [...told.slice(0, -1), `${last.slice(0, -isSaid.length)}.`] : told;
  return [...news, describeTurn()].join(" ");
};

/* Draws a position after `number` plies, with what the last of them has changed. */
const drawPosition = (at, before, isNow) => {
  focus.keep();
  if (isNow) near = mySeat() ?? near;
  [0, 1].forEach((seat) => {
    seats.draw(state, at, before, seat, isNow && mySeat() === seat);
    $(`seat-${seat}`).classList.toggle("near", seat === near);
  });
  $("middle").replaceChildren(...boards.drawCircle(at, before));
  if (before) Motion.show($("table"), edition, before, at);
};

const enableTools = () => {
  enable("back", sent === null && !state.undo);
  $("back").title = state.undo || "take back your last action (U)";
  enable("hint", sent === null && Boolean(state.choices));
  enable("resign", sent === null && !state.over);
};

const drawAll = (told) => {
  const [before, now] = [state.trail[state.trail.length - 2] ?? null, position()];
  drawPosition(now, before, true);
  hand.offerChoices(state.choices);
  drawOffer();
  if (hand.patch === null && state.choices?.leather) hand.take("leather");
  $("status").textContent = describeNews(told);
  $("trouble").hidden = !state.trouble;
  $("trouble-text").textContent = state.trouble;
  enableTools();
  showEnd();
  listPlies();
  seats.showClocks(state, received);
  looked = "";
  showHand(true);
  focus.restore();
};

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
const isQuick = () => document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;

/* Whether two states differ in nothing but the time: an answer and an event bring the same. */
const isSame = (one, other) =>
  JSON.stringify({ ...one, clock: null }) === JSON.stringify({ ...other, clock: null });

/* Shows what is new, ply by ply as far as it was sent, and then what can be done. `came` is when
   it came: its clock runs since then, however long it has waited. */
const show = async (next, came) => {
  if (state && next.version < state.version) return;
  if (state && isSame(state, next)) {
    [state, received] = [next, came];
    return;
  }
  const old = shown;
  const isOn = old.every((action, place) => next.plies[place]?.[1] === action);
  const fresh = isOn ? Math.min(next.plies.length - old.length, next.trail.length - 1) : 0;
  const isFirst = state === null;
  // what was in hand was for another position, even if it is on offer again
  if (!isFirst && next.version > state.version) { hand.take(null); pointing.drop(); }
  // an event may come before the answer that it makes old
  if (sent !== null && next.version > sent) sent = null;
  [state, received] = [next, came];
  shown = next.plies.map((ply) => ply[1]);
  // an answer and an event may both bring the same: what was told stays
  const told = isOn && next.plies.length === old.length ? news : [];
  news = told;
  for (let step = fresh; step > 0 && !isFirst; step -= 1) {
    const at = next.trail.length - step;
    const ply = next.plies[next.plies.length - step];
    told.push(Sentences.tellPly(edition, seats.names, next.trail[at - 1], next.trail[at], ply));
    if (step > 1 && !isQuick()) {
      moving = true;
      drawPosition(next.trail[at], next.trail[at - 1], false);
      $("status").textContent = told[told.length - 1];
      await pause(PACE);
    }
  }
  moving = false;
  drawAll(told);
};

const receive = (next) => {
  const came = performance.now();
  const now = waiting.then(() => show(next, came));
  waiting = now.catch(() => {});
  return now;
};

/* Sends what a person does; what comes of it is shown, or why nothing does. */
const act = async (asked) => {
  if (sent !== null || moving || !state) return;
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
    const answer = await ask(`/play/${facts.id}/action`, { ...asked, version });
    await receive(answer.state);
    settle();
  } catch (error) {
    settle();
    say(error.message, "misfit");
  }
};

const play = () => {
  if (hand.action() === null) return;
  if (hand.isLegal()) act({ do: "play", action: hand.action() });
  else { looked = ""; look(); }
};

const hint = async () => {
  if (!state.choices || sent !== null) return;
  const [{ version }, bot] = [state, $("hint-bot").value];
  const held = hand.describe();
  say(`${bot} is thinking about a hint …`);
  focus.keep();
  enable("hint", false);
  try {
    const found = await ask(`/play/${facts.id}/hint`, { bot, version });
    if (state.version !== version) return;
    const isIdle = hand.describe() === held; // what somebody has turned meanwhile stays in hand
    if (isIdle && found.hint.includes(":")) hand.layAs(found.hint);
    else if (isIdle) hand.take(null);
    showHand(true);
    const said = await look();
    if (state.version !== version) return;
    const step = found.hint === "advance" ? ` (${steps.tell(state.choices.advance)})` : "";
    const words = `${bot} would play ${found.hint}${step}${found.info ? `: ${found.info}` : ""}.`;
    say(hand.action() ? `${words} ${said}` : words, hand.action() && !hand.isLegal() ? "misfit" : "fit");
    if (isIdle && found.hint === "advance") $("advance").focus();
  } catch (error) { if (state.version === version) say(error.message, "misfit"); }
  enable("hint", sent === null && Boolean(state.choices));
  focus.restore();
};

const resign = () => {
  const seat = facts.people.includes(state.turn) ? state.turn : facts.people[0];
  if ($("resign").dataset.sure !== "yes") {
    $("resign").dataset.sure = "yes";
    $("resign").textContent = "really resign?";
    setTimeout(() => { $("resign").dataset.sure = ""; $("resign").textContent = "resign"; }, 4000);
    return;
  }
  act({ do: "resign", seat });
};

/* The position as it stands now; the Automa has no score before the end. */
const describePicture = () => {
  const [names, [seat, action] = []] = [seats.names, state.plies[state.plies.length - 1]];
  const automa = facts.seats[1].kind === "automa";
  const words = {
    names, automa, title: `${names[0]} against ${names[1]}`,
    scores: state.scores.map((score, each) => (each && automa && !state.over ? null : score)),
    caption: action ? `Ply ${state.plies.length}: ${names[seat]} ${action}` : "The start",
  };
  return {
    name: `game-${facts.id}-ply-${state.plies.length}`,
    text: Picture.format(boards, position(), state.trail[state.trail.length - 2] ?? null, words),
  };
};

const turn = (step = 1) => { hand.rotate(step); pointing.redraw(); showHand(true); };
const flip = () => { hand.flip(); pointing.redraw(); showHand(true); };
const drop = () => { hand.take(null); showHand(true); };
const toggleHelp = () => {
  $("keys").hidden = !$("keys").hidden;
  $("help").setAttribute("aria-expanded", !$("keys").hidden);
};

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/* Keys play where nothing else has a use for them. */
const press = (event) => {
  const { target, key } = event;
  if (!state || event.altKey || event.ctrlKey || event.metaKey || target.closest("select, input, summary, a")) return;
  if (target !== document.body && !target.closest("main")) return;
  // a key that is held plays once: what is played next is for another position
  if (event.repeat && (key === "Enter" || key === " ")) { event.preventDefault(); return; }
  const onButton = Boolean(target.closest("button"));
  const lower = key.toLowerCase();
  const offered = state.choices?.patches?.[Number(key) - 1];
  if (ARROWS[key] && hand.patch !== null) { hand.move(...ARROWS[key]); showHand(true); }
  else if (offered) choose(offered.patch, true);
  else if (key === "1" && state.choices?.leather) choose("leather", true);
  else if (lower === "r") turn(event.shiftKey ? -1 : 1);
  else if (lower === "f") flip();
  else if (key === "Escape") drop();
  else if (key === "Enter" && !onButton) play();
  else if (lower === "a") $("advance")?.focus();
  else if (lower === "h") hint();
  else if (lower === "u") { if (!state.undo) act({ do: "back" }); else say(state.undo, "misfit"); }
  else if (key === "?") toggleHelp();
  else return;
  event.preventDefault();
};

const pointing = Pointing.begin($("table"), boards, {
  hand, seat: mySeat,
  take: (patch) => { hand.take(patch === "leather" ? patch : Number(patch)); },
  changed: showHand,
});

const begin = async () => {
  facts.bots.forEach((bot) => $("hint-bot").append(new Option(bot, bot)));
  if (facts.hint) $("hint-bot").value = facts.hint;
  [["turn", () => turn()], ["flip", flip], ["drop", drop], ["play", play], ["hint", hint], ["resign", resign],
    ["help", toggleHelp], ["back", () => act({ do: "back" })], ["retry", () => act({ do: "retry" })],
  ].forEach(([id, does]) => $(id).addEventListener("click", does));
  Share.offerPictures(describePicture);
  document.addEventListener("keydown", press);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll([]));
  setInterval(() => state && seats.showClocks(state, received), 200);
  await receive(facts.state);
  Following.begin(receive);
  document.documentElement.dataset.ready = "yes";
};

begin();
globalThis.pwtourney = { facts, state: () => state, square: Looks.square }; // for tests and the console
