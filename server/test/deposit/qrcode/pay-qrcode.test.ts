import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { audit } from '../../../src/ledger/audit.ts';
import type { System } from '../../harness/system.ts';
import { type AtGateway, atGateway, startForGateways } from './gateways/at-gateway.ts';
import { GATEWAY_WORLDS, type GatewayWorld } from './gateways/gateway-worlds.ts';
import { assertTotalsAgree, rowOf, until } from './qr-world.ts';

const NEVER_MS = 3_600_000;

let system: System;
before(async () => {
  system = await startForGateways();
});
after(async () => {
  const violated = (await audit(system.database)).filter(({ violations }) => violations !== 0);
  await system.stop();
  assert.deepEqual(violated, []);
});

// Side by side, for they mostly wait; not all at once, for the server would be busy.
describe('paying a QR', { concurrency: 3 }, () => {
  for (const world of GATEWAY_WORLDS) describe(world.code, { concurrency: 1 }, () => payments(world));
});

function payments(world: GatewayWorld): void {
  let at: AtGateway;
  before(() => {
    at = atGateway(system, world);
  });
  afterEach(async () => {
    await at.clearFaults();
    await assertTotalsAgree(system, world.name);
  });
  const titled = (title: string) => `${world.code}: ${title} [R-QR-07]`;

  test(titled('a payment is credited once and the code is paid'), async () => {
    const code = await at.withCode();
    await at.pay(code);
    await at.untilDeposits(code.who, [code.amount]);
    await at.assertPaid(code, [code.amount]);
    assert.equal(Number((await rowOf(system, code.id)).paid), Math.round(code.amount * 100));
  });

  test(titled('calling back before, while and after the money comes, ten at once, credits once'), async () => {
    const code = await at.withCode();
    const claim = world.callback(system.outside, code.reference);
    const tenCalls = () => Promise.all(Array.from({ length: 10 }, () => at.send(claim)));
    await at.fault({ fault: 'callback-twice' });
    const early = await tenCalls();
    const [, meanwhile] = await Promise.all([at.pay(code), tenCalls()]);
    await at.untilDeposits(code.who, [code.amount]);
    const late = await tenCalls();
    for (const reply of [...early, ...meanwhile, ...late]) {
      assert.deepEqual(reply, { status: 200, text: world.taken });
    }
    await until(
      () => at.callbacksOf(code.id),
      (calls) => calls.length === 2,
      'both calls of the gateway itself',
    );
    await at.assertPaid(code, [code.amount]);
  });

  test(titled('a callback that comes before the code has been shown credits once'), async () => {
    const who = await at.newCustomer();
    await at.fault({ fault: 'callback-early' });
    const { status, body } = await who.create(world.amounts[0]);
    assert.equal(status, 200, JSON.stringify(body));
    const seen = await until(who.deposits, (amounts) => amounts.length > 0, 'credited');
    assert.ok(Math.abs((seen[0] ?? 0) - world.amounts[0]) < 1);
    assert.equal((await who.current()).body.hasQrcode, false);
    assert.deepEqual(await who.deposits(), seen);
  });

  test(titled('a callback that comes late finds the money credited, and changes nothing'), async () => {
    const code = await at.withCode();
    await at.fault({ fault: 'callback-late', delayMs: 700 });
    await at.pay(code);
    await at.lookAgain(code.id);
    await at.untilDeposits(code.who, [code.amount]);
    const calls = await until(
      () => at.callbacksOf(code.id),
      ({ length }) => length > 0,
      'the late callback',
    );
    assert.deepEqual(
      calls.map(({ status }) => status),
      [200],
    );
    await at.assertPaid(code, [code.amount]);
  });

  test(titled('a callback that never comes is not needed: the watcher finds the payment'), async () => {
    const code = await at.withCode();
    await at.fault({ fault: 'callback-late', delayMs: NEVER_MS });
    await at.pay(code);
    await at.lookAgain(code.id);
    await at.untilDeposits(code.who, [code.amount]);
    assert.deepEqual(await at.callbacksOf(code.id), []);
    await at.assertPaid(code, [code.amount]);
  });

  test(titled('a forged callback credits nothing, or only what was really paid'), async () => {
    const who = await at.newCustomer();
    await at.fault({ fault: 'callback-forged', amount: '99999.00' });
    const { body } = await who.create(world.amounts[0]);
    await until(
      () => at.callbacksOf(body.qrcodeId),
      ({ length }) => length === 1,
      'the forged callback',
    );
    await at.lookAgain(body.qrcodeId);
    assert.deepEqual(await who.deposits(), []);
    const { reference, state } = await rowOf(system, body.qrcodeId);
    assert.equal(state, 'PENDING');
    await at.fault({ fault: 'callback-forged', call: 'payment' });
    const code = { who, id: body.qrcodeId, reference, payload: body.payload, amount: body.amount };
    await at.pay(code);
    await at.untilDeposits(who, [code.amount]);
    await at.assertPaid(code, [code.amount]);
  });

  test(titled('a callback that says something else, before the money or long after it, changes nothing'), async () => {
    const code = await at.withCode();
    const lie = world.callback(system.outside, code.reference, { amount: '5000.00', number: 'LIE1' });
    assert.equal((await at.send(lie)).status, 200);
    await at.lookAgain(code.id);
    assert.deepEqual(await code.who.deposits(), []);
    await at.pay(code);
    await at.untilDeposits(code.who, [code.amount]);
    await at.assertPaid(code, [code.amount]);
    for (const call of [lie, world.callback(system.outside, code.reference)]) {
      assert.equal((await at.send(call)).status, 200);
    }
    // The gateway is asked what became of the money, and says that it is there.
    await until(
      () => rowOf(system, code.id),
      ({ due }) => !due,
      'asked',
    );
    await at.assertPaid(code, [code.amount]);
  });

  test(titled('a callback without the secret, or altered, or replayed a day later, wakes nobody'), async () => {
    const code = await at.withCode();
    const strangers = world.strangers(system.outside, code.reference);
    assert.ok(strangers.length > 0);
    for (const { what, call, refusal } of strangers) {
      const { status, text } = await at.send(call);
      assert.deepEqual([status, (JSON.parse(text) as { message: string }).message], [403, refusal], what);
    }
    assert.equal((await rowOf(system, code.id)).wakes, 0);
    assert.deepEqual(await code.who.deposits(), []);
    assert.equal((await at.send(world.callback(system.outside, code.reference))).status, 200);
    assert.ok((await rowOf(system, code.id)).wakes > 0);
  });

  if (world.otherAmounts.length > 0) {
    test(titled('another amount than asked credits what was paid'), async () => {
      for (const amount of world.otherAmounts) {
        const code = await at.withCode();
        await at.pay(code, { amount });
        await at.untilDeposits(code.who, [Number(amount)]);
        await at.assertPaid(code, [Number(amount)]);
      }
    });
  }

  test(titled('money that comes after the member cancelled is not lost'), async () => {
    const code = await at.withCode();
    assert.deepEqual((await code.who.cancel(code.id)).body, { message: 'OK' });
    assert.equal((await rowOf(system, code.id)).state, 'CANCELLED');
    await at.pay(code, { late: true });
    await at.untilDeposits(code.who, [code.amount]);
    await at.assertPaid(code, [code.amount]);
  });

  test(titled('money that comes after the code expired is not lost, with or without a callback'), async () => {
    for (const isCalledBack of [true, false]) {
      const code = await at.withCode();
      await system.world('POST /control/expire-qr', { body: { reference1: code.reference } });
      await at.lookAgain(code.id);
      await at.untilState(code.id, 'EXPIRED');
      assert.equal((await code.who.current()).body.hasQrcode, false);
      if (!isCalledBack) await at.fault({ fault: 'callback-late', delayMs: NEVER_MS });
      await at.pay(code, { late: true });
      if (!isCalledBack) await at.lookAgain(code.id);
      await at.untilDeposits(code.who, [code.amount]);
      await at.assertPaid(code, [code.amount]);
    }
  });

  test(titled('a gateway that fails when it is asked delays a credit and never loses it'), async () => {
    const code = await at.withCode();
    for (const name of ['error-500', 'garbage', 'timeout-lost', 'decline']) {
      await at.fault({ fault: name, call: world.calls.inquire });
    }
    await at.pay(code);
    const seen = async () => {
      await at.lookAgain(code.id);
      return code.who.deposits();
    };
    await until(seen, (amounts) => amounts.length === 1, 'credited');
    await at.assertPaid(code, [code.amount]);
  });
}
