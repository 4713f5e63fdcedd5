/* The entry module of the tournament page: keep the parts of the page and its address in sync. */
import { $, make, markReady, onClick, queryAll, targetOf, whenReleased } from "../shared/dom.js";
import { listPositions } from "../shared/changes.js";
import { tellPly } from "../shared/sentences.js";
import { chooseTab, formatFragment, formatGames, readAddress, writeAddress } from "./address.js";
import { beginCurves } from "./curves.js";
import { addRows, facts, findReplay, games, loadData } from "./data.js";
import { beginGames, findLink, readChoice, setChoice, showPlace, updateGames } from "./games.js";
import { idOf } from "./rows.js";
import { areAllShown, beginTables, showAllColumns, sortAlike } from "./tables.js";
import {
  chooseBot,
  currentBot,
  currentTab,
  drawTabs,
  findBot,
  findTab,
  pointTab,
  sayNoBot,
  showTab,
} from "./tabs.js";
import {
  beginViewer,
  closeGame,
  findArrived,
  findPlace,
  focusViewer,
  forgetMissing,
  formatShown,
  isOpen,
  openGame,
} from "./viewer.js";

/** @import { NamedRow, Place } from "../types.d.ts" */

const hasList = Boolean(document.getElementById("rows")); // the page of one game has none
const SCROLLED = ".scroll, .small, .tall, .bot-list ul";
const FOCUSED = "a, button, select, summary, [tabindex]";

/** Return the fragment of what the current tab shows. */
function describeShown() {
  if (!hasList) return formatFragment(findPlace());
  const tab = currentTab();
  if (tab === "games") return formatGames({ ...findPlace(), ...readChoice() });
  if (tab === "bots") return currentBot() ? `#${currentBot()}` : "#bots";
  if (tab === "standings" && areAllShown()) return "#columns=all";
  return `#${tab}`;
}

/**
 * Write what is shown into the address, and into the link of its tab.
 * @param {boolean} isStep
 */
function write(isStep) {
  const fragment = describeShown();
  pointTab(currentTab(), fragment);
  writeAddress(fragment, isStep);
}

/**
 * @param {string} id
 * @param {number} ply
 */
async function show(id, ply) {
  await openGame(id, ply);
  if (hasList) showPlace();
}

function close() {
  const { game } = findPlace();
  closeGame();
  showPlace();
  (findLink(game) ?? $("games")).focus();
}

/**
 * Show the games that an address names. A change of the filter alone moves to the list.
 * @param {Place} address
 */
async function followGames(address) {
  const isChanged = setChoice(address);
  forgetMissing();
  if (address.game) {
    await show(address.game, Number(address.ply) || 0);
    if (currentTab() !== "games") return; // the reader has left while the server was asked
    if (isOpen()) focusViewer();
  } else if (isOpen()) {
    close();
  } else if (isChanged) {
    $("games").focus({ preventScroll: true });
    $("tabs").scrollIntoView();
  }
  pointTab("games", describeShown());
}

/**
 * Show the bot that an address names.
 * @param {Place} wanted
 */
function followBot({ section, bot }) {
  const id = bot ? findBot(bot) : "";
  chooseBot(id || (section.startsWith("bot-") ? section : ""));
  sayNoBot(bot && !id ? bot : "");
  pointTab("bots", describeShown());
}

/**
 * Return the tab that shows what an address names.
 * @param {Place} address
 */
function findWantedTab(address) {
  return address.section ? findTab(address.section) : chooseTab(address);
}

/** Show what the address names. */
async function follow() {
  const address = readAddress();
  if (!hasList) {
    if (address.game) await show(address.game, Number(address.ply) || 0);
    return;
  }
  showTab(findWantedTab(address));
  if (currentTab() === "games") await followGames(address);
  else if (currentTab() === "bots") followBot(address);
  else if (currentTab() === "standings") {
    showAllColumns(address.columns === "all");
    pointTab("standings", describeShown());
  }
}

