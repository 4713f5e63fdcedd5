/* Positions of a game from its plies. The record was judged by the referee, so nothing is judged
   here; a test compares what comes out with the engine, position by position. */

const ORIENTATIONS = ["r0", "r90", "r180", "r270", "f0", "f90", "f180", "f270"];

const turned = (rows, name) => {
  let shape = rows.map((row) => [...row]);
  if (name[0] === "f") shape = shape.map((row) => [...row].reverse());
  for (let turns = Number(name.slice(1)) / 90; turns > 0; turns -= 1) {
    shape = shape[0].map((_, column) => shape.map((row) => row[column]).reverse());
  }
  return shape;
};

const squareAt = (text, edition) =>
  (Number(text.slice(1)) - 1) * edition.columns + text.charCodeAt(0) - 97;

const covered = (edition, patch, orientation, square) => {
  const found = [];
  turned(edition.patches[patch][0], orientation).forEach((row, down) =>
    row.forEach((mark, right) => {
      if (mark === "#") found.push(squareAt(square, edition) + down * edition.columns + right);
    }));
  return found;
};

const passed = (marks, space) => marks.filter((mark) => mark <= space).length;

const start = (edition, game) => ({
  players: [0, 1].map((seat) => ({
    quilt: Array(edition.rows * edition.columns).fill(0),
    buttons: seat === 1 && game.automa ? 0 : edition.buttons,
    income: 0,
    space: 0,
    micros: 0,
  })),
  circle: game.deal[0],
  late: game.deal[1],
  toMove: 0,
  pending: 0,
  tile: null,
});

const copy = (state) => ({
  ...state,
  players: state.players.map((player) => ({ ...player, quilt: [...player.quilt] })),
});

const full = (player) => player.quilt.every((each) => each);

const earnsTile = (edition, quilt) => {
  if (!edition.tile) return false;
  const size = edition.tile[0];
  for (let row = 0; row + size <= edition.rows; row += 1) {
    for (let column = 0; column + size <= edition.columns; column += 1) {
      let whole = true;
      for (let k = 0; whole && k < size * size; k += 1) {
        const square = (row + Math.floor(k / size)) * edition.columns + column + (k % size);
        whole = quilt[square] !== 0;
      }
      if (whole) return true;
    }
  }
  return false;
};

const taken = (edition, state, patch) => {
  const place = state.circle.indexOf(patch);
  state.circle = [...state.circle.slice(place + 1), ...state.circle.slice(0, place)];
  if (edition.late !== null && state.late.length && state.circle.length <= edition.late) {
    state.circle = [...state.circle, ...state.late];
    state.late = [];
  }
};

const move = (edition, state, seat, target, income) => {
  const mover = state.players[seat];
  const ahead = state.players[1 - seat].space;
  const from = mover.space;
  mover.space = Math.min(target, edition.last);
  mover.buttons += income *
    (passed(edition.incomes, mover.space) - passed(edition.incomes, from));
  if (mover.space > ahead) {
    const before = Math.max(passed(edition.leathers, ahead), passed(edition.leathers, from));
    state.pending = passed(edition.leathers, mover.space) - before;
  }
  return mover.space - from;
};

const settle = (state, seat) => {
  const [mover, other] = [state.players[seat], state.players[1 - seat]];
  state.toMove = mover.space > other.space && !state.pending ? 1 - seat : seat;
};

const card = (edition, state, game, action) => {
  const [, , patch, income] = action.split(":");
  const [human, automa] = state.players;
  const from = automa.space;
  if (patch === "pass") {
    move(edition, state, 1, human.space + 1, Number(income));
  } else {
    taken(edition, state, Number(patch));
    move(edition, state, 1, from + edition.patches[patch][2], Number(income));
  }
  state.pending = 0; // a special patch that it reaches leaves the board
  if (state.tile === null && from < game.automa[1] && game.automa[1] <= automa.space) {
    state.tile = 1;
  }
};

const cover = (edition, state, seat, squares, mark) => {
  const mover = state.players[seat];
  squares.forEach((square) => { mover.quilt[square] = mark; });
  if (state.tile === null && earnsTile(edition, mover.quilt)) state.tile = seat;
};

const apply = (edition, before, game, [seat, action, micros]) => {
  const state = copy(before);
  const mover = state.players[seat];
  mover.micros += Math.max(0, micros); // below 0 if nobody measured it
  const words = action.split(":");
  if (words[0] === "card") {
    card(edition, state, game, action);
  } else if (action === "advance") {
    const target = state.players[1 - seat].space + 1;
    const spaces = move(edition, state, seat, target, mover.income);
    mover.buttons += spaces;
  } else if (action === "decline" || words[0] === "leather") {
    if (words[0] === "leather") {
      const square = squareAt(words[1], edition);
      cover(edition, state, seat, [square], -1 - square);
    }
    state.pending -= 1;
  } else {
    const [, cost, time, income] = edition.patches[words[0]];
    cover(edition, state, seat, covered(edition, words[0], words[1], words[2]), Number(words[0]));
    taken(edition, state, Number(words[0]));
    mover.buttons -= cost;
    mover.income += income;
    move(edition, state, seat, mover.space + time, mover.income);
  }
  if (full(mover) && words[0] !== "card") state.pending = 0;
  settle(state, seat);
  return state;
};

const score = (edition, state, seat) => {
  const player = state.players[seat];
  const empty = player.quilt.filter((each) => !each).length;
  const tile = state.tile === seat && edition.tile ? edition.tile[1] : 0;
  return player.buttons + tile - 2 * empty;
};

const positions = (edition, game) => {
  const found = [start(edition, game)];
  game.plies.forEach((ply) => found.push(apply(edition, found[found.length - 1], game, ply)));
  return found;
};

export { ORIENTATIONS, start, apply, positions, score, turned, covered, squareAt };
