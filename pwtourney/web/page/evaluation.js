/* The curve of what both bots expected of a game: the final margin, seen from seat 0. */

import * as Dom from "../shared/dom.js";
import * as Margins from "../shared/margins.js";

const { $, make } = Dom;
const { sign } = Margins;
const HEIGHT = 160;

/* What each seat said, as [ply, margin of seat 0]; a bot gives the margin from its own side. */
const collect = (plies) => [0, 1].map((seat) => plies.flatMap((ply, place) =>
  (ply[0] === seat && ply.length > 4 ? [[place + 1, seat ? -ply[4] : ply[4]]] : [])));

const describe = (series, names) => series.map((points, seat) => {
  if (!points.length) return `${names[seat]} gave no score`;
  const [first, last] = [points[0], points[points.length - 1]];
  return `${names[seat]} expected ${sign(first[1])} at ply ${first[0]} and ${sign(last[1])} at ply ${last[0]}`;
}).join("; ");

/* Draws into the figure; returns how to mark the current ply. */
const draw = (game, names, go) => {
  const figure = $("evaluation");
  const series = collect(game.plies);
  figure.hidden = !series.some((points) => points.length);
  if (figure.hidden) return () => {};
  const width = Math.max(240, figure.clientWidth - 16);
  const end = game.faults.length ? [] : [game.scores[0] - game.scores[1]];
  const { svg, x, y, mark } = Margins.frame({
    width, height: HEIGHT, first: 0, last: game.plies.length, go,
    margins: [...series.flat().map((point) => point[1]), ...end],
    label: `Expected margin of ${names[0]}: ${describe(series, names)}${end.length ? `; the game ended ${sign(end[0])}` : ""}`,
  });
  series.forEach((points, seat) => {
    const colour = `var(--c${seat})`;
    svg.append(make("svg:polyline", {
      points: points.map(([ply, margin]) => `${x(ply)},${y(margin)}`).join(" "), stroke: colour,
    }));
    points.forEach(([ply, margin]) => svg.append(make("svg:circle", {
      cx: x(ply), cy: y(margin), r: 2.5, fill: colour,
    })));
  });
  end.forEach((margin) => svg.append(make("svg:path", {
    class: "result", d: `M${x(game.plies.length) - 5} ${y(margin) - 5}h10v10h-10z`,
  })));
  $("expected").replaceChildren(svg);
  return mark;
};

export { draw };
