import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { toDecimal } from '@krapao/contract/money';
import fc from 'fast-check';
import type { Ledger } from '../../src/ledger/index.ts';
import { type Comparison, unexplainedDifference } from '../../src/modules/reconcile/index.ts';
import { clearBonus, insertOffer, receiveBonus, redeemPromotion } from '../bonus/bonus-fixtures.ts';
import { bankTransfer } from '../harness/bank.ts';
import { runCommand as runOperatorCommand } from '../harness/command.ts';
import { waitUntilResult } from '../harness/games.ts';
import { newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import { parseBaht, readBalance, createTestLedger } from '../harness/money.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { startSystem, type System } from '../harness/system.ts';
import { bonusAward, grantAward, openIncentiveNode } from '../incentive/incentive-fixtures.ts';
import { claimCoupon, moneyPrize, winCoupon } from '../spinwheel/wheel-fixtures.ts';
import {
  injectBankFault,
  readBankTotals,
  outsideWithBankTimeout,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  waitForState,
  waitForStateWithoutBackoff,
  withdraw,
} from '../withdraw/payout-fixtures.ts';
import { outsideWithLongTimeouts, runCommand } from './run-command.ts';

const SCB_ACCOUNT = { bankCode: 'SCB', accountNo: '4680001234' };

describe('differences and what explains them', () => {
  const comparisonWith = (changes: Partial<Comparison>): Comparison => ({
    party: 'gateway:x',
    unit: 'BAHT',
    ledgerTotal: 0n,
    partyTotal: 0n,
    explanations: [],
    ...changes,
  });

  test('a difference explained to the satang is none; one satang more is a difference', () => {
    fc.assert(
      fc.property(fc.bigInt(-1_000n, 1_000n), fc.array(fc.bigInt(-500n, 500n)), (ownBalance, explainedAmounts) => {
        const explanations = explainedAmounts.map((amount) => ({ reason: 'x', amount }));
        const partyBalance = ownBalance + explainedAmounts.reduce((total, amount) => total + amount, 0n);
        assert.equal(
          unexplainedDifference(comparisonWith({ ledgerTotal: ownBalance, partyTotal: partyBalance, explanations })),
          0n,
        );
        assert.equal(
          unexplainedDifference(
            comparisonWith({ ledgerTotal: ownBalance, partyTotal: partyBalance + 1n, explanations }),
          ),
          1n,
        );
        assert.equal(
          unexplainedDifference(
            comparisonWith({ ledgerTotal: ownBalance, partyTotal: partyBalance - 1n, explanations }),
          ),
          -1n,
        );
      }),
    );
  });

  test('an uncertain movement explains any difference up to its amount, and nothing beyond', () => {
    const explanations = [
      { reason: 'in', amount: 100n, upTo: true as const },
      { reason: 'out', amount: -50n, upTo: true as const },
    ];
    for (const partyBalance of [-50n, 0n, 37n, 100n])
      assert.equal(unexplainedDifference(comparisonWith({ partyTotal: partyBalance, explanations })), 0n);
    assert.equal(unexplainedDifference(comparisonWith({ partyTotal: 101n, explanations })), 101n);
    assert.equal(unexplainedDifference(comparisonWith({ partyTotal: -51n, explanations })), -51n);
  });

  test('a party without a statement is not compared, and is not a difference', () => {
    assert.equal(unexplainedDifference(comparisonWith({ ledgerTotal: 5n, partyTotal: undefined })), 0n);
  });
});

let system: System;
let ledger: Ledger;
let directory: string;
before(async () => {
  // One payout is reported late on purpose.
  system = await startSystem({ outside: outsideWithBankTimeout(1_500) });
  ledger = createTestLedger(system);
  directory = mkdtempSync(join(tmpdir(), 'krapao-reconcile-'));
  writeOutside(join(directory, 'outside.json'), outsideWithLongTimeouts(system));
  await setPayoutDelay(system, 50);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const runCli = (command: 'reconcile' | 'payouts', ...commandArgs: string[]) =>
  runCommand(system, directory, command, ...commandArgs);
const lineOf = (output: string, party: string): string =>
  output.split('\n').find((outputLine) => outputLine.startsWith(`${party} `)) ?? '';

/** A member with a regular deposit. */
async function memberWith(amount: string): Promise<TestMember> {
  const member = await registerMember(system);
  const { bankCode, bankAccountNo: accountNo, bankAccountName: accountName } = member;
  await bankTransfer(system, { from: { bankCode, accountNo, accountName }, to: SCB_ACCOUNT, amount });
  await waitUntilResult(
    'the transfer is credited',
    async () => {
      await system.database.query('update deposit_feed set poll_at = now()');
      return readBalance(ledger, member.id, 'WALLET');
    },
    ({ free }) => free === amount,
  );
  return member;
}

describe('krapao reconcile', () => {
  test('reconcile finds no difference between books and statements, with unassigned money in suspense on both sides', async () => {
    const member = await memberWith('500.00');
    const { reference } = (await withdraw(system, member, 200)).body;
    await waitForState(system, reference, 'PAID');
    const unknownPayer = { bankCode: 'BBL', accountNo: newAccountNo(), accountName: 'NOBODY WE KNOW' };
    await bankTransfer(system, { from: unknownPayer, to: SCB_ACCOUNT, amount: '77.77' });
    await waitUntilResult(
      'it is in suspense',
      async () => {
        await system.database.query('update deposit_feed set poll_at = now()');
        return toDecimal(await ledger.houseAccountBalance('suspense'));
      },
      (amount) => amount === '77.77',
    );
    const { status, output } = await runCli('reconcile');
    assert.equal(status, 0, output);
    assert.match(output, / 0 unexplained/);
    assert.match(lineOf(output, 'bank:SCB-4680001234'), / 577\.77 +577\.77 +0\.00/, output);
    assert.match(lineOf(output, 'payout:SCB-4680001234'), / 200\.00 +200\.00 +0\.00/, output);
    assert.match(lineOf(output, 'suspense'), / 77\.77 +77\.77 +0\.00/, output);
  });

  test('a movement in progress explains a difference: paid by the bank, not yet reported here', async () => {
    const member = await memberWith('400.00');
    const before = Number((await readBankTotals(system)).paid);
    await injectBankFault(system, { fault: 'timeout-applied' });
    await injectBankFault(system, { fault: 'error-500', call: 'payout-status', times: 1_000 });
    const { reference } = (await withdraw(system, member, 300)).body;
    await waitForState(system, reference, 'UNKNOWN');
    await waitUntilResult(
      'the bank has paid',
      () => readBankTotals(system),
      ({ paid }) => Number(paid) === before + 300,
    );
    const { status, output } = await runCli('reconcile');
    assert.equal(status, 0, output);
    assert.match(lineOf(output, 'payout:SCB-4680001234'), /paid, not reported yet 300\.00/, output);
    const payoutsResult = await runCli('payouts');
    assert.match(
      payoutsResult.output,
      new RegExp(`${reference} +UNKNOWN.+300\\.00 BAHT.+sent 1`),
      payoutsResult.output,
    );
    assert.match(payoutsResult.output, /1 open, 0 wait for an operator/);
    await system.simulatorsApi('DELETE /control/faults');
    await waitForStateWithoutBackoff(system, reference, 'PAID');
  });

  test('cost accounts equal grants minus returned money: bonus, promotion, refund, invite bonus and coupon', async () => {
    const member = await memberWith('200.00');
    assert.equal((await receiveBonus(system, member, await insertOffer(system))).status, 200);
    assert.equal((await clearBonus(system, member)).body.takenBack, 200);
    const other = await memberWith('100.00');
    assert.equal((await redeemPromotion(system, other, await insertOffer(system, { kind: 'PROMOTION' }))).status, 200);
    const coupon = await claimCoupon(system, member, await winCoupon(system, member, moneyPrize('20.00')));
    assert.equal(coupon.body.success, true, JSON.stringify(coupon.body));
    const incentiveNode = await openIncentiveNode(system);
    try {
      for (const incentiveKind of ['REFUND', 'INVITE'] as const) {
        await grantAward(incentiveNode, member, {
          ...bonusAward(incentiveKind === 'REFUND' ? '30' : '40', '0'),
          kind: incentiveKind,
        });
      }
    } finally {
      await incentiveNode.close();
    }
    const { status, output } = await runCli('reconcile');
    assert.equal(status, 0, output);
    for (const [incentiveKind, amount] of [
      ['bonus', '0\\.00'],
      ['promotion', '100\\.00'],
      ['coupon', '20\\.00'],
      ['refund', '30\\.00'],
      ['invite', '40\\.00'],
    ] as const) {
      assert.match(lineOf(output, `cost:${incentiveKind}`), new RegExp(` ${amount} +${amount} +0\\.00`), output);
    }
  });

  test('a grant being credited, or a bonus being taken back, is accepted with or without its entry in the books', async () => {
    const member = await memberWith('100.00');
    assert.equal((await receiveBonus(system, member, await insertOffer(system, { rest: 200_00n }))).status, 200);
    const checkExplained = async (sql: string, explanation: RegExp) => {
      await system.database.query(`update ${sql} where member_id = $1`, [member.id]);
      const { status, output } = await runCli('reconcile');
      assert.equal(status, 0, output);
      assert.match(lineOf(output, 'cost:bonus'), explanation, output);
    };
    // Credited in the ledger, before the update of its row.
    await checkExplained(
      `incentive_grant set state = 'OPEN', paid_at = null, leased_until = now() + interval '1 hour'`,
      /grants being credited up to -100\.00/,
    );
    await checkExplained(`incentive_grant set state = 'PAID', paid_at = now()`, / 100\.00 +100\.00 +0\.00/);
    await checkExplained(
      `incentive_condition set state = 'CLEARING', takes_back = 10000, look_at = now() + interval '1 hour'`,
      /bonuses being taken back up to 100\.00/,
    );
    await checkExplained(`incentive_condition set state = 'ACTIVE', takes_back = null`, / 100\.00 +100\.00 +0\.00/);
  });
});

describe('differences that reconcile finds', () => {
  test('reconcile exits with 1 for one satang without a counterpart', async () => {
    const member = await memberWith('100.00');
    const postOperation = (key: string, debit: string, amount: string) =>
      ledger.post({
        key,
        type: 'transfer',
        kind: 'deposit',
        memberId: member.id,
        debit: { houseAccount: debit },
        credit: { member: member.id, kind: 'WALLET' },
        amount: parseBaht(amount),
        reference: key,
        actor: 'test',
      });
    await postOperation('one-satang', 'gateway:kbank', '0.01');
    const { status, output } = await runCli('reconcile');
    assert.equal(status, 1, output);
    assert.match(lineOf(output, 'gateway:kbank'), / 0\.01 +0\.00 +-0\.01 +UNEXPLAINED -0\.01/, output);
    await postOperation('given-without-a-grant', 'cost:bonus', '0.01');
    assert.match(lineOf((await runCli('reconcile')).output, 'cost:bonus'), /UNEXPLAINED -0\.01/);
    await postOperation('a-house-account-that-nobody-stands-for', 'somewhere', '5.00');
    const reconcileResult = await runCli('reconcile');
    assert.equal(reconcileResult.status, 1);
    assert.match(lineOf(reconcileResult.output, 'somewhere'), /UNEXPLAINED -5\.00/, reconcileResult.output);
  });
});

test('an operator settles a payout in state MANUAL as paid or failed, and no other payout [R-WDR-02]', async () => {
  const createManualPayout = async (amount: number): Promise<{ member: TestMember; reference: string }> => {
    const member = await memberWith('1000.00');
    await setPayoutDelay(system, 86_400_000);
    const { reference } = (await withdraw(system, member, amount)).body;
    await waitForState(system, reference, 'ACCEPTED');
    await system.database.query(
      `update withdraw set first_sent_at = now() - interval '25 hours', next_inquiry_at = now() where reference = $1`,
      [reference],
    );
    await waitForState(system, reference, 'MANUAL');
    return { member, reference };
  };
  for (const [proof, expectedState, expectedFree] of [
    ['paid', 'PAID', '850.00'],
    ['failed', 'FAILED', '1000.00'],
  ] as const) {
    const { member, reference } = await createManualPayout(150);
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '850.00', held: '150.00' });
    if (proof === 'paid') {
      for (const invalidArgs of [
        [reference, 'maybe', 'malee', 'because of it'],
        [reference, proof, 'malee'],
        ['WNOTTHERE', proof, 'malee', 'because of it'],
      ]) {
        assert.equal((await runCli('payouts', 'settle', ...invalidArgs)).status, 1, invalidArgs.join(' '));
      }
    }
    assert.match((await runCli('payouts')).output, /1 wait for an operator/);
    const settleResult = await runCli('payouts', 'settle', reference, proof, 'malee', 'bank', 'ticket', '123');
    assert.equal(settleResult.status, 0, settleResult.output);
    await waitForState(system, reference, expectedState);
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: expectedFree, held: '0.00' });
    const { rows } = await system.database.query<{ actor: string }>(
      `select actor from ledger.operation where reference = $1 and type in ('post', 'void')`,
      [reference],
    );
    assert.deepEqual(rows, [{ actor: 'operator:malee' }]);
    assert.equal((await runCli('payouts', 'settle', reference, proof, 'malee', 'once more')).status, 1, 'over is over');
    const log = (await runOperatorCommand(system, 'operator-log', [reference])).output;
    assert.match(log, new RegExp(`malee +payouts settle ${expectedState} +${reference} +bank ticket 123\\n1 entries`));
  }
  await waitForNoOpenWithdrawals(system);
  assert.match((await runCli('payouts')).output, /^0 open, 0 wait/m);
});
