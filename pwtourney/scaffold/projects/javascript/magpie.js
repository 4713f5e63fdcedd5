// Magpie: a Patchwork bot in JavaScript for node, for protocol version 1 (docs/protocol.md of pwtourney).
//
//     node magpie.js
//
// It takes the patch that earns most for its time, and lays it where it touches the most.
'use strict';

const readline = require('node:readline');

const NAMES = ['r0', 'r90', 'r180', 'r270', 'f0', 'f90', 'f180', 'f270'];
let game = null;
let me = null;

/** Return the eight orientations of a shape, given as rows of # and dots. */
function orientations(shape) {
  const turned = (rows) =>
    [...rows[0]].map((_, c) => rows.map((row) => row[c]).reverse().join(''));
  const flipped = (rows) => rows.map((row) => [...row].reverse().join(''));
  const all = [];
  for (let rows of [shape, flipped(shape)]) {
    for (let k = 0; k < 4; k++, rows = turned(rows)) all.push(rows);
  }
  return all.map((rows, number) => ({
    name: NAMES[number],
    height: rows.length,
    width: rows[0].length,
    squares: rows.flatMap((row, r) => [...row].flatMap((mark, c) => (mark === '#' ? [[r, c]] : []))),
  }));
}

/** Read rows of runs, such as 9/2xx5/…, into a table of booleans. */
function readQuilt(text) {
  return text.split('/').map((row) =>
    row.match(/x|\d+/g).flatMap((run) => (run === 'x' ? [true] : Array(Number(run)).fill(false))));
}

/** Keep what concerns us of a position line. */
function readPosition(fields) {
  const at = 4 * game.seat;
  me = {
    quilt: readQuilt(fields[at]),
    buttons: Number(fields[at + 1]),
    space: Number(fields[at + 3]),
    pending: Number(fields[9]),
    offer: fields[12] === '-' ? [] : fields[12].split(',').slice(0, game.offer).map(Number),
  };
}

const square = (r, c) => String.fromCharCode(97 + c) + (r + 1);

/** Whether a square is covered; beyond the rim counts as covered. */
const covered = (r, c) => r < 0 || c < 0 || r >= game.rows || c >= game.columns || me.quilt[r][c];

const neighbours = (r, c) =>
  [[r - 1, c], [r + 1, c], [r, c - 1], [r, c + 1]].filter(([y, x]) => covered(y, x)).length;

/** Return the best place for a set of orientations as {touching, text}, null if none fits. */
function bestPlace(lays, spell) {
  let best = null;
  for (const lay of lays) {
    for (let r = 0; r + lay.height <= game.rows; r++) {
      for (let c = 0; c + lay.width <= game.columns; c++) {
        if (lay.squares.some(([y, x]) => me.quilt[r + y][c + x])) continue;
        const touching = lay.squares.reduce((sum, [y, x]) => sum + neighbours(r + y, c + x), 0);
        if (!best || touching > best.touching) best = { touching, text: spell(lay, square(r, c)) };
      }
    }
  }
  return best;
}

/** What a patch adds to the score at the end, less the time it takes. */
function worth(patch) {
  const paydays = game.income.filter((mark) => mark > me.space).length;
  return 2 * patch.size + paydays * patch.income - patch.cost - patch.time;
}

function choose() {
  if (me.pending) {
    return bestPlace([{ height: 1, width: 1, squares: [[0, 0]] }], (_, at) => `leather:${at}`).text;
  }
  const candidates = me.offer
    .map((number) => game.patches.get(number))
    .filter((patch) => patch.cost <= me.buttons && worth(patch) > 0)
    .sort((a, b) => worth(b) - worth(a));
  for (const patch of candidates) {
    const best = bestPlace(patch.lays, (lay, at) => `${patch.number}:${lay.name}:${at}`);
    if (best) return best.text;
  }
  return 'advance';
}

/** Keep one line of the description of a game. */
function describe(word, fields) {
  const numbers = fields.map(Number);
  if (word === 'board') [game.rows, game.columns] = numbers;
  else if (word === 'offer') [game.offer] = numbers;
  else if (word === 'income') game.income = numbers;
  else if (word === 'patch') {
    const [number, cost, time, income] = numbers;
    const lays = orientations(fields[4].split('/'));
    game.patches.set(number, { number, cost, time, income, lays, size: lays[0].squares.length });
  }
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const [word, ...fields] = line.trimEnd().split(' ');
  const say = (text) => process.stdout.write(`${text}\n`);
  if (word === 'pwtp') say('id name Magpie\nready');
  else if (word === 'newgame') {
    game = { seat: Number(fields[3]), offer: 3, income: [], patches: new Map() };
  } else if (word === 'end') say('ready');
  else if (word === 'position') readPosition(fields);
  else if (word === 'go') say(`move ${choose()}`);
  else if (word === 'quit') process.exit(0);
  else if (game) describe(word, fields);
});
