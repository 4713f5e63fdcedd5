// The bot as a runner sees it: a whole conversation, line by line.
'use strict';

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { test } = require('node:test');

const RUNNER = `pwtp 1
newgame edition tiny seat 0 seed 81
board 1 1 1
start 5 1
offer 3
declining 0
income 1
leather
patch 1 1 1 1 #
end
position 1 5 0 0 1 5 0 0 0 0 - - 1 -
go movetime 1000
gameover 5 4 win
quit
`;

test('it answers what it is asked', () => {
  const bot = path.join(__dirname, '..', 'magpie.js');
  const said = spawnSync(process.execPath, [bot], { input: RUNNER, encoding: 'utf8' });
  assert.strictEqual(said.stdout, 'id name Magpie\nready\nready\nmove 1:r0:a1\n');
  assert.strictEqual(said.status, 0);
});
