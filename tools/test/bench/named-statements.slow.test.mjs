import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { commands } from '../../../lab/bench/product/commands.ts';
import { HttpClient } from '../../../lab/bench/product/http-client.ts';
import { liftLimits } from '../../../lab/bench/product/system.ts';
import { createMembers } from '../../../lab/bench/product/members.ts';
import { NAMED_AFTER } from '../../../server/src/platform/database/statements.ts';
import { startSystem } from '../../../server/test/harness/system.ts';

/** A statement that a path sends comes once in each of them; one of a job that runs now and then does not. */
const COUNTED = 2;
const ROUNDS = 4;
const ROWS = /^\s*(select|with|insert|update|delete)\b/i;
const VALUES = /'[^']*'|\b\d+\b/g;

/** Statements that are parsed and planned for one call, by their text without values. */
const unnamed = new Map();
const note = (text) => {
  const shape = text.replaceAll(/\s+/g, ' ').trim().replaceAll(VALUES, '?');
  if (ROWS.test(shape)) unnamed.set(shape, (unnamed.get(shape) ?? 0) + 1);
};

/** Has every connection note what it sends by a method. */
function listen(method, noteOf) {
  const original = Object.getOwnPropertyDescriptor(pg.Connection.prototype, method).value;
  pg.Connection.prototype[method] = function noted(...words) {
    noteOf(...words);
    return Reflect.apply(original, this, words);
  };
  return () => (pg.Connection.prototype[method] = original);
}

let system;
let unlisten = [];
let members = [];
const clients = [];
before(async () => {
  unlisten = [
    listen('parse', ({ name, text }) => name || note(text)),
    // The simple protocol knows no names.
    listen('query', note),
  ];
  const harness = await startSystem();
  await liftLimits(harness.database);
  clients.push(new HttpClient(harness.url), new HttpClient(harness.simulatorsUrl));
  const [api, outside] = clients;
  system = { api, outside, harness };
  members = await createMembers(system, commands.length);
});
after(async () => {
  for (const stop of unlisten) stop();
  for (const { socket } of members) socket.close();
  for (const client of clients) client.close();
  await system?.harness.stop();
});

/** Runs every command concurrently, each by its own member, `times` times. */
const runEach = (times) =>
  Promise.all(
    commands.map(async ({ run, prepare, finish }, place) => {
      for (let turn = 0; turn < times; turn += 1) {
        for (const part of [prepare, run, finish]) await part?.(system, members[place], turn);
      }
    }),
  );

test('no command of the bench sends a statement without a name once it has run a few times', async () => {
  await runEach(NAMED_AFTER + 1);
  assert.ok(unnamed.size > 0, 'statements are noted');
  let without;
  // What chance sends, such as a coupon of the wheel, has perhaps not run often enough yet: it is named a round later.
  for (let round = 0; round < ROUNDS && without?.length !== 0; round += 1) {
    unnamed.clear();
    await runEach(COUNTED);
    without = [...unnamed.keys()].filter(
      (shape) => unnamed.get(shape) >= COUNTED && (without === undefined || without.includes(shape)),
    );
  }
  assert.deepEqual(without, []);
});
