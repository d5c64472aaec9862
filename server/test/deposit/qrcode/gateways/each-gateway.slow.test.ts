import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type QrCustomer, readFailureReasons, assertCodeNotCreated, readQrcodeRow, waitUntil } from '../qr-fixtures.ts';
import { type GatewayTestContext, testEachGateway } from './at-gateway.ts';

const NEVER_MS = 3_600_000;
/** Longer than the gateway timeout. */
const SLOW_MS = 4_000;

testEachGateway('making and cancelling a QR', (context) => {
  testMaking(context);
  testFailing(context);
  testCancelling(context);
});

function testMaking(context: GatewayTestContext): void {
  const { fixture } = context;
  test(context.titleOf('an independent parser reads payee, amount and reference from the code [R-QR-08]'), async () => {
    const customer = await context.helpers.newCustomer();
    for (const amount of fixture.validAmounts) {
      const { status, body } = await customer.create(amount);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.requested, amount);
      const parsedPayload = fixture.parsePayload(body.payload, context.system.outside);
      assert.equal(parsedPayload?.amount, body.amount);
      if (parsedPayload?.reference !== null)
        assert.equal(parsedPayload?.reference, (await readQrcodeRow(context.system, body.qrcodeId)).reference);
      const brokenPayload = `${body.payload.slice(0, -4)}${body.payload.endsWith('0000') ? '1111' : '0000'}`;
      assert.equal(fixture.parsePayload(brokenPayload, context.system.outside), null);
      assert.match(body.qrcode, /^<svg[^>]*>.*<\/svg>\s*$/s);
      assert.doesNotMatch(body.qrcode, /<script|on\w+=|href/i);
      assert.ok(Date.parse(body.expireIn) > Date.now());
      const bankReading = await context.system.simulatorsApi('POST /bank/read-qr', {
        body: { payload: body.payload },
      });
      assert.deepEqual(
        [bankReading.status, bankReading.body.gateway, Number(bankReading.body.amount)],
        [200, fixture.name, body.amount],
      );
      assert.deepEqual((await customer.current()).body, body);
      assert.equal((await customer.cancel(body.qrcodeId)).status, 200);
      assert.equal((await customer.current()).body.hasQrcode, false);
    }
  });

  test(context.titleOf('an amount outside the limits is refused before any call to the gateway'), async () => {
    const customer = await context.helpers.newCustomer();
    for (const [amount, detail] of [
      [fixture.tooSmallAmount, 'AMOUNT_BELOW_MINIMUM'],
      [fixture.tooLargeAmount, 'AMOUNT_ABOVE_MAXIMUM'],
      [0, 'AMOUNT_INVALID'],
      [String(fixture.validAmounts[0]), 'AMOUNT_INVALID'],
    ] as const) {
      const { status, body } = await customer.create(amount);
      assert.deepEqual([status, body], [400, { message: 'QR_FAIL', detail }], String(amount));
    }
    const { rows } = await context.system.database.query('select 1 from qrcode where gateway = $1 and amount <= 0', [
      fixture.code,
    ]);
    assert.deepEqual(rows, []);
  });
}

function testFailing(context: GatewayTestContext): void {
  const [amount] = context.fixture.validAmounts;

  /** The row of a refused request. */
  async function failedRow(customer: QrCustomer, key: string): Promise<{ id: string; reference: string }> {
    const { rows } = await context.system.database.query<{ id: string; reference: string }>(
      `select id, reference from qrcode where id = (select qrcode_id from qrcode_request where key = $1)`,
      [key],
    );
    assert.ok(rows[0]);
    assert.equal((await customer.current()).body.hasQrcode, false);
    return rows[0];
  }

  for (const { fault, isMade, reason } of [
    { fault: { fault: 'decline' }, isMade: false, reason: 'GATEWAY_REFUSED' },
    { fault: { fault: 'error-500' }, isMade: false, reason: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'error-500', applied: true }, isMade: true, reason: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'garbage' }, isMade: true, reason: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'timeout-applied' }, isMade: true, reason: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'timeout-lost' }, isMade: false, reason: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'slow', delayMs: SLOW_MS }, isMade: true, reason: 'GATEWAY_UNKNOWN' },
  ]) {
    const testTitle = `creation is QR_FAIL after ${Object.values(fault).join(' ')}`;
    const title = isMade
      ? `${testTitle}, and a payment of the unreturned code is credited [R-QR-08] [R-QR-07]`
      : `${testTitle}, and no code remains at the gateway [R-QR-08]`;
    test(context.titleOf(title), async () => {
      const customer = await context.helpers.newCustomer();
      const key = randomUUID();
      await context.helpers.fault(fault);
      const failedReply = await customer.create(amount, key);
      assertCodeNotCreated(failedReply);
      assert.deepEqual(await readFailureReasons(context.system, customer), [reason]);
      assert.deepEqual((await customer.create(amount, key)).body, failedReply.body);
      const { id, reference } = await failedRow(customer, key);
      const readHeldCode = () => context.system.simulatorsApi(`GET /control/qr?reference1=${reference}`);
      if (isMade) {
        const { body } = await waitUntil(
          readHeldCode,
          ({ status }) => status === 200,
          'the code that was not returned',
        );
        assert.equal((await customer.pay(body.payload)).status, 200);
        await context.helpers.untilDeposits(customer, [Number(body.amount)]);
        await context.helpers.untilState(id, 'PAID');
      } else {
        assert.equal((await readHeldCode()).status, 404);
        await context.helpers.triggerInquiry(id);
        assert.deepEqual(await customer.deposits(), []);
        const { state, due } = await readQrcodeRow(context.system, id);
        // Inquiries follow an unknown outcome, but not a proven refusal.
        assert.deepEqual([state, due], ['FAILED', reason === 'GATEWAY_UNKNOWN']);
      }
      assert.equal((await customer.create(amount, randomUUID())).body.hasQrcode, true);
    });
  }
}

