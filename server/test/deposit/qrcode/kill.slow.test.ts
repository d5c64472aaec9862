import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { memberBalances } from '../../../src/ledger/balances.ts';
import { apiClient } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { killServerWhilePosting, CRASH_MOMENTS } from '../crash-while-posting.ts';
import {
  assertBooksAgree,
  sendCallback,
  qrCustomer,
  injectFault,
  makeInquiriesDue,
  readQrcodeRow,
  waitUntil,
} from './qr-fixtures.ts';

let system: System;
let members: TestMember[];
let calledMembers: TestMember[];
const servers: ServerProcess[] = [];

before(async () => {
  // Longer than the gateway's delay below, short enough for the leases of a killed server to expire.
  system = await startSystem({ outside: (config) => ({ ...config, kbank: { ...config.kbank, timeoutMs: 5_000 } }) });
  members = await Promise.all(Array.from({ length: 6 }, () => registerMember(system)));
  calledMembers = await Promise.all(CRASHES.map(() => registerMember(system)));
  // From now on the servers are separate processes, and the gateway's callbacks are refused.
  await system.app.close();
});
after(async () => {
  for (const server of servers) await server.kill();
  await system.stop();
});
afterEach(() => assertBooksAgree(system));

async function start(): Promise<ServerProcess> {
  const server = await startServerProcess(system);
  servers.push(server);
  return server;
}

/** A member's requests to one of the servers. */
const customerAt = (server: ServerProcess, member: TestMember) =>
  qrCustomer({ ...system, api: apiClient(server.url) }, member);

test('a server killed repeatedly while payments arrive credits each once [R-QR-07]', async () => {
  let server = await start();
  const codes = await Promise.all(
    members.map(async (member, index) => (await customerAt(server, member).create(10 + index)).body),
  );
  for (const [index, member] of members.entries()) {
    assert.equal((await customerAt(server, member).pay(codes[index]?.payload)).status, 200);
    await makeInquiriesDue(system);
    // At growing delays, between the inquiry, the credit and the row's update.
    await wait(index * 12);
    await server.kill();
    // The killed server's claimed rows are due when the lease expires; their times are advanced too.
    await makeInquiriesDue(system);
    server = await start();
  }
  await makeInquiriesDue(system);
  for (const [index, member] of members.entries()) {
    const { deposits } = customerAt(server, member);
    await waitUntil(deposits, (amounts) => amounts.length > 0, `deposit of member ${index}`);
    await waitUntil(
      () => readQrcodeRow(system, codes[index]?.qrcodeId),
      (row) => row.state === 'PAID',
      'paid',
    );
    assert.deepEqual(await deposits(), [10 + index]);
  }
  await server.kill();
});

/** When the credit of a callback is interrupted. */
const CRASHES = [{ moment: 'while the gateway is inquired' }, ...CRASH_MOMENTS];

for (const [index, crash] of CRASHES.entries()) {
  test(`a callback whose server dies ${crash.moment} is credited once [R-QR-07]`, async () => {
    const server = await start();
    const member = calledMembers[index] as TestMember;
    const { body: code } = await customerAt(server, member).create(30);
    const { reference } = await readQrcodeRow(system, code.qrcodeId);
    const payAndSendCallback = async (): Promise<unknown> => {
      assert.equal((await customerAt(server, member).pay(code.payload)).status, 200);
      return sendCallback({ ...system, api: apiClient(server.url) }, { reference1: reference });
    };
    if ('afterKill' in crash) await killServerWhilePosting(system, server, crash, payAndSendCallback);
    else {
      await injectFault(system, { fault: 'slow', call: 'inquire_payment', delayMs: 2_000 });
      const reply = payAndSendCallback().catch(() => 'lost');
      const countFaults = async () => (await system.simulatorsApi('GET /control/faults')).body.length as number;
      await waitUntil(countFaults, (remaining) => remaining === 0, 'faults that wait for their call');
      await server.kill();
      assert.equal(await reply, 'lost');
    }
    const readWalletBalance = async () => (await memberBalances(system.database, member.id))[0]?.posted ?? 0n;
    const { state, paid } = await readQrcodeRow(system, code.qrcodeId);
    assert.deepEqual(
      [state, paid, await readWalletBalance()],
      state === 'PAID' ? ['PAID', 3_000n, 3_000n] : ['PENDING', null, 0n],
    );
    const nextServer = await start();
    await makeInquiriesDue(system);
    await waitUntil(
      () => readQrcodeRow(system, code.qrcodeId),
      (row) => row.state === 'PAID',
      'paid',
    );
    await sendCallback({ ...system, api: apiClient(nextServer.url) }, { reference1: reference });
    await waitUntil(
      () => readQrcodeRow(system, code.qrcodeId),
      ({ due }) => !due,
      'asked about once more',
    );
    assert.deepEqual(await customerAt(nextServer, member).deposits(), [30]);
    await nextServer.kill();
  });
}

test('a code whose server dies during creation is found again by its key, and was requested once at the gateway', async () => {
  let server = await start();
  const [member] = members as [TestMember];
  const key = randomUUID();
  const before = (await system.simulatorsApi('GET /control/calls?target=kbank&call=qr_request&limit=1000')).body.length;
  await injectFault(system, { fault: 'slow', delayMs: 2_000 });
  const lostCode = customerAt(server, member)
    .create(77, key)
    .then(
      () => 'answered',
      () => 'lost',
    );
  // The gateway has received the call once its fault is used up, and delays the reply.
  await waitUntil(
    async () => (await system.simulatorsApi('GET /control/faults')).body.length as number,
    (remaining) => remaining === 0,
    'faults that wait for their call',
  );
  await server.kill();
  assert.equal(await lostCode, 'lost');
  server = await start();
  const repeatedCode = await waitUntil(
    () => customerAt(server, member).create(77, key),
    ({ status, body }) => {
      if (status === 429) assert.equal(body.detail, 'QR_CREATING');
      return status === 200;
    },
    'the code of the lost request',
  );
  assert.equal(repeatedCode.body.hasQrcode, true);
  assert.deepEqual((await customerAt(server, member).current()).body, repeatedCode.body);
  const { body: createCalls } = await system.simulatorsApi(
    'GET /control/calls?target=kbank&call=qr_request&limit=1000',
  );
  assert.equal(createCalls.length - before, 1);
  assert.equal((await customerAt(server, member).cancel(repeatedCode.body.qrcodeId)).status, 200);
  await server.kill();
});

test('two servers that get the same callback, and inquire the same codes, credit once [R-QR-07]', async () => {
  const [first, second] = [await start(), await start()];
  const fresh = members.slice(1);
  const codes = await Promise.all(fresh.map(async (member) => (await customerAt(first, member).create(20)).body));
  await Promise.all(
    fresh.map(async (member, index) => {
      const code = codes[index];
      assert.equal((await customerAt(second, member).pay(code.payload)).status, 200);
      const { reference } = await readQrcodeRow(system, code.qrcodeId);
      await Promise.all(
        Array.from({ length: 10 }, (_, time) =>
          sendCallback({ ...system, api: apiClient((time % 2 ? first : second).url) }, { reference1: reference }),
        ),
      );
    }),
  );
  for (const member of fresh) {
    const { deposits } = customerAt(first, member);
    const countCredited = (amounts: number[]) => amounts.filter((amount) => amount === 20).length;
    await waitUntil(deposits, (amounts) => countCredited(amounts) > 0, 'credited');
    await makeInquiriesDue(system);
    await wait(50);
    assert.equal(countCredited(await deposits()), 1);
  }
});
