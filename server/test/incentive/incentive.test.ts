import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Refusal } from '../../src/platform/errors.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { clearProviderFaults, openBet, transfer } from '../harness/games.ts';
import { type GamingMember, gamingMemberWith } from '../harness/gaming-member.ts';
import { readBalance, fundWallet } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  endPayout,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  waitForState as reached,
  withdraw,
} from '../withdraw/payout-fixtures.ts';
import {
  assertAuditPasses,
  bonusAward,
  readCondition,
  readIncentiveCost,
  type IncentiveNode,
  grantAward,
  memberRefOf,
  readOperationAmounts,
  openIncentiveNode,
  playRoundAt,
  waitForConditionState,
  silenceProvider,
  waitForLockWait,
} from './incentive-fixtures.ts';

const CONCURRENT_REQUESTS = 30;
const DAY_MS = 86_400_000;

const errorCodeOf = (error: unknown): string =>
  error instanceof Refusal ? `${error.code} ${error.detail ?? ''}`.trim() : String(error);
const isRefusalOf = (code: string) => (error: unknown) => {
  assert.equal(errorCodeOf(error), code);
  return true;
};

let system: System;
let incentiveNode: IncentiveNode;
before(async () => {
  system = await startSystem();
  incentiveNode = await openIncentiveNode(system);
  await setPayoutDelay(system, 20);
});
after(async () => {
  await waitForNoOpenWithdrawals(system);
  await assertAuditPasses(incentiveNode);
  await incentiveNode?.close();
  await system?.stop();
});

afterEach(() => clearProviderFaults(system));

const newMemberWith = (amount: string): Promise<GamingMember> => gamingMemberWith(system, incentiveNode.ledger, amount);
const transferInto = async (member: GamingMember, code: 'pg' | 'askmebet', amount: number): Promise<void> => {
  const { status, body } = await transfer(system, member.token, { from: 'WALLET', to: code, amount });
  assert.equal(status, 200, JSON.stringify(body));
};
const followConditions = (member: GamingMember) => incentiveNode.incentive.refreshProgress(memberRefOf(member), 'en');
const readFreeBalance = async (member: GamingMember): Promise<string> =>
  (await readBalance(incentiveNode.ledger, member.id, 'WALLET')).free;
const waitForEnd = async (member: GamingMember, state: string): Promise<void> => {
  assert.deepEqual(await followConditions(member), []);
  assert.deepEqual(await readCondition(system, member), { state, isTold: true });
  assert.deepEqual(await readOperationAmounts(incentiveNode, member, 'finish_bonus'), ['0']);
};

describe('grants and their conditions', () => {
  test('thirty concurrent grants of one source credit once', async () => {
    const member = await newMemberWith('100.00');
    const plainAward = { ...bonusAward('50', '100'), condition: null };
    const results = await Promise.allSettled(
      Array.from({ length: CONCURRENT_REQUESTS }, () => grantAward(incentiveNode, member, plainAward)),
    );
    const grantedResults = results.filter(({ status }) => status === 'fulfilled');
    assert.equal(grantedResults.length, 1);
    assert.equal(await readFreeBalance(member), '150.00');
    assert.deepEqual(await readOperationAmounts(incentiveNode, member, 'bonus'), ['5000']);
  });

  test('of thirty concurrent bonuses of different sources one is active, and the others change nothing', async () => {
    const member = await newMemberWith('100.00');
    const results = await Promise.allSettled(
      Array.from({ length: CONCURRENT_REQUESTS }, (_, index) =>
        grantAward(incentiveNode, member, { ...bonusAward('50', '100'), source: `one of many:${index}` }),
      ),
    );
    for (const result of results) {
      if (result.status === 'rejected') assert.equal(errorCodeOf(result.reason), 'BONUS_ALREADY_ACTIVE');
    }
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await readFreeBalance(member), '150.00');
  });

  test('a transaction whose grant is refused leaves nothing behind', async () => {
    const member = await newMemberWith('100.00');
    const other = await newMemberWith('0.01');
    const pendingGrant = incentiveNode.incentive.grant(memberRefOf(member), async (tx) => {
      await tx.query('insert into incentive_gate (member_id) values ($1)', [other.id]);
      throw new Refusal('BONUS_FULL');
    });
    await assert.rejects(pendingGrant, isRefusalOf('BONUS_FULL'));
    const { rowCount } = await system.database.query('select from incentive_gate where member_id = $1', [other.id]);
    assert.deepEqual([rowCount, await readFreeBalance(member)], [0, '100.00']);
  });

  test('an open condition refuses a withdrawal with its progress; when a win fulfils it, withdrawals work immediately [R-WDR-02]', async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await transferInto(member, 'pg', 200);
    const refusedReply = await withdraw(system, member, 100);
    assert.deepEqual(
      [refusedReply.status, refusedReply.body.message, refusedReply.body.detail],
      [409, 'BONUS_CONDITION', 'CURRENT=200.00 TARGET=600.00'],
    );
    await playRoundAt(system, member, 'pg', '10', '409.99');
    assert.equal((await withdraw(system, member, 100)).body.detail, 'CURRENT=599.99 TARGET=600.00');
    await playRoundAt(system, member, 'pg', '1', '1.01');
    assert.equal((await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 600 })).status, 200);
    // The condition was not measured since: the withdrawal measures it.
    assert.equal((await withdraw(system, member, 600)).status, 200);
    assert.equal((await readCondition(system, member))?.state, 'SUCCESS');
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readFreeBalance(member), '0.00');
  });

  test('money deposited later neither fulfils nor saves a condition', async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await fundWallet(incentiveNode.ledger, member.id, '5000.00');
    const [condition] = await followConditions(member);
    assert.deepEqual([condition?.state, condition?.current, condition?.target], ['ACTIVE', 200, 600]);
    await transferInto(member, 'pg', 200);
    await playRoundAt(system, member, 'pg', '180', '0');
    await waitForEnd(member, 'FAILED');
    assert.equal(await readFreeBalance(member), '5000.00');
  });
});

