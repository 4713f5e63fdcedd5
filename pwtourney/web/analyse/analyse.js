/* The analysis view: a game or a position, its line with branches, moves to try, bots to ask. */
import { listenToKeys } from "../game/keys.js";
import { sketchMove } from "../game/sketch.js";
import { ask } from "../shared/asking.js";
import {
  $,
  make,
  makeButton,
  markReady,
  messageOf,
  onClick,
  onColourChange,
  targetOf,
} from "../shared/dom.js";
import { formatPoints, formatScore } from "../shared/gauges.js";
import { formatPicture } from "../shared/picture.js";
import { count, tellPly } from "../shared/sentences.js";
import { offerCopy, offerLink, offerPictures } from "../shared/share.js";
import { beginChoosing, listChosen, offerMoves } from "./choosing.js";
import { beginEditor, showEditor } from "./editor.js";
import {
  askBots,
  beginExamining,
  clearExamining,
  isWhole,
  showAnswersAbout,
  showRunning,
} from "./examining.js";
import { drawGauge } from "./gauge.js";
import {
  beginEvaluations,
  drawEvaluation,
  markPly,
  nameChosen,
  openEvaluations,
  takeEvaluations,
} from "./evaluations.js";
import {
  addChild,
  findBranch,
  findChild,
  findEnd,
  findFork,
  findSibling,
  growLine,
  listActions,
  listAncestors,
  listBranches,
  listLine,
  removeNode,
  seatOf,
  walkKnown,
} from "./lines.js";
import { explainClosed } from "./instructing.js";
import { beginOpening, offerGames } from "./opening.js";
import {
  findWays,
  formatPlace,
  formatSource,
  keepBranches,
  parsePlace,
  parseSource,
  readBranches,
} from "./sources.js";
import { drawTree, showCurrent } from "./tree.js";
import { makeView } from "./view.js";

/** @import { Choices, LineNode, Offer, Point, Seat, Source, Study } from "../types.d.ts" */
/** @import { View } from "./view.js" */
/**
 * @typedef {{ source: Source, study: Study, view: View, root: LineNode, current: LineNode }} Desk
 *   the open study: its source, the server's data, its view, and the node that is shown
 */

const STEPPING = " Step on with ▶ or the → key, or click a move of the list or the curve.";
const RESTING = 300; // milliseconds at a position before bots are asked automatically

/** @type {Offer} */
const offered = JSON.parse($("analyse").dataset.offered ?? "");

/** @type {Desk | null} */
let desk = null;
let latest = 0; // number of the latest request for legal moves
let valued = ""; // the name of the bot whose values the list of moves shows; empty for none
let openings = 0; // number of the latest request for a source; older answers are dropped
/** @type {ReturnType<typeof setTimeout> | undefined} */
let asking;

/** @param {string} text */
function complain(text) {
  $("problem").textContent = text;
}

/**
 * Write the source and the node that are shown into the address.
 * @param {Desk} open
 * @param {boolean} isStep whether to add an entry to the browser's history
 */
