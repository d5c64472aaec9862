import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { apiClient } from '../../harness/api-client.ts';
import { runCommand } from '../../harness/command.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { killServerWhilePosting, CRASH_MOMENTS } from '../crash-while-posting.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import {
  readArrivalRow,
  sortAscending,
  assertBooksAgree,
  readDepositAmounts,
  type FeedSystem,
  feedEntryOf,
  makePollsDue,
  SCB_ACCOUNT,
  startFeedSystem,
} from './feed-fixtures.ts';

let feedSystem: FeedSystem;
let system: System;
let member: TestMember;
let server: ServerProcess | undefined;

before(async () => {
  feedSystem = await startFeedSystem();
  system = await startSystem({ outside: feedSystem.outside });
  member = await registerMember(system);
  // From now on the servers are separate processes, which can be killed.
  await system.app.close();
});
after(async () => {
  await server?.kill();
  await system.stop();
  await feedSystem.close();
});

/** Makes all pending work due. */
const makeEverythingDue = async (): Promise<void> => {
  await makePollsDue(system);
  await system.database.query('update deposit_arrival set work_at = now() where work_at is not null');
};
const apiThrough = (server: ServerProcess) => ({ api: apiClient(server.url) });

test('a server killed repeatedly while feed lines arrive credits each once [R-DEP-04]', async () => {
  server = await startServerProcess(system);
  for (let round = 0; round < 4; round += 1) {
    feedSystem.addEntries(SCB_ACCOUNT, ...Array.from({ length: 5 }, () => feedEntryOf(member, `${round + 1}.00`)));
    await makeEverythingDue();
    // At growing delays, between the read, the row, the claim, the ledger and the row's update.
    await wait(round * 60);
    await server.kill();
    server = await startServerProcess(system);
    await makeEverythingDue();
  }
  const runningServer = server;
  await waitUntil(
    async () => (await makeEverythingDue(), (await readDepositAmounts(apiThrough(runningServer), member)).length),
    (creditedCount) => creditedCount === 20,
    'every line is credited',
  );
  await assertBooksAgree(system);
  const amounts = await readDepositAmounts(apiThrough(runningServer), member);
  assert.deepEqual(
    sortAscending(amounts),
    [1, 2, 3, 4].flatMap((amount) => Array.from({ length: 5 }, () => amount)),
  );
});

test("an operator's decisions while no server runs are credited by the next server, from the current house account [R-DEP-04]", async () => {
  const stranger = { ...member, bankAccountNo: '9999999999', bankAccountName: 'SOMEBODY ELSE' };
  const feedEntry = feedEntryOf(stranger, '101.00');
  server ??= await startServerProcess(system);
  feedSystem.addEntries(SCB_ACCOUNT, feedEntry);
  await waitUntil(
    async () => (await makeEverythingDue(), readArrivalRow(system, feedEntry.transRef)),
    (row) => row?.state === 'SUSPENSE',
    'in suspense',
  );
  await server.kill();
  const commandArgs = ['settle', '014', feedEntry.transRef, member.phone, 'nok', 'a', 'friend', 'of', 'theirs'];
  const { status, output } = await runCommand(system, 'arrivals', commandArgs);
  assert.equal(status, 0, output);
  assert.equal((await readArrivalRow(system, feedEntry.transRef))?.state, 'SUSPENSE');
  const runningServer = await startServerProcess(system);
  server = runningServer;
  await waitUntil(
    () => readArrivalRow(system, feedEntry.transRef),
    (row) => row?.state === 'CREDITED',
    'credited',
  );
  await assertBooksAgree(system);
  assert.ok((await readDepositAmounts(apiThrough(runningServer), member)).includes(101));
});

for (const crash of CRASH_MOMENTS) {
  test(`feed lines of a member and an unknown sender, whose server dies ${crash.moment}, are each credited or in suspense once [R-DEP-04]`, async () => {
    const runningServer = (server ??= await startServerProcess(system));
    const feedEntries = [
      feedEntryOf(member, '200.00'),
      feedEntryOf({ ...member, bankAccountNo: '9999999999' }, '201.00'),
    ] as const;
    const creditedCount = (await readDepositAmounts(apiThrough(runningServer), member)).length;
    await killServerWhilePosting(system, runningServer, crash, async () => {
      feedSystem.addEntries(SCB_ACCOUNT, ...feedEntries);
      await makeEverythingDue();
    });
    const nextServer = await startServerProcess(system);
    server = nextServer;
    for (const [feedEntry, expectedState] of [
      [feedEntries[0], 'CREDITED'],
      [feedEntries[1], 'SUSPENSE'],
    ] as const) {
      await waitUntil(
        async () => (await makeEverythingDue(), readArrivalRow(system, feedEntry.transRef)),
        (row) => row?.state === expectedState,
        'settled',
      );
    }
    await assertBooksAgree(system);
    assert.equal((await readDepositAmounts(apiThrough(nextServer), member)).length - creditedCount, 1);
  });
}

test('two servers that read the same feed lines credit each once [R-DEP-04]', async () => {
  const [first, second] = [(server ??= await startServerProcess(system)), await startServerProcess(system)];
  try {
    const before = (await readDepositAmounts(apiThrough(first), member)).length;
    feedSystem.addEntries(SCB_ACCOUNT, ...Array.from({ length: 20 }, () => feedEntryOf(member, '5.00')));
    await waitUntil(
      async () => (await makeEverythingDue(), (await readDepositAmounts(apiThrough(second), member)).length),
      (now) => now === before + 20,
      'every line is credited',
    );
    await makeEverythingDue();
    await assertBooksAgree(system);
    assert.equal((await readDepositAmounts(apiThrough(first), member)).length, before + 20);
  } finally {
    await first.kill();
    await second.kill();
  }
});
