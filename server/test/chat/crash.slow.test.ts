import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { apiClient } from '../harness/api-client.ts';
import { eventually } from '../harness/games.ts';
import { endLockWaits, lockWaits } from '../harness/lock-waits.ts';
import { setLimits } from '../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { historyOf, newMember, say, type Talker } from './chat-world.ts';

const LIMIT = 4;
/** A statement that waits in the database is carried out without the process that sent it, unless its session ends too. */
const MOMENTS = [
  { moment: 'before the commit', isUndone: true },
  { moment: 'between the commit and the reply', isUndone: false },
] as const;

let system: System;
let server: ServerProcess;
const servers: ServerProcess[] = [];
let locker: pg.Client;
before(async () => {
  system = await startSystem();
  await setLimits(system, { 'chat.customer': LIMIT });
  locker = new pg.Client({ connectionString: system.databaseUrl });
  await locker.connect();
});
after(async () => {
  for (const one of servers) await one.kill();
  await locker?.end();
  await system?.stop();
});

/** From here on the servers are processes that can be killed. */
async function start(): Promise<System> {
  await system.app.close();
  server = await startServerProcess(system);
  servers.push(server);
  return { ...system, api: apiClient(server.url) };
}

/** Kills the server while it writes to a table, at one of the moments. */
async function dieWriting(
  table: 'chat_message' | 'rate_limit',
  { isUndone }: (typeof MOMENTS)[number],
  call: () => Promise<unknown>,
): Promise<void> {
  await locker.query('begin');
  await locker.query(`lock table ${table} in share mode`);
  const reply = call().catch(() => 'lost');
  await eventually(
    'a statement that waits',
    () => lockWaits(system.database),
    (count) => count > 0,
  );
  await server.kill();
  assert.equal(await reply, 'lost');
  const noneWaits = (): Promise<number> =>
    eventually(
      'no statement that waits',
      () => lockWaits(system.database),
      (count) => count === 0,
    );
  if (isUndone) {
    await endLockWaits(system.database);
    // Until each has ended: one that gets its lock first may still be carried out.
    await noneWaits();
  }
  await locker.query('rollback');
  await noneWaits();
}

/** A customer with one message. */
async function talkerAt(at: System): Promise<Talker> {
  const talker = await newMember(at);
  assert.equal((await say(at, talker, 'first', { key: 'message-1' })).status, 200);
  return talker;
}

const sequencesOf = async (at: System, talker: Talker): Promise<number[]> =>
  ((await historyOf(at, talker)).body as { sequence: number }[]).map(({ sequence }) => sequence);

for (const dying of MOMENTS) {
  test(`a message whose server dies ${dying.moment} is sent once under its key, and the numbers have no gap`, async () => {
    const at = await start();
    const talker = await talkerAt(at);
    await dieWriting('chat_message', dying, () => say(at, talker, 'second', { key: 'message-2' }));
    const next = await start();
    await eventually(
      'messages',
      async () => (await sequencesOf(next, talker)).length,
      (count) => count === (dying.isUndone ? 1 : 2),
    );
    const again = await say(next, talker, 'second', { key: 'message-2' });
    assert.deepEqual([again.status, again.body.sequence], [200, 2]);
    assert.deepEqual(await sequencesOf(next, talker), [2, 1]);
    assert.equal((await say(next, talker, 'third', { key: 'message-3' })).body.sequence, 3);
  });

  test(`a limit whose server dies ${dying.moment} of its hit has counted it ${dying.isUndone ? 'never' : 'once'}`, async () => {
    const at = await start();
    const talker = await talkerAt(at);
    await dieWriting('rate_limit', dying, () => say(at, talker, 'second', { key: 'message-2' }));
    const next = await start();
    assert.deepEqual(await sequencesOf(next, talker), [1], 'nothing is entered before its hit is counted');
    const codes: number[] = [];
    for (let number = 2; number <= LIMIT + 1; number += 1) {
      codes.push((await say(next, talker, `again ${number}`, { key: `message-again-${number}` })).status);
    }
    const allowed = LIMIT - 1 - (dying.isUndone ? 0 : 1);
    assert.deepEqual(
      codes,
      Array.from({ length: LIMIT }, (_, place) => (place < allowed ? 200 : 429)),
    );
  });
}
