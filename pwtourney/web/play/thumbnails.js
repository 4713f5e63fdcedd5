/* The quilt boards of games to continue, small. */
import { makeBoards } from "../shared/boards.js";
import { listPositions } from "../shared/changes.js";
import { queryAll } from "../shared/dom.js";

/** @import { Thumbnail, Thumbnails } from "../types.d.ts" */

/**
 * Return the quilt boards of a game, those of people first; the Automa has none.
 * @param {Thumbnail} facts
 */
function drawGame({ edition, names, people, automa, game }) {
  const { drawQuilt } = makeBoards(edition);
  const { players } = listPositions(edition, game)[game.plies.length];
  const seats = [0, 1].filter((seat) => !(seat && automa));
  seats.sort(
    (first, second) =>
      Number(people.includes(second)) - Number(people.includes(first)) || first - second,
  );
  return seats.map(
    (seat) => drawQuilt(names[seat], players[seat].quilt, null, { coordinates: false })[0],
  );
}

/**
 * Draw the games where the page has their places.
 * @param {Thumbnails} games
 */
export function drawThumbnails(games) {
  queryAll(document, "[data-game]").forEach((box) => {
    const game = games[box.dataset.game ?? ""];
    if (game) box.replaceChildren(...drawGame(game));
  });
}
