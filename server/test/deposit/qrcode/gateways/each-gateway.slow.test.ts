import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type AtOneGateway, atEachGateway } from './at-gateway.ts';
import { type Customer, failureReasons, NOT_MADE, rowOf, until } from '../qr-fixtures.ts';

const NEVER_MS = 3_600_000;
/** Longer than the gateway timeout. */
const SLOW_MS = 4_000;

atEachGateway('making and cancelling a QR', (on) => {
  making(on);
  failing(on);
  cancelling(on);
});

function making(on: AtOneGateway): void {
  const { world } = on;
  test(on.titled('a third-party parser reads the code back with payee, amount and reference [R-QR-08]'), async () => {
    const who = await on.at.newCustomer();
    for (const asked of world.amounts) {
      const { status, body } = await who.create(asked);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.requested, asked);
      const read = world.read(body.payload, on.system.outside);
      assert.equal(read?.amount, body.amount);
      if (read?.reference !== null) assert.equal(read?.reference, (await rowOf(on.system, body.qrcodeId)).reference);
      const broken = `${body.payload.slice(0, -4)}${body.payload.endsWith('0000') ? '1111' : '0000'}`;
      assert.equal(world.read(broken, on.system.outside), null);
      assert.match(body.qrcode, /^<svg[^>]*>.*<\/svg>\s*$/s);
      assert.doesNotMatch(body.qrcode, /<script|on\w+=|href/i);
      assert.ok(Date.parse(body.expireIn) > Date.now());
      const shown = await on.system.world('POST /bank/read-qr', { body: { payload: body.payload } });
      assert.deepEqual([shown.status, shown.body.gateway, Number(shown.body.amount)], [200, world.name, body.amount]);
      assert.deepEqual((await who.current()).body, body);
      assert.equal((await who.cancel(body.qrcodeId)).status, 200);
      assert.equal((await who.current()).body.hasQrcode, false);
    }
  });

  test(on.titled('an amount outside the limits is refused before the gateway is asked'), async () => {
    const who = await on.at.newCustomer();
    for (const [amount, detail] of [
      [world.tooLittle, 'AMOUNT_BELOW_MINIMUM'],
      [world.tooMuch, 'AMOUNT_ABOVE_MAXIMUM'],
      [0, 'AMOUNT_INVALID'],
      [String(world.amounts[0]), 'AMOUNT_INVALID'],
    ] as const) {
      const { status, body } = await who.create(amount);
      assert.deepEqual([status, body], [400, { message: 'QR_FAIL', detail }], String(amount));
    }
    const { rows } = await on.system.database.query('select 1 from qrcode where gateway = $1 and amount <= 0', [
      world.code,
    ]);
    assert.deepEqual(rows, []);
  });
}

function failing(on: AtOneGateway): void {
  const [some] = on.world.amounts;

  /** The row of a refused request. */
  async function failedRow(who: Customer, key: string): Promise<{ id: string; reference: string }> {
    const { rows } = await on.system.database.query<{ id: string; reference: string }>(
      `select id, reference from qrcode where id = (select qrcode_id from qrcode_request where key = $1)`,
      [key],
    );
    assert.ok(rows[0]);
    assert.equal((await who.current()).body.hasQrcode, false);
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
    const what = `QR_FAIL when create ends in ${Object.values(fault).join(' ')}`;
    const title = isMade
      ? `${what}, and a payment of the code that was not returned is credited [R-QR-08] [R-QR-07]`
      : `${what}, and no code is left there [R-QR-08]`;
    test(on.titled(title), async () => {
      const who = await on.at.newCustomer();
      const key = randomUUID();
      await on.at.fault(fault);
      const failed = await who.create(some, key);
      assert.deepEqual([failed.status, failed.body], [200, NOT_MADE]);
      assert.deepEqual(await failureReasons(on.system, who), [reason]);
      assert.deepEqual((await who.create(some, key)).body, failed.body);
      const { id, reference } = await failedRow(who, key);
      const held = () => on.system.world(`GET /control/qr?reference1=${reference}`);
      if (isMade) {
        const { body } = await until(held, ({ status }) => status === 200, 'the code that was not returned');
        assert.equal((await who.pay(body.payload)).status, 200);
        await on.at.untilDeposits(who, [Number(body.amount)]);
        await on.at.untilState(id, 'PAID');
      } else {
        assert.equal((await held()).status, 404);
        await on.at.triggerInquiry(id);
        assert.deepEqual(await who.deposits(), []);
        const { state, due } = await rowOf(on.system, id);
        // Inquiries follow an unknown outcome, but not a proven refusal.
        assert.deepEqual([state, due], ['FAILED', reason === 'GATEWAY_UNKNOWN']);
      }
      assert.equal((await who.create(some, randomUUID())).body.hasQrcode, true);
    });
  }
}

function cancelling(on: AtOneGateway): void {
  const { world } = on;
  test(on.titled('cancelling a paid code answers QR_PAID and credits [R-QR-07]'), async () => {
    const code = await on.at.withCode();
    await on.at.fault({ fault: 'callback-late', delayMs: NEVER_MS });
    await on.at.pay(code);
    const paid = { message: 'QR_FAIL', detail: 'QR_PAID' };
    const { status, body } = await code.who.cancel(code.id);
    assert.deepEqual([status, body], [409, paid]);
    assert.deepEqual(await code.who.deposits(), [code.amount]);
    assert.deepEqual((await code.who.cancel(code.id)).body, paid);
    await on.at.assertPaid(code, [code.amount]);
  });

  test(on.titled('a payment and a cancel at the same moment lose no money [R-QR-07]'), async () => {
    for (let round = 0; round < 3; round += 1) {
      const code = await on.at.withCode();
      const [paid] = await Promise.all([code.who.pay(code.payload), code.who.cancel(code.id)]);
      const isPaid = paid.status === 200;
      await on.at.untilDeposits(code.who, isPaid ? [code.amount] : []);
      await on.at.untilState(code.id, isPaid ? 'PAID' : 'CANCELLED');
    }
  });

  test(on.titled('cancelling an expired or failed code says so'), async () => {
    for (const end of ['expire-qr', 'fail-qr']) {
      const code = await on.at.withCode();
      await on.system.world(`POST /control/${end}`, { body: { reference1: code.reference } });
      const { body } = await code.who.cancel(code.id);
      assert.ok(body.detail === 'QR_EXPIRED' || body.message === 'OK', `${end} ${JSON.stringify(body)}`);
      assert.equal((await code.who.current()).body.hasQrcode, false);
      assert.equal((await rowOf(on.system, code.id)).due, true);
    }
  });

  if (world.calls.cancel !== null) {
    test(
      on.titled('a gateway that doesn’t answer the cancel leaves the code live until an inquiry answers'),
      async () => {
        const call = world.calls.cancel;
        const done = await on.at.withCode();
        await on.at.fault({ fault: 'error-500', call, applied: true });
        const unknown = { message: 'QR_FAIL', detail: 'GATEWAY_UNKNOWN' };
        const refused = await done.who.cancel(done.id);
        assert.deepEqual([refused.status, refused.body], [409, unknown]);
        await on.at.untilState(done.id, 'CANCELLED');
        const lost = await on.at.withCode();
        await on.at.fault({ fault: 'timeout-lost', call });
        assert.deepEqual((await lost.who.cancel(lost.id)).body, unknown);
        await on.at.triggerInquiry(lost.id);
        assert.equal((await lost.who.current()).body.qrcodeId, lost.id);
      },
    );
  }
}
