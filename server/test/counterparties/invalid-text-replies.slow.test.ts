import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { payonexGateway } from '../../src/adapters/gateway/payonex.ts';
import { audit } from '../../src/ledger/audit.ts';
import { collectUnmatched } from '../../src/modules/deposit/qrcode/credit-payment.ts';
import type { QrcodeDeps } from '../../src/modules/deposit/qrcode/qrcode.ts';
import { systemClock } from '../../src/platform/time.ts';
import { gatewayHelpers, startForGateways } from '../deposit/qrcode/gateways/at-gateway.ts';
import { GATEWAY_FIXTURES } from '../deposit/qrcode/gateways/gateway-fixtures.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { waitForSlipEnd, sendSlip, transferWithSlip } from '../deposit/slip/slip-fixtures.ts';
import { runCommand } from '../harness/command.ts';
import { countFuzzTexts, hostileText, hostileValue, sampleValues } from '../harness/hostile-text.ts';
import { type InvalidTextOutside, startPoisonedOutside } from '../harness/invalid-text-outside.ts';
import { registerMember } from '../harness/members.ts';
import { openSlipDeposits } from '../harness/operator.ts';
import type { System } from '../harness/system.ts';
import { setPayoutDelay, readWithdrawalRows, withdraw } from '../withdraw/payout-fixtures.ts';
import { startHostileParty } from './hostile-counterparty.ts';

/** Payer fields in the gateways' protocols. */
const PAYER_FIELDS = ['name', 'payerName', 'payerBankCode', 'payerBank', 'sourceBank', 'sourceName', 'sourceAccount'];

let outside: InvalidTextOutside;
let system: System;
before(async () => {
  outside = await startPoisonedOutside();
  system = await startForGateways({ outside: outside.outside });
  await openSlipDeposits(system);
});
after(async () => {
  await system.stop();
  await outside.close();
});
afterEach(async () => {
  outside.replaceFields([], () => '');
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

for (const fixture of GATEWAY_FIXTURES) {
  test(`${fixture.code}: a code is credited whatever characters its payer's name has`, async () => {
    const gateway = gatewayHelpers(system, fixture);
    const values = ['\0', '\ud800', ...sampleValues(hostileText, Math.ceil(countFuzzTexts(200) / 100))];
    for (const value of values) {
      const code = await gateway.createCode();
      const before = outside.countReplaced();
      outside.replaceFields(PAYER_FIELDS, () => value);
      await gateway.payCode(code);
      await gateway.untilDeposits(code.customer, [code.amount]);
      assert.ok(outside.countReplaced() > before);
      outside.replaceFields([], () => '');
    }
  });
}

/** Time of a payment in the gateways' protocols. */
const PAID_TIME_FIELDS = ['paidAt', 'paidDt', 'payTime', 'at'];

for (const fixture of GATEWAY_FIXTURES) {
  test(`${fixture.code}: a payment at an unstorable time is credited once the gateway reports a valid one`, async () => {
    const gateway = gatewayHelpers(system, fixture);
    for (const value of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', 9e15]) {
      const code = await gateway.createCode();
      const before = outside.countReplaced();
      outside.replaceFields(PAID_TIME_FIELDS, () => value);
      await gateway.payCode(code);
      await waitUntil(
        async () => outside.countReplaced(),
        (count) => count > before,
        'the gateway is asked',
      );
      outside.replaceFields([], () => '');
      await gateway.untilDeposits(code.customer, [code.amount]);
    }
  });
}

test('a slip is credited although the names in its transfer cannot be stored', async () => {
  const member = await registerMember(system, { currency: 'BAHT' });
  const slipTransfer = await transferWithSlip(system, member, { amount: '25.00' });
  outside.replaceFields(['name'], () => '\0\ud800\u202e');
  const slip = await waitForSlipEnd(system, member.token, await sendSlip(system, member.token, slipTransfer.image));
  assert.deepEqual([slip.status, slip.amount], ['SUCCESS', 25]);
});

test("a returned payout is refunded whatever characters the bank's reason has", async () => {
  const member = await registerMember(system, { currency: 'BAHT' });
  await setPayoutDelay(system, 86_400_000);
  const slipTransfer = await transferWithSlip(system, member, {
    amount: '500.00',
    to: { bankCode: 'SCB', accountNo: '4680001234' },
  });
  assert.ok(slipTransfer.transRef);
  const walletOf = async () =>
    (await system.api('GET /api/wallet', { token: member.token })).body.wallet.amount as number;
  await waitUntil(walletOf, (amount) => amount === 500, 'credited');
  for (const reason of ['\0', '\ud800', '\0account_closed', ...sampleValues(hostileText, 3)]) {
    outside.replaceFields(['reason'], () => reason);
    const reply = await withdraw(system, member, 100);
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
    const [last] = (await readWithdrawalRows(system, member.id)).toReversed();
    assert.ok(last);
    const endRequest = { params: { reference: last.reference }, body: { outcome: 'FAILED', reason: 'account_closed' } };
    await waitUntil(
      async () => (await system.simulatorsApi('POST /control/payouts/{reference}', endRequest)).status,
      (status) => status === 200,
      'ended by the bank',
    );
    await waitUntil(walletOf, (amount) => amount === 500, 'given back');
  }
});

test("an unreadable entry of PAYONEX's unmatched payments is parked, and the next entries are processed", async () => {
  const hostileParty = await startHostileParty();
  const nowText = new Date().toISOString();
  const heldPayment = (id: unknown, name: unknown, amount: unknown = 100) => ({
    id,
    amount,
    at: nowText,
    payer: { bankCode: 'SCB', accountNo: 'x1234', name },
  });
  const values = sampleValues(hostileValue, 100);
  const rows = [
    ...values.map((value, number) => heldPayment(`N${number}`, value)),
    ...['U\0', 'U\u0001', 'U\ud800'].map((id) => heldPayment(id, 'Nok')),
    heldPayment('A1', 'Nok', 'much'),
    null,
    heldPayment('LAST', 'Nok'),
  ];
  hostileParty.replyTo = (path) =>
    path.endsWith('/authenticate')
      ? { body: { success: true, data: { token: 't', expiresIn: 3_600 } } }
      : { body: { success: true, data: rows } };
  const settings = {
    url: hostileParty.url,
    accessKey: 'a',
    secretKey: 's',
    callbackKey: 'k'.repeat(16),
    timeoutMs: 10_000,
  };
  const gateways = [payonexGateway(settings, systemClock)];
  const log = { info() {}, warn() {}, error() {} };
  await collectUnmatched({ database: system.database, gateways, log } as unknown as QrcodeDeps);
  await hostileParty.close();
  const { rows: parkedRows } = await system.database.query<{ reason: string; count: number }>(
    `select reason, count(*)::int as count from deposit_parked where settled_at is null group by 1 order by 1`,
  );
  assert.deepEqual(parkedRows, [
    { reason: 'UNMATCHED', count: values.length + 1 },
    { reason: 'UNREADABLE', count: 5 },
  ]);
  const { output } = await runCommand(system, 'deposits');
  const id = / *(\d+) {2}PAYONEX - {2}UNREADABLE/.exec(output)?.[1];
  assert.ok(id !== undefined);
  assert.equal((await runCommand(system, 'deposits', ['close', id, 'nok', 'asked', 'the', 'gateway'])).status, 0);
});
