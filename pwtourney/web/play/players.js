/* The scoreboard of a table: what both players have, whose turn it is, and their clocks. */
import { drawTile, findLook } from "../shared/cloth.js";
import { $, addSpoken, draw, make } from "../shared/dom.js";
import { formatTime } from "../shared/gauges.js";

/** @import { Edition, Player, Position, Seat, TableFacts, TableState } from "../types.d.ts" */
/** @import { Boards } from "../shared/boards.js" */

const SHORT = 20_000; // milliseconds: a clock with less time is shown as urgent

/**
 * Return how many milliseconds a seat has left; null if its time is not limited.
 * @param {TableState} state
 * @param {Seat} seat
 * @param {number} passed milliseconds since the page received the state
 */
export function timeLeft({ clock, turn, over }, seat, passed) {
  const limit = clock.limits[seat];
  if (limit === null) return null;
  if (over?.verdict === "timeout" && over.winner === 1 - seat) return 0;
  if (turn !== seat) return limit;
  return limit - clock.spent - (clock.running ? passed : 0);
}

/**
 * Show the times of both clocks.
 * @param {TableState} state
 * @param {number} passed milliseconds since the page received the state
 */
export function showClocks(state, passed) {
  [0, 1].forEach((seat) => {
    const clock = document.getElementById(`clock-${seat}`);
    const left = timeLeft(state, seat, passed);
    if (!clock) return;
    clock.textContent = left === null ? "" : formatTime(left);
    const isUrgent = state.turn === seat || left === 0;
    clock.classList.toggle("short", left !== null && isUrgent && left < SHORT);
  });
}

/**
 * Return what a player has, as words and numbers.
 * @param {Edition} edition
 * @param {Player} player
 * @param {boolean} hasQuilt the Automa has none
 * @returns {[word: string, number: string][]}
 */
export function listHoldings(edition, player, hasQuilt) {
  const empty = player.quilt.filter((mark) => !mark).length;
  return [
    [edition.currency, String(player.buttons)],
    ["income", `+${player.income}`],
    ...(hasQuilt ? /** @type {[string, string][]} */ ([["empty", String(empty)]]) : []),
    ["to go", String(Math.max(0, edition.last - player.space))],
  ];
}

/**
 * Say what a player is about to do.
 * @param {TableState} state
 * @param {Position} position that is shown
 * @param {Seat} seat
 * @param {boolean} isNow whether that is the current position
 */
export function describeTurn(state, position, seat, isNow) {
  if (!isNow || position.over || state.over || position.toMove !== seat) return "";
  if (state.thinking) return "thinking …";
  return "to move";
}

/**
 * Return the function that draws the scoreboard.
 * @param {TableFacts} facts
 * @param {Boards} boards
 */
export function makePlayers(facts, boards) {
  const { edition, icons } = boards;

  /**
   * @param {Position} position
   * @param {Seat} seat
   */
  const drawHoldings = (position, seat) => {
    const list = make("dl", { class: "purse" });
    const hasQuilt = facts.seats[seat].kind !== "automa";
    listHoldings(edition, position.players[seat], hasQuilt).forEach(([word, number], place) => {
      const pair = make("div");
      const value = make("dd");
      if (!place) value.append(icons.button());
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
    const { name } = facts.seats[seat];
    const title = make("h2", { id: `name-${seat}` });
    title.append(icons.token(seat), make("span", { class: "who", title: name }, name));
    if (position.tile === seat && edition.tile) {
      title.append(icons.tile());
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
   * @param {TableState} state
   * @param {Position} position
   * @param {boolean} isNow whether it is the current position
   */
  return (state, position, isNow) => {
    [0, 1].forEach((seat) => {
      const turn = describeTurn(state, position, seat, isNow);
      const box = $(`player-${seat}`);
      box.classList.toggle("moving", Boolean(turn));
      const label = { role: "timer", "aria-label": `clock of ${facts.seats[seat].name}` };
      const clock = make("p", { class: "clock", id: `clock-${seat}`, ...label });
      const name = drawName(position, seat, turn);
      box.replaceChildren(name, drawHoldings(position, seat), clock);
    });
    drawFreeTile(position);
  };
}
