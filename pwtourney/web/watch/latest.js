/* What stands next to watched games: the last results with their reasons and links, the standings,
   and how far the run is. */
import { tellSide } from "../game/spectator_view.js";
import { $, make, refresh } from "../shared/dom.js";
import { count } from "../shared/sentences.js";
import { formatGame } from "../shared/game_address.js";
import { makeStandings } from "./standings.js";

/** @import { LastResult, LatestNews } from "../types.d.ts" */

const EVERY = 2000; // milliseconds between two looks

/**
 * Say why a game was not finished; empty if it was.
 * @param {LastResult} result
 */
export function tellReason({ verdict, message, winner, bots }) {
  if (verdict === "finished") return "";
  if (verdict === "disqualified" && message) return message; // it names the bot and the verdict
  const loser = winner === null ? "" : `${bots[1 - winner]}: `;
  return `${loser}${verdict}${message ? `, ${message}` : ""}`;
}

/**
 * Say how far a tournament is, and how it goes on if it has stopped; or why it has no result.
 * @param {Pick<LatestNews, "stored" | "planned" | "over" | "problem">} news
 * @param {boolean} hasStopped
 */
export function tellProgress({ stored, planned, over, problem }, hasStopped) {
  if (problem) return `${problem}.`;
  if (over) return `${count(stored, "pairs")} played.`; // how it ended stands above
  const known =
    planned === null ? count(stored, "pairs") : `${stored} of ${count(planned, "pairs")}`;
  const way = hasStopped && stored ? " To continue, start the same pwtourney run again." : "";
  return `${known} played.${way}`;
}

/**
 * Show how far a tournament is, in words and as a bar, whose place stays if nobody knows.
 * @param {LatestNews} news
 * @param {boolean} hasStopped
 */
export function drawProgress(news, hasStopped) {
  $("progress").textContent = tellProgress(news, hasStopped);
  const { stored, planned } = news;
  const share = planned ? Math.min(1, stored / planned) : 0;
  $("progress-level", SVGElement).setAttribute("width", String(100 * share));
  $("progress-bar", SVGElement).classList.toggle("unknown", !planned);
}

/**
 * Draw a result as a link to its game.
 * @param {LastResult} result
 * @param {string} root the path of the tournament
 * @param {boolean} isFresh whether it was not listed before
 */
function drawResult(result, root, isFresh) {
  const item = make("li", { "data-game": result.id, class: isFresh ? "fresh" : "" });
  const link = make("a", { href: formatGame(root, result.id) });
  result.bots.forEach((bot, seat) => {
    const kind = result.winner === seat ? "won" : "";
    // why a bot has lost by a fault stands below
    const score = make("span", { class: `points ${kind}` }, tellSide(result, seat, ""));
    link.append(make("span", { class: kind }, bot), score);
  });
  const reason = tellReason(result);
  if (reason) link.append(make("span", { class: "why" }, reason));
  item.append(link);
  return item;
}

/**
 * Return the function that shows the last results and the standings.
 * @param {string} root the path of the tournament
 * @returns {(news: LatestNews) => void}
 */
function makeBeside(root) {
  /** The games that were listed; null before the first look.
      @type {Set<string> | null} */
  let known = null;
  let table = ""; // the standings that are shown
  const showStandings = makeStandings(root);

  return (news) => {
    if (JSON.stringify(news.table) !== table) showStandings(news.table);
    table = JSON.stringify(news.table);
    const items = news.results.map((result) =>
      drawResult(result, root, known !== null && !known.has(result.id)),
    );
    refresh($("results"), ...items);
    $("results-title").hidden = !items.length;
    known = new Set(news.results.map(({ id }) => id));
  };
}

/**
 * Look for results and standings again and again, while the page is visible. Return a function that
 * looks at once.
 * @param {string} root the path of the tournament
 * @param {() => string[][]} listQuestion what the answer is to say in addition
 * @param {(news: LatestNews) => void} listen
 */
export function followLatest(root, listQuestion, listen) {
  const show = makeBeside(root);
  let last = "";
  let [lastRequest, lastAnswer] = [0, 0]; // numbers of requests, whose answers may come in any order

  const formatQuestion = () => String(new URLSearchParams(listQuestion()));

  const look = async () => {
    if (document.hidden) return;
    lastRequest += 1;
    const number = lastRequest;
    const question = formatQuestion();
    try {
      const answer = await fetch(`${root}/watch/latest.json?${question}`);
      const text = await answer.text();
      const shown = `${question} ${text}`; // to another question, the same answer is news
      const isOld = number < lastAnswer || question !== formatQuestion();
      if (!answer.ok || isOld || shown === last) return;
      [last, lastAnswer] = [shown, number];
      const news = JSON.parse(text);
      show(news);
      listen(news);
    } catch {
      // the stream of the games says that the server does not answer
    }
  };

  setInterval(look, EVERY);
  return look;
}
