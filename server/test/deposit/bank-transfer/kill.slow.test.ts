import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { apiClient } from '../../harness/api-client.ts';
import { runCommand } from '../../harness/command.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import {
  arrivalOf,
  ascending,
  assertBooksAgree,
  depositsOf,
  type FeedSystem,
  lineOf,
  pollsDue,
  SCB,
  startFeedSystem,
} from './feed-fixtures.ts';
import { dieWhilePosting, POST_MOMENTS } from '../dying-post.ts';
import { until } from '../qrcode/qr-fixtures.ts';

let world: FeedSystem;
let system: System;
let member: TestMember;
let server: ServerProcess | undefined;

before(async () => {
  world = await startFeedSystem();
  system = await startSystem({ outside: world.outside });
  member = await registerMember(system);
  // From here on the servers are separate processes, which can be killed.
  await system.app.close();
});
after(async () => {
  await server?.kill();
  await system.stop();
  await world.close();
});

/** Makes all pending work due. */
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
    // At growing delays, between the read, the row, the claim, the ledger and the row's update.
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
});

test('what operators have decided while no server ran is credited by the next, out of its current house account [R-DEP-04]', async () => {
  const stranger = { ...member, bankAccountNo: '9999999999', bankAccountName: 'SOMEBODY ELSE' };
  const line = lineOf(stranger, '101.00');
  server ??= await startServerProcess(system);
  world.tell(SCB, line);
  await until(
    async () => (await letTimePass(), arrivalOf(system, line.transRef)),
    (row) => row?.state === 'SUSPENSE',
    'in suspense',
  );
  await server.kill();
  const words = ['settle', '014', line.transRef, member.phone, 'nok', 'a', 'friend', 'of', 'theirs'];
  const { status, output } = await runCommand(system, 'arrivals', words);
  assert.equal(status, 0, output);
  assert.equal((await arrivalOf(system, line.transRef))?.state, 'SUSPENSE');
  const running = await startServerProcess(system);
  server = running;
  await until(
    () => arrivalOf(system, line.transRef),
    (row) => row?.state === 'CREDITED',
    'credited',
  );
  await assertBooksAgree(system);
  assert.ok((await depositsOf(through(running), member)).includes(101));
});

for (const dying of POST_MOMENTS) {
  test(`lines of a member and of an unknown sender whose server dies ${dying.moment} are credited and in suspense once [R-DEP-04]`, async () => {
    const running = (server ??= await startServerProcess(system));
    const lines = [lineOf(member, '200.00'), lineOf({ ...member, bankAccountNo: '9999999999' }, '201.00')] as const;
    const credited = (await depositsOf(through(running), member)).length;
    await dieWhilePosting(system, running, dying, async () => {
      world.tell(SCB, ...lines);
      await letTimePass();
    });
    const next = await startServerProcess(system);
    server = next;
    for (const [line, ended] of [
      [lines[0], 'CREDITED'],
      [lines[1], 'SUSPENSE'],
    ] as const) {
      await until(
        async () => (await letTimePass(), arrivalOf(system, line.transRef)),
        (row) => row?.state === ended,
        'settled',
      );
    }
    await assertBooksAgree(system);
    assert.equal((await depositsOf(through(next), member)).length - credited, 1);
  });
}

test('two servers that read the same feed and get the same lines credit each once [R-DEP-04]', async () => {
  const [first, second] = [(server ??= await startServerProcess(system)), await startServerProcess(system)];
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
