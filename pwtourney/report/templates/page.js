"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const read = (id) => JSON.parse($(id).textContent);
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob($(id).textContent), (each) => each.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  };
  const make = (name, attributes = {}, text) => {
    const found = name.startsWith("svg:")
      ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4))
      : document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => found.setAttribute(key, value));
    if (text !== undefined) found.textContent = text;
    return found;
  };

  /* Tables that sort: by number where both cells hold one, else as words; empty cells last. */
  const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const compare = (one, two) => {
    const [a, b] = [parseFloat(one), parseFloat(two)];
    if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
    return Number.isNaN(a) ? one.localeCompare(two) : a - b;
  };
  const sortable = (table) => table.querySelectorAll("thead th button").forEach((button) => {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const down = head.getAttribute("aria-sort") !== "descending";
      table.querySelectorAll("th[aria-sort]").forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((one, two) => {
        const [a, b] = [value(one, head.cellIndex), value(two, head.cellIndex)];
        const empty = (text) => text === "" || text === "–";
        if (empty(a) !== empty(b)) return empty(a) ? 1 : -1;
        return down ? compare(b, a) : compare(a, b);
      });
      body.append(...rows);
    });
  });

  /* The viewer. */
  const facts = read("facts");
  const edition = facts.edition;
  const hue = (patch) => `hsl(${(patch * 137) % 360} 45% ${dark() ? 45 : 68}%)`;
  const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
  const SIZE = 20;

  const drawQuilt = (quilt) => {
    const [rows, columns] = [edition.rows, edition.columns];
    const svg = make("svg:svg", {
      class: "quilt", viewBox: `-1 -1 ${columns * SIZE + 2} ${rows * SIZE + 2}`, "aria-hidden": "true",
    });
    let lines = "";
    quilt.forEach((mark, square) => {
      const [x, y] = [(square % columns) * SIZE, Math.floor(square / columns) * SIZE];
      const fill = mark > 0 ? hue(mark) : mark < 0 ? "var(--leather)" : "none";
      svg.append(make("svg:rect", {
        x, y, width: SIZE, height: SIZE, fill, stroke: mark ? "none" : "var(--line)",
      }));
      const right = square % columns === columns - 1 ? null : quilt[square + 1];
      const below = square + columns >= quilt.length ? null : quilt[square + columns];
      if (right !== mark) lines += `M${x + SIZE} ${y}v${SIZE}`;
      if (below !== mark) lines += `M${x} ${y + SIZE}h${SIZE}`;
    });
    lines += `M0 0h${columns * SIZE}M0 0v${rows * SIZE}`;
    svg.append(make("svg:path", { d: lines, stroke: "var(--ink)", "stroke-width": 1.5, fill: "none" }));
    return svg;
  };

  const drawPatch = (patch) => {
    const rows = edition.patches[patch][0];
    const svg = make("svg:svg", {
      width: rows[0].length * 9 + 2, height: rows.length * 9 + 2, "aria-hidden": "true",
    });
    rows.forEach((row, down) => [...row].forEach((mark, right) => {
      if (mark === "#") {
        svg.append(make("svg:rect", {
          x: right * 9 + 1, y: down * 9 + 1, width: 9, height: 9, fill: hue(patch),
          stroke: "var(--ink)", "stroke-width": 0.7,
        }));
      }
    }));
    return svg;
  };

  const drawTrack = (state) => {
    const across = 18;
    const cells = edition.last + 1;
    const height = Math.ceil(cells / across);
    const svg = make("svg:svg", {
      viewBox: `-1 -1 ${across * 24 + 2} ${height * 26 + 2}`, role: "img",
      "aria-label": `time track: ${state.players.map((each, seat) => `seat ${seat} on ${each.space}`).join(", ")} of ${edition.last}`,
    });
    const ahead = Math.max(...state.players.map((each) => each.space));
    for (let space = 0; space < cells; space += 1) {
      const row = Math.floor(space / across);
      const column = row % 2 ? across - 1 - (space % across) : space % across;
      const [x, y] = [column * 24, row * 26];
      svg.append(make("svg:rect", { x, y, width: 24, height: 24, fill: "var(--quilt)", stroke: "var(--line)" }));
      if (edition.incomes.includes(space)) {
        svg.append(make("svg:circle", { cx: x + 20, cy: y + 4, r: 3, fill: "var(--accent)" }));
      }
      if (edition.leathers.includes(space) && space > ahead) {
        svg.append(make("svg:rect", { x: x + 1, y: y + 17, width: 6, height: 6, fill: "var(--leather)" }));
      }
      state.players.forEach((player, seat) => {
        if (player.space === space) {
          svg.append(make("svg:circle", {
            cx: x + 8 + seat * 8, cy: y + 12, r: 6, fill: `var(--c${seat})`, stroke: "var(--paper)",
          }));
          const name = make("svg:text", {
            x: x + 8 + seat * 8, y: y + 15.5, "text-anchor": "middle", style: "font-size:9px;fill:var(--paper)",
          }, "AB"[seat]);
          svg.append(name);
        }
      });
    }
    return svg;
  };

  const drawCircle = (state) => {
    const list = make("ol", { class: "circle", "aria-label": "circle from the neutral token clockwise" });
    list.append(make("li", { title: "the neutral token" }, "♟"));
    state.circle.forEach((patch, place) => {
      const [, cost, time, income] = edition.patches[patch];
      const item = make("li", { title: `patch ${patch}: costs ${cost}, time ${time}, income ${income}` });
      if (place < edition.offer) item.className = "offered";
      item.append(drawPatch(patch), make("br"), `${patch}: ${cost}/${time}${income ? ` +${income}` : ""}`);
      list.append(item);
    });
    return list;
  };

  let games; let shown = null; let ply = 0; let states = []; let timer = null;

  const board = (state, seat) => {
    const player = state.players[seat];
    const box = make("div", { class: `board${state.toMove === seat && ply < states.length - 1 ? " moving" : ""}` });
    const over = ply === states.length - 1;
    const points = over ? shown.data.scores[seat] : Replay.score(edition, state, seat);
    const automa = seat === 1 && shown.data.automa;
    box.append(make("h3", {}, `${"AB"[seat]} ${shown.names[seat]}`));
    if (!automa) box.append(drawQuilt(player.quilt));
    const tile = state.tile === seat ? ", special tile" : "";
    box.append(make("p", {}, `${player.buttons} ${edition.currency}, income ${player.income}${tile}`));
    box.append(make("p", { class: "score" }, automa && !over ? "" : `score ${points}`));
    if (!automa) box.append(make("p", { class: "lead" }, `thought for ${(player.micros / 1e6).toFixed(2)} s`));
    return box;
  };

  const plyText = (each) => each[1].startsWith("card:") ? each[1].split(":").slice(0, 3).join(":") : each[1];

  const draw = () => {
    const state = states[ply];
    $("boards").replaceChildren(board(state, 0), board(state, 1));
    $("track").replaceChildren(drawTrack(state), drawCircle(state));
    $("ply").value = ply;
    const last = ply ? shown.data.plies[ply - 1] : null;
    const said = last && last[3] ? ` – ${last[3]}` : "";
    const end = ply === states.length - 1 ? `; ${shown.result}` : "";
    $("what").textContent = last
      ? `Ply ${ply} of ${states.length - 1}: ${shown.names[last[0]]} ${plyText(last)} (${(last[2] / 1000).toFixed(1)} ms)${said}${end}`
      : `The start of ${states.length - 1} plies`;
    $("plies").querySelectorAll("button").forEach((button, place) =>
      place === ply - 1 ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current"));
    ["first", "back"].forEach((id) => { $(id).disabled = ply === 0; });
    ["on", "last"].forEach((id) => { $(id).disabled = ply === states.length - 1; });
    history.replaceState(null, "", `#game=${shown.id}&ply=${ply}`);
  };

  const pause = () => { clearInterval(timer); timer = null; $("play").textContent = "▶ play"; };
  const go = (to) => { ply = Math.max(0, Math.min(states.length - 1, Math.trunc(to) || 0)); draw(); };
  const play = () => {
    if (timer) { pause(); return; }
    if (ply === states.length - 1) ply = 0;
    $("play").textContent = "❚❚ pause";
    timer = setInterval(() => { go(ply + 1); if (ply === states.length - 1) pause(); }, 700);
  };

  const names = (row) => [facts.bots[row[2]], facts.bots[row[3]]];
  const gameId = (row) => `${row[0]}.${row[1]}`;
  const resultOf = (row) => {
    const [one, two] = names(row);
    const winner = row[6] < 0 ? "nobody wins" : `${row[6] ? two : one} wins`;
    return `${row[4]} to ${row[5]}, ${winner} (${facts.verdicts[row[7]]})`;
  };

  const open = (id, at = 0) => {
    const row = games.list.find((each) => gameId(each) === id);
    const data = games.replays[id];
    if (!row || !data) {
      $("what").textContent = "";
      $("title").textContent = `Game ${id} cannot be replayed here: pwtourney replay FOLDER:${id} --html FILE`;
      $("viewer").classList.add("open");
      ["boards", "track", "plies", "said"].forEach((each) => $(each).replaceChildren());
      shown = null;
      return true;
    }
    pause();
    shown = { id, data, names: names(row), result: resultOf(row) };
    states = Replay.positions(edition, data);
    $("viewer").classList.add("open");
    $("title").textContent = `Game ${id}: ${shown.names[0]} against ${shown.names[1]}`;
    $("said").textContent = [
      `${resultOf(row)}.`, data.note, ...data.faults.map(([seat, verdict, text]) => `${shown.names[seat]}: ${verdict}: ${text}`),
    ].filter(Boolean).join(" ");
    $("ply").max = states.length - 1;
    $("plies").replaceChildren(...data.plies.map((each, place) => {
      const item = make("li");
      const button = make("button", { type: "button" }, `${"AB"[each[0]]} ${plyText(each)}`);
      button.addEventListener("click", () => go(place + 1));
      item.append(button);
      return item;
    }));
    go(at);
    return true;
  };

  const fromAddress = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has("game") && open(wanted.get("game"), Number(wanted.get("ply")) || 0)) {
      $("viewer").scrollIntoView();
    }
  };

  /* The list of games. */
  const PAGE = 50;
  let many = PAGE;
  const chosen = () => {
    const [bot, against, result, verdict] = ["bot", "against", "result", "verdict"].map((id) => $(id).value);
    return games.list.filter((row) => {
      const [one, two] = names(row);
      if (bot && one !== bot && two !== bot) return false;
      if (against && !((one === against && (!bot || two === bot)) || (two === against && (!bot || one === bot)))) return false;
      if (verdict && facts.verdicts[row[7]] !== verdict) return false;
      if (!result) return true;
      if (result === "none") return row[6] < 0;
      if (result === "first" || result === "second") return row[6] === (result === "first" ? 0 : 1);
      if (!bot || row[6] < 0) return false;
      return (names(row)[row[6]] === bot) === (result === "won");
    });
  };
  const list = () => {
    const rows = chosen();
    $("count").textContent = `${rows.length} of ${facts.games} games${facts.games > games.list.length ? ` (the newest ${games.list.length} are listed)` : ""}`;
    $("rows").replaceChildren(...rows.slice(0, many).map((row) => {
      const id = gameId(row);
      const line = make("tr");
      const cell = make("td", { class: "word" });
      if (games.replays[id]) {
        const link = make("a", { href: `#game=${id}&ply=0` }, id);
        link.addEventListener("click", (event) => { event.preventDefault(); open(id); $("viewer").scrollIntoView(); });
        cell.append(link);
      } else {
        cell.append(id);
        cell.title = `pwtourney replay FOLDER:${id} --html FILE`;
      }
      line.append(cell);
      names(row).forEach((name, seat) => line.append(make("td", { class: "word" }, name + (row[6] === seat ? " ✓" : ""))));
      line.append(make("td", {}, row[4]), make("td", {}, row[5]));
      line.append(make("td", { class: "word" }, facts.verdicts[row[7]]), make("td", {}, row[8]));
      return line;
    }));
    $("more").hidden = rows.length <= many;
  };

  const fill = (id, words) => words.forEach((word) => $(id).append(make("option", { value: word }, word)));

  const listing = () => {
    const there = facts.bots.filter((_, place) => games.list.some((row) => row[2] === place || row[3] === place));
    fill("bot", there);
    fill("against", there);
    fill("verdict", facts.verdicts);
    ["bot", "against", "result", "verdict"].forEach((id) => $(id).addEventListener("change", () => { many = PAGE; list(); }));
    $("more").addEventListener("click", () => { many += 10 * PAGE; list(); });
    list();
  };

  const begin = async () => {
    document.querySelectorAll("table.sortable").forEach(sortable);
    games = await unpack("packed");
    if ($("rows")) listing();
    [["first", () => go(0)], ["back", () => go(ply - 1)], ["play", play], ["on", () => go(ply + 1)],
      ["last", () => go(states.length - 1)]].forEach(([id, act]) => $(id).addEventListener("click", act));
    $("ply").addEventListener("input", () => go(Number($("ply").value)));
    document.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("summary")) return;
      if (!shown || /^(INPUT|SELECT|BUTTON|A)$/.test(event.target.tagName) && event.key !== "Home" && event.key !== "End" && !event.key.startsWith("Arrow")) return;
      if (event.target.tagName === "SELECT" || event.target.id === "ply") return;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) go(ply + step);
      else if (event.key === "Home") go(0);
      else if (event.key === "End") go(states.length - 1);
      else if (event.key === " ") play();
      else return;
      event.preventDefault();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown && draw());
    addEventListener("hashchange", fromAddress);
    fromAddress();
    if (!$("rows") && !shown) open(gameId(games.list[0]));
    document.documentElement.dataset.ready = "yes";
  };
  /* What a live page updates: everything but the game that somebody is looking at. */
  const refresh = async (fresh) => {
    document.querySelector("header .lead").textContent = fresh.querySelector("header .lead").textContent;
    ["standings", "charts", "faults", "how"].forEach((id) => {
      const now = document.importNode(fresh.getElementById(id), true);
      $(id).replaceWith(now);
      now.querySelectorAll("table.sortable").forEach(sortable);
    });
    ["facts", "packed"].forEach((id) => { $(id).textContent = fresh.getElementById(id).textContent; });
    const unpacked = await unpack("packed");
    Object.assign(facts, read("facts"));
    games = unpacked;
    [["bot", facts.bots], ["against", facts.bots], ["verdict", facts.verdicts]].forEach(([id, words]) =>
      fill(id, words.filter((word) => ![...$(id).options].some((each) => each.value === word))));
    list();
  };
  globalThis.pwtourney = {
    refresh,
    head: () => facts.head,
    positions: (id) => Replay.positions(edition, games.replays[id]),
  };
  begin();
})();
