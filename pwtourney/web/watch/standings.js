/* The standings next to watched games: when a bot changes its rank, its row moves there. */
import { $, isStill, make, readNumber, refresh } from "../shared/dom.js";
import { signNumbers } from "../shared/gauges.js";

/** @import { LatestNews } from "../types.d.ts" */

const MOVING = 280; // milliseconds for which a row moves
const MARKED = 6000; // milliseconds for which a mark says that it has moved

/**
 * Return how many ranks each bot has risen; below 0 if it has fallen. Bots that are new have not
 * moved.
 * @param {string[]} before bots in the order of their ranks
 * @param {string[]} now
 * @returns {Map<string, number>}
 */
export function listRises(before, now) {
  const known = before.filter((bot) => now.includes(bot));
  const kept = now.filter((bot) => before.includes(bot));
  return new Map(kept.map((bot, rank) => [bot, known.indexOf(bot) - rank]));
}

/** @param {number} rise */
function drawMark(rise) {
  const mark = make("span", { class: `moved ${rise > 0 ? "up" : "down"}`, "aria-hidden": "true" });
  mark.textContent = rise > 0 ? "▲" : "▼";
  return mark;
}

/**
 * Return the function that shows the standings.
 * @param {string} root the path of the tournament
 */
export function makeStandings(root) {
  /** @type {string[]} */
  let ranked = [];
  /** How far each bot has moved lately, and until when that is marked.
      @type {Map<string, { rise: number, until: number }>} */
  const moved = new Map();

  /**
   * @param {boolean} isWord
   * @param {string} cell
   * @param {string} bot
   */
  const drawCell = (isWord, cell, bot) => {
    if (!isWord) return make("td", {}, signNumbers(cell));
    const name = make("th", { scope: "row", class: "word" });
    const address = `${root}/tournament#${new URLSearchParams({ bot })}`;
    name.append(make("a", { href: address }, cell));
    return name;
  };

  /**
   * @param {string[][]} rows
   * @param {boolean[]} isWord by column
   * @param {string[]} bots
   */
  const drawRows = (rows, isWord, bots) =>
    rows.map((cells, rank) => {
      const row = make("tr", { "data-rank": rank });
      row.append(...cells.map((cell, index) => drawCell(isWord[index], cell, bots[rank])));
      const { rise, until } = moved.get(bots[rank]) ?? { rise: 0, until: 0 };
      const left = until - performance.now();
      if (rise && left > 0) {
        const mark = drawMark(rise);
        row.cells[0].prepend(mark);
        setTimeout(() => mark.remove(), left);
      }
      return row;
    });

  /** @param {HTMLTableRowElement[]} rows */
  const noteTops = (rows) =>
    new Map(rows.map((row) => [ranked[readNumber(row, "rank")], row.getBoundingClientRect().top]));

  /**
   * @param {HTMLTableRowElement[]} rows
   * @param {Map<string, number>} tops of the rows before
   */
  const moveRows = (rows, tops) => {
    if (isStill()) return;
    rows.forEach((row) => {
      const top = row.getBoundingClientRect().top;
      const way = (tops.get(ranked[readNumber(row, "rank")]) ?? top) - top;
      const frames = [{ transform: `translateY(${way}px)` }, { transform: "none" }];
      if (way) row.animate(frames, { duration: MOVING, easing: "ease-out" });
    });
  };

  /** @param {LatestNews["table"]} table */
  return (table) => {
    const until = performance.now() + MARKED;
    listRises(ranked, table.bots).forEach((rise, bot) => {
      if (rise) moved.set(bot, { rise, until });
    });
    const box = $("standings", HTMLTableElement);
    const tops = noteTops([...(box.tBodies[0]?.rows ?? [])]);
    ranked = table.bots;
    const head = make("tr");
    const isWord = table.headings.map((heading) => table.words.includes(heading));
    head.append(
      ...table.headings.map((heading, index) =>
        make("th", { scope: "col", class: isWord[index] ? "word" : "" }, heading),
      ),
    );
    const [top, body] = [make("thead"), make("tbody")];
    top.append(head);
    body.append(...drawRows(table.rows, isWord, ranked));
    refresh(box, top, body);
    if (body.isConnected) moveRows([...body.rows], tops);
  };
}
