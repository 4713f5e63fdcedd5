/* The curve of the margins that both bots expected in a game. */
import { $, draw } from "../shared/dom.js";
import { formatPoints } from "../shared/gauges.js";
import { makeFrame } from "../shared/margins.js";
import { collectMargins, describeMargins } from "./expectations.js";

/** @import { Pair, Replayable, Seat } from "../types.d.ts" */

const HEIGHT = 160;

/**
 * @param {Pair[]} points in coordinates of the drawing
 * @param {Seat} seat
 */
function drawSeries(points, seat) {
  const colour = `var(--c${seat})`;
  return [
    draw("polyline", { points: points.map((point) => point.join()).join(" "), stroke: colour }),
    ...points.map(([x, y]) => draw("circle", { cx: x, cy: y, r: 2.5, fill: colour })),
  ];
}

/**
 * Draw the curve into its figure; hide the figure if neither bot gave a margin. A click calls `go`
 * with a ply. Return a function that marks the current ply.
 * @param {Replayable} game
 * @param {string[]} names
 * @param {(ply: number) => void} go
 * @returns {(ply: number) => void}
 */
export function drawEvaluation(game, names, go) {
  const figure = $("evaluation");
  const series = collectMargins(game.plies);
  figure.hidden = !series.some((points) => points.length);
  if (figure.hidden) return () => {};
  const count = game.plies.length;
  const end = game.faults.length ? [] : [game.scores[0] - game.scores[1]];
  const ended = end.map((margin) => `; the game ended ${formatPoints(margin)}`).join("");
  const { svg, x, y, mark } = makeFrame({
    width: Math.max(240, figure.clientWidth - 16),
    height: HEIGHT,
    first: 0,
    last: count,
    go,
    margins: [...series.flat().map(([, margin]) => margin), ...end],
    label: `Expected margin of ${names[0]}: ${describeMargins(series, names)}${ended}`,
  });
  series.forEach((points, seat) => {
    svg.append(
      ...drawSeries(
        points.map(([ply, margin]) => [x(ply), y(margin)]),
        seat,
      ),
    );
  });
  end.forEach((margin) => {
    const square = `M${x(count) - 5} ${y(margin) - 5}h10v10h-10z`;
    svg.append(draw("path", { class: "result", d: square }));
  });
  $("expected").replaceChildren(svg);
  return mark;
}
