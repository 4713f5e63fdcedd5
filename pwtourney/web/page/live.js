/* Ask the server for news, and replace the parts of the page that have changed. The parts of the
   shown tab are asked for; their size says how soon they are asked for again. */
import { $ } from "../shared/dom.js";
import { facts } from "./data.js";
import { showFalls } from "./falls.js";
import { addGames, begun, replacePart } from "./main.js";
import { currentBot, currentTab } from "./tabs.js";
import { titlePage } from "./title.js";

/** @import { LivePair, LiveState, PageNews } from "../types.d.ts" */

const MILLISECONDS = 2000; // between two questions
const BYTES = 3; // of parts that may come in a millisecond, on average

let isAsking = false;
let isUrgent = false; // another tab was opened while the server was asked
let restsUntil = 0; // the time when parts may be asked for again
let seen = ""; // the tab and the bot of the last question
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Say how far a run is; nothing once it is over, which the headline says.
 * @param {LiveState} state
 */
function describeState({ running, next, pairs, planned, over }) {
  if (over && !running.length) return "";
  /** @param {LivePair[]} listed */
  const list = (listed) =>
    listed.map(({ first, second, pair }) => `${first}–${second} (pair ${pair})`).join(", ");
  const done = `${pairs} of at most ${planned} pairs are stored`;
  if (!running.length) return done;
  const following = next.length ? `; next: ${list(next)}` : "";
  return `${done}; playing: ${list(running)}${following}`;
}

/** Return the tab that is shown, and its bot. */
const describeView = () => `${currentTab()} ${currentBot()}`;

/** Return the ids of the parts that the reader sees. */
function listParts() {
  const tab = currentTab();
  const shown = tab === "bots" ? ["bot-list", currentBot()] : [tab];
  return ["headline", "tabs", ...shown].filter((id) => id in facts.parts);
}

/** Ask the server what has changed, and show it. */
async function update() {
  const words = new URLSearchParams({ live: facts.live });
  const isOther = describeView() !== seen;
  if (isOther || performance.now() >= restsUntil) {
    listParts().forEach((id) => words.append("part", `${id}:${facts.parts[id]}`));
  }
  seen = describeView();
  const answer = await fetch(`news.json?${words}`);
  /** @type {PageNews} */
  const news = await answer.json();
  if (news.reload) {
    location.reload();
    return;
  }
  if (news.parts.length) {
    const bytes = Number(answer.headers.get("Content-Length"));
    restsUntil = performance.now() + bytes / BYTES;
  }
  show(news);
}

/** @param {PageNews} news */
function show({ live, title, games, parts, rows, state }) {
  facts.live = live;
  titlePage(title);
  $("live").textContent = describeState(state);
  parts.forEach(({ id, digest, text }) => {
    replacePart(id, text, () => showFalls(currentBot()));
    facts.parts[id] = digest;
  });
  addGames(rows, games);
}

async function look() {
  clearTimeout(timer);
  showFalls(currentBot());
  isUrgent = isAsking;
  if (isAsking) return;
  isAsking = true;
  try {
    await update();
  } catch {
    $("live").textContent = "the server does not answer any more";
  }
  isAsking = false;
  timer = setTimeout(look, isUrgent ? 0 : MILLISECONDS);
}

// the page itself must have followed the address before
addEventListener("hashchange", () =>
  setTimeout(() => {
    if (describeView() !== seen) look();
  }),
);
begun.then(() => showFalls(currentBot()));
look();
