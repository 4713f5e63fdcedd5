/* The final margin that both bots expected in a game, from the view of the first seat. */
import { formatPoints } from "../shared/gauges.js";

/** @import { Pair, Ply } from "../types.d.ts" */

/**
 * Return the expectations of each seat, as plies with margins from the view of the first seat. A
 * bot gives the margin from its own view.
 * @param {Ply[]} plies
 * @returns {Pair[][]}
 */
export function collectMargins(plies) {
  return [0, 1].map((seat) =>
    plies.flatMap(([mover, , , , margin], place) => {
      if (mover !== seat || margin === undefined) return [];
      return [/** @type {Pair} */ ([place + 1, seat ? -margin : margin])];
    }),
  );
}

/**
 * Describe in words the first and the last margin that both bots expected.
 * @param {Pair[][]} series
 * @param {string[]} names
 */
export function describeMargins(series, names) {
  return series
    .map((points, seat) => {
      if (!points.length) return `${names[seat]} gave no score`;
      const [first, last] = [points[0], points[points.length - 1]];
      const begin = `${formatPoints(first[1])} at ply ${first[0]}`;
      const end = `${formatPoints(last[1])} at ply ${last[0]}`;
      return `${names[seat]} expected ${begin} and ${end}`;
    })
    .join("; ");
}