function testCancelling(context: GatewayTestContext): void {
  const { fixture } = context;
  test(context.titleOf('cancelling a paid code returns QR_PAID and credits it [R-QR-07]'), async () => {
    const code = await context.helpers.createCode();
    await context.helpers.fault({ fault: 'callback-late', delayMs: NEVER_MS });
    await context.helpers.payCode(code);
    const paidRefusal = { message: 'QR_FAIL', detail: 'QR_PAID' };
    const { status, body } = await code.customer.cancel(code.id);
    assert.deepEqual([status, body], [409, paidRefusal]);
    assert.deepEqual(await code.customer.deposits(), [code.amount]);
    assert.deepEqual((await code.customer.cancel(code.id)).body, paidRefusal);
    await context.helpers.assertPaid(code, [code.amount]);
  });

  test(context.titleOf('a payment and a cancellation at the same moment lose no money [R-QR-07]'), async () => {
    for (let round = 0; round < 3; round += 1) {
      const code = await context.helpers.createCode();
      const [payReply] = await Promise.all([code.customer.pay(code.payload), code.customer.cancel(code.id)]);
      const isPaid = payReply.status === 200;
      await context.helpers.untilDeposits(code.customer, isPaid ? [code.amount] : []);
      await context.helpers.untilState(code.id, isPaid ? 'PAID' : 'CANCELLED');
    }
  });

  test(context.titleOf('cancelling an expired or failed code returns its state'), async () => {
    for (const endCommand of ['expire-qr', 'fail-qr']) {
      const code = await context.helpers.createCode();
      await context.system.simulatorsApi(`POST /control/${endCommand}`, { body: { reference1: code.reference } });
      const { body } = await code.customer.cancel(code.id);
      assert.ok(body.detail === 'QR_EXPIRED' || body.message === 'OK', `${endCommand} ${JSON.stringify(body)}`);
      assert.equal((await code.customer.current()).body.hasQrcode, false);
      assert.equal((await readQrcodeRow(context.system, code.id)).due, true);
    }
  });

  if (fixture.callNames.cancel !== null) {
    test(
      context.titleOf('a gateway silent to the cancellation leaves the code live until an inquiry succeeds'),
      async () => {
        const cancelCall = fixture.callNames.cancel;
        const endedCode = await context.helpers.createCode();
        await context.helpers.fault({ fault: 'error-500', call: cancelCall, applied: true });
        const unknownRefusal = { message: 'QR_FAIL', detail: 'GATEWAY_UNKNOWN' };
        const refusedReply = await endedCode.customer.cancel(endedCode.id);
        assert.deepEqual([refusedReply.status, refusedReply.body], [409, unknownRefusal]);
        await context.helpers.untilState(endedCode.id, 'CANCELLED');
        const lostCode = await context.helpers.createCode();
        await context.helpers.fault({ fault: 'timeout-lost', call: cancelCall });
        assert.deepEqual((await lostCode.customer.cancel(lostCode.id)).body, unknownRefusal);
        await context.helpers.triggerInquiry(lostCode.id);
        assert.equal((await lostCode.customer.current()).body.qrcodeId, lostCode.id);
      },
    );
  }
}
