import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { commands } from '../../../lab/bench/product/commands.ts';
import { HttpClient } from '../../../lab/bench/product/http-client.ts';
import { createMembers } from '../../../lab/bench/product/members.ts';
import { liftLimits } from '../../../lab/bench/product/system.ts';
import { NAMED_AFTER } from '../../../server/src/platform/database/statements.ts';
import { startSystem } from '../../../server/test/harness/system.ts';

/**
 * Minimum executions in a round: each path sends its statements once per run. Excludes statements of occasional jobs.
 */
const MIN_EXECUTIONS = 2;
const MAX_ROUNDS = 4;
const ROW_STATEMENT = /^\s*(select|with|insert|update|delete)\b/i;
const LITERAL_VALUES = /'[^']*'|\b\d+\b/g;

/** Counts of statements that are parsed and planned for a single call, by text without values. */
const unnamedCounts = new Map();
const countUnnamed = (text) => {
  const statementShape = text.replaceAll(/\s+/g, ' ').trim().replaceAll(LITERAL_VALUES, '?');
  if (ROW_STATEMENT.test(statementShape))
    unnamedCounts.set(statementShape, (unnamedCounts.get(statementShape) ?? 0) + 1);
};

/** Makes every connection report the statements that it sends by a method. */
function listen(method, noteOf) {
  const original = Object.getOwnPropertyDescriptor(pg.Connection.prototype, method).value;
  pg.Connection.prototype[method] = function noted(...args) {
    noteOf(...args);
    return Reflect.apply(original, this, args);
  };
  return () => (pg.Connection.prototype[method] = original);
}

let system;
let stopListening = [];
let members = [];
const clients = [];
before(async () => {
  stopListening = [
    listen('parse', ({ name, text }) => name || countUnnamed(text)),
    // The simple protocol has no statement names.
    listen('query', countUnnamed),
  ];
  const harness = await startSystem();
  await liftLimits(harness.database);
  clients.push(new HttpClient(harness.url), new HttpClient(harness.simulatorsUrl));
  const [api, outside] = clients;
  system = { api, outside, harness };
  members = await createMembers(system, commands.length);
});
after(async () => {
  for (const stop of stopListening) stop();
  for (const { socket } of members) socket.close();
  for (const client of clients) client.close();
  await system?.harness.stop();
});

/** Runs every command `times` times, concurrently, each with its own member. */
const runEach = (times) =>
  Promise.all(
    commands.map(async ({ run, prepare, finish }, place) => {
      for (let turn = 0; turn < times; turn += 1) {
        for (const phase of [prepare, run, finish]) await phase?.(system, members[place], turn);
      }
    }),
  );

test('no bench command sends an unnamed statement after a few runs', async () => {
  await runEach(NAMED_AFTER + 1);
  assert.ok(unnamedCounts.size > 0, 'statements are noted');
  let unnamedShapes;
  // Random statements, such as for a coupon of the wheel, may not have recurred often enough yet: a further round names
  // them.
  for (let round = 0; round < MAX_ROUNDS && unnamedShapes?.length !== 0; round += 1) {
    unnamedCounts.clear();
    await runEach(MIN_EXECUTIONS);
    unnamedShapes = [...unnamedCounts.keys()].filter(
      (shape) =>
        unnamedCounts.get(shape) >= MIN_EXECUTIONS && (unnamedShapes === undefined || unnamedShapes.includes(shape)),
    );
  }
  assert.deepEqual(unnamedShapes, []);
});
