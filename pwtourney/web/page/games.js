/* The list of games: filtered, and walked through with the viewer. */

import * as Address from "./address.js";
import * as Data from "./data.js";
import * as Viewer from "./viewer.js";
import * as Dom from "../shared/dom.js";

const { $, make } = Dom;
const FILTERS = ["bot", "against", "result", "verdict"];
const RESULTS_OF_BOT = ["won", "lost", "fault"]; // without a bot nobody knows whose they are
const PAGE = 50;
let many = PAGE;
let rows = [];

const filters = () => Object.fromEntries(FILTERS.map((id) => [id, $(id).value]));

const offerResults = () => {
  const { bot, result } = filters();
  [...$("result").options].forEach((each) => {
    each.disabled = !bot && RESULTS_OF_BOT.includes(each.value);
  });
  if (!bot && RESULTS_OF_BOT.includes(result)) $("result").value = "";
};

const choose = () => {
  const { bot, against, result, verdict } = filters();
  return Data.games.list.filter((row) => {
    const [one, two] = Data.names(row);
    if (bot && one !== bot && two !== bot) return false;
    if (against && !((one === against && (!bot || two === bot)) || (two === against && (!bot || one === bot)))) return false;
    if (result === "fault") {
      return Data.faults(row, one === bot ? 0 : 1).some((each) => !verdict || each === verdict);
    }
    if (verdict && Data.verdict(row) !== verdict) return false;
    if (!result) return true;
    if (result === "none") return row[6] < 0;
    if (result === "first" || result === "second") return row[6] === (result === "first" ? 0 : 1);
    if (row[6] < 0) return false;
    return (Data.names(row)[row[6]] === bot) === (result === "won");
  });
};

const drawRow = (row) => {
  const id = Data.idOf(row);
  const line = make("tr");
  const cell = make("td", { class: "word id" });
  if (Data.games.replays[id]) {
    cell.append(make("a", { href: Address.format({ game: id, ply: 0, ...filters() }) }, id));
  } else {
    cell.append(id);
    cell.title = `pwtourney replay FOLDER:${id} --html FILE`;
  }
  line.append(cell);
  Data.names(row).forEach((name, seat) => line.append(make("td", { class: "word" }, name + (row[6] === seat ? " ✓" : ""))));
  line.append(make("td", {}, row[4]), make("td", {}, row[5]));
  line.append(make("td", { class: "word" }, Data.verdict(row)), make("td", {}, row[8]));
  return line;
};

/* The games next to the one that is shown, among those of the filter that can be replayed. */
const around = (id) => {
  const ids = rows.map(Data.idOf).filter((each) => Data.games.replays[each]);
  const place = ids.indexOf(id);
  return { previous: ids[place - 1], next: ids[place + 1], place: place + 1, count: ids.length };
};

const showPlace = () => {
  const { game } = Viewer.state();
  const { previous, next, place, count } = around(game);
  Viewer.enable("previous-game", previous !== undefined);
  Viewer.enable("next-game", next !== undefined);
  $("place").textContent = place ? `${place} of ${count}` : `– of ${count}`;
};

const list = () => {
  offerResults();
  rows = choose();
  const { facts } = Data;
  $("count").textContent = `${rows.length} of ${facts.games} games${facts.games > Data.games.list.length ? ` (the newest ${Data.games.list.length} are listed)` : ""}`;
  $("rows").replaceChildren(...rows.slice(0, many).map(drawRow));
  $("more").hidden = rows.length <= many;
  $("clear").hidden = !Object.values(filters()).some(Boolean);
  showPlace();
};

const has = (id, word) => [...$(id).options].some((each) => each.value === word);
const fill = (id, words) => words.filter((word) => !has(id, word)).forEach((word) =>
  $(id).append(make("option", { value: word }, word)));

/* Offers all bots and verdicts of the games, and lists them. */
const update = () => {
  const { bots, verdicts } = Data.facts;
  const playing = bots.filter((_, place) => Data.games.list.some((row) => row[2] === place || row[3] === place));
  fill("bot", playing);
  fill("against", playing);
  fill("verdict", verdicts);
  list();
};

/* Filters as an address wants them, also by a bot of which there is no game. */
const setFilters = (wanted) => {
  FILTERS.forEach((id) => {
    if (id !== "result" && wanted[id]) fill(id, [wanted[id]]);
    $(id).value = has(id, wanted[id]) ? wanted[id] : "";
  });
  many = PAGE;
  list();
};

const begin = ({ filtered, opened }) => {
  update();
  FILTERS.forEach((id) => $(id).addEventListener("change", () => { many = PAGE; list(); filtered(); }));
  $("more").addEventListener("click", () => { many += 10 * PAGE; list(); });
  $("clear").addEventListener("click", () => { setFilters({}); $("bot").focus(); filtered(); });
  ["previous", "next"].forEach((side) => $(`${side}-game`).addEventListener("click", () => {
    const id = around(Viewer.state().game)[side];
    if (id !== undefined) { opened(id); showPlace(); }
  }));
};

/* The link to a game in the list, if it is there. */
const link = (id) => [...$("rows").querySelectorAll("a")].find((each) => each.textContent === id);

export { begin, update, filters, setFilters, showPlace, link };
