/* The review of a finished game, which nobody has to ask for: the curve of what a bot expected, and
   the moves that cost most. */
import { evaluateGame } from "../game/analysis.js";
import { MARKS, drawMarginCurve } from "../game/curve.js";
import {
  findKept,
  isEvaluator,
  listCostliest,
  listMargins,
  listMarks,
  readKept,
} from "../game/evaluations.js";
import { drawSketch, sketchMove } from "../game/sketch.js";
import { ask } from "../shared/asking.js";
import { $, make } from "../shared/dom.js";
import { formatPoints } from "../shared/gauges.js";

/** @import { AskedBot, Evaluated, TableFacts, TableState } from "../types.d.ts" */
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
 * Return the evaluation of the game of a table by the first of its evaluators that can make one:
 * what was kept of it, or a new one. Return null if none can.
 * @param {TableFacts} facts
 * @param {number} plies
 * @param {(bot: AskedBot) => void} tell
 */
async function findEvaluator({ id, evaluators }, plies, tell) {
  const source = { table: id };
  const { evaluations = [] } = await ask("/analyse/open", { source });
  for (const limit of evaluators) {
    const kept = findKept(evaluations, limit);
    const bot = kept ? readKept(kept) : await evaluateGame(source, plies, limit, tell);
    if (isEvaluator(bot)) return bot;
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
  const item = make("li");
  const cost = formatPoints(swing ?? 0);
  const label = `ply ${number}: ${seats[seat].name} played ${action}, ${grade}, ${cost} points`;
  const link = make("a", { href: linkPly(id, number), title: label, "aria-label": label });
  const [picture] = sketchMove(action);
  const mark = make("span", { class: `grade ${grade}` }, MARKS[grade]);
  link.append(boards.icons.token(seat), drawSketch(boards, picture), mark, cost);
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

/** The review in the panel of the end; the first call of `show` begins it. */
export class Review {
  /**
   * @param {TableFacts} facts
   * @param {Boards} boards
   */
  constructor(facts, boards) {
    this.facts = facts;
    this.boards = boards;
    /** The state that is shown, whose game is over.
        @type {TableState | null} */
    this.state = null;
    /** The bot that has evaluated the game, or does so.
        @type {AskedBot | null} */
    this.evaluator = null;
    this.isDue = false;
    /** The seat from whose side the margins are shown: that of the only person. */
    this.side = facts.people.length === 1 ? facts.people[0] : 0;
  }

  /** @param {TableState} state whose game is over */
  show(state) {
    const isFirst = !this.state;
    this.state = state;
    if (isFirst && state.plies.length && this.facts.evaluators.length) this.begin(state);
    this.refresh();
  }

  /**
   * Have the game evaluated.
   * @param {TableState} state
   */
  async begin({ plies }) {
    $("review").hidden = false;
    new ResizeObserver(() => this.refresh()).observe($("curve-drawing"));
    $("review-progress").textContent = "The game is being evaluated …";
    this.evaluator = await findEvaluator(this.facts, plies.length, (bot) => {
      this.evaluator = bot;
      this.refresh();
    }).catch(() => null); // nobody has asked for it: the end is complete without it
    $("review").hidden = !this.evaluator;
    this.refresh();
  }

  /** Draw what is known of the game once a frame. */
  refresh() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      if (this.state && this.evaluator) this.draw(this.state, this.evaluator);
    });
  }

  /**
   * @param {TableState} state
   * @param {AskedBot} bot
   */
  draw({ plies, over }, bot) {
    const costliest = bot.done ? listCostliest(bot, MOST_COSTLY) : [];
    /** @param {number} ply */
    const go = (ply) => {
      location.href = linkPly(this.facts.id, Math.max(0, Math.min(plies.length, ply)));
    };
    drawMarginCurve({
      players: this.facts.seats.map(({ name }) => name),
      series: [{ name: bot.name, points: listMargins(bot) }],
      plies: plies.length,
      result: findResult(over),
      marks: listMarks(costliest),
      side: this.side,
      go,
    });
    const links = costliest.map((ply) => drawCostly(this.facts, this.boards, ply));
    $("costliest").replaceChildren(...links);
    const count = `${bot.evaluations.length} of ${plies.length}`;
    $("review-progress").textContent = bot.done ? "" : `${bot.name} evaluates move ${count} …`;
    if (isEvaluator(bot)) $("curve-about").textContent = this.describe(bot, links.length);
  }

  /**
   * Describe the curve of a bot that has evaluated the game.
   * @param {AskedBot} bot
   * @param {number} count of costly moves
   */
  describe({ name }, count) {
    const expected = `What ${name} expected.`;
    return count ? expected : `${expected} No move cost two points.`;
  }
}
