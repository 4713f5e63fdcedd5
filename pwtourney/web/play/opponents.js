/* The buttons of opponents, which begin a game at once, and their ratings in tournaments. */
import { ask } from "../shared/asking.js";
import { make, messageOf, queryAll } from "../shared/dom.js";
import { signNumbers } from "../shared/gauges.js";

/** @import { TournamentRatings } from "../types.d.ts" */

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

/** Show what tournaments of this arena say of bots that are not on the ladder. */
async function rateOpponents() {
  const places = queryAll(document, "[data-unrated]");
  if (!places.length) return;
  const answer = await fetch("/ratings.json");
  if (!answer.ok) return;
  /** @type {TournamentRatings} */
  const ratings = await answer.json();
  places.forEach((box) => {
    const rating = ratings[box.dataset.unrated ?? ""];
    if (!rating) return;
    const scale = make("span", { class: "scale" }, `(${rating.scale})`);
    box.replaceChildren(`${signNumbers(rating.elo)} Elo in ${rating.tournament} `, scale);
  });
}

/**
 * Let the buttons of opponents begin games, and complete their ratings.
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
  rateOpponents().catch(() => {}); // without an answer, the words of the page stay
}
