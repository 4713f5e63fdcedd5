/* The form of a new game, and the list of games. */
import { ask } from "../shared/asking.js";
import {
  $,
  make,
  markReady,
  messageOf,
  onClick,
  onColourChange,
  queryAll,
  readFacts,
} from "../shared/dom.js";
import { beginOpponents } from "./opponents.js";
import { drawThumbnails } from "./thumbnails.js";

/** @import { ClockLimits, OrderFacts, Seat, SeatFacts, SeatingFacts } from "../types.d.ts" */
/** @typedef {SeatFacts["kind"]} Kind */
/** @typedef {"none" | "move" | "game"} ClockKind */

/** @type {OrderFacts} */
const facts = readFacts();
const fieldsets = queryAll(document, "fieldset[data-seat]");

/** @type {Record<Kind, ClockKind>} */
const USUAL_CLOCK = { person: "none", bot: "move", automa: "none" };
const bots = facts.opponents.map(({ bot }) => bot);

/** The default times, in seconds.
    @type {Record<"person" | "bot", Record<"move" | "game", number>>} */
const USUAL_TIME = { person: { move: 60, game: 900 }, bot: { move: 2, game: 60 } };

// the turned cards are part of a game, so a branch can neither add, change nor remove its Automa
const isBegun = Boolean(facts.branch?.ply);
const isAutomas = facts.branch?.seating.seats[1].kind === "automa";

/**
 * Return a field of a seat.
 * @param {Seat} seat
 * @param {string} name
 * @returns {HTMLInputElement}
 */
function field(seat, name) {
  const element = fieldsets[seat].querySelector(`[name=${name}]`);
  return /** @type {HTMLInputElement} */ (element); // or a select
}

/** @param {string} text */
function complain(text) {
  $("problem").textContent = text;
}

/**
 * Return the kind of player in a seat.
 * @param {Seat} seat
 * @returns {Kind}
 */
function kindOf(seat) {
  return /** @type {Kind} */ (field(seat, "who").value.split(":")[0]);
}

/**
 * Return the kind of clock of a seat.
 * @param {Seat} seat
 * @returns {ClockKind}
 */
function clockOf(seat) {
  return /** @type {ClockKind} */ (field(seat, "clock").value);
}

/**
 * Choose another edition if the chosen one has no Automa and one is wanted.
 * @param {Kind} kind
 */
function fitEdition(kind) {
  if (facts.branch) return;
  const select = $("edition", HTMLSelectElement);
  const chosen = facts.editions.find(({ name }) => name === select.value);
  if (kind !== "automa" || !chosen || chosen.automa) return;
  const fitting = facts.editions.find(({ automa }) => automa);
  if (fitting) select.value = fitting.name;
}

/**
 * Return the bot in a seat; empty for another player.
 * @param {Seat} seat
 */
function botOf(seat) {
  const [kind, ...bot] = field(seat, "who").value.split(":");
  return kind === "bot" ? bot.join(":") : "";
}

/**
 * Offer the levels of the bot in a seat, and choose one.
 * @param {Seat} seat
 * @param {string} level
 */
function offerLevels(seat, level) {
  const levels = facts.opponents.find(({ bot }) => bot === botOf(seat))?.levels ?? [];
  const options = levels.map((name) => new Option(name, name));
  field(seat, "skill").replaceChildren(...options, new Option("full strength", ""));
  field(seat, "skill").value = levels.includes(level) ? level : "";
}

/**
 * Show only the fields that apply to the player of a seat.
 * @param {Seat} seat
 */
function showFields(seat) {
  const kind = kindOf(seat);
  const clock = field(seat, "clock");
  queryAll(clock, "[value=none]").forEach((option) => {
    option.hidden = kind === "bot";
  });
  if (kind === "bot" && clock.value === "none") clock.value = "move";
  /** @type {Set<string>} */
  const shown = new Set([kind]);
  if (field(seat, "skill").childElementCount > 1) shown.add("leveled");
  if (kind !== "automa" && clock.value !== "none") shown.add("timed");
  if (kind !== "automa" && clock.value === "game") shown.add("game");
  queryAll(fieldsets[seat], "[data-for]").forEach((element) => {
    element.hidden = !(element.dataset.for ?? "").split(" ").some((word) => shown.has(word));
  });
  fitEdition(kind);
}

/** @param {Seat} seat */
function fillTime(seat) {
  const [kind, clock] = [kindOf(seat), clockOf(seat)];
  if (kind === "automa" || clock === "none") return;
  field(seat, "seconds").value = String(USUAL_TIME[kind][clock]);
}

/**
 * Choose the player of a seat.
 * @param {Seat} seat
 * @param {string} who
 * @param {{ clock?: ClockKind | undefined, level?: string }} [options]
 */
function choose(seat, who, { clock, level = "" } = {}) {
  field(seat, "who").value = who;
  offerLevels(seat, level);
  field(seat, "clock").value = clock ?? USUAL_CLOCK[kindOf(seat)];
  fillTime(seat);
  showFields(seat);
}