describe('turnover, losses and expiry of a condition', () => {
  test('turnover fulfils a condition that counts it, from its value at the beginning', async () => {
    const member = await newMemberWith('100.00');
    await transferInto(member, 'askmebet', 100);
    await playRoundAt(system, member, 'askmebet', '50', '50');
    await grantAward(incentiveNode, member, bonusAward('100', '100', { turnoverTimes: 2.5 }));
    await playRoundAt(system, member, 'askmebet', '100', '100');
    const [condition] = await followConditions(member);
    assert.deepEqual([condition?.turnover, condition?.turnoverTarget, condition?.current], [100, 500, 200]);
    for (let round = 0; round < 4; round += 1) await playRoundAt(system, member, 'askmebet', '100', '100');
    await waitForEnd(member, 'SUCCESS');
  });

  test('turnover of a game that was silent at the beginning counts from its first report', async () => {
    const member = await newMemberWith('100.00');
    await transferInto(member, 'askmebet', 100);
    await playRoundAt(system, member, 'askmebet', '90', '90');
    await silenceProvider(system, 'askmebet');
    await grantAward(incentiveNode, member, bonusAward('100', '100', { turnoverTimes: 1 }));
    await clearProviderFaults(system, 'askmebet');
    assert.equal((await followConditions(member))[0]?.turnover, 0);
    await playRoundAt(system, member, 'askmebet', '60', '60');
    assert.equal((await followConditions(member))[0]?.turnover, 60);
  });

  test('a condition is lost at its floor, but not while a bet is open', async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await transferInto(member, 'pg', 200);
    await playRoundAt(system, member, 'pg', '150', '0');
    const voidBet = await openBet(system, 'pg', member.pg, '40.00');
    const [condition] = await followConditions(member);
    assert.deepEqual(
      [condition?.state, condition?.current, condition?.floor, condition?.outstanding],
      ['ACTIVE', 10, 20, 40],
    );
    await voidBet();
    assert.equal((await followConditions(member))[0]?.current, 50);
    await playRoundAt(system, member, 'pg', '30', '0');
    await waitForEnd(member, 'FAILED');
    // The remaining money is the member's own.
    assert.equal((await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 20 })).status, 200);
  });

  test('a condition at its floor is not lost while a game that holds money is silent', async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await transferInto(member, 'pg', 150);
    await transferInto(member, 'askmebet', 50);
    await playRoundAt(system, member, 'askmebet', '40', '0');
    await playRoundAt(system, member, 'pg', '145', '0');
    await silenceProvider(system, 'askmebet');
    // By the known balances the condition is above its floor: the loss at the silent provider is unknown.
    assert.equal((await followConditions(member))[0]?.current, 55);
    await clearProviderFaults(system);
    await silenceProvider(system, 'pg');
    const [condition] = await followConditions(member);
    assert.deepEqual([condition?.state, condition?.current, condition?.floor], ['ACTIVE', 15, 20]);
    await clearProviderFaults(system);
    await waitForEnd(member, 'FAILED');
  });

  test('an unrefreshed bet keeps a condition open when the other money is back in the wallet', async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await transferInto(member, 'pg', 200);
    const takeBack = await openBet(system, 'pg', member.pg, '190.00');
    // The transfer reports the cash, and nothing reports the stake.
    assert.equal((await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 10 })).status, 200);
    await silenceProvider(system, 'pg');
    assert.deepEqual(
      [(await followConditions(member))[0]?.state, (await followConditions(member))[0]?.current],
      ['ACTIVE', 10],
    );
    await assert.rejects(
      incentiveNode.incentive.cancelBonus(memberRefOf(member)),
      isRefusalOf('BONUS_REMAINING GAMES_NOT_BROUGHT'),
    );
    await clearProviderFaults(system);
    assert.equal((await followConditions(member))[0]?.outstanding, 190);
    await takeBack();
    assert.equal((await followConditions(member))[0]?.current, 200);
  });

  test('money gone before a condition began cannot keep it open', async () => {
    const member = await newMemberWith('40.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await transferInto(member, 'pg', 140);
    await playRoundAt(system, member, 'pg', '140', '0');
    await waitForEnd(member, 'FAILED');
  });

  test("an expired condition's remaining money is taken back automatically, not while a bet is open", async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100', { expiresAt: new Date(Date.now() - 1) }));
    await transferInto(member, 'pg', 200);
    const takeBack = await openBet(system, 'pg', member.pg, '40.00');
    await system.database.query('update incentive_condition set look_at = now() where member_id = $1', [member.id]);
    assert.equal((await withdraw(system, member, 100)).body.message, 'BONUS_CONDITION');
    assert.equal((await readCondition(system, member))?.state, 'ACTIVE');
    await takeBack();
    await playRoundAt(system, member, 'pg', '70', '0');
    await system.database.query('update incentive_condition set look_at = now() where member_id = $1', [member.id]);
    await waitForConditionState(system, member, 'EXPIRED');
    assert.equal(await readFreeBalance(member), '100.00');
    assert.equal(await readIncentiveCost(system, member.id), '70.00');
  });

  test('a condition of an absent member is ended by the system', async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await transferInto(member, 'pg', 200);
    await playRoundAt(system, member, 'pg', '100', '700');
    await system.database.query('update incentive_condition set look_at = now() where member_id = $1', [member.id]);
    await waitForConditionState(system, member, 'SUCCESS');
  });
});

