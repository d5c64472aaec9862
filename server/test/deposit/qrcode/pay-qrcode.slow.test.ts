import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GatewayTestContext, testEachGateway } from './gateways/at-gateway.ts';
import { readQrcodeRow, waitUntil } from './qr-fixtures.ts';

const NEVER_MS = 3_600_000;

testEachGateway('paying a QR', (context) => {
  testCallbacksInTime(context);
  testForgedCallbacks(context);
  testUnexpectedPayments(context);
});

function testCallbacksInTime(context: GatewayTestContext): void {
  const { fixture } = context;
  const titleOf = (title: string) => context.titleOf(`${title} [R-QR-07]`);

  test(titleOf('a payment is credited once, and the code is paid'), async () => {
    const code = await context.helpers.createCode();
    await context.helpers.payCode(code);
    await context.helpers.untilDeposits(code.customer, [code.amount]);
    await context.helpers.assertPaid(code, [code.amount]);
    assert.equal(Number((await readQrcodeRow(context.system, code.id)).paid), Math.round(code.amount * 100));
  });

  test(titleOf('ten concurrent callbacks before, during and after the payment credit once'), async () => {
    const code = await context.helpers.createCode();
    const claimCallback = fixture.buildCallback(context.system.outside, code.reference);
    const sendTenCallbacks = () => Promise.all(Array.from({ length: 10 }, () => context.helpers.send(claimCallback)));
    await context.helpers.fault({ fault: 'callback-twice' });
    const earlyReplies = await sendTenCallbacks();
    const [, concurrentReplies] = await Promise.all([context.helpers.payCode(code), sendTenCallbacks()]);
    await context.helpers.untilDeposits(code.customer, [code.amount]);
    const lateReplies = await sendTenCallbacks();
    for (const reply of [...earlyReplies, ...concurrentReplies, ...lateReplies]) {
      assert.deepEqual(reply, { status: 200, text: fixture.acceptedReply });
    }
    await waitUntil(
      () => context.helpers.callbacksOf(code.id),
      (calls) => calls.length === 2,
      'both calls of the gateway itself',
    );
    await context.helpers.assertPaid(code, [code.amount]);
  });

  test(titleOf('a callback before the code was shown credits once'), async () => {
    const customer = await context.helpers.newCustomer();
    await context.helpers.fault({ fault: 'callback-early' });
    const { status, body } = await customer.create(fixture.validAmounts[0]);
    assert.equal(status, 200, JSON.stringify(body));
    const seen = await waitUntil(customer.deposits, (amounts) => amounts.length > 0, 'credited');
    assert.ok(Math.abs((seen[0] ?? 0) - fixture.validAmounts[0]) < 1);
    assert.equal((await customer.current()).body.hasQrcode, false);
    assert.deepEqual(await customer.deposits(), seen);
  });

  test(titleOf('a late callback changes nothing, because the inquiry has already credited the money'), async () => {
    const code = await context.helpers.createCode();
    await context.helpers.fault({ fault: 'callback-late', delayMs: 700 });
    await context.helpers.payCode(code);
    await context.helpers.triggerInquiry(code.id);
    await context.helpers.untilDeposits(code.customer, [code.amount]);
    const calls = await waitUntil(
      () => context.helpers.callbacksOf(code.id),
      ({ length }) => length > 0,
      'the late callback',
    );
    assert.deepEqual(
      calls.map(({ status }) => status),
      [200],
    );
    await context.helpers.assertPaid(code, [code.amount]);
  });

  test(titleOf('a payment without a callback is found by an inquiry'), async () => {
    const code = await context.helpers.createCode();
    await context.helpers.fault({ fault: 'callback-late', delayMs: NEVER_MS });
    await context.helpers.payCode(code);
    await context.helpers.triggerInquiry(code.id);
    await context.helpers.untilDeposits(code.customer, [code.amount]);
    assert.deepEqual(await context.helpers.callbacksOf(code.id), []);
    await context.helpers.assertPaid(code, [code.amount]);
  });
}