/** @param {Seat} seat */
function fillSeat(seat) {
  const select = field(seat, "who");
  const group = make("optgroup", { label: "bots" });
  group.append(...bots.map((bot) => new Option(bot, `bot:${bot}`)));
  select.append(new Option("a person", "person:"), group);
  if (seat === 1 && (!isBegun || isAutomas)) select.append(new Option("the Automa", "automa:"));
  select.addEventListener("change", () => choose(seat, select.value));
  field(seat, "clock").addEventListener("change", () => {
    fillTime(seat);
    showFields(seat);
  });
}

function fillDeal() {
  const { edition, position, deal } = facts.given;
  const names = facts.editions.map(({ name }) => name);
  const select = $("edition", HTMLSelectElement);
  select.append(...facts.editions.map(({ name, title }) => new Option(title, name)));
  select.value = edition && names.includes(edition) ? edition : "original";
  if (!select.value && names.length) select.value = names[0];
  if (position) $("position", HTMLTextAreaElement).value = position;
  if (deal) $("deal", HTMLInputElement).value = deal;
}

/** @param {ClockLimits} clock */
function kindOfClock({ move_ms: move, game_ms: game }) {
  if (move) return "move";
  return game ? "game" : undefined;
}

/**
 * Fill in a seat of a branch from the game that it continues.
 * @param {SeatFacts} sat
 * @param {Seat} seat
 * @param {SeatingFacts} seating
 */
function fillBranchSeat({ kind, name, bot, level: skill, clock }, seat, { level, tactical }) {
  const isGone = kind === "bot" && !bot;
  choose(seat, isGone ? "person:" : `${kind}:${bot}`, { clock: kindOfClock(clock), level: skill });
  if (kind === "person") field(seat, "name").value = name;
  if (kind === "automa") {
    const levels = /** @type {HTMLSelectElement} */ (/** @type {unknown} */ (field(seat, "level")));
    levels.selectedIndex = facts.levels.indexOf(level);
    field(seat, "tactical").checked = tactical;
    ["who", "level", "tactical"].forEach((control) => {
      field(seat, control).disabled = isBegun;
    });
  }
  const time = clock.move_ms ?? clock.game_ms;
  if (time) field(seat, "seconds").value = String(time / 1000);
  field(seat, "increment").value = String(clock.increment_ms / 1000);
}

function fill() {
  [0, 1].forEach(fillSeat);
  fillDeal();
  const bot = ["greedy", ...bots].find((name) => bots.includes(name));
  choose(0, "person:");
  choose(1, bot ? `bot:${bot}` : "person:");
  const { branch } = facts;
  branch?.seating.seats.forEach((sat, seat) => fillBranchSeat(sat, seat, branch.seating));
}

function swap() {
  if (kindOf(1) === "automa") {
    complain("the Automa has the second seat");
    return;
  }
  const skills = [1, 0].map((seat) => field(seat, "skill").value);
  ["who", "name", "clock", "seconds", "increment"].forEach((name) => {
    const [first, second] = [field(0, name), field(1, name)];
    [first.value, second.value] = [second.value, first.value];
  });
  skills.forEach((skill, seat) => offerLevels(seat, skill));
  [0, 1].forEach(showFields);
  complain("");
}

/**
 * Return the values of the form for a seat.
 * @param {Seat} seat
 */
function readSeat(seat) {
  const kind = kindOf(seat);
  if (kind === "automa") {
    return { kind, level: field(seat, "level").value, tactical: field(seat, "tactical").checked };
  }
  const player =
    kind === "bot"
      ? { kind, bot: botOf(seat), level: field(seat, "skill").value }
      : { kind, name: field(seat, "name").value.trim() };
  const clock = clockOf(seat);
  if (clock === "none") return player;
  const seconds = Number(field(seat, "seconds").value);
  if (clock === "move") return { ...player, clock: { kind: clock, seconds } };
  const increment = Number(field(seat, "increment").value) || 0;
  return { ...player, clock: { kind: clock, seconds, increment } };
}

function readOrder() {
  const seats = [0, 1].map(readSeat);
  if (facts.branch) return { seats, branch: { table: facts.branch.table, ply: facts.branch.ply } };
  return {
    seats,
    edition: $("edition", HTMLSelectElement).value,
    deal: $("deal", HTMLInputElement).value,
    position: $("position", HTMLTextAreaElement).value,
  };
}

/** @param {Event} event */
async function submit(event) {
  event.preventDefault();
  complain("");
  const button = $("begin", HTMLButtonElement);
  button.disabled = true;
  try {
    location.href = `/play/${(await ask("/play/new", readOrder())).id}`;
  } catch (error) {
    complain(messageOf(error));
    button.disabled = false;
  }
}

/**
 * Delete a game at the second press of its button.
 * @param {HTMLElement} button
 */
async function remove(button) {
  if (button.dataset.sure !== "yes") {
    button.dataset.sure = "yes";
    button.textContent = "really delete?";
    return;
  }
  try {
    await ask(`/play/${button.dataset.delete}/delete`);
    button.closest("li")?.remove();
  } catch (error) {
    complain(messageOf(error));
  }
}

const drawUnfinished = () => drawThumbnails(facts.unfinished);

fill();
drawUnfinished();
onColourChange(drawUnfinished);
beginOpponents(complain, facts.editions.find(({ automa }) => automa)?.name);
$("order").addEventListener("submit", submit);
onClick("swap", swap);
queryAll(document, "[data-delete]").forEach((button) => {
  button.addEventListener("click", () => remove(button));
});
markReady();
