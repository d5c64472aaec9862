import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AtOneGateway, atEachGateway } from './gateways/at-gateway.ts';
import { rowOf, until } from './qr-fixtures.ts';

const NEVER_MS = 3_600_000;

atEachGateway('paying a QR', (on) => {
  callbacksInTime(on);
  forgedCallbacks(on);
  unexpectedPayments(on);
});

function callbacksInTime(on: AtOneGateway): void {
  const { world } = on;
  const titled = (title: string) => on.titled(`${title} [R-QR-07]`);

  test(titled('a payment is credited once and the code is paid'), async () => {
    const code = await on.at.withCode();
    await on.at.pay(code);
    await on.at.untilDeposits(code.who, [code.amount]);
    await on.at.assertPaid(code, [code.amount]);
    assert.equal(Number((await rowOf(on.system, code.id)).paid), Math.round(code.amount * 100));
  });

  test(titled('ten concurrent callbacks before, during and after the payment credit once'), async () => {
    const code = await on.at.withCode();
    const claim = world.callback(on.system.outside, code.reference);
    const tenCalls = () => Promise.all(Array.from({ length: 10 }, () => on.at.send(claim)));
    await on.at.fault({ fault: 'callback-twice' });
    const early = await tenCalls();
    const [, meanwhile] = await Promise.all([on.at.pay(code), tenCalls()]);
    await on.at.untilDeposits(code.who, [code.amount]);
    const late = await tenCalls();
    for (const reply of [...early, ...meanwhile, ...late]) {
      assert.deepEqual(reply, { status: 200, text: world.taken });
    }
    await until(
      () => on.at.callbacksOf(code.id),
      (calls) => calls.length === 2,
      'both calls of the gateway itself',
    );
    await on.at.assertPaid(code, [code.amount]);
  });

  test(titled('a callback before the code has been shown credits once'), async () => {
    const who = await on.at.newCustomer();
    await on.at.fault({ fault: 'callback-early' });
    const { status, body } = await who.create(world.amounts[0]);
    assert.equal(status, 200, JSON.stringify(body));
    const seen = await until(who.deposits, (amounts) => amounts.length > 0, 'credited');
    assert.ok(Math.abs((seen[0] ?? 0) - world.amounts[0]) < 1);
    assert.equal((await who.current()).body.hasQrcode, false);
    assert.deepEqual(await who.deposits(), seen);
  });

  test(titled('a late callback changes nothing: the inquiry has credited the money'), async () => {
    const code = await on.at.withCode();
    await on.at.fault({ fault: 'callback-late', delayMs: 700 });
    await on.at.pay(code);
    await on.at.triggerInquiry(code.id);
    await on.at.untilDeposits(code.who, [code.amount]);
    const calls = await until(
      () => on.at.callbacksOf(code.id),
      ({ length }) => length > 0,
      'the late callback',
    );
    assert.deepEqual(
      calls.map(({ status }) => status),
      [200],
    );
    await on.at.assertPaid(code, [code.amount]);
  });

  test(titled('a payment without a callback is found by the watcher'), async () => {
    const code = await on.at.withCode();
    await on.at.fault({ fault: 'callback-late', delayMs: NEVER_MS });
    await on.at.pay(code);
    await on.at.triggerInquiry(code.id);
    await on.at.untilDeposits(code.who, [code.amount]);
    assert.deepEqual(await on.at.callbacksOf(code.id), []);
    await on.at.assertPaid(code, [code.amount]);
  });
}