/** @param {ParentNode} section */
function beginSection(section) {
  beginTables(section, () => write(false));
  beginCurves(section);
}

function beginList() {
  beginGames({
    chosen: () => write(true),
    opened: async (id) => {
      await show(id, 0);
      write(true);
    },
  });
  onClick("close", () => {
    close();
    write(true);
  });
}

async function begin() {
  if (hasList) showTab(findWantedTab(readAddress()));
  await loadData();
  beginSection(document);
  // another tab may hide the viewer
  beginViewer(() => {
    if (!hasList || currentTab() === "games") write(false);
  });
  if (hasList) beginList();
  addEventListener("hashchange", follow);
  // a link to the current address fires no event, but the reader expects to move there
  document.addEventListener("click", (event) => {
    const link = targetOf(event).closest("a[href*='=']");
    if (link?.getAttribute("href") === location.hash) follow();
  });
  await follow();
  if (!hasList && !findPlace().game) await show(idOf(games.list[0]), 0);
  markReady();
}

/**
 * Open and close the kinds of faults that were open and closed in an older part of the page; their
 * order may have changed.
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh
 */
function openAlike(old, fresh) {
  const kinds = "details[data-kind]";
  const opened = new Map(
    queryAll(old, kinds).map((element) => [element.dataset.kind, element.hasAttribute("open")]),
  );
  queryAll(fresh, kinds).forEach((element) => {
    const wasOpen = opened.get(element.dataset.kind);
    if (wasOpen !== undefined) element.toggleAttribute("open", wasOpen);
  });
}

/**
 * Return what a part of the page loses when it is replaced, as a function that restores it in the
 * newer part: places in boxes that scroll, the focus, and where the links of tabs lead.
 * @param {HTMLElement} old
 * @returns {(fresh: HTMLElement) => void}
 */
function rememberPlaces(old) {
  const places = queryAll(old, SCROLLED).map((box) => [box.scrollLeft, box.scrollTop]);
  const focused = queryAll(old, FOCUSED).findIndex((element) => element === document.activeElement);
  const links = queryAll(old, "a[data-tab]").map((link) => link.getAttribute("href"));
  return (fresh) => {
    queryAll(fresh, SCROLLED).forEach((box, index) => {
      const [left, top] = places[index] ?? [0, 0];
      box.scrollTo(left, top);
    });
    queryAll(fresh, "a[data-tab]").forEach((link, index) =>
      link.setAttribute("href", links[index] ?? link.getAttribute("href") ?? ""),
    );
    queryAll(fresh, FOCUSED)[focused]?.focus({ preventScroll: true });
  };
}

/**
 * Replace a part of a live page by a newer one; what the reader has done there stays.
 * @param {string} id
 * @param {string} text HTML of one element
 * @param {() => void} [begun] called when the part has been replaced
 */
export function replacePart(id, text, begun) {
  const template = make("template");
  template.innerHTML = text;
  const fresh = /** @type {HTMLElement} */ (template.content.firstElementChild);
  whenReleased($(id), () => {
    const old = $(id);
    const restore = rememberPlaces(old);
    old.replaceWith(fresh);
    beginSection(fresh);
    sortAlike(old, fresh);
    openAlike(old, fresh);
    drawTabs();
    begun?.();
    restore(fresh);
  });
}

/**
 * Add games that have ended to the list of a live page.
 * @param {NamedRow[]} rows
 * @param {number} count of all games
 */
export function addGames(rows, count) {
  if (!rows.length) return;
  facts.games = count;
  addRows(rows);
  updateGames();
  const arrived = findArrived();
  if (arrived) show(arrived, 0);
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
  pwtourney: {
    replacePart,
    addGames,
    picture: formatShown,
    positions: findPositions,
    tell: tellGame,
  },
});

/** Resolves when the page shows what its address names. */
export const begun = begin();