describe('conditions against withdrawals and cancellations', () => {
  for (const [sourceKind, code] of [
    ['PROMOTION', 'BONUS_CONDITION'],
    ['COUPON', 'BONUS_CONDITION'],
    ['REFUND', 'REFUND_CONDITION'],
    ['INVITE', 'REFUND_CONDITION'],
  ] as const) {
    test(`a grant of kind ${sourceKind} blocks withdrawals with ${code}, and is in the statement [R-WDR-02] [R-STMT-02]`, async () => {
      const member = await newMemberWith('500.00');
      await grantAward(incentiveNode, member, { ...bonusAward('100', '0'), kind: sourceKind });
      const { status, body } = await withdraw(system, member, 100);
      assert.deepEqual([status, body.message, body.detail], [409, code, 'CURRENT=100.00 TARGET=300.00']);
      const { body: results } = await system.api('POST /api/statement', {
        token: member.token,
        body: { page: 1, limit: 1 },
      });
      const { from, statementType, amount } = results.statements[0];
      const grantType = sourceKind === 'COUPON' ? 'LUCKYDRAW' : sourceKind;
      assert.deepEqual([statementType, from, amount], ['bonus', grantType, 100]);
      assert.deepEqual(results.statements[0][grantType.toLowerCase()], { description: 'Welcome' });
    });
  }

  test('of a concurrent withdrawal and bonus exactly one succeeds, every time [R-WDR-02] [R-XFER-04]', async () => {
    const members = await Promise.all(Array.from({ length: 16 }, () => newMemberWith('500.00')));
    // A paid withdrawal blocks nothing.
    await setPayoutDelay(system, DAY_MS);
    for (const [position, member] of members.entries()) {
      const pendingGrant = grantAward(incentiveNode, member, bonusAward('100', '100')).then(() => '', errorCodeOf);
      // With growing delays, so that each of the two is first now and then.
      await wait(position * 2);
      const withdrawReply = await withdraw(system, member, 100);
      const isPaid = withdrawReply.status === 200;
      if (!isPaid) assert.equal(withdrawReply.body.message, 'BONUS_CONDITION');
      assert.equal(await pendingGrant, isPaid ? 'REQUEST_LIMIT WITHDRAW_IN_PROGRESS' : '');
      if (!isPaid) continue;
      await reached(system, withdrawReply.body.reference, 'ACCEPTED');
      await endPayout(system, withdrawReply.body.reference, 'PAID');
    }
    await setPayoutDelay(system, 20);
  });

  test('a withdrawal evaluated while a bonus is decided waits, and is refused by it [R-WDR-02]', async () => {
    const member = await newMemberWith('500.00');
    let pendingWithdrawal: Promise<ApiReply> | undefined;
    await incentiveNode.incentive.grant(memberRefOf(member), async () => {
      pendingWithdrawal = withdraw(system, member, 100);
      await waitForLockWait(system);
      return bonusAward('100', '100');
    });
    assert.deepEqual(
      [(await pendingWithdrawal)?.status, (await pendingWithdrawal)?.body.message],
      [409, 'BONUS_CONDITION'],
    );
    assert.equal(await readFreeBalance(member), '600.00');
  });

  test('a cancelled bonus takes back its rest and winnings; the deposit and later money stay', async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await fundWallet(incentiveNode.ledger, member.id, '30.00');
    await transferInto(member, 'pg', 150);
    await transferInto(member, 'askmebet', 50);
    await playRoundAt(system, member, 'pg', '50', '0');
    await playRoundAt(system, member, 'askmebet', '10', '90');
    await followConditions(member);
    const before = await incentiveNode.incentive.activeBonus(member.id, 'en');
    assert.deepEqual([before?.takesBack, before?.keeps], [13_000n, 13_000n]);
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => incentiveNode.incentive.cancelBonus(memberRefOf(member))),
    );
    const clearOutcomes = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    for (const clearOutcome of clearOutcomes) assert.deepEqual(clearOutcome, { takenBack: 13_000n, kept: 13_000n });
    assert.ok(clearOutcomes.length >= 1);
    for (const result of results) if (result.status === 'rejected') assert.equal(errorCodeOf(result.reason), 'NO_DATA');
    assert.deepEqual(await readOperationAmounts(incentiveNode, member, 'finish_bonus'), ['-13000']);
    assert.deepEqual(
      [await readFreeBalance(member), (await readCondition(system, member))?.state],
      ['130.00', 'CANCELLED'],
    );
    assert.equal((await withdraw(system, member, 130)).status, 200);
    await waitForNoOpenWithdrawals(system);
  });

  test('a bonus cancelled after it was lost takes nothing back', async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await transferInto(member, 'pg', 150);
    await playRoundAt(system, member, 'pg', '120', '0');
    assert.deepEqual(await incentiveNode.incentive.cancelBonus(memberRefOf(member)), { takenBack: 0n, kept: 8_000n });
    assert.deepEqual(await readOperationAmounts(incentiveNode, member, 'finish_bonus'), ['0']);
    assert.equal(await readIncentiveCost(system, member.id), '100.00');
  });

  test('a bonus cannot be cancelled while a bet is open or a game with money is silent, and nothing is taken', async () => {
    const member = await newMemberWith('100.00');
    await grantAward(incentiveNode, member, bonusAward('100', '100'));
    await transferInto(member, 'pg', 150);
    const takeBack = await openBet(system, 'pg', member.pg, '40.00');
    await assert.rejects(
      incentiveNode.incentive.cancelBonus(memberRefOf(member)),
      isRefusalOf('BONUS_REMAINING OPEN_BETS'),
    );
    await takeBack();
    await followConditions(member);
    await silenceProvider(system, 'pg');
    await assert.rejects(
      incentiveNode.incentive.cancelBonus(memberRefOf(member)),
      isRefusalOf('BONUS_REMAINING GAMES_NOT_BROUGHT'),
    );
    assert.deepEqual(await readOperationAmounts(incentiveNode, member, 'finish_bonus'), []);
    await clearProviderFaults(system);
    assert.equal((await incentiveNode.incentive.cancelBonus(memberRefOf(member))).takenBack, 10_000n);
  });

  test('cancelling a bonus is refused to a member without one', async () => {
    const member = await newMemberWith('100.00');
    await assert.rejects(incentiveNode.incentive.cancelBonus(memberRefOf(member)), isRefusalOf('NO_DATA'));
    await grantAward(incentiveNode, member, { ...bonusAward('10', '0'), kind: 'REFUND' });
    await assert.rejects(incentiveNode.incentive.cancelBonus(memberRefOf(member)), isRefusalOf('NO_DATA'));
  });
});
