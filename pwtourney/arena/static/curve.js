"use strict";
/* The curve of a game: the margin that is expected before each ply, by the bots that played and by
   those that were asked. Each series has its own dashes and points, not only its colour. */
const MarginCurve = (() => {
  const { $, make } = Dom;
  const HEIGHT = 190;
  const [LEFT, RIGHT, TOP, BOTTOM] = [40, 12, 10, 22];
  const MOST = 200;
  const DASHES = ["", "7 4", "2 3", "10 3 2 3", "4 2", "12 5"];
  const SHAPES = ["circle", "square", "triangle", "diamond"];
  const COLOURS = ["c2", "c3", "c4", "c5", "c0", "c1"];

  const sign = (margin) => `${margin > 0 ? "+" : ""}${Number(margin.toFixed(1))}`;

  const scale = (margins) => {
    const most = Math.min(MOST, Math.max(10, ...margins.map(Math.abs)));
    const step = [5, 10, 20, 25, 50, 100].find((each) => most / each <= 2.5) ?? 100;
    return { step, most: Math.ceil(most / step) * step };
  };

  const drawPoint = (shape, x, y, size, attributes) => {
    if (shape === "circle") return make("svg:circle", { cx: x, cy: y, r: size, ...attributes });
    const path = {
      square: `M${x - size} ${y - size}h${2 * size}v${2 * size}h${-2 * size}z`,
      triangle: `M${x} ${y - size * 1.2}l${size * 1.2} ${size * 2.1}h${-size * 2.4}z`,
      diamond: `M${x} ${y - size * 1.4}l${size * 1.4} ${size * 1.4}l${-size * 1.4} ${size * 1.4}l${-size * 1.4} ${-size * 1.4}z`,
    }[shape];
    return make("svg:path", { d: path, ...attributes });
  };

  const describe = (series) => series.map(({ name, points }) => {
    const [first, last] = [points[0], points[points.length - 1]];
    return `${name}: ${sign(first[1])} before ply ${first[0]}, ${sign(last[1])} before ply ${last[0]}`;
  }).join("; ");

  const drawSeries = ({ points }, place, x, y) => {
    const own = { class: `series ${COLOURS[place % COLOURS.length]}` };
    const group = make("svg:g", own);
    group.append(make("svg:polyline", {
      points: points.map(([ply, margin]) => `${x(ply)},${y(margin)}`).join(" "), fill: "none",
      "stroke-width": 2, "stroke-dasharray": DASHES[place % DASHES.length],
    }));
    if (points.length < 80) {
      group.append(...points.map(([ply, margin]) => drawPoint(SHAPES[place % SHAPES.length], x(ply), y(margin), 2.4, {})));
    }
    return group;
  };

  const drawLegend = (series) => $("curve-legend").replaceChildren(...series.map(({ name }, place) => {
    const item = make("li");
    const svg = make("svg:svg", { viewBox: "0 0 30 10", class: `series ${COLOURS[place % COLOURS.length]}`, "aria-hidden": "true" });
    svg.append(make("svg:path", { d: "M0 5h30", "stroke-width": 2, "stroke-dasharray": DASHES[place % DASHES.length] }),
      drawPoint(SHAPES[place % SHAPES.length], 15, 5, 3, {}));
    item.append(svg, name);
    return item;
  }));

  /* Draws series `{ name, points: [[ply, margin of the first seat], …] }` over a game of so many
     plies, with plies that were graded marked on the first series that has them; `result` is the
     margin at the end or null. Returns how to mark the current ply. */
  const draw = (series, plies, result, marks, go) => {
    const figure = $("curve");
    const shown = series.filter(({ points }) => points.length);
    figure.hidden = !shown.length || !plies;
    if (figure.hidden) return () => {};
    const width = Math.max(240, $("curve-drawing").clientWidth || 600);
    const end = result === null ? [] : [result];
    const { step, most } = scale([...shown.flatMap(({ points }) => points.map((point) => point[1])), ...end]);
    const x = (ply) => LEFT + (width - LEFT - RIGHT) * (ply - 1) / plies;
    const y = (margin) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.max(-most, Math.min(most, margin)) / most) / 2;
    const svg = make("svg:svg", {
      role: "img", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`,
      "aria-label": `Expected margin of the first seat. ${describe(shown)}${end.length ? `; the game ended ${sign(end[0])}` : ""}`,
    });
    for (let margin = -most; margin <= most; margin += step) {
      svg.append(
        make("svg:path", { class: margin ? "grid" : "zero", d: `M${LEFT} ${y(margin)}H${width - RIGHT}` }),
        make("svg:text", { class: "soft", x: LEFT - 6, y: y(margin) + 4, "text-anchor": "end" }, sign(margin)));
    }
    svg.append(make("svg:text", { class: "soft", x: width - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, "ply"));
    const cursor = make("svg:path", { class: "cursor" });
    svg.append(cursor, ...shown.map((each, place) => drawSeries(each, place, x, y)));
    end.forEach((margin) => svg.append(drawPoint("square", x(plies + 1), y(margin), 5, { class: "result" })));
    marks.forEach(({ ply, margin, grade }) => svg.append(
      make("svg:text", { class: `grade ${grade}`, x: x(ply), y: Math.max(12, y(margin) - 7), "text-anchor": "middle" }, Lines.MARKS[grade])));
    svg.addEventListener("click", (event) => {
      const across = (event.clientX - svg.getBoundingClientRect().left) * width / svg.getBoundingClientRect().width;
      go(Math.round((across - LEFT) / (width - LEFT - RIGHT) * plies));
    });
    $("curve-drawing").replaceChildren(svg);
    drawLegend(shown);
    return (ply) => cursor.setAttribute("d", `M${x(ply + 1)} ${TOP}V${HEIGHT - BOTTOM}`);
  };

  return { draw, sign };
})();
