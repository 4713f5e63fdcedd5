/* The review of a finished game, which nobody has to ask for: the curve of what a bot expected, and
   the moves that cost most. */
import { followAnalysis, makeAnalysis, takeTold } from "../game/asked.js";
import { MARKS, drawMarginCurve } from "../game/curve.js";
import {
  findKept,
  isJudge,
  listCostliest,
  listMargins,
  listMarks,
  readKept,
} from "../game/judged.js";
import { drawSketch, sketchMove } from "../game/sketch.js";
import { ask } from "../shared/asking.js";
import { $, make } from "../shared/dom.js";
import { formatMargin } from "../shared/margins.js";

/** @import { AskedBot, Evaluated, Limit, TableFacts, TableState } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

const MOST_COSTLY = 4; // moves that are marked and listed

/**
 * Return the address of a ply in the analysis of a table's game.
 * @param {string} id
 * @param {number} ply
 */
function linkPly(id, ply) {
  return `/analyse?table=${id}#ply=${ply}`;
}

/**
 * Let a bot evaluate the game of a table; return what it said in the end. `tell` is called with
 * what it has said so far.
 * @param {string} id
 * @param {number} plies
 * @param {Limit} limit
 * @param {(bot: AskedBot) => void} tell
 * @returns {Promise<AskedBot>}
 */
async function evaluate(id, plies, limit, tell) {
  const words = { source: { table: id }, whole: true, unasked: true, bots: [limit] };
  const analysis = makeAnalysis((await ask("/analyse/ask", words)).id, [limit], plies);
  const [bot] = analysis.bots;
  return new Promise((resolve) => {
    followAnalysis(analysis, {
      hear: (told) => {
        if (takeTold(analysis, told).isEvaluated) tell(bot);
      },
      end: () => resolve(bot),
    });
  });
}

/**
 * Return the evaluation of the game of a table by the first of its evaluators that can make one:
 * what was kept of it, or a new one. Return null if none can.
 * @param {TableFacts} facts
 * @param {number} plies
 * @param {(bot: AskedBot) => void} tell
 */
async function findJudge({ id, evaluators }, plies, tell) {
  const { evaluations = [] } = await ask("/analyse/open", { source: { table: id } });
  for (const limit of evaluators) {
    const kept = findKept(evaluations, limit);
    const bot = kept ? readKept(kept) : await evaluate(id, plies, limit, tell);
    if (isJudge(bot)) return bot;
  }
  return null;
}

/**
 * Draw a costly move as a link to its ply in the analysis, which shows the better move, too.
 * @param {TableFacts} facts
 * @param {Boards} boards
 * @param {Evaluated} evaluated
 */
function drawCostly({ id, seats }, boards, { number, seat, action, grade, swing }) {
  const item = make("li", { class: `seat-${seat}` });
  const cost = formatMargin(swing ?? 0).replace("-", "−");
  const label = `ply ${number}: ${seats[seat].name} played ${action}, ${grade}, ${cost} points`;
  const link = make("a", { href: linkPly(id, number), title: label, "aria-label": label });
  const [picture] = sketchMove(action);
  const mark = make("span", { class: `grade ${grade}` }, MARKS[grade]);
  const points = make("span", {}, ` ${cost}`);
  points.prepend(mark);
  const who = make("span", { class: "who" }, seats[seat].name);
  link.append(drawSketch(boards, picture), who, points);
  item.append(link);
  return item;
}

/**
 * Return the margin of the first seat at the end; null if the game was not finished.
 * @param {TableState["over"]} over
 */
function findResult(over) {
  return over?.verdict === "finished" ? over.scores[0] - over.scores[1] : null;
}

/**
 * Return the function that shows the review of a state whose game is over; the first call begins it.
 * @param {TableFacts} facts
 * @param {Boards} boards
 * @returns {(state: TableState) => void}
 */
export function makeReview(facts, boards) {
  const [{ name: first }] = facts.seats;
  /** @type {TableState} */
  let shown;
  /** The bot that has evaluated the game, or does so.
      @type {AskedBot | null} */
  let judge = null;
  let isBegun = false;
  let isDue = false;

  /** @param {AskedBot} bot */
  const draw = (bot) => {
    const costliest = bot.done ? listCostliest(bot, MOST_COSTLY) : [];
    const { plies, over } = shown;
    /** @param {number} ply */
    const go = (ply) => {
      location.href = linkPly(facts.id, Math.max(0, Math.min(plies.length, ply)));
    };
    const series = [{ name: bot.name, points: listMargins(bot) }];
    drawMarginCurve(series, plies.length, findResult(over), listMarks(costliest), go);
    $("costliest").replaceChildren(...costliest.map((each) => drawCostly(facts, boards, each)));
  };

  /** Draw what is known of the game once a frame. */
  const refresh = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      if (judge) draw(judge);
    });
  };

  /** @param {string} text */
  const showProgress = (text) => {
    $("review-progress").textContent = text;
  };

  const begin = async () => {
    const count = shown.plies.length;
    showProgress("The game is being evaluated …");
    judge = await findJudge(facts, count, (bot) => {
      judge = bot;
      showProgress(`${bot.name} evaluates the game: ${bot.evaluations.length} of ${count} moves`);
      refresh();
    }).catch(() => null); // nobody has asked for it: the end is complete without it
    showProgress("");
    $("review").hidden = !judge;
    if (judge) {
      $("curve-about").textContent = `What ${judge.name} expected; above 0 is good for ${first}.`;
    }
    refresh();
  };

  return (state) => {
    shown = state;
    if (!isBegun && state.plies.length && facts.evaluators.length) {
      isBegun = true;
      $("review").hidden = false;
      new ResizeObserver(refresh).observe($("curve-drawing"));
      begin();
    }
    refresh();
  };
}
