import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BETS, draw, judge, LINES, PAYS, WEIGHTS } from '../../src/games/slot/slot.ts';

test('slot lines pay for three equal symbols, and the first symbol is wild', () => {
  const judgedGrid = judge([1, 2, 3, 6, 6, 6, 2, 3, 1], 100);
  assert.deepEqual(judgedGrid.wins, [{ line: 0, symbol: 6, pay: 120 }]);
  assert.deepEqual(judge([1, 2, 3, 0, 4, 4, 2, 3, 1], 500).wins, [{ line: 0, symbol: 4, pay: 1600 }]);
  assert.equal(judge([0, 0, 0, 0, 0, 0, 0, 0, 0], 100).win, 5 * 20 * 1000);
  assert.equal(judge([1, 2, 3, 4, 5, 6, 2, 3, 2], 100).win, 0);
});

test('the long-run return of the slot is between 94 and 96 %', () => {
  const total = WEIGHTS.reduce((partialSum, weight) => partialSum + weight, 0);
  const symbols = WEIGHTS.map((_, symbol) => symbol);
  let expectedPayout = 0;
  for (const a of symbols) {
    for (const b of symbols) {
      for (const thirdSymbol of symbols) {
        const chance = ((WEIGHTS[a] ?? 0) * (WEIGHTS[b] ?? 0) * (WEIGHTS[thirdSymbol] ?? 0)) / total ** 3;
        const onFirstLine = judge([1, 2, 3, a, b, thirdSymbol, 4, 5, 6], 500).wins.find(({ line }) => line === 0);
        expectedPayout += (chance * (onFirstLine?.pay ?? 0)) / 100;
      }
    }
  }
  assert.ok(expectedPayout > 0.94 && expectedPayout < 0.96, String(expectedPayout));
});

test('slot draws follow the weights, and wins are whole satang at every bet', () => {
  const symbolCounts = WEIGHTS.map(() => 0);
  for (let round = 0; round < 4000; round++)
    for (const cell of draw(100).cells) symbolCounts[cell] = (symbolCounts[cell] ?? 0) + 1;
  const total = WEIGHTS.reduce((partialSum, weight) => partialSum + weight, 0);
  const chiSquare = WEIGHTS.reduce((partialSum, weight, symbol) => {
    const expectedCount = (36_000 * weight) / total;
    return partialSum + ((symbolCounts[symbol] ?? 0) - expectedCount) ** 2 / expectedCount;
  }, 0);
  assert.ok(chiSquare < 33, `chi square ${chiSquare} of 6 degrees of freedom`);
  for (const bet of BETS) for (const pay of PAYS) assert.ok(Number.isInteger((pay * bet) / LINES.length));
});
