/* The scoreboard of a game: what both players have, and whose turn it is. The clocks are filled in
   by the page. */
import { drawTile, findLook } from "../shared/cloth.js";
import { $, addSpoken, draw, make } from "../shared/dom.js";

/** @import { Edition, Player, Position, Seat, Seated } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

/**
 * Return the number of empty squares of a player's quilt board.
 * @param {Player} player
 */
export function countEmpty({ quilt }) {
  return quilt.filter((mark) => !mark).length;
}

/**
 * Return what a player has, as words and numbers.
 * @param {Edition} edition
 * @param {Player} player
 * @param {boolean} hasQuilt the Automa has none
 * @returns {[word: string, number: string][]}
 */
export function listHoldings(edition, player, hasQuilt) {
  return [
    [edition.currency, String(player.buttons)],
    ["income", `+${player.income}`],
    ...(hasQuilt
      ? /** @type {[string, string][]} */ ([["empty", String(countEmpty(player))]])
      : []),
    ["to go", String(Math.max(0, edition.last - player.space))],
  ];
}

/**
 * Say of which time a clock tells. On a phone the last word stands alone.
 * @param {HTMLElement} caption
 * @param {"left" | "used"} word
 */
export function captionClock(caption, word) {
  caption.replaceChildren(make("span", {}, "time "), word);
}

/**
 * Return the function that draws the scoreboard.
 * @param {Seated} seated
 * @param {Boards} boards
 */
export function makePlayers({ names, automa, strengths = [] }, boards) {
  const { edition, icons } = boards;

  /**
   * @param {Position} position
   * @param {Seat} seat
   */
  const drawHoldings = (position, seat) => {
    const list = make("dl", { class: "purse" });
    const hasQuilt = !(automa && seat === 1);
    listHoldings(edition, position.players[seat], hasQuilt).forEach(([word, number], index) => {
      const pair = make("div");
      const value = make("dd");
      if (!index) value.append(icons.button());
      value.append(number);
      pair.append(make("dt", {}, word), value);
      list.append(pair);
    });
    return list;
  };

  /**
   * @param {Position} position
   * @param {Seat} seat
   * @param {string} turn
   */
  const drawName = (position, seat, turn) => {
    const name = names[seat];
    const { rating = "", about = "" } = strengths[seat] ?? {};
    const title = make("p", { class: "player-name", id: `name-${seat}` });
    const words = about ? `${name}: ${about}` : name;
    title.append(icons.token(seat), make("span", { class: "who", title: words }, name));
    if (rating) title.append(make("span", { class: "rating" }, rating));
    if (position.tile === seat && edition.tile) {
      title.append(icons.tile(edition.tile[1]));
      addSpoken(title, ", has the special tile");
    }
    title.append(make("span", { class: "turn" }, turn));
    return title;
  };

  /** @param {Position} position */
  const drawFreeTile = (position) => {
    const box = $("free-tile");
    box.replaceChildren();
    if (!edition.tile) return;
    const [size, points] = edition.tile;
    const words = `The special tile brings ${points} points to the first who fills ${size} × ${size} squares.`;
    box.title = words;
    box.classList.toggle("taken", position.tile !== null);
    const svg = draw("svg", { viewBox: "0 0 40 40", role: "img", "aria-label": words });
    svg.append(drawTile(edition.tile, findLook()));
    box.append(svg);
  };

  /**
   * Draw the scoreboard of a position.
   * @param {Position} position
   * @param {string[]} turns what each player is about to do, "" for nothing
   */
  return (position, turns) => {
    turns.forEach((turn, seat) => {
      const box = $(`player-${seat}`);
      box.classList.toggle("moving", Boolean(turn));
      const label = { role: "timer", "aria-label": `clock of ${names[seat]}` };
      const clock = make("p", { class: "clock", id: `clock-${seat}`, ...label });
      const timer = make("div", { class: "timer" });
      const caption = make("small");
      captionClock(caption, "left");
      timer.append(clock, caption);
      box.replaceChildren(drawName(position, seat, turn), drawHoldings(position, seat), timer);
    });
    drawFreeTile(position);
  };
}
