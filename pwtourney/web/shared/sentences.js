/* What happens and what is seen, in sentences: for screen readers, for those who read along, and
   the same wherever a position is shown. */

const SEATS = ["first", "second"];

const letter = (column) => String.fromCharCode(97 + column);
const nameSquare = (edition, square) =>
  `${letter(square % edition.columns)}${Math.floor(square / edition.columns) + 1}`;

const nameMark = (edition, mark) => {
  if (mark < 0) return "special patch";
  if (!mark) return "empty";
  return edition.patches[mark] ? `patch ${mark}` : "covered";
};

/* The squares that were covered between two positions of a quilt board. */
const findPlaced = (before, after) =>
  after.flatMap((mark, square) => (before && mark && !before[square] ? [square] : []));

const describeQuilt = (edition, name, quilt, before) => {
  const covered = quilt.filter((mark) => mark).length;
  const placed = findPlaced(before, quilt);
  const last = placed.length
    ? `; just placed: ${nameMark(edition, quilt[placed[0]])} on ${placed.map((square) => nameSquare(edition, square)).join(", ")}`
    : "";
  return `Quilt board of ${name}: ${covered} of ${quilt.length} squares covered${last}`;
};

/* One line for each row, squares of one patch together: "Row 1: a to c patch 12, d to i empty". */
const describeRows = (edition, quilt) => Array.from({ length: edition.rows }, (_, row) => {
  const runs = [];
  quilt.slice(row * edition.columns, (row + 1) * edition.columns).forEach((mark, column) => {
    const run = runs[runs.length - 1];
    if (run && run.mark === mark) run.end = column;
    else runs.push({ mark, start: column, end: column });
  });
  const words = runs.map(({ mark, start, end }) =>
    `${letter(start)}${end > start ? ` to ${letter(end)}` : ""} ${nameMark(edition, mark)}`);
  return `Row ${row + 1}: ${words.join(", ")}`;
});

const describePatch = (edition, number) => {
  const [, cost, time, income] = edition.patches[number];
  return `patch ${number}: costs ${cost}, time ${time}, income ${income}`;
};

const describeTrack = (edition, state) => {
  const [first, second] = state.players.map((player) => player.space);
  const ahead = Math.max(first, second);
  const left = edition.leathers.filter((space) => space > ahead);
  const tokens = first === second
    ? `both tokens on ${first} of ${edition.last}, that of the ${SEATS[state.toMove]} seat on top`
    : `first on ${first}, second on ${second} of ${edition.last}`;
  return `Time track: ${tokens}; special patches left at ${left.join(", ") || "no space"}`;
};

const isOver = (edition, state) => state.players.every((player) => player.space === edition.last);

const count = (number, word) => `${number} ${number === 1 ? word.replace(/s$/, "") : word}`;

const describePurse = (edition, player) => `${count(player.buttons, edition.currency)}, income ${player.income}`;

/* A person may be called "you", who takes, is and has in another form than everybody else. */
const isReader = (name) => name.toLowerCase() === "you";
const SECOND = { is: "are", has: "have" };
const speakOf = (name, verb) => (isReader(name) ? SECOND[verb] ?? verb.replace(/s$/, "") : verb);
const tellTurn = (name) => `${name} ${speakOf(name, "is")} to move`;

/* What a player did, from what it changed: on buttons, squares and the track. */
const tellAction = (edition, name, before, after, seat, action) => {
  const verb = (word) => speakOf(name, word);
  const [word, ...rest] = action.split(":");
  const [from, to] = [before.players[seat], after.players[seat]];
  const squares = findPlaced(from.quilt, to.quilt).map((square) => nameSquare(edition, square)).join(", ");
  const earned = (spent) => to.buttons - from.buttons + spent;
  const receives = (number) => (number ? ` and ${verb("receives")} ${count(number, edition.currency)}` : "");
  if (word === "advance") {
    return `${verb("advances")} ${count(to.space - from.space, "spaces")} to space ${to.space}${receives(earned(0))}`;
  }
  if (word === "decline") return `${verb("declines")} a special patch`;
  if (word === "leather") return `${verb("places")} a special patch on ${squares}`;
  if (word === "card") {
    const [card, patch] = rest;
    const does = patch === "pass" ? "passes" : `takes patch ${patch}`;
    return `turns over card ${card}, ${does}, and moves to space ${to.space}${receives(earned(0))}`;
  }
  const [, cost] = edition.patches[word];
  const moves = `${verb("moves")} ${count(to.space - from.space, "spaces")} to space ${to.space}`;
  const ends = earned(cost) ? `${moves}${receives(earned(cost))}` : `and ${moves}`;
  return `${verb("takes")} patch ${word} for ${count(cost, edition.currency)}, ${verb("places")} it on ${squares}, ${ends}`;
};

/* Returns one sentence that tells a ply: who did what, what came of it, and who moves next.
   `ply` is [seat, action, …], before and after are the positions around it. */
const tellPly = (edition, names, before, after, [seat, action]) => {
  const told = [`${names[seat]} ${tellAction(edition, names[seat], before, after, seat, action)}`];
  const mover = names[after.toMove];
  if (after.tile !== before.tile) {
    told.push(`${names[after.tile]} ${speakOf(names[after.tile], "takes")} the special tile`);
  }
  if (isOver(edition, after) && !after.pending) told.push("the game is over");
  else if (after.pending) {
    const patches = after.pending === 1 ? "a special patch" : `${after.pending} special patches`;
    told.push(`${mover} ${speakOf(mover, "has")} ${patches} to place`);
  }
  else told.push(tellTurn(mover));
  const sentence = `${told.join("; ")}.`;
  return isReader(names[seat]) ? `Y${sentence.slice(1)}` : sentence;
};

export { SEATS, count, nameSquare, findPlaced, describeQuilt, describeRows, describePatch, describeTrack, describePurse, tellPly, tellTurn, isOver };
