import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import pg from 'pg';
import { createLedger, type Ledger, type LedgerCommand } from '../../src/ledger/index.ts';
import { lockMember, insertMemberLock } from '../../src/modules/incentive/queries.ts';
import {
  closeWithdrawalCommand,
  holdWithdrawalCommand,
  openWithdrawalCommand,
} from '../../src/modules/withdraw/commands.ts';
import type { PayoutProof, Withdrawal } from '../../src/modules/withdraw/withdraw.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { insertPlainMember } from '../harness/plain-member.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const reportedErrors: Error[] = [];
const openLedger = (): Ledger =>
  createLedger({ url, database, currency: 'BAHT', onTrouble: (error) => void reportedErrors.push(error) });
const ledger = openLedger();
const otherClient = new pg.Client({ connectionString: url });

before(() => otherClient.connect());
after(async () => {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  await otherClient.end();
  await ledger.close();
  await fresh.dropDatabase();
});

/** A member with a lock row and 1,000 satang. */
async function insertMember(amount = 1_000n): Promise<string> {
  const id = await insertPlainMember(database);
  await insertMemberLock(database, id);
  await ledger.post({
    key: randomUUID(),
    type: 'transfer',
    kind: 'deposit',
    memberId: id,
    debit: { houseAccount: 'bank' },
    credit: { member: id, kind: 'WALLET' },
    amount: minor(amount),
    reference: 'deposit',
    actor: 'test',
  });
  return id;
}

type OpeningOptions = { amount?: bigint; isAll?: boolean; key?: string; gate?: bigint };
const openingOf = (memberId: string, { amount = 300n, isAll = false, key, gate = 0n }: OpeningOptions = {}) => {
  const id = randomUUID();
  const withdrawal: Withdrawal = {
    id,
    memberId,
    currency: 'BAHT',
    inputHash: Buffer.alloc(32, 1),
    isAll,
    amount: minor(amount),
    reference: `W${id.replaceAll('-', '').slice(0, 20).toUpperCase()}`,
    bankCode: 'SCB',
    accountNo: '1234567890',
    accountName: 'Somjai Test',
    paidFrom: 'SCB-1',
    state: 'HELD',
    isHeld: !isAll,
    notBrought: null,
    refusalCode: null,
    refusalDetail: null,
    proof: null,
    proofBy: null,
    reason: null,
    absences: 0,
    inquiries: 0,
    fence: 1,
    sentAgoMs: null,
    firstSentAgoMs: null,
  };
  return {
    withdrawal,
    command: openWithdrawalCommand(withdrawal, { key: key ?? id, gate, leaseMs: isAll ? 60_000 : 0 }),
  };
};
const closingOf = (withdrawal: Withdrawal, proof: PayoutProof, reason: string | null = null): LedgerCommand =>
  closeWithdrawalCommand(withdrawal, { proof, actor: 'resolver', reason, note: 'note', transRef: null });
const post = async (command: LedgerCommand): Promise<string> => (await ledger.postCommand(command)).outcome;

/** Rows and money of a member. */
async function readRecords(memberId: string): Promise<{ rows: string[]; money: [bigint, bigint] }> {
  const { rows } = await database.query<{ row: string }>(
    `select concat_ws(' ', state, case when is_held then 'held' end, proof, refusal_code, refusal_detail, not_brought::text) as row
       from withdraw where member_id = $1 order by created_at`,
    [memberId],
  );
  const wallet = (await ledger.balances(memberId)).find(({ kind }) => kind === 'WALLET');
  return { rows: rows.map(({ row }) => row), money: [wallet?.free ?? 0n, wallet?.held ?? 0n] };
}

async function assertNothing(memberId: string, command: LedgerCommand, outcome: string): Promise<void> {
  const recordsBefore = await readRecords(memberId);
  assert.equal(await post(command), outcome);
  assert.deepEqual(await readRecords(memberId), recordsBefore);
}

async function runWhileLocked(sql: string, values: unknown[], action: () => Promise<void>): Promise<void> {
  await otherClient.query('begin');
  try {
    await otherClient.query(sql, values);
    await action();
  } finally {
    await otherClient.query('rollback');
  }
}

test('withdrawal row and hold commit together; the same call again writes nothing (open answers applied or replayed)', async () => {
  const memberId = await insertMember();
  const before = await countBatches();
  const { command } = openingOf(memberId);
  assert.equal(await post(command), 'applied');
  assert.deepEqual(await readRecords(memberId), { rows: ['HELD held'], money: [700n, 300n] });
  assert.equal((await countBatches()) - before, 1);
  await assertNothing(memberId, command, 'replayed');
});

const countBatches = async (): Promise<number> =>
  Number((await database.query<{ count: bigint }>('select count(*) from ledger.batch')).rows[0]?.count);

test('the row is refused permanently, and another withdrawal is possible (open answers insufficient_funds or replayed_refused)', async () => {
  const memberId = await insertMember(100n);
  const { command } = openingOf(memberId);
  assert.equal(await post(command), 'insufficient_funds');
  assert.deepEqual(await readRecords(memberId), { rows: ['FAILED MONEY_NOT_ENOUGH'], money: [100n, 0n] });
  await assertNothing(memberId, command, 'replayed_refused');
  assert.equal(await post(openingOf(memberId, { amount: 100n, gate: 1n }).command), 'applied');
});

