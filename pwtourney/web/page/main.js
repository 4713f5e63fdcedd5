/* The entry module of the tournament page: keep the parts of the page and its address in sync. */
import { $, markReady, onClick, targetOf } from "../shared/dom.js";
import { listPositions } from "../shared/changes.js";
import { tellPly } from "../shared/sentences.js";
import { readAddress, writeAddress } from "./address.js";
import { beginCurves } from "./curves.js";
import { facts, findReplay, games, loadData } from "./data.js";
import { beginGames, findLink, readFilters, setFilters, showPlace, updateGames } from "./games.js";
import { idOf } from "./rows.js";
import { areAllShown, beginTables, followWidth, showAllColumns } from "./tables.js";
import {
  beginViewer,
  closeGame,
  findPlace,
  focusViewer,
  formatShown,
  isOpen,
  openGame,
} from "./viewer.js";

/** @import { Place } from "../types.d.ts" */

const hasList = Boolean(document.getElementById("rows")); // the page of one game has none

/** @param {boolean} isStep */
function write(isStep) {
  const filters = hasList ? readFilters() : {};
  writeAddress({ ...findPlace(), ...filters, columns: areAllShown() ? "all" : "" }, isStep);
}

/**
 * @param {string} id
 * @param {number} ply
 */
function show(id, ply) {
  openGame(id, ply);
  if (hasList) showPlace();
}

function close() {
  const { game } = findPlace();
  closeGame();
  showPlace();
  (findLink(game) ?? $("games")).focus();
}

/**
 * Set the filter of the list from an address; return true if it has changed.
 * @param {Place} wanted
 */
function filterAs(wanted) {
  const before = JSON.stringify(readFilters());
  setFilters(wanted);
  showAllColumns(wanted.columns === "all");
  return JSON.stringify(readFilters()) !== before;
}

/** Show the state in the address. A change of the filter alone moves to the list. */
function follow() {
  const wanted = readAddress();
  if (!wanted) return;
  const isFiltered = hasList && filterAs(wanted);
  if (wanted.game) {
    show(wanted.game, Number(wanted.ply) || 0);
    focusViewer();
  } else if (hasList && isOpen()) {
    close();
  } else if (isFiltered) {
    $("games").focus({ preventScroll: true });
    $("games").scrollIntoView();
  }
}

/** @param {ParentNode} section */
function beginSection(section) {
  beginTables(section, () => write(false));
  beginCurves(section);
}

function beginList() {
  beginGames({
    filtered: () => write(true),
    opened: (id) => {
      show(id, 0);
      write(true);
    },
  });
  onClick("close", () => {
    close();
    write(true);
  });
}

async function begin() {
  await loadData();
  beginSection(document);
  followWidth();
  beginViewer(() => write(false));
  if (hasList) beginList();
  addEventListener("hashchange", follow);
  // a link to the current address fires no event, but the reader expects to move there
  document.addEventListener("click", (event) => {
    const link = targetOf(event).closest("a[href*='=']");
    if (link?.getAttribute("href") === location.hash) follow();
  });
  follow();
  if (!hasList && !findPlace().game) show(idOf(games.list[0]), 0);
  markReady();
}

/**
 * Update a live page, except the game that the reader has open.
 * @param {Document} fresh
 */
export async function refresh(fresh) {
  /** @param {string} id */
  const find = (id) => {
    const element = fresh.getElementById(id);
    if (!element) throw new Error(`the new page has no #${id}`);
    return element;
  };
  const lead = "header .lead";
  const text = fresh.querySelector(lead)?.textContent ?? "";
  document.querySelector(lead)?.replaceChildren(text);
  ["standings", "charts", "season", "faults", "how", "bots"].forEach((id) => {
    const section = document.importNode(find(id), true);
    $(id).replaceWith(section);
    beginSection(section);
  });
  // a replaced element matches :target only after a new navigation to it
  if (location.hash.startsWith("#bot-")) {
    const place = scrollY;
    location.replace(location.hash);
    scrollTo(0, place);
  }
  ["facts", "packed"].forEach((id) => {
    $(id).textContent = find(id).textContent;
  });
  await loadData();
  updateGames();
}

/**
 * Return all positions of a game.
 * @param {string} id
 */
function findPositions(id) {
  const game = findReplay(id);
  return game ? listPositions(facts.edition, game) : [];
}

/**
 * Return a sentence for each ply of a game.
 * @param {string} id
 * @param {string[]} names
 */
function tellGame(id, names) {
  const game = findReplay(id);
  if (!game) return [];
  const positions = listPositions(facts.edition, game);
  return game.plies.map((ply, at) =>
    tellPly(facts.edition, names, positions[at], positions[at + 1], ply),
  );
}

// for tests and the console
Object.assign(globalThis, {
  pwtourney: { refresh, picture: formatShown, positions: findPositions, tell: tellGame },
});
begin();