function testForgedCallbacks(context: GatewayTestContext): void {
  const { fixture } = context;
  const titleOf = (title: string) => context.titleOf(`${title} [R-QR-07]`);

  test(titleOf('a forged callback credits nothing, or only the actual payment'), async () => {
    const customer = await context.helpers.newCustomer();
    await context.helpers.fault({ fault: 'callback-forged', amount: '99999.00' });
    const { body } = await customer.create(fixture.validAmounts[0]);
    await waitUntil(
      () => context.helpers.callbacksOf(body.qrcodeId),
      ({ length }) => length === 1,
      'the forged callback',
    );
    await context.helpers.triggerInquiry(body.qrcodeId);
    assert.deepEqual(await customer.deposits(), []);
    const { reference, state } = await readQrcodeRow(context.system, body.qrcodeId);
    assert.equal(state, 'PENDING');
    await context.helpers.fault({ fault: 'callback-forged', call: 'payment' });
    const code = { customer, id: body.qrcodeId, reference, payload: body.payload, amount: body.amount };
    await context.helpers.payCode(code);
    await context.helpers.untilDeposits(customer, [code.amount]);
    await context.helpers.assertPaid(code, [code.amount]);
  });

  test(titleOf('a callback with another amount, before or long after the payment, changes nothing'), async () => {
    const code = await context.helpers.createCode();
    const falseCallback = fixture.buildCallback(context.system.outside, code.reference, {
      amount: '5000.00',
      number: 'LIE1',
    });
    assert.equal((await context.helpers.send(falseCallback)).status, 200);
    await context.helpers.triggerInquiry(code.id);
    assert.deepEqual(await code.customer.deposits(), []);
    await context.helpers.payCode(code);
    await context.helpers.untilDeposits(code.customer, [code.amount]);
    await context.helpers.assertPaid(code, [code.amount]);
    for (const call of [falseCallback, fixture.buildCallback(context.system.outside, code.reference)]) {
      assert.equal((await context.helpers.send(call)).status, 200);
    }
    // Each callback triggers an inquiry, which confirms the credited payment.
    await waitUntil(
      () => readQrcodeRow(context.system, code.id),
      ({ due }) => !due,
      'asked',
    );
    await context.helpers.assertPaid(code, [code.amount]);
  });

  test(titleOf('a callback without the secret, altered, or replayed a day later triggers no inquiry'), async () => {
    const code = await context.helpers.createCode();
    const strangers = fixture.unauthorizedCallbacks(context.system.outside, code.reference);
    assert.ok(strangers.length > 0);
    for (const { title, call, refusal } of strangers) {
      const { status, text } = await context.helpers.send(call);
      assert.deepEqual([status, (JSON.parse(text) as { message: string }).message], [403, refusal], title);
    }
    assert.equal((await readQrcodeRow(context.system, code.id)).wakes, 0);
    assert.deepEqual(await code.customer.deposits(), []);
    assert.equal(
      (await context.helpers.send(fixture.buildCallback(context.system.outside, code.reference))).status,
      200,
    );
    assert.ok((await readQrcodeRow(context.system, code.id)).wakes > 0);
  });
}

function testUnexpectedPayments(context: GatewayTestContext): void {
  const { fixture } = context;
  const titleOf = (title: string) => context.titleOf(`${title} [R-QR-07]`);

  if (fixture.otherAmounts.length > 0) {
    test(titleOf('a payment of another amount than requested is credited as paid'), async () => {
      for (const amount of fixture.otherAmounts) {
        const code = await context.helpers.createCode();
        await context.helpers.payCode(code, { amount });
        await context.helpers.untilDeposits(code.customer, [Number(amount)]);
        await context.helpers.assertPaid(code, [Number(amount)]);
      }
    });
  }

  test(titleOf("a payment after the member's cancellation is credited"), async () => {
    const code = await context.helpers.createCode();
    assert.deepEqual((await code.customer.cancel(code.id)).body, { message: 'OK' });
    assert.equal((await readQrcodeRow(context.system, code.id)).state, 'CANCELLED');
    await context.helpers.payCode(code, { late: true });
    await context.helpers.untilDeposits(code.customer, [code.amount]);
    await context.helpers.assertPaid(code, [code.amount]);
  });

  test(titleOf('a payment after the code expired is credited, with or without a callback'), async () => {
    for (const isCalledBack of [true, false]) {
      const code = await context.helpers.createCode();
      await context.system.simulatorsApi('POST /control/expire-qr', { body: { reference1: code.reference } });
      await context.helpers.triggerInquiry(code.id);
      await context.helpers.untilState(code.id, 'EXPIRED');
      assert.equal((await code.customer.current()).body.hasQrcode, false);
      if (!isCalledBack) await context.helpers.fault({ fault: 'callback-late', delayMs: NEVER_MS });
      await context.helpers.payCode(code, { late: true });
      if (!isCalledBack) await context.helpers.triggerInquiry(code.id);
      await context.helpers.untilDeposits(code.customer, [code.amount]);
      await context.helpers.assertPaid(code, [code.amount]);
    }
  });

  test(titleOf('failing inquiries delay a credit but never lose it'), async () => {
    const code = await context.helpers.createCode();
    for (const name of ['error-500', 'garbage', 'timeout-lost', 'decline']) {
      await context.helpers.fault({ fault: name, call: fixture.callNames.inquire });
    }
    await context.helpers.payCode(code);
    const readOutcome = async () => {
      await context.helpers.triggerInquiry(code.id);
      return code.customer.deposits();
    };
    await waitUntil(readOutcome, (amounts) => amounts.length === 1, 'credited');
    await context.helpers.assertPaid(code, [code.amount]);
  });
}