test('the key of an earlier withdrawal, paid or refused, is refused (open answers key_taken)', async () => {
  const memberId = await insertMember();
  assert.equal(await post(openingOf(memberId, { key: 'refused', amount: 5_000n }).command), 'insufficient_funds');
  const paidCommand = openingOf(memberId, { key: 'paid', gate: 1n });
  assert.equal(await post(paidCommand.command), 'applied');
  assert.equal(await post(closingOf({ ...paidCommand.withdrawal, state: 'UNKNOWN' }, 'PAID')), 'lease_lost');
  for (const key of ['paid', 'refused'])
    await assertNothing(memberId, openingOf(memberId, { key, amount: 10n }).command, 'key_taken');
});

test('open wallet_suspended, withdrawal_open, stale_conditions: a closed wallet, a pending withdrawal, changed conditions', async () => {
  const memberId = await insertMember();
  await assertNothing(memberId, openingOf(memberId, { gate: 7n }).command, 'stale_conditions');
  await database.tx((tx) => lockMember(tx, memberId));
  await assertNothing(memberId, openingOf(memberId).command, 'stale_conditions');
  assert.equal(await post(openingOf(memberId, { gate: 1n }).command), 'applied');
  await assertNothing(memberId, openingOf(memberId, { gate: 1n }).command, 'withdrawal_open');
  const closedMember = await insertMember();
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'test')`, [closedMember]);
  await assertNothing(closedMember, openingOf(closedMember).command, 'wallet_suspended');
});

test('a member lock that is taken or missing refuses the withdrawal (open answers row_locked)', async () => {
  const memberId = await insertMember();
  await runWhileLocked('select from incentive_gate where member_id = $1 for update', [memberId], () =>
    assertNothing(memberId, openingOf(memberId).command, 'row_locked'),
  );
  await database.query('delete from incentive_gate where member_id = $1', [memberId]);
  await assertNothing(memberId, openingOf(memberId).command, 'row_locked');
});

test('the same call is refused while its row is being changed (open answers row_locked)', async () => {
  const memberId = await insertMember();
  const { command } = openingOf(memberId);
  assert.equal(await post(command), 'applied');
  await runWhileLocked('select from withdraw where member_id = $1 for update', [memberId], () =>
    assertNothing(memberId, command, 'row_locked'),
  );
});

test('hold applied, lease_lost and insufficient_funds: after the sweep the money is held once, or the row has the reason', async () => {
  const memberId = await insertMember();
  const { command, withdrawal } = openingOf(memberId, { isAll: true });
  assert.equal(await post(command), 'applied');
  assert.deepEqual(await readRecords(memberId), { rows: ['HELD'], money: [1_000n, 0n] });
  await runWhileLocked('select from withdraw where member_id = $1 for update', [memberId], () =>
    assertNothing(memberId, holdWithdrawalCommand(withdrawal, []), 'row_locked'),
  );
  await assertNothing(memberId, holdWithdrawalCommand({ ...withdrawal, fence: 2 }, []), 'lease_lost');
  assert.equal(await post(holdWithdrawalCommand(withdrawal, [])), 'applied');
  assert.deepEqual(await readRecords(memberId), { rows: ['HELD held []'], money: [700n, 300n] });
  await assertNothing(memberId, holdWithdrawalCommand(withdrawal, []), 'lease_lost');

  for (const [notBrought, row] of [
    [[], 'FAILED MONEY_NOT_ENOUGH []'],
    [
      [{ gameCode: 'pg', reason: 'UNREACHABLE' }],
      'FAILED TRANSFER_FAIL GAMES_NOT_BROUGHT [{"reason": "UNREACHABLE", "gameCode": "pg"}]',
    ],
  ] as const) {
    const poorMember = await insertMember(10n);
    const allCommand = openingOf(poorMember, { isAll: true });
    assert.equal(await post(allCommand.command), 'applied');
    assert.equal(await post(holdWithdrawalCommand(allCommand.withdrawal, notBrought as never)), 'insufficient_funds');
    assert.deepEqual(await readRecords(poorMember), { rows: [row], money: [10n, 0n] });
    await assertNothing(poorMember, holdWithdrawalCommand(allCommand.withdrawal, notBrought as never), 'lease_lost');
  }
});

/** A withdrawal whose payout is SENT. */
async function openSentWithdrawal(memberId: string): Promise<Withdrawal> {
  const { command, withdrawal } = openingOf(memberId);
  assert.equal(await post(command), 'applied');
  await database.query(`update withdraw set state = 'SENT', sent_at = now(), fence = 2 where id = $1`, [withdrawal.id]);
  return { ...withdrawal, state: 'SENT', fence: 2 };
}

test('close applied, replayed and closed_differently: the hold is posted or returned in the same commit, once', async () => {
  for (const [proof, otherProof, expectedMoney] of [
    ['PAID', 'FAILED', [700n, 0n]],
    ['FAILED', 'PAID', [1_000n, 0n]],
  ] as const) {
    const memberId = await insertMember();
    const withdrawal = await openSentWithdrawal(memberId);
    assert.equal(await post(closingOf(withdrawal, proof)), 'applied');
    assert.deepEqual(await readRecords(memberId), { rows: [`${proof} held ${proof}`], money: [...expectedMoney] });
    await assertNothing(memberId, closingOf(withdrawal, proof), 'replayed');
    await assertNothing(memberId, closingOf(withdrawal, otherProof), 'closed_differently');
  }
});

test("close applied against a decision: the bank's report takes precedence, and a paid withdrawal has no failure reason", async () => {
  const memberId = await insertMember();
  const withdrawal = await openSentWithdrawal(memberId);
  await database.query(
    `update withdraw set state = 'MANUAL', proof = 'FAILED', proof_by = 'operator:somjai', reason = 'OPERATOR' where id = $1`,
    [withdrawal.id],
  );
  assert.equal(await post(closingOf({ ...withdrawal, state: 'MANUAL' }, 'PAID')), 'applied');
  assert.deepEqual(await readRecords(memberId), { rows: ['PAID held PAID'], money: [700n, 0n] });
  const { rows } = await database.query('select reason, proof_by as by from withdraw where id = $1', [withdrawal.id]);
  assert.deepEqual(rows, [{ reason: null, by: 'resolver' }]);
});

test('a withdrawal of another holder, or one being changed, is not closed (close answers lease_lost or row_locked)', async () => {
  const memberId = await insertMember();
  const withdrawal = await openSentWithdrawal(memberId);
  await assertNothing(memberId, closingOf({ ...withdrawal, fence: 1 }, 'PAID'), 'lease_lost');
  await assertNothing(memberId, closingOf({ ...withdrawal, state: 'ACCEPTED' }, 'PAID'), 'lease_lost');
  await runWhileLocked('select from withdraw where member_id = $1 for update', [memberId], () =>
    assertNothing(memberId, closingOf(withdrawal, 'PAID'), 'row_locked'),
  );
});

test('a refusal by the ledger keeps the proof in the row, and affects no other closing (close answers books_refused)', async () => {
  const [memberId, otherMemberId] = [await insertMember(), await insertMember()];
  const [withdrawal, otherWithdrawal] = [await openSentWithdrawal(memberId), await openSentWithdrawal(otherMemberId)];
  // Its hold is gone, which no own code can cause.
  const brokenWithdrawal: Withdrawal = { ...withdrawal, reference: 'W-UNKNOWN-HOLD' };
  assert.deepEqual(
    await Promise.all([post(closingOf(brokenWithdrawal, 'PAID')), post(closingOf(otherWithdrawal, 'PAID'))]),
    ['books_refused', 'applied'],
  );
  assert.deepEqual(await readRecords(memberId), { rows: ['SENT held PAID'], money: [700n, 300n] });
  assert.equal(await post(closingOf(withdrawal, 'PAID')), 'applied');
});

test('one key of a member used concurrently in two processes makes one row and one hold', async () => {
  const second = openLedger();
  try {
    for (let round = 0; round < 20; round += 1) {
      const memberId = await insertMember();
      const firstCommand = openingOf(memberId, { key: 'same' });
      const secondCommand = openingOf(memberId, { key: round % 2 === 0 ? 'same' : 'different' });
      const outcomes = await Promise.all([
        ledger.postCommand(firstCommand.command),
        second.postCommand(secondCommand.command),
      ]);
      const [first, ...otherOutcomes] = outcomes
        .map(({ outcome }) => outcome)
        .sort((a, b) => (a === 'applied' ? -1 : b === 'applied' ? 1 : 0));
      assert.equal(first, 'applied');
      // stale_conditions: the first withdrawal has raised the version that the second one read.
      assert.ok(
        ['key_taken', 'withdrawal_open', 'row_locked', 'stale_conditions'].includes(otherOutcomes[0] ?? ''),
        otherOutcomes.join(),
      );
      assert.deepEqual(await readRecords(memberId), { rows: ['HELD held'], money: [700n, 300n] });
    }
  } finally {
    await second.close();
  }
});

test('of a concurrent condition and withdrawal exactly one succeeds [R-WDR-02]', async () => {
  for (let round = 0; round < 40; round += 1) {
    const memberId = await insertMember();
    const condition = database.tx(async (tx) => {
      await lockMember(tx, memberId);
      const { rows } = await tx.query<{ count: bigint }>('select count(*) from withdraw where member_id = $1', [
        memberId,
      ]);
      return rows[0]?.count === 0n;
    });
    const [isGiven, outcome] = await Promise.all([condition, post(openingOf(memberId).command)]);
    // Either the condition sees the withdrawal, or the withdrawal sees the held or changed lock.
    assert.equal(isGiven, outcome !== 'applied', outcome);
    assert.ok(['applied', 'stale_conditions', 'row_locked'].includes(outcome));
  }
});
