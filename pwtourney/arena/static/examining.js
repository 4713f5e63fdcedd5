"use strict";
/* Bots that are asked: which, with what limit, and what they say while they think. */
const Examining = (() => {
  const { $, make } = Dom;
  const LIMITS = [["ms", "seconds"]];
  const MOST_ROWS = 8; // of what a bot says
  const USUAL = ["lookahead", "greedy"];
  const BAR = 30; // points at the end of an evaluation bar

  let offered = null; let hooks = null; let known = {}; let asked = null; let stream = null;

  /* What bots are asked for, as the rows of the list say. */
  const readRow = (row) => {
    const [bot, limit, value] = ["bot", "limit", "value"].map((name) => row.querySelector(`.${name}`).value);
    const number = Number(value.trim().replace(",", "."));
    if (!(number > 0)) throw new Error(`${bot}: the limit must be a number above 0.`);
    return limit === "ms" ? { bot, ms: Math.round(number * 1000) } : { bot, option: limit, value: Math.round(number) };
  };
  const readRows = () => [...$("bots").children].map(readRow);
  const describeLimit = ({ ms, option, value }) => (option ? `${option} ${value}` : `${ms / 1000} s`);

  /* Offers the limits of a row's bot; a limit that was remembered stays until they are known. */
  const fillLimits = async (row, { isNew = false } = {}) => {
    const bot = row.querySelector(".bot").value;
    const select = row.querySelector(".limit");
    const fill = (limits) => {
      const before = select.value;
      const options = [...LIMITS, ...limits.map((each) => [each.name, each.name])];
      select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
      select.value = options.some(([value]) => value === before) ? before : "ms";
    };
    if (known[bot] || !isNew) fill(known[bot] ?? []);
    if (known[bot]) return;
    try {
      known[bot] = (await Wire.post("/analyse/limits", { bot })).limits;
    } catch {
      return; // it is asked for again with the next choice
    }
    if (row.isConnected && row.querySelector(".bot").value === bot) fill(known[bot]);
  };

  const remember = () => {
    const rows = [...$("bots").children].map((row) => ["bot", "limit", "value"].map((name) => row.querySelector(`.${name}`).value));
    localStorage.setItem("analyse-bots", JSON.stringify(rows));
    $("add-bot").disabled = rows.length >= offered.mostBots;
    $("bots").querySelectorAll(".drop").forEach((button) => { button.disabled = rows.length < 2; });
  };

  let count = 0;
  const addRow = (bot, limit = "ms", value = "2") => {
    count += 1;
    const row = make("li");
    const field = (name, text, input) => {
      const label = make("label", { for: `${name}-${count}` }, text);
      input.id = `${name}-${count}`;
      input.classList.add(name);
      const box = make("span", { class: "field" });
      box.append(label, input);
      row.append(box);
      return input;
    };
    const choice = field("bot", "Bot", make("select"));
    choice.append(...offered.bots.map((name) => make("option", { value: name }, name)));
    if (offered.bots.includes(bot)) choice.value = bot;
    const limits = field("limit", "Limit", make("select"));
    limits.append(make("option", { value: limit }, limit === "ms" ? "seconds" : limit));
    const number = field("value", "How much", make("input", { inputmode: "decimal", autocomplete: "off", size: 6 }));
    number.value = value;
    const drop = make("button", { type: "button", class: "tool drop", "aria-label": "remove this bot" }, "✕");
    drop.addEventListener("click", () => { row.remove(); remember(); $("add-bot").focus(); });
    row.append(drop);
    choice.addEventListener("change", () => { fillLimits(row); remember(); });
    limits.addEventListener("change", () => { number.value = limits.value === "ms" ? "2" : limits.value === "depth" ? "4" : "10000"; remember(); });
    number.addEventListener("change", remember);
    $("bots").append(row);
    fillLimits(row, { isNew: true });
  };

  const drawBar = (margin) => {
    const share = Math.max(-1, Math.min(1, margin / BAR));
    const svg = make("svg:svg", { class: "bar", viewBox: "0 0 200 10", preserveAspectRatio: "none", "aria-hidden": "true" });
    svg.append(
      make("svg:rect", { class: "ahead", x: 0, y: 0, width: 100 + 100 * share, height: 10 }),
      make("svg:rect", { class: "behind", x: 100 + 100 * share, y: 0, width: 100 - 100 * share, height: 10 }),
      make("svg:path", { class: "zero", d: "M100 0v10" }));
    return svg;
  };

  const SHOWN = 1; // action of a line in the table; the newest line is shown whole

  const drawLine = (line, shown) => {
    const more = line.length > shown ? " …" : "";
    const button = make("button", { type: "button", class: "plain" }, line.slice(0, shown).map(Lines.nameAction).join(" ") + more);
    button.title = line.map(Lines.nameAction).join(" ");
    button.addEventListener("click", () => hooks.tryLine(asked.node, line));
    Choosing.hintAt(button, () => (hooks.isShown(asked.node) ? line[0] : null));
    return button;
  };

  const drawInfo = (info) => {
    const row = make("tr");
    const text = (value) => make("td", {}, value ?? "");
    const line = make("td", { class: "word" });
    if (info.line.length) line.append(drawLine(info.line, SHOWN));
    if (info.text) line.append(` ${info.text}`);
    row.append(text(info.depth), text(info.nodes?.toLocaleString("en")),
      text(info.margin === null ? "" : Margins.sign(info.margin)), text(`${(info.ms / 1000).toFixed(1)} s`), line);
    return row;
  };

  const drawCard = (bot) => {
    const card = make("article", { class: "answer" });
    card.append(make("h3", {}, `${bot.name}, ${describeLimit(bot.limit)}`));
    const last = [...bot.infos].reverse().find((info) => info.margin !== null);
    if (last) {
      const value = make("p", { class: "margin" });
      value.append(drawBar(last.margin), make("span", {}, `${Margins.sign(last.margin)} for the first seat`));
      card.append(value);
    }
    const state = make("p", { class: "state" }, bot.state);
    if (bot.action) {
      const button = make("button", { type: "button", class: "tool" }, Lines.nameAction(bot.action));
      button.addEventListener("click", () => hooks.tryLine(asked.node, [bot.action]));
      Choosing.hintAt(button, () => (hooks.isShown(asked.node) ? bot.action : null));
      state.append(" ", button);
    }
    card.append(state);
    const expected = [...bot.infos].reverse().find((info) => info.line.length);
    if (expected) {
      const line = make("p", { class: "expected" }, "expects ");
      line.append(drawLine(expected.line, Infinity));
      card.append(line);
    }
    if (bot.infos.length) {
      const table = make("table");
      table.append(make("caption", { class: "spoken" }, `What ${bot.name} said, the newest first`));
      const head = make("tr");
      ["Depth", "Nodes", "Margin", "After"].forEach((name) => head.append(make("th", { scope: "col" }, name)));
      head.append(make("th", { scope: "col", class: "word" }, "Line"));
      const body = make("tbody");
      body.append(...[...bot.infos].reverse().slice(0, MOST_ROWS).map(drawInfo));
      const top = make("thead");
      top.append(head);
      table.append(top, body);
      const scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Thinking of ${bot.name}` });
      scroll.append(table);
      card.append(scroll);
    }
    return card;
  };

  const draw = () => {
    const focused = document.activeElement;
    const inside = $("answers").contains(focused); // whoever reads there keeps the place
    if (inside && focused.tagName === "BUTTON") return;
    const place = inside ? [...$("answers").querySelectorAll(".scroll")].indexOf(focused) : -1;
    $("answers").replaceChildren(...asked.bots.map(drawCard));
    if (place >= 0) $("answers").querySelectorAll(".scroll")[place]?.focus({ preventScroll: true });
  };

  const say = (text) => { $("ask-status").textContent = text; };

  const isRunning = () => Boolean(asked && !asked.over);
  const showRunning = () => {
    $("stop").hidden = !isRunning();
    $("ask").disabled = hooks.isClosed();
  };

  const take = (told) => {
    if (told.number <= asked.number) return; // it came before the stream was opened again
    asked.number = told.number;
    const bot = asked.bots[told.bot];
    if (told.kind === "note") bot.state = told.text;
    else if (told.kind === "begin") bot.state = "is thinking …";
    else if (told.kind === "info") bot.infos.push(told);
    else if (told.kind === "answer") {
      Object.assign(bot, { action: told.action, state: `after ${(told.ms / 1000).toFixed(1)} s it would play` });
      say(`${bot.name} would play ${Lines.nameAction(told.action)}.`);
    } else if (told.kind === "evaluation") {
      bot.evaluations.push(told);
      bot.state = `${bot.evaluations.length} of ${asked.plies} plies`;
      hooks.evaluated(asked.bots);
    } else if (told.kind === "swings") {
      bot.evaluations = told.plies;
      bot.done = true;
      bot.state = "The game is evaluated.";
      hooks.evaluated(asked.bots);
    } else if (told.kind === "fault") {
      bot.state = [told.verdict, told.text].filter(Boolean).join(": ");
      say(`${bot.name} failed: ${bot.state}`);
    } else if (told.kind === "end" && bot.state === "is thinking …") bot.state = "stopped";
    asked.stale = true;
  };

  const listen = () => {
    const current = asked;
    stream = new EventSource(`/analyse/events/${current.id}?after=${current.number}`);
    stream.addEventListener("message", (event) => current === asked && take(JSON.parse(event.data)));
    const finish = (text) => {
      if (current !== asked) return;
      stream.close();
      asked.over = true;
      asked.bots.forEach((bot) => { if (!bot.action && !bot.done && bot.state.endsWith("…")) bot.state = "stopped"; });
      if (text) say(text);
      draw();
      showRunning();
    };
    stream.addEventListener("over", () => finish(asked.whole ? "The game is evaluated." : ""));
    stream.addEventListener("error", () => { if (stream.readyState === EventSource.CLOSED) finish("The analysis has ended."); });
  };

  const stop = async () => {
    if (!isRunning()) return;
    const { id } = asked;
    stream?.close();
    asked.over = true;
    asked.bots.forEach((bot) => { if (!bot.action && !bot.done) bot.state = "stopped"; });
    draw();
    showRunning();
    await Wire.post("/analyse/stop", { id }).catch(() => {});
  };

  /* Asks all bots of the list about a position, or the whole game. */
  const ask = async (source, node, whole) => {
    await stop();
    try {
      const limits = readRows();
      const plies = whole ? Lines.list(node).length - 1 : 0;
      const { id } = await Wire.post("/analyse/ask", { source, actions: Lines.path(node), whole, bots: limits });
      asked = {
        id, node, whole, plies, number: 0, over: false, stale: true,
        bots: limits.map((limit) => ({ name: limit.bot, limit, state: "starts …", infos: [], evaluations: [], action: "" })),
      };
      say("");
      listen();
    } catch (error) {
      say(error.message);
    }
    showRunning();
  };

  /* Draws what came since the last frame: bots may say more than a screen shows. */
  const refresh = () => {
    if (asked?.stale) { asked.stale = false; draw(); }
    requestAnimationFrame(refresh);
  };

  /* A page that is not seen reads no events; an analysis that nobody reads ends by itself. */
  const watchVisibility = () => document.addEventListener("visibilitychange", () => {
    if (!isRunning()) return;
    stream?.close();
    if (!document.hidden) listen();
  });

  const readRemembered = () => {
    try {
      const rows = JSON.parse(localStorage.getItem("analyse-bots") ?? "[]");
      return rows.filter(([bot]) => offered.bots.includes(bot)).slice(0, offered.mostBots);
    } catch {
      return [];
    }
  };

  const begin = (what, listeners) => {
    [offered, hooks] = [what, listeners];
    // those that answer at once come first: others may have to be compiled
    const known = USUAL.filter((bot) => offered.bots.includes(bot));
    const order = [...known, ...offered.bots.filter((bot) => !known.includes(bot))];
    const usual = order[0];
    const rows = readRemembered();
    (rows.length ? rows : [[usual]]).forEach((row) => addRow(...row));
    remember();
    $("add-bot").addEventListener("click", () => {
      const listed = [...$("bots").querySelectorAll(".bot")].map((select) => select.value);
      addRow(order.find((bot) => !listed.includes(bot)) ?? usual);
      remember();
      $("bots").lastChild.querySelector("select").focus();
    });
    $("stop").addEventListener("click", () => { stop(); $("ask").focus(); });
    watchVisibility();
    refresh();
  };

  const clear = () => { stop(); asked = null; $("answers").replaceChildren(); say(""); };

  return { begin, ask, stop, clear, isRunning, showRunning, isWhole: () => Boolean(isRunning() && asked.whole) };
})();
