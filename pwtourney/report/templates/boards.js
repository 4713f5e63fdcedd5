"use strict";
/* Drawings of a position: quilt boards, patches, the circle and the time track, each with words
   for those who do not see it. `Boards.of(edition)` draws for one edition. */
const Boards = (() => {
  const SEATS = ["first", "second"];
  const { make, addSpoken } = Dom;
  const SIZE = 20;
  const MARGIN = 15;

  const of = (edition) => {
    const hue = (patch) => `hsl(${(patch * 137) % 360} 45% ${Dom.dark() ? 45 : 68}%)`;
    const letter = (column) => String.fromCharCode(97 + column);
    const nameSquare = (square) =>
      `${letter(square % edition.columns)}${Math.floor(square / edition.columns) + 1}`;
    const nameMark = (mark) => (mark > 0 ? `patch ${mark}` : mark < 0 ? "special patch" : "empty");

    /* The squares that were covered between two positions of a quilt board. */
    const findPlaced = (before, after) =>
      after.flatMap((mark, square) => (before && mark && !before[square] ? [square] : []));

    const describe = (name, quilt, placed) => {
      const covered = quilt.filter((mark) => mark).length;
      const last = placed.length
        ? `; just placed: ${nameMark(quilt[placed[0]])} on ${placed.map(nameSquare).join(", ")}` : "";
      return `Quilt board of ${name}: ${covered} of ${quilt.length} squares covered${last}`;
    };

    /* One line for each row, squares of one patch together: "Row 1: a to c patch 12, d to i empty". */
    const describeRows = (quilt) => Array.from({ length: edition.rows }, (_, row) => {
      const runs = [];
      quilt.slice(row * edition.columns, (row + 1) * edition.columns).forEach((mark, column) => {
        const run = runs[runs.length - 1];
        if (run && run.mark === mark) run.end = column;
        else runs.push({ mark, start: column, end: column });
      });
      const words = runs.map(({ mark, start, end }) =>
        `${letter(start)}${end > start ? ` to ${letter(end)}` : ""} ${nameMark(mark)}`);
      return `Row ${row + 1}: ${words.join(", ")}`;
    });

    /* The outline of squares, as a path: every side on which the neighbour does not belong to it. */
    const outline = (squares, quilt) => {
      const belongs = quilt.map((_, square) => squares.includes(square));
      return squares.map((square) => {
        const [column, row] = [square % edition.columns, Math.floor(square / edition.columns)];
        const [x, y] = [column * SIZE, row * SIZE];
        const left = column > 0 && belongs[square - 1];
        const right = column < edition.columns - 1 && belongs[square + 1];
        return [
          belongs[square - edition.columns] ? "" : `M${x} ${y}h${SIZE}`,
          belongs[square + edition.columns] ? "" : `M${x} ${y + SIZE}h${SIZE}`,
          left ? "" : `M${x} ${y}v${SIZE}`,
          right ? "" : `M${x + SIZE} ${y}v${SIZE}`,
        ].join("");
      }).join("");
    };

    const drawCoordinates = (svg) => {
      const write = (x, y, text) =>
        svg.append(make("svg:text", { class: "coordinate", x, y, "text-anchor": "middle" }, text));
      for (let column = 0; column < edition.columns; column += 1) {
        write((column + 0.5) * SIZE, -4, letter(column));
      }
      for (let row = 0; row < edition.rows; row += 1) write(-8, (row + 0.5) * SIZE + 4, row + 1);
    };

    const drawSquares = (svg, quilt) => {
      const [rows, columns] = [edition.rows, edition.columns];
      let lines = "";
      quilt.forEach((mark, square) => {
        const [x, y] = [(square % columns) * SIZE, Math.floor(square / columns) * SIZE];
        const fill = mark > 0 ? hue(mark) : mark < 0 ? "var(--leather)" : "none";
        svg.append(make("svg:rect", {
          x, y, width: SIZE, height: SIZE, fill, stroke: mark ? "none" : "var(--line)",
        }));
        const right = square % columns === columns - 1 ? null : quilt[square + 1];
        const below = square + columns >= quilt.length ? null : quilt[square + columns];
        if (right !== mark) lines += `M${x + SIZE} ${y}v${SIZE}`;
        if (below !== mark) lines += `M${x} ${y + SIZE}h${SIZE}`;
      });
      lines += `M0 0h${columns * SIZE}M0 0v${rows * SIZE}`;
      svg.append(make("svg:path", { d: lines, stroke: "var(--ink)", "stroke-width": 1.5, fill: "none" }));
    };

    /* Returns the drawing and, for screen readers, what lies in each row. */
    const drawQuilt = (name, quilt, before) => {
      const placed = findPlaced(before, quilt);
      const svg = make("svg:svg", {
        class: "quilt", role: "img", "aria-label": describe(name, quilt, placed),
        viewBox: `${-MARGIN} ${-MARGIN} ${edition.columns * SIZE + MARGIN + 2} ${edition.rows * SIZE + MARGIN + 2}`,
      });
      drawCoordinates(svg);
      drawSquares(svg, quilt);
      svg.append(make("svg:path", { class: "placed", d: outline(placed, quilt) }));
      placed.forEach((square) => svg.append(make("svg:circle", {
        class: "placed-square", r: 3,
        cx: ((square % edition.columns) + 0.5) * SIZE, cy: (Math.floor(square / edition.columns) + 0.5) * SIZE,
      })));
      const rows = make("ul", { class: "spoken" });
      rows.append(...describeRows(quilt).map((text) => make("li", {}, text)));
      return [svg, rows];
    };

    const drawPatch = (patch) => {
      const rows = edition.patches[patch][0];
      const svg = make("svg:svg", {
        width: rows[0].length * 9 + 2, height: rows.length * 9 + 2, "aria-hidden": "true",
      });
      rows.forEach((row, down) => [...row].forEach((mark, right) => {
        if (mark === "#") {
          svg.append(make("svg:rect", {
            x: right * 9 + 1, y: down * 9 + 1, width: 9, height: 9, fill: hue(patch),
            stroke: "var(--ink)", "stroke-width": 0.7,
          }));
        }
      }));
      return svg;
    };

    const drawTrack = (state) => {
      const across = 18;
      const cells = edition.last + 1;
      const height = Math.ceil(cells / across);
      const svg = make("svg:svg", {
        viewBox: `-1 -1 ${across * 24 + 2} ${height * 26 + 2}`, role: "img",
        "aria-label": `time track: ${state.players.map((each, seat) => `${SEATS[seat]} on ${each.space}`).join(", ")} of ${edition.last}`,
      });
      const ahead = Math.max(...state.players.map((each) => each.space));
      for (let space = 0; space < cells; space += 1) {
        const row = Math.floor(space / across);
        const column = row % 2 ? across - 1 - (space % across) : space % across;
        const [x, y] = [column * 24, row * 26];
        svg.append(make("svg:rect", { x, y, width: 24, height: 24, fill: "var(--quilt)", stroke: "var(--line)" }));
        if (edition.incomes.includes(space)) {
          svg.append(make("svg:circle", { cx: x + 20, cy: y + 4, r: 3, fill: "var(--accent)" }));
        }
        if (edition.leathers.includes(space) && space > ahead) {
          svg.append(make("svg:rect", { x: x + 1, y: y + 17, width: 6, height: 6, fill: "var(--leather)" }));
        }
        state.players.forEach((player, seat) => {
          if (player.space === space) {
            svg.append(make("svg:circle", {
              cx: x + 8 + seat * 8, cy: y + 12, r: 6, fill: `var(--c${seat})`, stroke: "var(--paper)",
            }));
            svg.append(make("svg:text", {
              x: x + 8 + seat * 8, y: y + 15.5, "text-anchor": "middle", style: "font-size:9px;fill:var(--paper)",
            }, String(seat + 1)));
          }
        });
      }
      return svg;
    };

    const drawCircle = (state) => {
      const list = make("ol", { class: "circle", "aria-label": "circle from the neutral token clockwise" });
      const token = make("li", { title: "the neutral token" });
      token.append(make("span", { "aria-hidden": "true" }, "♟"));
      addSpoken(token, "the neutral token");
      list.append(token);
      state.circle.forEach((patch, place) => {
        const [shape, cost, time, income] = edition.patches[patch];
        const item = make("li", { title: `patch ${patch}: costs ${cost}, time ${time}, income ${income}` });
        if (place < edition.offer) item.className = "offered";
        const brief = make("span", { "aria-hidden": "true" }, `${patch}: ${cost}/${time}${income ? ` +${income}` : ""}`);
        item.append(drawPatch(patch), make("br"), brief);
        const offered = place < edition.offer ? ", on offer" : "";
        addSpoken(item, `patch ${patch}${offered}: costs ${cost}, time ${time}, income ${income}, shape ${shape.join("/")}`);
        list.append(item);
      });
      return list;
    };

    return { drawQuilt, drawPatch, drawTrack, drawCircle };
  };

  return { seats: SEATS, of };
})();
