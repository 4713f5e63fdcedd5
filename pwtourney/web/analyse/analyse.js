/* The view of analysis: a game or a position, its line with branches, moves to try, bots to ask. */

import * as Choosing from "./choosing.js";
import * as Editor from "./editor.js";
import * as Examining from "./examining.js";
import * as Judging from "./judging.js";
import * as Lines from "./lines.js";
import * as Opening from "./opening.js";
import * as Sources from "./sources.js";
import * as Asking from "../shared/asking.js";
import * as Boards from "../shared/boards.js";
import * as Dom from "../shared/dom.js";
import * as Motion from "../shared/motion.js";
import * as Picture from "../shared/picture.js";
import * as Sentences from "../shared/sentences.js";
import * as Share from "../shared/share.js";

const { $, make } = Dom;
const offered = JSON.parse($("analyse").dataset.offered);

const RESTING = 300; // milliseconds at a position before bots are asked by themselves

let source = null; let opened = null; let edition = null; let boards = null;
let root = null; let current = null; let latest = 0; let asking = null;
let openings = 0; // how many sources have been asked for: the last one counts

const complain = (text) => { $("problem").textContent = text; };

const writeAddress = (step) =>
  history[step ? "pushState" : "replaceState"](null, "", `?${Sources.format(source)}${Sources.formatPlace(current)}`);

const isOver = (node) => node.point.over;
const names = () => opened.names;

const drawBoard = (seat) => {
  const { position, scores, over } = current.point;
  const player = position.players[seat];
  const moving = position.toMove === seat && !over;
  const box = make("div", { class: `board${moving ? " moving" : ""}`, "data-board": seat });
  const title = make("h2");
  title.append(boards.icons.token(seat), names()[seat], make("span", { class: "lead" }, ` ${Boards.seats[seat]}`));
  const purse = make("p", { class: "purse" });
  purse.append(boards.icons.button(), Sentences.describePurse(edition, player));
  if (position.tile === seat && edition.tile) purse.append(", ", boards.icons.tile(), "special tile");
  box.append(title, purse);
  const automa = opened.automa && seat === 1;
  box.append(make("p", { class: "score" }, automa && !over ? "" : `score ${scores[seat]}`));
  if (!automa) {
    const before = current.parent?.point.position.players[seat].quilt ?? null;
    box.append(...boards.drawQuilt(names()[seat], player.quilt, before));
  }
  return box;
};

const describe = () => {
  const length = Lines.end(current).number;
  if (!current.parent) return `The start of ${length} plies.`;
  const before = current.parent.point.position;
  const seat = Lines.seatOf(current);
  const told = Sentences.tellPly(edition, names(), before, current.point.position, [seat, current.action]);
  const branch = Lines.branchOf(current) ? "Branch, ply" : "Ply";
  const grade = current.grade ? ` ${current.grade[0].toUpperCase()}${current.grade.slice(1)}: ${current.swing.toFixed(1)} points.` : "";
  const ends = current.main && current.number === opened.plies.length && opened.result ? ` ${opened.result}.` : "";
  return `${branch} ${current.number} of ${length}: ${told}${ends}${grade}`;
};

const drawPosition = () => {
  const { position } = current.point;
  const table = make("div", { id: "track" });
  table.append(boards.drawOffer(position), ...boards.drawCircle(position, current.parent?.point.position ?? null));
  $("boards").replaceChildren(drawBoard(0), table, drawBoard(1));
};

const drawSteps = () => {
  $("ply").max = Lines.end(current).number;
  $("ply").value = current.number;
  $("ply").setAttribute("aria-valuetext", `ply ${current.number}`);
  ["first", "back"].forEach((id) => { $(id).disabled = !current.parent; });
  ["on", "last"].forEach((id) => { $(id).disabled = !Lines.next(current); });
  $("remove-branch").hidden = !Lines.branchOf(current);
};

const drawLines = () => {
  $("what").textContent = describe();
  drawSteps();
  Lines.draw($("lines"), root, current, go);
};

const linkPlay = () => {
  const words = new URLSearchParams({ edition: edition.name, position: current.point.text });
  $("play-on").href = `/play/new?${words}`;
  $("play-on").hidden = isOver(current) || opened.automa || !offered.editions.some(({ name }) => name === edition.name);
};

const draw = () => {
  drawPosition();
  drawLines();
  linkPlay();
  Judging.markPly(forkOf(current).number);
  Examining.showRunning();
};

const forkOf = (node) => { let each = node; while (!each.main) each = each.parent; return each; };

