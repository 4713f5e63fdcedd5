/* What can be opened: stored games, a text, a new deal. */

import * as Asking from "../shared/asking.js";
import * as Dom from "../shared/dom.js";

const { $, make } = Dom;
let open = () => {}; let next = null; let words = ""; let latest = 0;

const drawRow = (row, source, prefix) => {
  const line = make("tr");
  const cell = make("td", { class: "word" });
  const button = make("button", { type: "button", class: "plain" }, `${prefix}${row.id}`);
  button.addEventListener("click", () => open(source));
  cell.append(button);
  const name = (seat) => make("td", { class: "word" }, row.names[seat] + (row.winner === seat ? " ✓" : ""));
  const verdict = row.verdict === "finished" ? "" : ` (${row.verdict})`;
  line.append(cell, name(0), name(1), make("td", {}, `${row.scores[0]} : ${row.scores[1]}${verdict}`));
  return line;
};

const list = async (begin) => {
  latest += 1;
  const mine = latest;
  words = $("game-words").value;
  let found;
  try {
    found = await Asking.ask("/analyse/games", { words, begin });
  } catch (error) {
    $("game-count").textContent = error.message;
    return;
  }
  if (mine !== latest) return; // another filter was typed meanwhile
  const rows = found.rows.map((row) => drawRow(row, { game: row.id }, ""));
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const tables = found.tables.filter((row) => wanted.every((word) => [row.id, ...row.names].join(" ").toLowerCase().includes(word)));
  const played = begin ? [] : tables.map((row) => drawRow(row, { table: row.id }, "played "));
  const body = $("game-list").tBodies[0];
  if (begin) body.append(...rows); else body.replaceChildren(...played, ...rows);
  next = found.next;
  $("more-games").hidden = next === null;
  const games = found.count + tables.length;
  $("game-list").hidden = !games;
  $("game-count").textContent = games ? `${games} ${games === 1 ? "game" : "games"}`
    : words ? "No game has these words." : "There are no stored games: open the arena with the folder of a tournament, or play one.";
};

const fillEditions = (editions) => document.querySelectorAll(".editions").forEach((select) => {
  select.append(...editions.map(({ name, title }) => make("option", { value: name }, title)));
  if (editions.some(({ name }) => name === "original")) select.value = "original";
});

const begin = (offered, listener) => {
  open = listener;
  fillEditions(offered.editions);
  list(0);
  let timer = null;
  $("game-words").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => list(0), 150); });
  $("more-games").addEventListener("click", () => list(next));
  $("paste").addEventListener("submit", (event) => {
    event.preventDefault();
    open({ text: $("text").value, edition: $("text-edition").value });
  });
  $("deal").addEventListener("submit", (event) => {
    event.preventDefault();
    open({ seed: $("deal-seed").value.trim(), edition: $("deal-edition").value });
  });
};

export { begin };
