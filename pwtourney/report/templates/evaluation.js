"use strict";
/* The curve of what both bots expected of a game: the final margin, seen from seat 0. */
const Evaluation = (() => {
  const { $, make } = Dom;
  const HEIGHT = 160;
  const LEFT = 44;
  const RIGHT = 12;
  const TOP = 10;
  const BOTTOM = 22;
  const MOST = 200; // no final margin is larger; what bots say may be

  const sign = (margin) => `${margin > 0 ? "+" : ""}${Number(margin.toFixed(1))}`;

  /* What each seat said, as [ply, margin of seat 0]; a bot gives the margin from its own side. */
  const collect = (plies) => [0, 1].map((seat) => plies.flatMap((ply, place) =>
    (ply[0] === seat && ply.length > 4 ? [[place + 1, seat ? -ply[4] : ply[4]]] : [])));

  const describe = (series, names) => series.map((points, seat) => {
    if (!points.length) return `${names[seat]} gave no score`;
    const [first, last] = [points[0], points[points.length - 1]];
    return `${names[seat]} expected ${sign(first[1])} at ply ${first[0]} and ${sign(last[1])} at ply ${last[0]}`;
  }).join("; ");

  const scale = (margins) => {
    const most = Math.min(MOST, Math.max(10, ...margins.map(Math.abs)));
    const step = [5, 10, 20, 25, 50, 100].find((each) => most / each <= 2.5) ?? 100;
    return { step, most: Math.ceil(most / step) * step };
  };

  /* Draws into the figure; returns how to mark the current ply. */
  const draw = (game, names, go) => {
    const figure = $("evaluation");
    const series = collect(game.plies);
    figure.hidden = !series.some((points) => points.length);
    if (figure.hidden) return () => {};
    const width = Math.max(240, figure.clientWidth - 16);
    const end = game.faults.length ? [] : [game.scores[0] - game.scores[1]];
    const { step, most } = scale([...series.flat().map((point) => point[1]), ...end]);
    const x = (ply) => LEFT + (width - LEFT - RIGHT) * ply / game.plies.length;
    const y = (margin) => TOP + (HEIGHT - TOP - BOTTOM)
      * (1 - Math.max(-most, Math.min(most, margin)) / most) / 2;
    const svg = make("svg:svg", {
      role: "img", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`,
      "aria-label": `Expected margin of ${names[0]}: ${describe(series, names)}${end.length ? `; the game ended ${sign(end[0])}` : ""}`,
    });
    for (let margin = -most; margin <= most; margin += step) {
      svg.append(
        make("svg:path", { class: margin ? "grid" : "zero", d: `M${LEFT} ${y(margin)}H${width - RIGHT}` }),
        make("svg:text", { class: "soft", x: LEFT - 6, y: y(margin) + 4, "text-anchor": "end" }, sign(margin)));
    }
    svg.append(make("svg:text", { class: "soft", x: width - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, "ply"));
    const cursor = make("svg:path", { class: "cursor" });
    svg.append(cursor);
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
    svg.addEventListener("click", (event) => {
      const across = (event.clientX - svg.getBoundingClientRect().left - x(0)) / (x(1) - x(0));
      go(Math.round(across));
    });
    $("expected").replaceChildren(svg);
    return (ply) => cursor.setAttribute("d", `M${x(ply)} ${TOP}V${HEIGHT - BOTTOM}`);
  };

  return { draw, sign };
})();