/* Offers what can be played here, which the server says. */
const offerMoves = async () => {
  latest += 1;
  const [mine, node] = [latest, current];
  if (!node.legal) {
    Choosing.offer(edition, -1, []);
    try {
      node.legal = (await Asking.ask("/analyse/line", { source, actions: Lines.path(node) })).legal;
    } catch (error) {
      if (mine === latest) complain(error.message);
      return;
    }
  }
  if (mine === latest) Choosing.offer(edition, node.point.position.toMove, node.legal);
};

const show = (node) => {
  const before = current;
  current = node;
  draw();
  if (before && before === node.parent) Motion.show($("boards"), edition, before.point.position, node.point.position);
  offerMoves();
};

const go = (node) => {
  if (!node || node === current) return;
  complain("");
  show(node);
  writeAddress(false);
  follow();
};

/* Asks about where the reader stays: those who hold a key down pass through many positions. */
const follow = () => {
  clearTimeout(asking);
  if (!$("follow").checked || Examining.isWhole()) return;
  asking = setTimeout(() => { if (!hooks.isClosed()) Examining.ask(source, current, false); }, RESTING);
};

/* Adds the actions behind a node to the tree, judged by the server; returns the last node. */
const grow = async (node, actions) => {
  let from = node;
  const rest = [...actions];
  while (rest.length && Lines.find(from, rest[0])) from = Lines.find(from, rest.shift());
  if (!rest.length) return from;
  const begin = Lines.path(from).length;
  const told = await Asking.ask("/analyse/line", { source, actions: [...Lines.path(from), ...rest], begin });
  told.points.forEach((point) => { from = Lines.add(from, point.action, point); });
  from.legal = told.legal;
  return from;
};

const keepBranches = () => Sources.keepBranches(source, Lines.listBranches(root));
const restoreBranches = async () => {
  const tree = root;
  for (const actions of Sources.readBranches(source)) {
    await grow(tree, actions);
    if (tree !== root) return; // something else was opened meanwhile
  }
  drawLines();
};

/* Plays actions from a node on, and goes to the last of them; of a whole line to the first, from
   where the others are walked. */
const tryLine = async (node, actions) => {
  const tree = root;
  try {
    const last = await grow(node, actions);
    if (tree !== root) return; // it was tried in what is shown no longer
    keepBranches();
    go(actions.length > 1 ? Lines.find(node, actions[0]) : last);
  } catch (error) {
    if (tree === root) complain(error.message);
  }
};

const removeBranch = () => {
  const branch = Lines.branchOf(current);
  if (!branch) return;
  Lines.remove(branch);
  keepBranches();
  go(branch.parent);
  $("lines").querySelector("[aria-current]").focus();
};

const mainLine = () => { const found = []; for (let node = root; node; node = node.children[0]) { if (!node.main) break; found.push(node); } return found; };

const hooks = {
  tryLine,
  evaluated: (bots) => Judging.take(bots),
  isShown: (node) => node === current,
  isClosed: () => !current || isOver(current) || current.point.automa,
};

const toggle = (id, on) => {
  $(id).hidden = !on;
  $(`show-${id}`).setAttribute("aria-expanded", on);
};

const showOpened = () => {
  edition = opened.edition;
  boards = Boards.of(edition);
  root = Lines.create(opened.points, opened.plies);
  current = null;
  Examining.clear();
  Judging.open(opened, mainLine());
  $("desk").hidden = $("links").hidden = false;
  toggle("opening", false);
  toggle("editor", false);
  const game = opened.result ? `${source.game ? `Game ${source.game}: ` : ""}${names()[0]} against ${names()[1]}` : "Position";
  $("title").textContent = game;
  document.title = `${game} · pwtourney`;
  $("about").textContent = [opened.result, edition.title === edition.name ? `Edition ${edition.name}` : edition.title].filter(Boolean).join(". ");
  $("ask-game").hidden = !opened.result;
};

/* Shows the ply and the branch that the address names, or else the start. */
const showPlace = async (ply, line) => {
  const [tree, nodes] = [root, mainLine()];
  const fork = nodes[Math.max(0, Math.min(nodes.length - 1, ply))];
  show(fork);
  Judging.draw();
  const isHere = () => tree === root && current === fork; // nobody has gone on meanwhile
  const complainHere = (error) => { if (tree === root) complain(error.message); };
  await restoreBranches().catch(complainHere);
  if (line.length && isHere()) await grow(fork, line).then((node) => isHere() && go(node), complainHere);
};

/* Opens a source, at the ply and on the branch that the address names if it is asked to. Another
   one that is asked for meanwhile is opened instead. */
