/* The viewer: one game, stepped through. */

import * as Address from "./address.js";
import * as Data from "./data.js";
import * as Evaluation from "./evaluation.js";
import * as Boards from "../shared/boards.js";
import * as Dom from "../shared/dom.js";
import * as Margins from "../shared/margins.js";
import * as Motion from "../shared/motion.js";
import * as Picture from "../shared/picture.js";
import * as Replay from "../shared/replay.js";
import * as Sentences from "../shared/sentences.js";
import * as Share from "../shared/share.js";

const { $, make } = Dom;
const edition = Data.facts.edition;
const boards = Boards.of(edition);
const MILLISECONDS = 700; // between two plies that are played

let shown = null; let ply = 0; let states = []; let timer = null;
let markPly = () => {};
let moved = () => {}; // called when another ply is shown

/* Returns a number as that of a ply of the game that is shown. */
const clamp = (number) => Math.max(0, Math.min(states.length - 1, Math.trunc(number) || 0));
/* The page of a bot hides an open game, which is then neither stepped nor played on. */
const isVisible = () => Boolean($("viewer").getClientRects().length);

const level = () => Number($("title").tagName.slice(1)) + 1;
const enable = (id, on) => $(id).setAttribute("aria-disabled", !on);

/* A line of what a player has, each number after its picture. */
const drawPurse = (state, seat) => {
  const player = state.players[seat];
  const line = make("p", { class: "purse" });
  line.append(boards.icons.button(), Sentences.describePurse(edition, player));
  if (state.tile === seat && edition.tile) line.append(boards.icons.tile(), "special tile");
  return line;
};

/* A game that was saved on its own has no number in a tournament. */
const nameGame = () =>
  `${Data.facts.saved ? "" : `Game ${shown.id}: `}${shown.names[0]} against ${shown.names[1]}`;
const isEnd = () => ply === states.length - 1;
const isAutoma = (seat) => seat === 1 && Boolean(shown.data.automa);
/* The score of a seat as it stands; null for the Automa, whose level counts its own at the end. */
const findScore = (seat) => {
  if (isEnd()) return shown.data.scores[seat];
  return isAutoma(seat) ? null : Replay.score(edition, states[ply], seat);
};

const drawBoard = (seat) => {
  const state = states[ply];
  const player = state.players[seat];
  const name = `${shown.names[seat]} (${Boards.seats[seat]})`;
  const box = make("div", { class: `board${state.toMove === seat && !isEnd() ? " moving" : ""}` });
  const title = make(`h${level()}`);
  title.append(boards.icons.token(seat), name);
  const points = findScore(seat);
  box.append(title, drawPurse(state, seat), make("p", { class: "score" }, points === null ? "" : `score ${points}`));
  const before = ply ? states[ply - 1].players[seat].quilt : null;
  if (!isAutoma(seat)) {
    box.append(...boards.drawQuilt(name, player.quilt, before));
    const timed = shown.data.plies.some((each) => each[2] >= 0);
    if (timed) box.append(make("p", { class: "lead" }, `thought for ${(player.micros / 1e6).toFixed(2)} s`));
  }
  return box;
};

const plyText = (each) => each[1].startsWith("card:") ? each[1].split(":").slice(0, 3).join(":") : each[1];

const describePly = () => {
  if (!ply) return `The start of ${states.length - 1} plies`;
  const last = shown.data.plies[ply - 1];
  const scored = last.length > 4 ? ` – score ${Margins.sign(last[4])}` : "";
  const said = last[3] ? ` – ${last[3]}` : scored; // texts are left out of large pages
  const end = isEnd() ? ` ${shown.result}.` : "";
  const told = Sentences.tellPly(edition, shown.names, states[ply - 1], states[ply], last);
  const time = last[2] < 0 ? "" : `, ${(last[2] / 1000).toFixed(1)} ms`; // nobody may have measured it
  return `Ply ${ply} of ${states.length - 1}: ${told}${end} ${plyText(last)}${time}${said}`;
};

