import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { audit } from '../../../../src/ledger/audit.ts';
import type { System } from '../../../harness/system.ts';
import { type AtGateway, atGateway, startForGateways } from './at-gateway.ts';
import { GATEWAY_WORLDS, type GatewayWorld } from './gateway-worlds.ts';
import { assertTotalsAgree, type Customer, rowOf, until } from '../qr-world.ts';

const NEVER_MS = 3_600_000;
/** Longer than the server waits for a gateway. */
const SLOW_MS = 4_000;

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
describe('making and cancelling a QR', { concurrency: 3 }, () => {
  for (const world of GATEWAY_WORLDS) describe(world.code, { concurrency: 1 }, () => makingAndCancelling(world));
});

function makingAndCancelling(world: GatewayWorld): void {
  let at: AtGateway;
  before(() => {
    at = atGateway(system, world);
  });
  afterEach(async () => {
    await at.clearFaults();
    await assertTotalsAgree(system, world.name);
  });
  const titled = (title: string) => `${world.code}: ${title}`;
  const [some] = world.amounts;

  test(titled('a third-party parser reads the code back with payee, amount and reference [R-QR-08]'), async () => {
    const who = await at.newCustomer();
    for (const asked of world.amounts) {
      const { status, body } = await who.create(asked);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.requested, asked);
      const read = world.read(body.payload, system.outside);
      assert.equal(read?.amount, body.amount);
      if (read?.reference !== null) assert.equal(read?.reference, (await rowOf(system, body.qrcodeId)).reference);
      const broken = `${body.payload.slice(0, -4)}${body.payload.endsWith('0000') ? '1111' : '0000'}`;
      assert.equal(world.read(broken, system.outside), null);
      assert.match(body.qrcode, /^<svg[^>]*>.*<\/svg>\s*$/s);
      assert.doesNotMatch(body.qrcode, /<script|on\w+=|href/i);
      assert.ok(Date.parse(body.expireIn) > Date.now());
      const shown = await system.world('POST /bank/read-qr', { body: { payload: body.payload } });
      assert.deepEqual([shown.status, shown.body.gateway, Number(shown.body.amount)], [200, world.name, body.amount]);
      assert.deepEqual((await who.current()).body, body);
      assert.equal((await who.cancel(body.qrcodeId)).status, 200);
      assert.equal((await who.current()).body.hasQrcode, false);
    }
  });

  test(titled('an amount outside the limits is refused before the gateway is asked'), async () => {
    const who = await at.newCustomer();
    for (const [amount, detail] of [
      [world.tooLittle, 'AMOUNT_BELOW_MINIMUM'],
      [world.tooMuch, 'AMOUNT_ABOVE_MAXIMUM'],
      [0, 'AMOUNT_INVALID'],
      [String(some), 'AMOUNT_INVALID'],
    ] as const) {
      const { status, body } = await who.create(amount);
      assert.deepEqual([status, body], [400, { message: 'QR_FAIL', detail }], String(amount));
    }
    const { rows } = await system.database.query('select 1 from qrcode where gateway = $1 and amount <= 0', [
      world.code,
    ]);
    assert.deepEqual(rows, []);
  });

  /** The row that a refused wish has left. */
  async function failedRow(who: Customer, key: string): Promise<{ id: string; reference: string }> {
    const { rows } = await system.database.query<{ id: string; reference: string }>(
      `select id, reference from qrcode where id = (select qrcode_id from qrcode_request where key = $1)`,
      [key],
    );
    assert.ok(rows[0]);
    assert.equal((await who.current()).body.hasQrcode, false);
    return rows[0];
  }

  for (const { fault, isMade, detail } of [
    { fault: { fault: 'decline' }, isMade: false, detail: 'GATEWAY_REFUSED' },
    { fault: { fault: 'error-500' }, isMade: false, detail: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'error-500', applied: true }, isMade: true, detail: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'garbage' }, isMade: true, detail: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'timeout-applied' }, isMade: true, detail: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'timeout-lost' }, isMade: false, detail: 'GATEWAY_UNKNOWN' },
    { fault: { fault: 'slow', delayMs: SLOW_MS }, isMade: true, detail: 'GATEWAY_UNKNOWN' },
  ]) {
    const what = `QR_FAIL when create ends in ${Object.values(fault).join(' ')}`;
    const title = isMade
      ? `${what}, and who pays the code that nobody was told of gets the money [R-QR-08] [R-QR-07]`
      : `${what}, and no code is left there [R-QR-08]`;
    test(titled(title), async () => {
      const who = await at.newCustomer();
      const key = randomUUID();
      await at.fault(fault);
      const failed = await who.create(some, key);
      assert.deepEqual([failed.status, failed.body], [502, { message: 'QR_FAIL', detail }]);
      assert.deepEqual((await who.create(some, key)).body, failed.body);
      const { id, reference } = await failedRow(who, key);
      const held = () => system.world(`GET /control/qr?reference1=${reference}`);
      if (isMade) {
        const { body } = await until(held, ({ status }) => status === 200, 'the code that nobody was told of');
        assert.equal((await who.pay(body.payload)).status, 200);
        await at.untilDeposits(who, [Number(body.amount)]);
        await at.untilState(id, 'PAID');
      } else {
        assert.equal((await held()).status, 404);
        await at.lookAgain(id);
        assert.deepEqual(await who.deposits(), []);
        const { state, due } = await rowOf(system, id);
        // What is proven to be nothing is not watched for; the rest might still turn out to be something.
        assert.deepEqual([state, due], ['FAILED', detail === 'GATEWAY_UNKNOWN']);
      }
      assert.equal((await who.create(some, randomUUID())).body.hasQrcode, true);
    });
  }

  test(titled('cancelling what is paid already says so and credits [R-QR-07]'), async () => {
    const code = await at.withCode();
    await at.fault({ fault: 'callback-late', delayMs: NEVER_MS });
    await at.pay(code);
    const paid = { message: 'QR_FAIL', detail: 'QR_PAID' };
    const { status, body } = await code.who.cancel(code.id);
    assert.deepEqual([status, body], [409, paid]);
    assert.deepEqual(await code.who.deposits(), [code.amount]);
    assert.deepEqual((await code.who.cancel(code.id)).body, paid);
    await at.assertPaid(code, [code.amount]);
  });

  test(titled('of a payment and a cancel at the same moment money is never lost [R-QR-07]'), async () => {
    for (let round = 0; round < 3; round += 1) {
      const code = await at.withCode();
      const [paid] = await Promise.all([code.who.pay(code.payload), code.who.cancel(code.id)]);
      const isPaid = paid.status === 200;
      await at.untilDeposits(code.who, isPaid ? [code.amount] : []);
      await at.untilState(code.id, isPaid ? 'PAID' : 'CANCELLED');
    }
  });

  test(titled('cancelling what has expired, or what the gateway gave up, says so'), async () => {
    for (const end of ['expire-qr', 'fail-qr']) {
      const code = await at.withCode();
      await system.world(`POST /control/${end}`, { body: { reference1: code.reference } });
      const { body } = await code.who.cancel(code.id);
      assert.ok(body.detail === 'QR_EXPIRED' || body.message === 'OK', `${end} ${JSON.stringify(body)}`);
      assert.equal((await code.who.current()).body.hasQrcode, false);
      assert.equal((await rowOf(system, code.id)).due, true);
    }
  });

  if (world.calls.cancel !== null) {
    test(titled('a gateway that doesn’t answer the cancel leaves the code live until it tells'), async () => {
      const call = world.calls.cancel;
      const done = await at.withCode();
      await at.fault({ fault: 'error-500', call, applied: true });
      const unknown = { message: 'QR_FAIL', detail: 'GATEWAY_UNKNOWN' };
      assert.deepEqual((await done.who.cancel(done.id)).body, unknown);
      await at.untilState(done.id, 'CANCELLED');
      const lost = await at.withCode();
      await at.fault({ fault: 'timeout-lost', call });
      assert.deepEqual((await lost.who.cancel(lost.id)).body, unknown);
      await at.lookAgain(lost.id);
      assert.equal((await lost.who.current()).body.qrcodeId, lost.id);
    });
  }
}
