import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { apiClient } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { ledgerOf } from '../../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import {
  arrivalOf,
  ascending,
  assertBooksAgree,
  depositsOf,
  type FeedWorld,
  lineOf,
  pollsDue,
  SCB,
  startFeedWorld,
} from './feed-world.ts';
import { until } from '../qrcode/qr-world.ts';

let world: FeedWorld;
let system: System;
let member: TestMember;
let server: ServerProcess | undefined;

before(async () => {
  world = await startFeedWorld();
  system = await startSystem({ outside: world.outside });
  member = await registerMember(system);
  // From here on the servers are processes that can be killed.
  await system.app.close();
});
after(async () => {
  await server?.kill();
  await system.stop();
  await world.close();
});

/** Lets everything fall due that would have fallen due later. */
const letTimePass = async (): Promise<void> => {
  await pollsDue(system);
  await system.database.query('update deposit_arrival set work_at = now() where work_at is not null');
};
const through = (running: ServerProcess) => ({ api: apiClient(running.url) });

test('a server that is killed again and again while lines come in credits each once [R-DEP-04]', async () => {
  server = await startServerProcess(system);
  for (let round = 0; round < 4; round += 1) {
    world.tell(SCB, ...Array.from({ length: 5 }, () => lineOf(member, `${round + 1}.00`)));
    await letTimePass();
    // Somewhere between the reading, the row, the claim, the ledger and its note, a little later each time.
    await wait(round * 60);
    await server.kill();
    server = await startServerProcess(system);
    await letTimePass();
  }
  const running = server;
  await until(
    async () => (await letTimePass(), (await depositsOf(through(running), member)).length),
    (credited) => credited === 20,
    'every line is credited',
  );
  await assertBooksAgree(system);
  const amounts = await depositsOf(through(running), member);
  assert.deepEqual(
    ascending(amounts),
    [1, 2, 3, 4].flatMap((amount) => Array.from({ length: 5 }, () => amount)),
  );
  await running.kill();
});

test('a server that dies between claim and ledger, or between ledger and note, is finished by the next [R-DEP-04]', async () => {
  const [claimed, noted] = [lineOf(member, '101.00'), lineOf(member, '102.00')];
  const stranger = { ...member, bankAccountNo: '9999999999', bankAccountName: 'SOMEBODY ELSE' };
  const unknown = lineOf(stranger, '103.00');
  // What such a server has left: rows, and in one case the ledger's operation.
  for (const [line, amount, state] of [
    [claimed, 10_100n, 'CREDITING'],
    [noted, 10_200n, 'CREDITING'],
    [unknown, 10_300n, 'SUSPENSE'],
  ] as const) {
    const isClaimed = state === 'CREDITING';
    await system.database.query(
      `insert into deposit_arrival (id, sending_bank, trans_ref, house, currency, amount, sender_account, sender_name, sent_at,
         fed_at, state, member_id, debit_house, via, claimed_at, reason, suspended_at, work_at)
       values (gen_random_uuid(), '014', $1, 'bank:SCB-4680001234', 'BAHT', $2, '', '', now(), now(), $3,
         case when $4 then $5::uuid end, case when $4 then 'bank:SCB-4680001234' end, case when $4 then 'FEED' end,
         case when $4 then now() end, case when not $4 then 'NOBODY' end, case when not $4 then now() end,
         now() + interval '1 hour')`,
      [line.transRef, amount, state, isClaimed, member.id],
    );
  }
  const ledger = ledgerOf(system);
  await ledger.post({
    key: `deposit:bank:014:${noted.transRef}`,
    type: 'transfer',
    kind: 'deposit',
    memberId: member.id,
    debit: { house: 'bank:SCB-4680001234' },
    credit: { member: member.id, kind: 'WALLET' },
    currency: 'BAHT',
    amount: 10_200n as never,
    reference: noted.transRef,
    actor: 'arrival:feed',
  });
  await ledger.close();
  server = await startServerProcess(system);
  const running = server;
  await letTimePass();
  for (const line of [claimed, noted]) {
    await until(
      () => arrivalOf(system, line.transRef),
      (row) => row?.state === 'CREDITED',
      'credited',
    );
  }
  await assertBooksAgree(system);
  const amounts = await depositsOf(through(running), member);
  assert.deepEqual(ascending(amounts.filter((amount) => amount > 100)), [101, 102]);
});

test('two servers that read the same feed and get the same lines credit each once [R-DEP-04]', async () => {
  const [first, second] = [await startServerProcess(system), await startServerProcess(system)];
  try {
    const before = (await depositsOf(through(first), member)).length;
    world.tell(SCB, ...Array.from({ length: 20 }, () => lineOf(member, '5.00')));
    await until(
      async () => (await letTimePass(), (await depositsOf(through(second), member)).length),
      (now) => now === before + 20,
      'every line is credited',
    );
    await letTimePass();
    await assertBooksAgree(system);
    assert.equal((await depositsOf(through(first), member)).length, before + 20);
  } finally {
    await first.kill();
    await second.kill();
  }
});