const draw = () => {
  const state = states[ply];
  const table = make("div", { id: "track" });
  table.append(boards.drawOffer(state), ...boards.drawCircle(state, ply ? states[ply - 1] : null));
  $("boards").replaceChildren(drawBoard(0), table, drawBoard(1));
  $("ply").value = ply;
  $("what").textContent = describePly();
  $("shared").textContent = ""; // it was said of another ply
  $("plies").querySelectorAll("button").forEach((button, place) =>
    place === ply - 1 ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current"));
  ["first", "back"].forEach((id) => enable(id, ply > 0));
  ["on", "last"].forEach((id) => enable(id, ply < states.length - 1));
  markPly(ply);
  const link = $("analyse-game"); // where the page is served by an arena
  if (link) link.href = `/analyse?game=${shown.id}#ply=${ply}`;
};

const drawCurve = () => { markPly = Evaluation.draw(shown.data, shown.names, go); markPly(ply); };

const pause = () => { clearInterval(timer); timer = null; $("play").textContent = "▶ play"; };
const go = (to) => {
  if (!shown) return;
  const from = ply;
  ply = clamp(to);
  draw();
  if (ply === from + 1) Motion.show($("boards"), edition, states[from], states[ply]);
  moved();
};
const play = () => {
  if (timer || !shown) { pause(); return; }
  if (ply === states.length - 1) ply = 0;
  $("play").textContent = "❚❚ pause";
  timer = setInterval(() => {
    if (isVisible()) go(ply + 1);
    if (!isVisible() || ply === states.length - 1) pause();
  }, MILLISECONDS);
};

const listPlies = () => $("plies").replaceChildren(...shown.data.plies.map((each, place) => {
  const item = make("li");
  const button = make("button", { type: "button" }, `${Boards.seats[each[0]]}: ${plyText(each)}`);
  button.addEventListener("click", () => go(place + 1));
  item.append(button);
  return item;
}));

/* Shows a game from a ply, or says how to replay it if the page does not hold it. */
const open = (id, at = 0) => {
  const row = Data.find(id);
  const data = Data.games.replays[id];
  const there = Boolean(row && data);
  pause();
  $("viewer").classList.add("open");
  $("viewer").classList.toggle("missing", !there);
  if (!there) {
    shown = null;
    $("title").textContent = `Game ${id} cannot be replayed here: pwtourney replay FOLDER:${id} --html FILE`;
    return;
  }
  shown = { id, data, names: Data.names(row), result: Data.result(row) };
  states = Replay.positions(edition, data);
  $("title").textContent = nameGame();
  $("said").textContent = [
    `${shown.result}.`, data.note, ...data.faults.map(([seat, verdict, text]) => `${shown.names[seat]}: ${verdict}: ${text}`),
  ].filter(Boolean).join(" ");
  $("ply").max = states.length - 1;
  listPlies();
  ply = clamp(at);
  draw();
  drawCurve();
};

/* What stands on a picture of the position that is shown. */
const describePicture = () => {
  const last = ply ? shown.data.plies[ply - 1] : null;
  return {
    names: shown.names,
    scores: [0, 1].map(findScore),
    title: nameGame(),
    caption: `Ply ${ply} of ${states.length - 1}${last ? `: ${shown.names[last[0]]} ${plyText(last)}` : ""}`,
    automa: isAutoma(1),
  };
};
const formatPicture = () =>
  Picture.format(boards, states[ply], ply ? states[ply - 1] : null, describePicture());

const say = (text) => { $("shared").textContent = text; };
const copyLink = async () => {
  const link = location.href.split("#")[0] + Address.format(state());
  say(await Share.copy(link) ? "The link is copied." : `Copy this link: ${link}`);
};
const namePicture = () => `game-${Data.facts.saved ? shown.names.join("-") : shown.id}-ply-${ply}`;

const close = () => {
  pause();
  shown = null;
  $("viewer").classList.remove("open");
};

const focus = () => {
  $("viewer").focus({ preventScroll: true });
  $("viewer").scrollIntoView();
};

/* Keys step where nothing else has a use for them: in the viewer, or if nothing has the focus. */
const press = (event) => {
  const { target, key } = event;
  if (!shown || !isVisible() || event.altKey || event.ctrlKey || event.metaKey) return;
  if (target !== document.body && !target.closest("#viewer")) return;
  if (target.id === "ply") return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step) go(ply + step);
  else if (key === "Home") go(0);
  else if (key === "End") go(states.length - 1);
  else if (key === " " && target.tagName !== "BUTTON") play();
  else return;
  event.preventDefault();
};

const begin = (listener) => {
  moved = listener;
  [["first", () => go(0)], ["back", () => go(ply - 1)], ["play", play], ["on", () => go(ply + 1)],
    ["last", () => go(states.length - 1)]].forEach(([id, act]) => $(id).addEventListener("click", act));
  $("copy").addEventListener("click", () => shown && copyLink());
  Share.offerPictures(() => shown && { name: namePicture(), text: formatPicture() });
  $("ply").addEventListener("input", () => go(Number($("ply").value)));
  document.addEventListener("keydown", press);
  addEventListener("resize", () => shown && drawCurve());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown && draw());
};

/* Returns the state for the address; no game if none is shown. */
const state = () => (shown ? { game: shown.id, ply } : {});
const isOpen = () => $("viewer").classList.contains("open");

export { begin, open, close, focus, state, isOpen, enable, formatPicture };
