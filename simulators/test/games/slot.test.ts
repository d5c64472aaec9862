import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BETS, draw, judge, LINES, PAYS, WEIGHTS } from '../../src/games/slot/slot.ts';

test('lines pay for three of a kind, and the first symbol is wild', () => {
  const three = judge([1, 2, 3, 6, 6, 6, 2, 3, 1], 100);
  assert.deepEqual(three.wins, [{ line: 0, symbol: 6, pay: 120 }]);
  assert.deepEqual(judge([1, 2, 3, 0, 4, 4, 2, 3, 1], 500).wins, [{ line: 0, symbol: 4, pay: 1600 }]);
  assert.equal(judge([0, 0, 0, 0, 0, 0, 0, 0, 0], 100).win, 5 * 20 * 1000);
  assert.equal(judge([1, 2, 3, 4, 5, 6, 2, 3, 2], 100).win, 0);
});

test('the long-run return of the game is between 94 and 96 %', () => {
  const total = WEIGHTS.reduce((sum, weight) => sum + weight, 0);
  const symbols = WEIGHTS.map((_, symbol) => symbol);
  let expected = 0;
  for (const a of symbols) {
    for (const b of symbols) {
      for (const c of symbols) {
        const chance = ((WEIGHTS[a] ?? 0) * (WEIGHTS[b] ?? 0) * (WEIGHTS[c] ?? 0)) / total ** 3;
        const onFirstLine = judge([1, 2, 3, a, b, c, 4, 5, 6], 500).wins.find(({ line }) => line === 0);
        expected += (chance * (onFirstLine?.pay ?? 0)) / 100;
      }
    }
  }
  assert.ok(expected > 0.94 && expected < 0.96, String(expected));
});

test('draws follow the weights, and wins are whole satang at every bet', () => {
  const counts = WEIGHTS.map(() => 0);
  for (let round = 0; round < 4000; round++) for (const cell of draw(100).cells) counts[cell] = (counts[cell] ?? 0) + 1;
  const total = WEIGHTS.reduce((sum, weight) => sum + weight, 0);
  const chiSquare = WEIGHTS.reduce((sum, weight, symbol) => {
    const expected = (36_000 * weight) / total;
    return sum + ((counts[symbol] ?? 0) - expected) ** 2 / expected;
  }, 0);
  assert.ok(chiSquare < 33, `chi square ${chiSquare} of 6 degrees of freedom`);
  for (const bet of BETS) for (const pay of PAYS) assert.ok(Number.isInteger((pay * bet) / LINES.length));
});
