/* The buttons of opponents, which begin a game at once. */
import { ask } from "../shared/asking.js";
import { messageOf, queryAll } from "../shared/dom.js";

const SECONDS = 2; // that a bot has for a move

/**
 * Return the order of a game: no clock for people, two seconds a move for a bot, and a random seat,
 * except against the Automa, which has the second one.
 * @param {DOMStringMap} opponent
 * @param {string | undefined} automaEdition
 */
function makeOrder({ opponent, level = "", kind = "bot" }, automaEdition) {
  const clock = { kind: "move", seconds: SECONDS };
  const other = kind === "bot" ? { kind, bot: opponent, level, clock } : { kind };
  const seats = [{ kind: "person" }, other];
  if (kind === "bot" && Math.random() < 0.5) seats.reverse();
  return kind === "automa" ? { seats, edition: automaEdition } : { seats };
}

/**
 * Let the buttons of opponents begin games.
 * @param {(problem: string) => void} complain
 * @param {string} [automaEdition] an edition that has an Automa
 */
export function beginOpponents(complain, automaEdition) {
  /** @param {HTMLElement} button */
  const begin = async (button) => {
    complain("");
    try {
      const { id } = await ask("/play/new", makeOrder(button.dataset, automaEdition));
      location.href = `/play/${id}`;
    } catch (error) {
      complain(messageOf(error));
    }
  };
  queryAll(document, "[data-opponent]").forEach((button) => {
    button.addEventListener("click", () => begin(button));
  });
}
