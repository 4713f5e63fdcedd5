/* Puts the parts of the page together: what is chosen stands in its address, and the other way round. */

import * as Address from "./address.js";
import * as Curves from "./curves.js";
import * as Data from "./data.js";
import * as Games from "./games.js";
import * as Tables from "./tables.js";
import * as Viewer from "./viewer.js";
import * as Dom from "../shared/dom.js";
import * as Replay from "../shared/replay.js";
import * as Sentences from "../shared/sentences.js";

const { $ } = Dom;
const hasList = Boolean($("rows")); // the page of one game has none

const write = (step) => Address.write({
  ...Viewer.state(), ...(hasList ? Games.filters() : {}), columns: Tables.isAll() ? "all" : "",
}, { step });

const openGame = (id, ply) => {
  Viewer.open(id, ply);
  if (hasList) Games.showPlace();
};

const closeGame = () => {
  const { game } = Viewer.state();
  Viewer.close();
  Games.showPlace();
  const link = Games.link(game);
  if (link) link.focus();
  else $("games").focus();
};

/* Shows what the address says. A change of the filter alone leads to the list. */
const follow = () => {
  const wanted = Address.read();
  if (!wanted) return;
  const before = JSON.stringify(hasList && Games.filters());
  if (hasList) {
    Games.setFilters(wanted);
    Tables.showAll(wanted.columns === "all");
  }
  if (wanted.game) {
    openGame(wanted.game, Number(wanted.ply) || 0);
    Viewer.focus();
  } else if (hasList && Viewer.isOpen()) {
    closeGame();
  } else if (JSON.stringify(hasList && Games.filters()) !== before) {
    $("games").focus({ preventScroll: true });
    $("games").scrollIntoView();
  }
};

const beginSection = (section) => {
  Tables.begin(section, () => write(false));
  Curves.begin(section);
};

const begin = async () => {
  await Data.load();
  beginSection(document);
  Viewer.begin(() => write(false));
  if (hasList) {
    Games.begin({
      filtered: () => write(true),
      opened: (id) => { openGame(id, 0); write(true); },
    });
    $("close").addEventListener("click", () => { closeGame(); write(true); });
  }
  addEventListener("hashchange", follow);
  // a link to where one is changes nothing in the address, but was chosen to lead there
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href*='=']");
    if (link && link.getAttribute("href") === location.hash) follow();
  });
  follow();
  if (!hasList && !Viewer.state().game) openGame(Data.idOf(Data.games.list[0]), 0);
  document.documentElement.dataset.ready = "yes";
};

/* What a live page updates: everything but the game that somebody is looking at. */
const refresh = async (fresh) => {
  document.querySelector("header .lead").textContent = fresh.querySelector("header .lead").textContent;
  ["standings", "charts", "season", "faults", "how", "bots"].forEach((id) => {
    const now = document.importNode(fresh.getElementById(id), true);
    $(id).replaceWith(now);
    beginSection(now);
  });
  if (location.hash.startsWith("#bot-")) { // what replaced the target is it once it is gone to
    const place = scrollY;
    location.replace(location.hash);
    scrollTo(0, place);
  }
  ["facts", "packed"].forEach((id) => { $(id).textContent = fresh.getElementById(id).textContent; });
  await Data.load();
  Games.update();
};

/* For tests and the console. */
globalThis.pwtourney = {
  refresh,
  tell: (id, names) => {
    const { plies } = Data.games.replays[id];
    const states = pwtourney.positions(id);
    return plies.map((ply, at) =>
      Sentences.tellPly(Data.facts.edition, names, states[at], states[at + 1], ply));
  },
  picture: () => Viewer.formatPicture(),
  positions: (id) => Replay.positions(Data.facts.edition, Data.games.replays[id]),
};
begin();

export { refresh };
