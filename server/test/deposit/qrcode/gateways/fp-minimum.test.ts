import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registerMember } from '../../../harness/members.ts';
import { qrCustomer } from '../qr-fixtures.ts';
import { startForGateways } from './at-gateway.ts';

test('FP_MINIMUM is listed and enforced as the minimum at FP, and other gateways keep theirs', async () => {
  const system = await startForGateways({ fpMinimum: 25 });
  try {
    const { body } = await system.api('GET /api/lookup/deposit');
    const banks = body.banks as { bankCode: string; bankType: string; minimum: number | null }[];
    const readMinimum = (code: string) =>
      banks.find((bank) => bank.bankCode === code && bank.bankType === 'PAYMENT')?.minimum;
    assert.deepEqual(['FP', 'WW', 'KBANK'].map(readMinimum), [25, 100, 1]);
    const customer = qrCustomer(system, await registerMember(system, { currency: 'BAHT' }), 'FP');
    assert.deepEqual((await customer.create(24.99)).body, { message: 'QR_FAIL', detail: 'AMOUNT_BELOW_MINIMUM' });
    assert.equal((await customer.create(25)).body.amount, 25);
  } finally {
    await system.stop();
  }
});