const open = async (wanted, { placed = false, step = true } = {}) => {
  openings += 1;
  const mine = openings;
  const [ply, line] = placed ? Sources.readPlace() : [0, []];
  complain("");
  let told;
  try {
    told = await Asking.ask("/analyse/open", { source: wanted });
  } catch (error) {
    if (mine !== openings) return;
    complain(error.message);
    $("problem").scrollIntoView({ block: "nearest" });
    return;
  }
  if (mine !== openings) return;
  [source, opened] = [wanted, told];
  showOpened();
  const placing = showPlace(ply, line);
  if (step) writeAddress(true); // before anybody steps
  if (!placed) $("title").scrollIntoView({ block: "nearest" });
  await placing;
  if (mine === openings) writeAddress(false);
};

/* Keys step where nothing else has a use for them. */
const press = (event) => {
  const { target, key } = event;
  if (!current || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  if (target.closest("input, select, textarea, [role=application], .scroll[tabindex]")) return;
  if (!$("editor").hidden && target.closest("#editor")) return;
  const act = {
    ArrowLeft: () => go(current.parent),
    ArrowRight: () => go(Lines.next(current)),
    ArrowUp: () => go(Lines.sibling(current, -1)),
    ArrowDown: () => go(Lines.sibling(current, 1)),
    Home: () => go(root),
    End: () => go(Lines.end(current)),
  }[key];
  const scrolls = key === "ArrowUp" || key === "ArrowDown";
  if (!act || (scrolls && !target.closest("#lines"))) return;
  act();
  event.preventDefault();
};

const copy = async (text, what) => {
  const done = await Share.copy(text);
  complain(done ? "" : `Copy this: ${text}`);
  if (done) $("ask-status").textContent = `The ${what} is copied.`;
};

const describePicture = () => {
  if (!current) return null;
  const { position, scores, over } = current.point;
  const last = current.parent ? `: ${names()[Lines.seatOf(current)]} ${Lines.nameAction(current.action)}` : "";
  const words = {
    names: names(), automa: opened.automa, title: $("title").textContent,
    scores: scores.map((score, seat) => (seat && opened.automa && !over ? null : score)),
    caption: `${Lines.branchOf(current) ? "Branch, ply" : "Ply"} ${current.number} of ${Lines.end(current).number}${last}`,
  };
  return {
    name: `${source.game ? `game-${source.game}` : "position"}-ply-${current.number}`,
    text: Picture.format(boards, position, current.parent?.point.position ?? null, words),
  };
};

const begin = () => {
  Share.offerPictures(describePicture);
  Opening.begin(offered, (wanted) => open(wanted));
  Choosing.begin((action) => tryLine(current, [action]).then(() => $("lines").querySelector("[aria-current]")?.focus({ preventScroll: true })),
    (seat) => $("boards").querySelector(`[data-board="${seat}"]`));
  Examining.begin(offered, hooks);
  Judging.begin({ go, tryLine, place: () => (current ? forkOf(current).number : 0), marked: drawLines });
  Editor.begin({
    current: () => current && { edition, position: current.point.position },
    open: (wanted) => open(wanted),
  });
  $("follow").addEventListener("change", follow);
  const act = (id, what) => $(id).addEventListener("click", what);
  act("first", () => go(root));
  act("back", () => go(current.parent));
  act("on", () => go(Lines.next(current)));
  act("last", () => go(Lines.end(current)));
  act("remove-branch", removeBranch);
  act("ask", () => Examining.ask(source, current, false));
  act("ask-game", () => Examining.ask(source, root, true));
  act("copy-position", () => copy(current.point.text, "position"));
  act("copy-link", () => copy(location.href, "link"));
  act("show-opening", () => { toggle("opening", $("opening").hidden); toggle("editor", false); });
  act("show-editor", () => {
    toggle("editor", $("editor").hidden);
    toggle("opening", !current && $("editor").hidden);
    if (!$("editor").hidden) Editor.show();
  });
  $("boards").addEventListener("click", (event) => {
    const board = event.target.closest("[data-board]");
    Choosing.click(event.target, board ? Number(board.dataset.board) : null);
  });
  $("ply").addEventListener("input", () => {
    const nodes = [...function* up() { for (let node = current; node; node = node.parent) yield node; }()].reverse();
    const line = [...nodes, ...Lines.list(current).slice(1)];
    go(line[Number($("ply").value)]);
  });
  document.addEventListener("keydown", press);
  let width = innerWidth;
  addEventListener("resize", () => { if (opened && innerWidth !== width) { width = innerWidth; Judging.draw(); } });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => current && draw());
  addEventListener("popstate", () => {
    const wanted = Sources.read();
    if (wanted) open(wanted, { placed: true, step: false });
  });
  const wanted = Sources.read();
  const ready = wanted ? open(wanted, { placed: true, step: false }) : Promise.resolve();
  ready.then(() => { document.documentElement.dataset.ready = "yes"; });
};

begin();
