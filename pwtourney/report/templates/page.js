"use strict";
/* Puts the parts of the page together: what is chosen stands in its address, and the other way round. */
(() => {
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
    if (!hasList && !Viewer.state().game) openGame(Data.idOf(Data.list[0]), 0);
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

  globalThis.pwtourney = {
    refresh,
    head: () => Data.facts.head,
    picture: () => Viewer.formatPicture(),
    positions: (id) => Replay.positions(Data.facts.edition, Data.replays[id]),
  };
  begin();
})();