function forgedCallbacks(on: AtOneGateway): void {
  const { world } = on;
  const titled = (title: string) => on.titled(`${title} [R-QR-07]`);

  test(titled('a forged callback credits nothing, or only what was really paid'), async () => {
    const who = await on.at.newCustomer();
    await on.at.fault({ fault: 'callback-forged', amount: '99999.00' });
    const { body } = await who.create(world.amounts[0]);
    await until(
      () => on.at.callbacksOf(body.qrcodeId),
      ({ length }) => length === 1,
      'the forged callback',
    );
    await on.at.triggerInquiry(body.qrcodeId);
    assert.deepEqual(await who.deposits(), []);
    const { reference, state } = await rowOf(on.system, body.qrcodeId);
    assert.equal(state, 'PENDING');
    await on.at.fault({ fault: 'callback-forged', call: 'payment' });
    const code = { who, id: body.qrcodeId, reference, payload: body.payload, amount: body.amount };
    await on.at.pay(code);
    await on.at.untilDeposits(who, [code.amount]);
    await on.at.assertPaid(code, [code.amount]);
  });

  test(titled('a callback with another amount, before or long after the payment, changes nothing'), async () => {
    const code = await on.at.withCode();
    const lie = world.callback(on.system.outside, code.reference, { amount: '5000.00', number: 'LIE1' });
    assert.equal((await on.at.send(lie)).status, 200);
    await on.at.triggerInquiry(code.id);
    assert.deepEqual(await code.who.deposits(), []);
    await on.at.pay(code);
    await on.at.untilDeposits(code.who, [code.amount]);
    await on.at.assertPaid(code, [code.amount]);
    for (const call of [lie, world.callback(on.system.outside, code.reference)]) {
      assert.equal((await on.at.send(call)).status, 200);
    }
    // Each callback triggers an inquiry, which confirms the credited payment.
    await until(
      () => rowOf(on.system, code.id),
      ({ due }) => !due,
      'asked',
    );
    await on.at.assertPaid(code, [code.amount]);
  });

  test(titled('a callback without the secret, altered, or replayed a day later triggers no inquiry'), async () => {
    const code = await on.at.withCode();
    const strangers = world.strangers(on.system.outside, code.reference);
    assert.ok(strangers.length > 0);
    for (const { what, call, refusal } of strangers) {
      const { status, text } = await on.at.send(call);
      assert.deepEqual([status, (JSON.parse(text) as { message: string }).message], [403, refusal], what);
    }
    assert.equal((await rowOf(on.system, code.id)).wakes, 0);
    assert.deepEqual(await code.who.deposits(), []);
    assert.equal((await on.at.send(world.callback(on.system.outside, code.reference))).status, 200);
    assert.ok((await rowOf(on.system, code.id)).wakes > 0);
  });
}

function unexpectedPayments(on: AtOneGateway): void {
  const { world } = on;
  const titled = (title: string) => on.titled(`${title} [R-QR-07]`);

  if (world.otherAmounts.length > 0) {
    test(titled('another amount than requested credits the paid amount'), async () => {
      for (const amount of world.otherAmounts) {
        const code = await on.at.withCode();
        await on.at.pay(code, { amount });
        await on.at.untilDeposits(code.who, [Number(amount)]);
        await on.at.assertPaid(code, [Number(amount)]);
      }
    });
  }

  test(titled('a payment after the member cancelled is credited'), async () => {
    const code = await on.at.withCode();
    assert.deepEqual((await code.who.cancel(code.id)).body, { message: 'OK' });
    assert.equal((await rowOf(on.system, code.id)).state, 'CANCELLED');
    await on.at.pay(code, { late: true });
    await on.at.untilDeposits(code.who, [code.amount]);
    await on.at.assertPaid(code, [code.amount]);
  });

  test(titled('a payment after the code expired is credited, with or without a callback'), async () => {
    for (const isCalledBack of [true, false]) {
      const code = await on.at.withCode();
      await on.system.world('POST /control/expire-qr', { body: { reference1: code.reference } });
      await on.at.triggerInquiry(code.id);
      await on.at.untilState(code.id, 'EXPIRED');
      assert.equal((await code.who.current()).body.hasQrcode, false);
      if (!isCalledBack) await on.at.fault({ fault: 'callback-late', delayMs: NEVER_MS });
      await on.at.pay(code, { late: true });
      if (!isCalledBack) await on.at.triggerInquiry(code.id);
      await on.at.untilDeposits(code.who, [code.amount]);
      await on.at.assertPaid(code, [code.amount]);
    }
  });

  test(titled('failing inquiries delay a credit and never lose it'), async () => {
    const code = await on.at.withCode();
    for (const name of ['error-500', 'garbage', 'timeout-lost', 'decline']) {
      await on.at.fault({ fault: name, call: world.calls.inquire });
    }
    await on.at.pay(code);
    const seen = async () => {
      await on.at.triggerInquiry(code.id);
      return code.who.deposits();
    };
    await until(seen, (amounts) => amounts.length === 1, 'credited');
    await on.at.assertPaid(code, [code.amount]);
  });
}
