import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { apiClient } from '../harness/api-client.ts';
import { waitUntilResult } from '../harness/games.ts';
import { terminateLockWaits, countLockWaits } from '../harness/lock-waits.ts';
import { setRateLimits, waitForSettingsReload } from '../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { readHistory, newMemberCustomer, sendText, type ChatCustomer } from './chat-fixtures.ts';

const MESSAGE_LIMIT = 4;
/** A pending statement is executed after the death of its client, unless its session ends too. */
const CRASH_MOMENTS = [
  { moment: 'before the commit', isUndone: true },
  { moment: 'between the commit and the reply', isUndone: false },
] as const;

let system: System;
let server: ServerProcess;
const servers: ServerProcess[] = [];
let lockingClient: pg.Client;
before(async () => {
  system = await startSystem();
  await setRateLimits(system, { 'chat.customer': MESSAGE_LIMIT });
  // Longer than two starts of a server take on a busy machine.
  await system.database.query(`update operator_data_limit set window_seconds = 600 where name = 'chat.customer'`);
  await waitForSettingsReload();
  lockingClient = new pg.Client({ connectionString: system.databaseUrl });
  await lockingClient.connect();
});
after(async () => {
  for (const server of servers) await server.kill();
  await lockingClient?.end();
  await system?.stop();
});

/** From now on the servers are separate processes, which can be killed. */
async function start(): Promise<System> {
  await system.app.close();
  server = await startServerProcess(system);
  servers.push(server);
  return { ...system, api: apiClient(server.url) };
}

/** Kills the server while it writes to a table, at one of the moments. */
async function killServerWhileWriting(
  table: 'chat_message' | 'rate_limit',
  { isUndone }: (typeof CRASH_MOMENTS)[number],
  call: () => Promise<unknown>,
): Promise<void> {
  await lockingClient.query('begin');
  await lockingClient.query(`lock table ${table} in share mode`);
  const reply = call().catch(() => 'lost');
  await waitUntilResult(
    'a statement that waits',
    () => countLockWaits(system.database),
    (count) => count > 0,
  );
  await server.kill();
  assert.equal(await reply, 'lost');
  const waitForNoLocks = (): Promise<number> =>
    waitUntilResult(
      'no statement that waits',
      () => countLockWaits(system.database),
      (count) => count === 0,
    );
  if (isUndone) {
    await terminateLockWaits(system.database);
    // Waits until both statements have ended: the first to get its lock may still be executed.
    await waitForNoLocks();
  }
  await lockingClient.query('rollback');
  await waitForNoLocks();
}

/** A customer with one message. */
async function newCustomerAt(system: System): Promise<ChatCustomer> {
  const customer = await newMemberCustomer(system);
  assert.equal((await sendText(system, customer, 'first', { key: 'message-1' })).status, 200);
  return customer;
}

const sequencesOf = async (system: System, customer: ChatCustomer): Promise<number[]> =>
  ((await readHistory(system, customer)).body as { sequence: number }[]).map(({ sequence }) => sequence);

for (const crash of CRASH_MOMENTS) {
  test(`a message whose server dies ${crash.moment} is stored once under its key, and sequence numbers have no gap`, async () => {
    const startedSystem = await start();
    const customer = await newCustomerAt(startedSystem);
    await killServerWhileWriting('chat_message', crash, () =>
      sendText(startedSystem, customer, 'second', { key: 'message-2' }),
    );
    const nextServer = await start();
    await waitUntilResult(
      'messages',
      async () => (await sequencesOf(nextServer, customer)).length,
      (count) => count === (crash.isUndone ? 1 : 2),
    );
    const repeatedReply = await sendText(nextServer, customer, 'second', { key: 'message-2' });
    assert.deepEqual([repeatedReply.status, repeatedReply.body.sequence], [200, 2]);
    assert.deepEqual(await sequencesOf(nextServer, customer), [2, 1]);
    assert.equal((await sendText(nextServer, customer, 'third', { key: 'message-3' })).body.sequence, 3);
  });

  test(`a rate limit whose server dies ${crash.moment} of a hit counts it ${crash.isUndone ? 'never' : 'once'}`, async () => {
    const startedSystem = await start();
    const customer = await newCustomerAt(startedSystem);
    await killServerWhileWriting('rate_limit', crash, () =>
      sendText(startedSystem, customer, 'second', { key: 'message-2' }),
    );
    const nextServer = await start();
    assert.deepEqual(await sequencesOf(nextServer, customer), [1], 'nothing is entered before its hit is counted');
    const codes: number[] = [];
    for (let number = 2; number <= MESSAGE_LIMIT + 1; number += 1) {
      codes.push((await sendText(nextServer, customer, `again ${number}`, { key: `message-again-${number}` })).status);
    }
    const allowedCount = MESSAGE_LIMIT - 1 - (crash.isUndone ? 0 : 1);
    assert.deepEqual(
      codes,
      Array.from({ length: MESSAGE_LIMIT }, (_, position) => (position < allowedCount ? 200 : 429)),
    );
  });
}
