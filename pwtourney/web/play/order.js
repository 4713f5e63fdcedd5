/* The form of a new game, and the list of games. */

import * as Asking from "../shared/asking.js";
import * as Dom from "../shared/dom.js";

const { $, make } = Dom;
const { facts, ask } = Asking;
const seats = [...document.querySelectorAll("fieldset[data-seat]")];
const field = (seat, name) => seats[seat].querySelector(`[name=${name}]`);
const usual = { person: "none", bot: "move", automa: "none" };
const times = { person: { move: 60, game: 900 }, bot: { move: 2, game: 60 } };

// cards that were turned over are part of a game: it keeps its Automa, or has none
const isBegun = Boolean(facts.branch?.ply);
const isAutomas = facts.branch?.seating.seats[1].kind === "automa";

const kindOf = (seat) => field(seat, "who").value.split(":")[0];

/* Shows what belongs to who has the seat, and nothing else. */
const show = (seat) => {
  const kind = kindOf(seat);
  const clock = field(seat, "clock");
  clock.querySelector("[value=none]").hidden = kind === "bot";
  if (kind === "bot" && clock.value === "none") clock.value = "move";
  const shown = new Set([kind]);
  if (kind !== "automa" && clock.value !== "none") shown.add("timed");
  if (kind !== "automa" && clock.value === "game") shown.add("game");
  seats[seat].querySelectorAll("[data-for]").forEach((each) => {
    each.hidden = !each.dataset.for.split(" ").some((word) => shown.has(word));
  });
  if (facts.branch) return;
  const first = facts.editions.find((each) => each.name === $("edition").value);
  const edition = kind === "automa" && first && !first.automa ? facts.editions.find((each) => each.automa) : first;
  if (edition) $("edition").value = edition.name;
};

const choose = (seat, who, clock) => {
  field(seat, "who").value = who;
  const kind = kindOf(seat);
  field(seat, "clock").value = clock ?? usual[kind];
  setTime(seat);
  show(seat);
};

const setTime = (seat) => {
  const kind = kindOf(seat);
  const clock = field(seat, "clock").value;
  if (kind !== "automa" && clock !== "none") field(seat, "seconds").value = times[kind][clock];
};

const fill = () => {
  seats.forEach((_, seat) => {
    const select = field(seat, "who");
    select.append(new Option("a person", "person:"));
    const group = make("optgroup", { label: "bots" });
    facts.bots.forEach((bot) => group.append(new Option(bot, `bot:${bot}`)));
    select.append(group);
    if (seat === 1 && (!isBegun || isAutomas)) select.append(new Option("the Automa", "automa:"));
    select.addEventListener("change", () => choose(seat, select.value));
    field(seat, "clock").addEventListener("change", () => { setTime(seat); show(seat); });
  });
  facts.editions.forEach((each) => $("edition").append(new Option(each.title, each.name)));
  const { edition, position, deal } = facts.given;
  $("edition").value = facts.editions.some((each) => each.name === edition) ? edition : "original";
  if (!$("edition").value && facts.editions.length) $("edition").value = facts.editions[0].name;
  if (position) { $("position").value = position; $("start").open = true; }
  if (deal) $("deal").value = deal;
  const bot = ["greedy", ...facts.bots].find((each) => facts.bots.includes(each));
  choose(0, "person:");
  choose(1, bot ? `bot:${bot}` : "person:");
  if (facts.branch) fillBranch(facts.branch.seating);
};

/* The seats of the game that is gone on with. */
const fillBranch = ({ seats: sat, level, tactical }) => sat.forEach(({ kind, name, clock }, seat) => {
  const who = kind === "bot" && !facts.bots.includes(name) ? "person:" : `${kind}:${kind === "bot" ? name : ""}`;
  choose(seat, who, clock.move_ms ? "move" : clock.game_ms ? "game" : undefined);
  if (kind === "person") field(seat, "name").value = name;
  if (kind === "automa") {
    field(seat, "level").selectedIndex = facts.levels.indexOf(level);
    field(seat, "tactical").checked = tactical;
    ["who", "level", "tactical"].forEach((each) => { field(seat, each).disabled = isBegun; });
  }
  const time = clock.move_ms ?? clock.game_ms;
  if (time) field(seat, "seconds").value = time / 1000;
  field(seat, "increment").value = clock.increment_ms / 1000;
});

const swap = () => {
  if (kindOf(1) === "automa") { fail("the Automa has the second seat"); return; }
  const names = ["who", "name", "clock", "seconds", "increment"];
  const read = (seat) => names.map((name) => field(seat, name).value);
  const [first, second] = [read(0), read(1)];
  names.forEach((name, place) => { field(0, name).value = second[place]; field(1, name).value = first[place]; });
  [0, 1].forEach(show);
  fail("");
};

const readSeat = (seat) => {
  const [kind, ...bot] = field(seat, "who").value.split(":");
  const asked = { kind };
  if (kind === "automa") return { kind, level: field(seat, "level").value, tactical: field(seat, "tactical").checked };
  if (kind === "bot") asked.bot = bot.join(":");
  else asked.name = field(seat, "name").value.trim();
  const clock = field(seat, "clock").value;
  if (clock === "none") return asked;
  asked.clock = { kind: clock, seconds: Number(field(seat, "seconds").value) };
  if (clock === "game") asked.clock.increment = Number(field(seat, "increment").value) || 0;
  return asked;
};

const fail = (text) => { $("problem").textContent = text; };

const submit = async (event) => {
  event.preventDefault();
  fail("");
  $("begin").disabled = true;
  const asked = { seats: [readSeat(0), readSeat(1)] };
  if (facts.branch) asked.branch = { table: facts.branch.table, ply: facts.branch.ply };
  else Object.assign(asked, { edition: $("edition").value, deal: $("deal").value, position: $("position").value });
  try {
    location.href = `/play/${(await ask("/play/new", asked)).id}`;
  } catch (error) {
    fail(error.message);
    $("begin").disabled = false;
  }
};

const remove = async (button) => {
  if (button.dataset.sure !== "yes") {
    button.dataset.sure = "yes";
    button.textContent = "really delete?";
    return;
  }
  try {
    await ask(`/play/${button.dataset.delete}/delete`);
    button.closest("li").remove();
  } catch (error) { fail(error.message); }
};

fill();
$("order").addEventListener("submit", submit);
$("swap").addEventListener("click", swap);
document.querySelectorAll("[data-delete]").forEach((button) =>
  button.addEventListener("click", () => remove(button)));
document.documentElement.dataset.ready = "yes";