function writeAddress({ source, current }, isStep) {
  const address = `?${formatSource(source)}${formatPlace(current)}`;
  if (isStep) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/** @param {LineNode} node */
function positionBefore(node) {
  return node.parent?.point.position ?? null;
}

/**
 * Return what an action cost, if a bot has graded it.
 * @param {LineNode} node
 */
function describeGrade({ grade, swing, grader }) {
  if (!grade) return "";
  const name = `${grade[0].toUpperCase()}${grade.slice(1)}`;
  return ` ${name}: ${formatPoints(swing ?? 0)} points (${grader}).`;
}

/**
 * Say what would have been better than the action that led to a node, and how it is shown.
 * @param {LineNode} node
 */
function tellBetter({ grade, better }) {
  if (!grade || !better) return { words: [], name: "" };
  const [picture, square] = sketchMove(better);
  const patch = picture === "leather" ? "special patch" : `patch ${picture}`;
  const what = picture === null ? square : `${patch} on ${square}`;
  const kind = better === "advance" ? " on-track" : "";
  const where = kind ? "dashed on the track" : "dashed on the board";
  const key = make("span", { class: `laid-key${kind}`, title: where, "aria-hidden": "true" });
  const spoken = make("span", { class: "spoken" }, `, ${where}`);
  const move = make("span", { class: "preferred" });
  move.append(key, what, spoken, ".");
  return { words: [" Better: ", move], name: what };
}

/**
 * Say what led to the shown position, with a button that tries what would have been better.
 * @param {Desk} open
 */
function drawWhat(open) {
  const { parent, better } = open.current;
  const { words, name } = tellBetter(open.current);
  const said = make("span");
  said.append(describe(open), ...words);
  $("what").replaceChildren(said);
  if (!parent || !name) return;
  const act = async () => {
    await tryLine(parent, [better]);
    focusPly({ preventScroll: true }); // the button is gone
  };
  const attributes = { class: "tool", title: better, "aria-label": `try ${name}` };
  $("what").append(makeButton("try", act, attributes));
}

/**
 * Describe the action that led to the shown position.
 * @param {Desk} open
 */
function describe({ study, current }) {
  const { number, action, main } = current;
  const length = findEnd(current).number;
  const before = positionBefore(current);
  if (!before) return `The start of ${count(length, "plies")}.${length ? STEPPING : ""}`;
  const ply = /** @type {[Seat, string]} */ ([seatOf(current), action]);
  const { position } = current.point;
  const sentence = tellPly(study.edition, study.names, before, position, ply, { isBrief: true });
  const kind = findBranch(current) ? "Branch, ply" : "Ply";
  const isLast = main && number === study.plies.length && study.result;
  const ends = isLast ? ` ${study.result}.` : "";
  return `${kind} ${number} of ${length}: ${sentence}${ends}${describeGrade(current)}`;
}

/** @param {LineNode} current */
function drawSteps(current) {
  const slider = $("ply", HTMLInputElement);
  slider.max = String(findEnd(current).number);
  slider.value = String(current.number);
  slider.setAttribute("aria-valuetext", `ply ${current.number}`);
  ["first", "back"].forEach((id) => {
    $(id, HTMLButtonElement).disabled = !current.parent;
  });
  ["on", "last"].forEach((id) => {
    $(id, HTMLButtonElement).disabled = !current.children.length;
  });
  $("remove-branch").hidden = !findBranch(current);
}

/**
 * Return the name of the bot whose values the list shows: the evaluator of the game, else a bot that
 * was asked about the shown position, else the same as before.
 * @param {LineNode} current
 */
function chooseValuer({ margins }) {
  valued = nameChosen() || Object.keys(margins)[0] || valued;
  return valued;
}

/** @param {Desk} open */
function drawLines(open) {
  drawWhat(open);
  drawSteps(open.current);
  showAnswersAbout(open.current); // they may restore what bots expect here
  const { study, view, current } = open;
  const valuer = chooseValuer(current);
  $("valued-by").textContent = valuer ? `values by ${valuer} a position` : "";
  drawTree($("lines"), open.root, { boards: view.boards, names: study.names, current, valuer, go });
  drawGauge(open.study, open.current);
  open.view.showBetter(seatOf(open.current), open.current.better || null);
}

/** @param {Desk} open */
function linkPlay({ study, current }) {
  const { name } = study.edition;
  const link = $("play-on", HTMLAnchorElement);
  link.href = `/play/new?${new URLSearchParams({ edition: name, position: current.point.text })}`;
  const isKnown = offered.editions.some((edition) => edition.name === name);
  link.hidden = current.point.over || study.automa || !isKnown;
}

/** @param {Desk} open */
function drawDesk(open) {
  $("shared").textContent = ""; // what was copied or saved is no longer what is shown
  open.view.draw(open.current);
  drawLines(open);
  linkPlay(open);
  markPly(findFork(open.current).number);
  showRunning();
}

/**
 * Ask the server for the positions of a line, and the legal actions at its end.
 * @param {Source} source
 * @param {string[]} actions
 * @param {number} [begin] index of the first action whose position is wanted
 * @returns {Promise<{
 *   points: (Point & { action: string })[],
 *   legal: string[],
 *   choices: Choices | null,
 * }>}
 */
function askLine(source, actions, begin) {
  const words = begin === undefined ? {} : { begin };
  return ask("/analyse/line", { source, actions, ...words });
}

/**
 * Offer what can be played in the shown position, which the server says.
 * @param {Desk} open
 */
async function offerLegal({ source, study, view, current }) {
  latest += 1;
  const mine = latest;
  if (!current.legal) {
    offerMoves(study.edition, []);
    try {
      const { legal, choices } = await askLine(source, listActions(current));
      Object.assign(current, { legal, choices });
    } catch (error) {
      if (mine === latest) complain(messageOf(error));
      return;
    }
  }
  if (mine !== latest) return;
  const legal = current.legal ?? [];
  offerMoves(study.edition, legal);
  view.offer(current, current.choices ?? null, legal);
}

/**
 * Show a node.
 * @param {Desk} open
 * @param {LineNode} node
 */
function show(open, node) {
  open.current = node;
  drawDesk(open);
  offerLegal({ ...open });
}

/**
 * Go to a node of the open study; do nothing for null.
 * @param {LineNode | null | undefined} node
 */
function go(node) {
  if (!desk || !node || node === desk.current) return;
  complain("");
  show(desk, node);
  writeAddress(desk, false);
  follow();
}

/** Return why bots cannot be asked about what is shown; empty if they can. */
function whyClosed() {
  return desk ? explainClosed(desk.current) : "";
}

/** Ask about a position after a rest: a reader who holds a key down passes through many. */
function follow() {
  clearTimeout(asking);
  if (!$("follow", HTMLInputElement).checked || isWhole()) return;
  asking = setTimeout(() => {
    if (desk && !whyClosed()) askBots(desk.source, desk.current);
  }, RESTING);
}

/**
 * Add actions after a node to the tree, checked by the server; return the last node.
 * @param {Source} source
 * @param {LineNode} node
 * @param {string[]} actions
 */
async function grow(source, node, actions) {
  const [known, rest] = walkKnown(node, actions);
  if (!rest.length) return known;
  const before = listActions(known);
  const answer = await askLine(source, [...before, ...rest], before.length);
  let last = known;
  answer.points.forEach((point) => {
    last = addChild(last, point.action, point);
  });
  Object.assign(last, { legal: answer.legal, choices: answer.choices });
  return last;
}

/** @param {Desk} open */
function keepTree({ source, root }) {
  keepBranches(source, listBranches(root));
}

/**
 * Add the branches that were tried before the page was loaded.
 * @param {Desk} open
 */
async function restoreBranches(open) {
  const branches = readBranches(open.source);
  if (!branches.length) return; // the line is drawn already
  for (const actions of branches) {
    await grow(open.source, open.root, actions);
    if (open !== desk) return; // another study was opened meanwhile
  }
  drawLines(open);
}

/**
 * Play actions from a node and go to the result. After a line of several actions, go to the first
 * one, so that the reader can step through the others.
 * @param {LineNode} node
 * @param {string[]} actions
 */
async function tryLine(node, actions) {
  const open = desk;
  if (!open) return;
  try {
    const last = await grow(open.source, node, actions);
    if (open !== desk) return; // it was tried in a study that is no longer shown
    keepTree(open);
    go(actions.length > 1 ? findChild(node, actions[0]) : last);
  } catch (error) {
    if (open === desk) complain(messageOf(error));
  }
}

/**
 * Move the focus to the ply that is shown.
 * @param {FocusOptions} [options]
 */
function focusPly(options = {}) {
  const ply = $("lines").querySelector("[aria-current]");
  if (ply instanceof HTMLElement) ply.focus(options);
}

function removeBranch() {
  const branch = desk && findBranch(desk.current);
  if (!desk || !branch) return;
  removeNode(branch);
  keepTree(desk);
  go(branch.parent);
  focusPly();
}

/**
 * Show a part of the page, or hide it.
 * @param {"opening" | "editor"} id
 * @param {boolean} isOn
 */
function toggle(id, isOn) {
  $(id).hidden = !isOn;
  $(`show-${id}`).setAttribute("aria-expanded", String(isOn));
}

/** @param {Desk} open */
function nameStudy({ source, study }) {
  if (!study.result) return "Position";
  const number = source.game ? `Game ${source.game}: ` : "";
  return `${number}${study.names[0]} against ${study.names[1]}`;
}

/**
 * Return the title of the tab, with the result of a game.
 * @param {Desk} open
 */
function nameTab({ study }) {
  if (!study.result) return "Position · Analyse";
  const { scores } = study.points[study.points.length - 1];
  const sides = study.names.map((name, seat) =>
    study.finished ? `${name} ${formatScore(scores[seat])}` : name,
  );
  return `${sides.join(" – ")} · Analyse`;
}

/** @param {Desk} open */
function linkBack({ source }) {
  const ways = findWays(source);
  Object.entries({ "to-tournament": ways?.tournament, "to-game": ways?.game }).forEach(
    ([id, address]) => {
      const link = $(id, HTMLAnchorElement);
      link.hidden = !address;
      if (address) link.href = address;
    },
  );
}

/** @param {Desk} open */
function showStudy(open) {
  const { edition, result } = open.study;
  clearExamining(edition.name);
  valued = "";
  $("desk").hidden = false;
  openEvaluations(open.source, open.study, mainLine(open));
  toggle("opening", false);
  toggle("editor", false);
  $("title").textContent = nameStudy(open);
  document.title = nameTab(open);
  if (nameChosen()) foldLimits(); // the summary needs the room
  linkBack(open);
  const title = edition.title === edition.name ? `Edition ${edition.name}` : edition.title;
  $("about").textContent = [result, title].filter(Boolean).join(". ");
  $("ask-game").hidden = !result;
}

/**
 * Return the nodes of the line that was opened.
 * @param {Desk} open
 */
function mainLine({ root }) {
  return listLine(root).filter(({ main }) => main);
}

/**
 * Show a ply and a branch that begins there.
 * @param {Desk} open
 * @param {number} ply
 * @param {string[]} line
 */
async function showPlace(open, ply, line) {
  const nodes = mainLine(open);
  const fork = nodes[Math.max(0, Math.min(nodes.length - 1, ply))];
  show(open, fork);
  drawEvaluation();
  /** @param {unknown} error */
  const complainHere = (error) => {
    if (open === desk) complain(messageOf(error));
  };
  const isHere = () => open === desk && open.current === fork; // the reader has not moved on
  await restoreBranches(open).catch(complainHere);
  if (!line.length || !isHere()) return;
  await grow(open.source, fork, line).then((node) => isHere() && go(node), complainHere);
}

/**
 * Open a source at its start, or at the place in the address. A later request for another source
 * replaces this one.
 * @param {Source} source
 * @param {{ isPlaced?: boolean, isStep?: boolean }} [options]
 */
async function openSource(source, { isPlaced = false, isStep = true } = {}) {
  openings += 1;
  const mine = openings;
  const [ply, line] = isPlaced ? parsePlace(location.hash) : [0, []];
  complain("");
  /** @type {Study} */
  let study;
  try {
    study = await ask("/analyse/open", { source });
  } catch (error) {
    if (mine !== openings) return;
    complain(messageOf(error));
    $("problem").scrollIntoView({ block: "nearest" });
    return;
  }
  if (mine !== openings) return;
  const root = growLine(study.points, study.plies);
  desk?.view.close();
  const view = makeView(study, tryMove);
  const opened = { source, study, view, root, current: root };
  desk = opened;
  showStudy(opened);
  const placing = showPlace(opened, ply, line);
  if (isStep) writeAddress(opened, true); // before the first step changes the address
  if (!isPlaced) $("title").scrollIntoView({ block: "nearest" });
  await placing;
  if (mine === openings) writeAddress(opened, false);
}

/** Play an action from the shown position.
    @param {string} action */
async function tryMove(action) {
  if (!desk) return;
  await tryLine(desk.current, [action]);
  focusPly({ preventScroll: true });
}

/**
 * Go to the branch above or below the shown one, if the list of moves has the focus; elsewhere
 * these keys scroll the page.
 * @param {number} step
 */
function goBetween(step) {
  if ($("lines").contains(document.activeElement)) go(findSibling(desk?.current ?? null, step));
}

/** Listen to the keys of the game, and to those that step through it. */
function listen() {
  listenToKeys(
    {
      isHolding: () => desk?.view.isHolding() ?? false,
      findPatch: (number) => desk?.view.findPatch(number) ?? null,
      choose: (patch) => desk?.view.choose(patch, true),
      move: (down, right) => desk?.view.move(down, right),
      turn: (step) => desk?.view.turn(step),
      flip: () => desk?.view.flip(),
      drop: () => desk?.view.drop(),
      play: () => desk?.view.play(),
      others: {
        arrowleft: () => go(desk?.current.parent),
        arrowright: () => go(desk?.current.children[0]),
        arrowup: () => goBetween(-1),
        arrowdown: () => goBetween(1),
        home: () => go(desk?.root),
        end: () => go(desk && findEnd(desk.current)),
        a: () => document.getElementById("advance")?.focus(),
      },
    },
    (event) => Boolean(desk) && !targetOf(event).closest("textarea, .scroll[tabindex], #editor"),
  );
}

function describePicture() {
  if (!desk) return null;
  const { source, study, view, current } = desk;
  const { position, scores, over } = current.point;
  const { names, automa } = study;
  const before = positionBefore(current);
  const last = before ? `: ${names[seatOf(current)]} ${current.action}` : "";
  const kind = findBranch(current) ? "Branch, ply" : "Ply";
  const words = {
    names,
    automa,
    title: $("title").textContent ?? "",
    scores: over ? scores : null,
    caption: `${kind} ${current.number} of ${findEnd(current).number}${last}`,
  };
  return {
    name: `${source.game ? `game-${source.game}` : "position"}-ply-${current.number}`,
    text: formatPicture(view.boards, position, before, words),
  };
}

/** Go to the ply of the slider, on the line that is shown. */
function slide() {
  if (!desk) return;
  const line = [...listAncestors(desk.current), ...listLine(desk.current).slice(1)];
  go(line[Number($("ply", HTMLInputElement).value)]);
}

function toggleOpening() {
  toggle("opening", $("opening").hasAttribute("hidden"));
  toggle("editor", false);
}

function toggleEditor() {
  const isOn = $("editor").hasAttribute("hidden");
  toggle("editor", isOn);
  toggle("opening", !desk && !isOn);
  if (isOn) showEditor();
}

/** Open the source that the address names, if it names one. */
async function openAddress() {
  const source = parseSource(location.search);
  if (source) await openSource(source, { isPlaced: true, isStep: false });
}

/** Open what the address names, if anything; other games are listed when the reader can use it. */
async function beginWork() {
  const isNamed = parseSource(location.search) !== null;
  if (!isNamed) offerGames();
  await openAddress();
  markReady();
  if (isNamed) offerGames();
}

function beginParts() {
  offerPictures(describePicture);
  beginOpening(offered, openSource);
  const boards = () => desk?.view.boards ?? null;
  beginChoosing({ tryMove, hint: (action) => desk?.view.hint(action) });
  beginExamining(offered, {
    tryLine,
    evaluated: takeEvaluations,
    ended: () => {
      if (desk) showAnswersAbout(desk.current);
    },
    expected: (node) => {
      if (node === desk?.current) drawGauge(desk.study, node);
    },
    isShown: (node) => node === desk?.current,
    whyClosed,
    boards,
    names: () => desk?.study.names ?? [],
  });
  beginEvaluations({
    go,
    tryLine,
    boards,
    ply: () => (desk ? findFork(desk.current).number : 0),
    marked: () => {
      if (desk) drawLines(desk);
    },
    grades: offered.grades,
  });
  beginEditor({
    current: () => desk && { edition: desk.study.edition, position: desk.current.point.position },
    open: openSource,
  });
}

/**
 * Call a function with the open study when a button is pressed.
 * @param {string} id
 * @param {(shown: Desk) => void} act
 */
function onDesk(id, act) {
  onClick(id, () => {
    if (desk) act(desk);
  });
}

/** Fold away which bots are asked, and how long: the answers need the room. */
function foldLimits() {
  $("asked", HTMLDetailsElement).open = false;
}

function beginButtons() {
  onDesk("first", ({ root }) => go(root));
  onDesk("back", ({ current }) => go(current.parent));
  onDesk("on", ({ current }) => go(current.children[0]));
  onDesk("last", ({ current }) => go(findEnd(current)));
  onDesk("remove-branch", removeBranch);
  onDesk("ask", ({ source, current }) => {
    foldLimits();
    askBots(source, current);
  });
  onDesk("ask-chosen", ({ source, current }) => askBots(source, current, { only: listChosen() }));
  onDesk("ask-game", ({ source, root }) => {
    foldLimits();
    askBots(source, root, { whole: true });
  });
  onDesk("turn", ({ view }) => view.turn());
  onDesk("flip", ({ view }) => view.flip());
  onDesk("drop", ({ view }) => view.drop());
  onDesk("play", ({ view }) => view.play());
  offerCopy($("copy-position"), "position", () => desk?.current.point.text ?? "");
  offerLink($("copy-link"), () => location.href);
  onClick("show-opening", toggleOpening);
  onClick("show-editor", toggleEditor);
  onClick("set-up", () => {
    toggleEditor();
    $("show-editor").focus(); // the button that was pressed is hidden now
  });
  $("follow").addEventListener("change", follow);
  $("ply").addEventListener("input", slide);
}

function beginPage() {
  listen();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (!desk || innerWidth === width) return;
    width = innerWidth;
    drawEvaluation();
  });
  onColourChange(() => {
    if (desk) show(desk, desk.current);
  });
  addEventListener("popstate", openAddress);
  // answers of bots leave the list less room
  new ResizeObserver(() => showCurrent($("lines"))).observe($("lines"));
}

beginParts();
beginButtons();
beginPage();
beginWork();
