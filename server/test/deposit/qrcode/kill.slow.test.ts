import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { memberBalances } from '../../../src/ledger/balances.ts';
import { apiClient } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { dieWhilePosting, POST_MOMENTS } from '../dying-post.ts';
import { assertBooksAgree, callBack, customer, fault, letTimePass, rowOf, until } from './qr-fixtures.ts';

let system: System;
let members: TestMember[];
let called: TestMember[];
const servers: ServerProcess[] = [];

before(async () => {
  // Longer than the gateway's delay below, short enough for the leases of a killed server to expire.
  system = await startSystem({ outside: (same) => ({ ...same, kbank: { ...same.kbank, timeoutMs: 5_000 } }) });
  members = await Promise.all(Array.from({ length: 6 }, () => registerMember(system)));
  called = await Promise.all(MOMENTS.map(() => registerMember(system)));
  // From here on the servers are separate processes, and the gateway's callbacks are refused.
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
const at = (server: ServerProcess, member: TestMember) => customer({ ...system, api: apiClient(server.url) }, member);

test('a server that is killed again and again while payments come in credits each once [R-QR-07]', async () => {
  let server = await start();
  const codes = await Promise.all(
    members.map(async (member, index) => (await at(server, member).create(10 + index)).body),
  );
  for (const [index, member] of members.entries()) {
    assert.equal((await at(server, member).pay(codes[index]?.payload)).status, 200);
    await letTimePass(system);
    // At growing delays, between the inquiry, the credit and the row's update.
    await wait(index * 12);
    await server.kill();
    // Its claimed rows are due when the lease expires; time is advanced for these too.
    await letTimePass(system);
    server = await start();
  }
  await letTimePass(system);
  for (const [index, member] of members.entries()) {
    const { deposits } = at(server, member);
    await until(deposits, (seen) => seen.length > 0, `deposit of member ${index}`);
    await until(
      () => rowOf(system, codes[index]?.qrcodeId),
      (row) => row.state === 'PAID',
      'paid',
    );
    assert.deepEqual(await deposits(), [10 + index]);
  }
  await server.kill();
});

/** When the credit of a callback is interrupted. */
const MOMENTS = [{ moment: 'while the gateway is asked' }, ...POST_MOMENTS];

for (const [index, dying] of MOMENTS.entries()) {
  test(`a callback whose server dies ${dying.moment} is credited once [R-QR-07]`, async () => {
    const server = await start();
    const member = called[index] as TestMember;
    const { body: code } = await at(server, member).create(30);
    const { reference } = await rowOf(system, code.qrcodeId);
    const payAndCall = async (): Promise<unknown> => {
      assert.equal((await at(server, member).pay(code.payload)).status, 200);
      return callBack({ ...system, api: apiClient(server.url) }, { reference1: reference });
    };
    if ('afterKill' in dying) await dieWhilePosting(system, server, dying, payAndCall);
    else {
      await fault(system, { fault: 'slow', call: 'inquire_payment', delayMs: 2_000 });
      const reply = payAndCall().catch(() => 'lost');
      const faults = async () => (await system.world('GET /control/faults')).body.length as number;
      await until(faults, (left) => left === 0, 'faults that wait for their call');
      await server.kill();
      assert.equal(await reply, 'lost');
    }
    const wallet = async () => (await memberBalances(system.database, member.id))[0]?.posted ?? 0n;
    const { state, paid } = await rowOf(system, code.qrcodeId);
    assert.deepEqual(
      [state, paid, await wallet()],
      state === 'PAID' ? ['PAID', 3_000n, 3_000n] : ['PENDING', null, 0n],
    );
    const next = await start();
    await letTimePass(system);
    await until(
      () => rowOf(system, code.qrcodeId),
      (row) => row.state === 'PAID',
      'paid',
    );
    await callBack({ ...system, api: apiClient(next.url) }, { reference1: reference });
    await until(
      () => rowOf(system, code.qrcodeId),
      ({ due }) => !due,
      'asked about once more',
    );
    assert.deepEqual(await at(next, member).deposits(), [30]);
    await next.kill();
  });
}

test('a create that dies with its server is found again by its key, and the gateway was asked once', async () => {
  let server = await start();
  const [member] = members as [TestMember];
  const key = randomUUID();
  const before = (await system.world('GET /control/calls?target=kbank&call=qr_request&limit=1000')).body.length;
  await fault(system, { fault: 'slow', delayMs: 2_000 });
  const lost = at(server, member)
    .create(77, key)
    .then(
      () => 'answered',
      () => 'lost',
    );
  // The gateway has received the call once its fault is used up, and delays the reply.
  await until(
    async () => (await system.world('GET /control/faults')).body.length as number,
    (left) => left === 0,
    'faults that wait for their call',
  );
  await server.kill();
  assert.equal(await lost, 'lost');
  server = await start();
  const again = await until(
    () => at(server, member).create(77, key),
    ({ status, body }) => {
      if (status === 429) assert.equal(body.detail, 'QR_CREATING');
      return status === 200;
    },
    'the code of the lost request',
  );
  assert.equal(again.body.hasQrcode, true);
  assert.deepEqual((await at(server, member).current()).body, again.body);
  const { body: calls } = await system.world('GET /control/calls?target=kbank&call=qr_request&limit=1000');
  assert.equal(calls.length - before, 1);
  assert.equal((await at(server, member).cancel(again.body.qrcodeId)).status, 200);
  await server.kill();
});

test('two servers that get the same callback, and watch the same codes, credit once [R-QR-07]', async () => {
  const [first, second] = [await start(), await start()];
  const fresh = members.slice(1);
  const codes = await Promise.all(fresh.map(async (member) => (await at(first, member).create(20)).body));
  await Promise.all(
    fresh.map(async (member, index) => {
      const code = codes[index];
      assert.equal((await at(second, member).pay(code.payload)).status, 200);
      const { reference } = await rowOf(system, code.qrcodeId);
      await Promise.all(
        Array.from({ length: 10 }, (_, time) =>
          callBack({ ...system, api: apiClient((time % 2 ? first : second).url) }, { reference1: reference }),
        ),
      );
    }),
  );
  for (const member of fresh) {
    const { deposits } = at(first, member);
    const credited = (seen: number[]) => seen.filter((amount) => amount === 20).length;
    await until(deposits, (seen) => credited(seen) > 0, 'credited');
    await letTimePass(system);
    await wait(50);
    assert.equal(credited(await deposits()), 1);
  }
});
