import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { audit } from '../../src/ledger/audit.ts';
import { payonexGateway } from '../../src/adapters/gateway/payonex.ts';
import { collectUnmatched } from '../../src/modules/deposit/qrcode/credit-payment.ts';
import type { QrcodeDeps } from '../../src/modules/deposit/qrcode/qrcode.ts';
import { systemClock } from '../../src/platform/time.ts';
import { runCommand } from '../harness/command.ts';
import { fuzzTexts, hostileText, hostileValue, valuesOf } from '../harness/hostile-text.ts';
import { registerMember } from '../harness/members.ts';
import { takeSlipsNow } from '../harness/operator.ts';
import { type PoisonedOutside, startPoisonedOutside } from '../harness/poisoned-outside.ts';
import type { System } from '../harness/system.ts';
import { atGateway, startForGateways } from '../deposit/qrcode/gateways/at-gateway.ts';
import { GATEWAY_FIXTURES } from '../deposit/qrcode/gateways/gateway-fixtures.ts';
import { until } from '../deposit/qrcode/qr-fixtures.ts';
import { ended, sendSlip, transferBy } from '../deposit/slip/slip-fixtures.ts';
import { payoutsTake, rowsOf, withdraw } from '../withdraw/payout-fixtures.ts';
import { startHostileParty } from './hostile-party.ts';

/** Names of the payer, as the gateways call them. */
const PAYER = ['name', 'payerName', 'payerBankCode', 'payerBank', 'sourceBank', 'sourceName', 'sourceAccount'];

let outside: PoisonedOutside;
let system: System;
before(async () => {
  outside = await startPoisonedOutside();
  system = await startForGateways({ outside: outside.outside });
  await takeSlipsNow(system);
});
after(async () => {
  await system.stop();
  await outside.close();
});
afterEach(async () => {
  outside.poison([], () => '');
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

for (const world of GATEWAY_FIXTURES) {
  test(`${world.code}: a code is credited whatever its payer is called`, async () => {
    const gateway = atGateway(system, world);
    const values = ['\0', '\ud800', ...valuesOf(hostileText, Math.ceil(fuzzTexts(200) / 100))];
    for (const value of values) {
      const code = await gateway.withCode();
      const before = outside.replaced();
      outside.poison(PAYER, () => value);
      await gateway.pay(code);
      await gateway.untilDeposits(code.who, [code.amount]);
      assert.ok(outside.replaced() > before);
      outside.poison([], () => '');
    }
  });
}

test('a slip is credited although the names of its transfer can’t be stored', async () => {
  const member = await registerMember(system, { currency: 'BAHT' });
  const paid = await transferBy(system, member, { amount: '25.00' });
  outside.poison(['name'], () => '\0\ud800\u202e');
  const slip = await ended(system, member.token, await sendSlip(system, member.token, paid.image));
  assert.deepEqual([slip.status, slip.amount], ['SUCCESS', 25]);
});

test('a returned payout is given back whatever reason the bank gives', async () => {
  const member = await registerMember(system, { currency: 'BAHT' });
  await payoutsTake(system, 86_400_000);
  const paid = await transferBy(system, member, {
    amount: '500.00',
    to: { bankCode: 'SCB', accountNo: '4680001234' },
  });
  assert.ok(paid.transRef);
  const walletOf = async () =>
    (await system.api('GET /api/wallet', { token: member.token })).body.wallet.amount as number;
  await until(walletOf, (amount) => amount === 500, 'credited');
  for (const reason of ['\0', '\ud800', '\0account_closed', ...valuesOf(hostileText, 3)]) {
    outside.poison(['reason'], () => reason);
    const reply = await withdraw(system, member, 100);
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
    const [last] = (await rowsOf(system, member.id)).toReversed();
    assert.ok(last);
    const end = { params: { reference: last.reference }, body: { outcome: 'FAILED', reason: 'account_closed' } };
    await until(
      async () => (await system.world('POST /control/payouts/{reference}', end)).status,
      (status) => status === 200,
      'ended by the bank',
    );
    await until(walletOf, (amount) => amount === 500, 'given back');
  }
});

test('an unreadable entry of PAYONEX’s unmatched payments is parked, and the entries after it are processed', async () => {
  const party = await startHostileParty();
  const at = new Date().toISOString();
  const held = (id: unknown, name: unknown, amount: unknown = 100) => ({
    id,
    amount,
    at,
    payer: { bankCode: 'SCB', accountNo: 'x1234', name },
  });
  const values = valuesOf(hostileValue, 100);
  const rows = [
    ...values.map((value, number) => held(`N${number}`, value)),
    ...['U\0', 'U\u0001', 'U\ud800'].map((id) => held(id, 'Nok')),
    held('A1', 'Nok', 'much'),
    null,
    held('LAST', 'Nok'),
  ];
  party.answer = (path) =>
    path.endsWith('/authenticate')
      ? { body: { success: true, data: { token: 't', expiresIn: 3_600 } } }
      : { body: { success: true, data: rows } };
  const settings = { url: party.url, accessKey: 'a', secretKey: 's', callbackKey: 'k'.repeat(16), timeoutMs: 10_000 };
  const gateways = [payonexGateway(settings, systemClock)];
  const log = { info() {}, warn() {}, error() {} };
  await collectUnmatched({ database: system.database, gateways, log } as unknown as QrcodeDeps);
  await party.close();
  const { rows: parked } = await system.database.query<{ reason: string; count: number }>(
    `select reason, count(*)::int as count from deposit_parked where settled_at is null group by 1 order by 1`,
  );
  assert.deepEqual(parked, [
    { reason: 'UNMATCHED', count: values.length + 1 },
    { reason: 'UNREADABLE', count: 5 },
  ]);
  const { output } = await runCommand(system, 'deposits');
  const id = / *(\d+) {2}PAYONEX - {2}UNREADABLE/.exec(output)?.[1];
  assert.ok(id !== undefined);
  assert.equal((await runCommand(system, 'deposits', ['close', id, 'nok', 'asked', 'the', 'gateway'])).status, 0);
});
