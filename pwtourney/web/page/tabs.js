/* The tabs of the page, of which one is shown, and the bot whose section is shown. */
import { $, make, queryAll } from "../shared/dom.js";
import { facts } from "./data.js";
import { explainAbsence } from "./absences.js";

let tab = "standings";
let bot = ""; // the id of the section

/** Return the name of the tab that is shown. */
export function currentTab() {
  return tab;
}

/** Return the id of the section of the bot that is chosen; empty for none. */
export function currentBot() {
  return bot;
}

/**
 * Return the tab that contains an element; the first tab for an element that the page does not have.
 * @param {string} id
 */
export function findTab(id) {
  const around = document.getElementById(id)?.closest(".tab");
  return around ? around.id.replace(/^tab-/, "") : "standings";
}

/**
 * Mark the current one of some links.
 * @param {string} selector
 * @param {(link: HTMLElement) => boolean} isCurrent
 */
function markLinks(selector, isCurrent) {
  queryAll(document, selector).forEach((link) => {
    if (isCurrent(link)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  });
}

/** Show the tab and the bot that are chosen, and mark their links. */
export function drawTabs() {
  queryAll(document, ".tab").forEach((section) =>
    section.classList.toggle("shown", section.id === `tab-${tab}`),
  );
  queryAll(document, "#bots > article").forEach((section) =>
    section.classList.toggle("shown", section.id === bot),
  );
  document.body.dataset.tab = tab; // the first tab alone has all of the headline
  markLinks("#tabs a", (link) => link.dataset.tab === tab);
  markLinks("#bot-list a", (link) => link.getAttribute("href") === `#${bot}`);
}

/**
 * Show a tab. A reader who has scrolled comes back to its beginning.
 * @param {string} name
 */
export function showTab(name) {
  const isOther = tab !== name;
  tab = name;
  drawTabs();
  if (isOther && $("tabs").getBoundingClientRect().top < 0) $("tabs").scrollIntoView();
}

/**
 * Return the id of the section of a bot, which may be named with its version; empty if it has none.
 * @param {string} name
 */
export function findBot(name) {
  const links = queryAll(document, "#bot-list a");
  const target =
    links.find((link) => link.dataset.bot === name) ??
    links.find((link) => link.dataset.name === name);
  return target?.getAttribute("href")?.slice(1) ?? "";
}

/** Return the id of the section of the first bot in the list; empty if there is none. */
function findFirstBot() {
  return document.querySelector("#bot-list a")?.getAttribute("href")?.slice(1) ?? "";
}

/**
 * Choose the bot whose section is shown: by its id, or the first one if it is empty.
 * @param {string} id
 */
export function chooseBot(id) {
  bot = id || findFirstBot();
  drawTabs();
}

/**
 * Say that the address names a bot that has no section.
 * @param {string} name empty for a bot that has one
 */
export function sayNoBot(name) {
  const box = document.getElementById("no-bot");
  if (!box) return;
  box.textContent = name ? explainAbsence(facts, name) : "";
  if (name) box.append(" ", make("a", { href: "#standings" }, "See the standings"));
}

/**
 * Let the link of a tab lead to what the tab shows.
 * @param {string} name
 * @param {string} fragment
 */
export function pointTab(name, fragment) {
  document.querySelector(`#tabs a[data-tab="${name}"]`)?.setAttribute("href", fragment);
}
