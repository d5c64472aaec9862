import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { toDecimal } from '@krapao/contract/money';
import type { Ledger } from '../../src/ledger/index.ts';
import { type Comparison, unexplained } from '../../src/modules/reconcile/index.ts';
import { clear, makeOffer, receive, redeem } from '../bonus/bonus-world.ts';
import { runCommand as runOperatorCommand } from '../harness/command.ts';
import { bankTransfer } from '../harness/bank.ts';
import { eventually } from '../harness/games.ts';
import { newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import { baht, balanceOf, ledgerOf } from '../harness/money.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { startSystem, type System } from '../harness/system.ts';
import { bonusOf, give, openDoor } from '../incentive/incentive-world.ts';
import { claim, money, win } from '../spinwheel/wheel-world.ts';
import {
  bankFault,
  bankTotals,
  bankWithin,
  nothingOpen,
  payoutsTake,
  reaches,
  reachesInTime,
  withdraw,
} from '../withdraw/payout-fixtures.ts';
import { outsideWithLongTimeouts, runCommand } from './run-command.ts';

const SCB = { bankCode: 'SCB', accountNo: '4680001234' };

describe('differences and what explains them', () => {
  const one = (changes: Partial<Comparison>): Comparison => ({
    party: 'gateway:x',
    unit: 'BAHT',
    ours: 0n,
    theirs: 0n,
    explanations: [],
    ...changes,
  });

  test('what is explained to the satang is no difference; one satang more is', () => {
    fc.assert(
      fc.property(fc.bigInt(-1_000n, 1_000n), fc.array(fc.bigInt(-500n, 500n)), (ours, parts) => {
        const explanations = parts.map((amount) => ({ what: 'x', amount }));
        const theirs = ours + parts.reduce((sum, amount) => sum + amount, 0n);
        assert.equal(unexplained(one({ ours, theirs, explanations })), 0n);
        assert.equal(unexplained(one({ ours, theirs: theirs + 1n, explanations })), 1n);
        assert.equal(unexplained(one({ ours, theirs: theirs - 1n, explanations })), -1n);
      }),
    );
  });

  test('what may or may not have happened explains anything up to it, and nothing beyond', () => {
    const explanations = [
      { what: 'in', amount: 100n, upTo: true as const },
      { what: 'out', amount: -50n, upTo: true as const },
    ];
    for (const theirs of [-50n, 0n, 37n, 100n]) assert.equal(unexplained(one({ theirs, explanations })), 0n);
    assert.equal(unexplained(one({ theirs: 101n, explanations })), 101n);
    assert.equal(unexplained(one({ theirs: -51n, explanations })), -51n);
  });

  test('a party without a statement is not compared, and is no difference', () => {
    assert.equal(unexplained(one({ ours: 5n, theirs: undefined })), 0n);
  });
});

let system: System;
let ledger: Ledger;
let directory: string;
before(async () => {
  // One payout is reported late on purpose.
  system = await startSystem({ outside: bankWithin(1_500) });
  ledger = ledgerOf(system);
  directory = mkdtempSync(join(tmpdir(), 'krapao-reconcile-'));
  writeOutside(join(directory, 'outside.json'), outsideWithLongTimeouts(system));
  await payoutsTake(system, 50);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const run = (command: 'reconcile' | 'payouts', ...words: string[]) => runCommand(system, directory, command, ...words);
const line = (output: string, party: string): string =>
  output.split('\n').find((one) => one.startsWith(`${party} `)) ?? '';

/** A member with a regular deposit. */
async function memberWith(amount: string): Promise<TestMember> {
  const member = await registerMember(system);
  const { bankCode, bankAccountNo: accountNo, bankAccountName: accountName } = member;
  await bankTransfer(system, { from: { bankCode, accountNo, accountName }, to: SCB, amount });
  await eventually(
    'the transfer is credited',
    async () => {
      await system.database.query('update deposit_feed set poll_at = now()');
      return balanceOf(ledger, member.id, 'WALLET');
    },
    ({ free }) => free === amount,
  );
  return member;
}

describe('npm run krapao -- reconcile', () => {
  test('books and statements agree, and unassigned money is in suspense on both sides', async () => {
    const member = await memberWith('500.00');
    const { reference } = (await withdraw(system, member, 200)).body;
    await reaches(system, reference, 'PAID');
    const nobody = { bankCode: 'BBL', accountNo: newAccountNo(), accountName: 'NOBODY WE KNOW' };
    await bankTransfer(system, { from: nobody, to: SCB, amount: '77.77' });
    await eventually(
      'it is in suspense',
      async () => {
        await system.database.query('update deposit_feed set poll_at = now()');
        return toDecimal(await ledger.houseBalance('suspense'));
      },
      (amount) => amount === '77.77',
    );
    const { status, output } = await run('reconcile');
    assert.equal(status, 0, output);
    assert.match(output, / 0 unexplained/);
    assert.match(line(output, 'bank:SCB-4680001234'), / 577\.77 +577\.77 +0\.00/, output);
    assert.match(line(output, 'payout:SCB-4680001234'), / 200\.00 +200\.00 +0\.00/, output);
    assert.match(line(output, 'suspense'), / 77\.77 +77\.77 +0\.00/, output);
  });

  test('what is in progress explains a difference: paid by the bank, not reported here', async () => {
    const member = await memberWith('400.00');
    const before = Number((await bankTotals(system)).paid);
    await bankFault(system, { fault: 'timeout-applied' });
    await bankFault(system, { fault: 'error-500', call: 'payout-status', times: 1_000 });
    const { reference } = (await withdraw(system, member, 300)).body;
    await reaches(system, reference, 'UNKNOWN');
    await eventually(
      'the bank has paid',
      () => bankTotals(system),
      ({ paid }) => Number(paid) === before + 300,
    );
    const { status, output } = await run('reconcile');
    assert.equal(status, 0, output);
    assert.match(line(output, 'payout:SCB-4680001234'), /paid, not reported yet 300\.00/, output);
    const open = await run('payouts');
    assert.match(open.output, new RegExp(`${reference} +UNKNOWN.+300\\.00 BAHT.+sent 1`), open.output);
    assert.match(open.output, /1 open, 0 wait for an operator/);
    await system.world('DELETE /control/faults');
    await reachesInTime(system, reference, 'PAID');
  });

  test('the cost accounts agree with the grants less what was taken back: bonus, promotion, refund, invite money and coupon', async () => {
    const member = await memberWith('200.00');
    assert.equal((await receive(system, member, await makeOffer(system))).status, 200);
    assert.equal((await clear(system, member)).body.takenBack, 200);
    const other = await memberWith('100.00');
    assert.equal((await redeem(system, other, await makeOffer(system, { kind: 'PROMOTION' }))).status, 200);
    const prize = await claim(system, member, await win(system, member, money('20.00')));
    assert.equal(prize.body.success, true, JSON.stringify(prize.body));
    const door = await openDoor(system);
    try {
      for (const kind of ['REFUND', 'INVITE'] as const) {
        await give(door, member, { ...bonusOf(kind === 'REFUND' ? '30' : '40', '0'), kind });
      }
    } finally {
      await door.close();
    }
    const { status, output } = await run('reconcile');
    assert.equal(status, 0, output);
    for (const [kind, amount] of [
      ['bonus', '0\\.00'],
      ['promotion', '100\\.00'],
      ['coupon', '20\\.00'],
      ['refund', '30\\.00'],
      ['invite', '40\\.00'],
    ] as const) {
      assert.match(line(output, `cost:${kind}`), new RegExp(` ${amount} +${amount} +0\\.00`), output);
    }
  });

  test('while a grant is being credited, or a bonus taken back, the books may have it or not', async () => {
    const member = await memberWith('100.00');
    assert.equal((await receive(system, member, await makeOffer(system, { rest: 200_00n }))).status, 200);
    const set = async (sql: string, explanation: RegExp) => {
      await system.database.query(`update ${sql} where member_id = $1`, [member.id]);
      const { status, output } = await run('reconcile');
      assert.equal(status, 0, output);
      assert.match(line(output, 'cost:bonus'), explanation, output);
    };
    // Credited in the ledger, before the update of its row.
    await set(
      `incentive_grant set state = 'OPEN', paid_at = null, leased_until = now() + interval '1 hour'`,
      /grants being credited up to -100\.00/,
    );
    await set(`incentive_grant set state = 'PAID', paid_at = now()`, / 100\.00 +100\.00 +0\.00/);
    await set(
      `incentive_condition set state = 'CLEARING', takes_back = 10000, look_at = now() + interval '1 hour'`,
      /bonuses being taken back up to 100\.00/,
    );
    await set(`incentive_condition set state = 'ACTIVE', takes_back = null`, / 100\.00 +100\.00 +0\.00/);
  });
});

describe('differences that reconcile finds', () => {
  test('money that the books have and no party outside confirms ends with 1, by one satang', async () => {
    const member = await memberWith('100.00');
    const post = (key: string, debit: string, amount: string) =>
      ledger.post({
        key,
        type: 'transfer',
        kind: 'deposit',
        memberId: member.id,
        debit: { house: debit },
        credit: { member: member.id, kind: 'WALLET' },
        amount: baht(amount),
        reference: key,
        actor: 'test',
      });
    await post('one-satang', 'gateway:kbank', '0.01');
    const { status, output } = await run('reconcile');
    assert.equal(status, 1, output);
    assert.match(line(output, 'gateway:kbank'), / 0\.01 +0\.00 +-0\.01 +UNEXPLAINED -0\.01/, output);
    await post('given-without-a-grant', 'cost:bonus', '0.01');
    assert.match(line((await run('reconcile')).output, 'cost:bonus'), /UNEXPLAINED -0\.01/);
    await post('a-house-account-that-nobody-stands-for', 'somewhere', '5.00');
    const strange = await run('reconcile');
    assert.equal(strange.status, 1);
    assert.match(line(strange.output, 'somewhere'), /UNEXPLAINED -5\.00/, strange.output);
  });

  test('an operator settles a payout that waits for one, in either way, and only such a one [R-WDR-02]', async () => {
    const manual = async (amount: number): Promise<{ member: TestMember; reference: string }> => {
      const member = await memberWith('1000.00');
      await payoutsTake(system, 86_400_000);
      const { reference } = (await withdraw(system, member, amount)).body;
      await reaches(system, reference, 'ACCEPTED');
      await system.database.query(
        `update withdraw set first_sent_at = now() - interval '25 hours', next_ask_at = now() where reference = $1`,
        [reference],
      );
      await reaches(system, reference, 'MANUAL');
      return { member, reference };
    };
    for (const [word, ends, free] of [
      ['paid', 'PAID', '850.00'],
      ['failed', 'FAILED', '1000.00'],
    ] as const) {
      const { member, reference } = await manual(150);
      assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '850.00', held: '150.00' });
      if (word === 'paid') {
        for (const wrong of [
          [reference, 'maybe', 'malee', 'because of it'],
          [reference, word, 'malee'],
          ['WNOTTHERE', word, 'malee', 'because of it'],
        ]) {
          assert.equal((await run('payouts', 'settle', ...wrong)).status, 1, wrong.join(' '));
        }
      }
      assert.match((await run('payouts')).output, /1 wait for an operator/);
      const settled = await run('payouts', 'settle', reference, word, 'malee', 'bank', 'ticket', '123');
      assert.equal(settled.status, 0, settled.output);
      await reaches(system, reference, ends);
      assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free, held: '0.00' });
      const { rows } = await system.database.query<{ actor: string }>(
        `select actor from ledger.operation where reference = $1 and type in ('post', 'void')`,
        [reference],
      );
      assert.deepEqual(rows, [{ actor: 'operator:malee' }]);
      assert.equal((await run('payouts', 'settle', reference, word, 'malee', 'once more')).status, 1, 'over is over');
      const log = (await runOperatorCommand(system, 'operator-log', [reference])).output;
      assert.match(log, new RegExp(`malee +payouts settle ${ends} +${reference} +bank ticket 123\\n1 entries`));
    }
    await nothingOpen(system);
    assert.match((await run('payouts')).output, /^0 open, 0 wait/m);
  });
});
