import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import pg from 'pg';
import { createLedger, type LedgerCommand } from '../../src/ledger/index.ts';
import { betStates } from '../../src/modules/game/queries.ts';
import { cancelBonusCommand, endConditionCommand, creditGrantCommand } from '../../src/modules/incentive/commands.ts';
import { type OpenedGrant, claimOfferCommand } from '../../src/modules/incentive/grant.ts';
import type { Condition, Grant } from '../../src/modules/incentive/index.ts';
import { allocateSnapshot, eligibilityReader, loadEligibility } from '../../src/modules/incentive/load-eligibility.ts';
import {
  memberLockVersion,
  insertCondition,
  insertMemberLock,
  insertGrant,
  selectOpenConditions,
} from '../../src/modules/incentive/queries.ts';
import { OPEN_OUTCOMES } from '../../src/modules/withdraw/commands.ts';
import { snapshotField, snapshotReader } from '../../src/platform/database/batched-reads.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { insertPlainMember } from '../harness/plain-member.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const ledger = createLedger({ url, database, currency: 'BAHT', onTrouble: () => {} });
const otherClient = new pg.Client({ connectionString: url });

before(async () => {
  await otherClient.connect();
  await database.query(
    `insert into game (code, name, category, provider, credits_per_unit) values ('pg', 'PG', 'slot', 'pg', 1)`,
  );
});
after(async () => {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  await otherClient.end();
  await ledger.close();
  await fresh.dropDatabase();
});

const postCommand = async (command: LedgerCommand): Promise<string> => (await ledger.postCommand(command)).outcome;

/** A decided grant of 1 baht with a condition. */
async function decideGrant(): Promise<Grant> {
  const memberId = await insertPlainMember(database);
  const id = randomUUID();
  const text = { th: 'โบนัส', la: 'ໂບນັດ', en: 'Bonus' };
  const grant = {
    id,
    memberId,
    currency: 'BAHT',
    kind: 'BONUS',
    source: `test:${id}`,
    name: text,
    reference: `B${id}`,
  };
  const fullGrant = { ...grant, amount: minor(100n), state: 'OPEN', createdAt: new Date() } as unknown as Grant;
  await database.tx(async (tx) => {
    await insertGrant(tx, fullGrant);
    await insertCondition(tx, fullGrant, {
      base: minor(100n),
      own: minor(0n),
      target: minor(300n),
      floor: minor(1n),
      percentSuccess: 300,
      percentFail: 1,
      turnoverTarget: null,
      turnoverBefore: {},
      outstandingBefore: minor(0n),
      expiresAt: null,
    });
  });
  return fullGrant;
}

async function readGrantState({ id, memberId }: Grant): Promise<string> {
  const { rows } = await database.query<{ text: string }>(
    `select concat_ws(' ', g.state, c.state, case when c.is_told then 'told' end) as text
       from incentive_grant g join incentive_condition c using (id) where g.id = $1`,
    [id],
  );
  const wallet = (await ledger.balances(memberId)).find(({ kind }) => kind === 'WALLET');
  return `${rows[0]?.text ?? ''} ${wallet?.free ?? 0n}`;
}

async function assertNothing(grant: Grant, command: LedgerCommand, outcome: string): Promise<void> {
  const stateBefore = await readGrantState(grant);
  assert.equal(await postCommand(command), outcome);
  assert.equal(await readGrantState(grant), stateBefore);
}

async function runWhileLocked(table: string, { id }: Grant, action: () => Promise<void>): Promise<void> {
  await otherClient.query('begin');
  try {
    await otherClient.query(`select from ${table} where id = $1 for update`, [id]);
    await action();
  } finally {
    await otherClient.query('rollback');
  }
}

/** A paid grant whose condition is being cleared. */
async function clearCondition(takesBack: bigint): Promise<{ grant: Grant; condition: Condition }> {
  const grant = await decideGrant();
  assert.equal(await postCommand(creditGrantCommand(grant)), 'applied');
  await database.query(
    `update incentive_condition set state = 'CLEARING', takes_back = $2, clear_attempt = 1 where id = $1`,
    [grant.id, takesBack],
  );
  const [condition] = await selectOpenConditions(database, grant.memberId);
  assert.ok(condition);
  return { grant, condition };
}

test('pay applied, replayed and row_locked: money, grant and condition commit together; a repetition changes nothing', async () => {
  const grant = await decideGrant();
  for (const table of ['incentive_grant', 'incentive_condition']) {
    await runWhileLocked(table, grant, () => assertNothing(grant, creditGrantCommand(grant), 'row_locked'));
  }
  assert.equal(await postCommand(creditGrantCommand(grant)), 'applied');
  assert.equal(await readGrantState(grant), 'PAID ACTIVE 100');
  await assertNothing(grant, creditGrantCommand(grant), 'replayed');
});

test('a refusal by the ledger leaves the grant open, and affects no other of the call (pay answers books_refused)', async () => {
  const [brokenGrant, validGrant] = [await decideGrant(), await decideGrant()];
  // The key belongs to another amount, which no code of the product does.
  assert.equal(await postCommand(creditGrantCommand(brokenGrant)), 'applied');
  await database.query(`update incentive_grant set state = 'OPEN', paid_at = null where id = $1`, [brokenGrant.id]);
  await database.query(`update incentive_condition set state = 'OPENING', started_at = null where id = $1`, [
    brokenGrant.id,
  ]);
  const outcomes = await Promise.all([
    postCommand(creditGrantCommand({ ...brokenGrant, amount: minor(200n) })),
    postCommand(creditGrantCommand(validGrant)),
  ]);
  assert.deepEqual(outcomes, ['books_refused', 'applied']);
  assert.deepEqual(
    [await readGrantState(brokenGrant), await readGrantState(validGrant)],
    ['OPEN OPENING 100', 'PAID ACTIVE 100'],
  );
});

test("a grant credited while its member's conditions are measured keeps its condition [R-WDR-02]", async () => {
  const grant = await decideGrant();
  const readEligibility = eligibilityReader({
    bets: betStates,
    isWithdrawing: snapshotField('select false', (isWithdrawing: boolean) => isWithdrawing),
  });
  const readFacts: typeof readEligibility = async (queryable, id) => {
    const before = await readEligibility(queryable, id);
    assert.equal(await postCommand(creditGrantCommand(grant)), 'applied');
    return before;
  };
  const eligibilityDeps = {
    ledger,
    readEligibilityFields: readFacts,
    game: { lockBets: () => Promise.reject(new Error('no transaction')) },
  };
  const eligibility = await loadEligibility(eligibilityDeps, database, grant.memberId);
  const { counted } = await allocateSnapshot(eligibilityDeps, database, grant.memberId, eligibility);
  assert.deepEqual(
    counted.map(({ ending }) => ending),
    [undefined],
  );
});

test('end applied, replayed, not_ended and row_locked: ledger entry and row commit together', async () => {
  const grant = await decideGrant();
  assert.equal(await postCommand(creditGrantCommand(grant)), 'applied');
  const [condition] = await selectOpenConditions(database, grant.memberId);
  assert.ok(condition);
  await assertNothing(grant, endConditionCommand(condition), 'not_ended');
  await database.query(`update incentive_condition set state = 'SUCCESS', ended_at = now() where id = $1`, [grant.id]);
  await runWhileLocked('incentive_condition', grant, () =>
    assertNothing(grant, endConditionCommand(condition), 'row_locked'),
  );
  assert.equal(await postCommand(endConditionCommand(condition)), 'applied');
  assert.equal(await readGrantState(grant), 'PAID SUCCESS told 100');
  await assertNothing(grant, endConditionCommand(condition), 'replayed');
});

test('clear applied, replayed, lease_lost and row_locked: the returned money and the end commit together', async () => {
  for (const [takesBack, expectedLeft] of [
    [60n, 40],
    [0n, 100],
  ] as const) {
    const { grant, condition } = await clearCondition(takesBack);
    await runWhileLocked('incentive_condition', grant, () =>
      assertNothing(grant, cancelBonusCommand(condition, 'CANCELLED'), 'row_locked'),
    );
    await assertNothing(grant, cancelBonusCommand({ ...condition, clearAttempt: 2 }, 'CANCELLED'), 'lease_lost');
    assert.equal(await postCommand(cancelBonusCommand(condition, 'CANCELLED')), 'applied');
    assert.equal(await readGrantState(grant), `PAID CANCELLED told ${expectedLeft}`);
    await assertNothing(grant, cancelBonusCommand(condition, 'CANCELLED'), 'replayed');
  }
});

test('without the money the condition continues, and the next attempt has its own key (clear answers insufficient_funds)', async () => {
  const { grant, condition } = await clearCondition(500n);
  assert.equal(await postCommand(cancelBonusCommand(condition, 'EXPIRED')), 'insufficient_funds');
  assert.equal(await readGrantState(grant), 'PAID ACTIVE 100');
  await assertNothing(grant, cancelBonusCommand(condition, 'EXPIRED'), 'insufficient_funds');
  await database.query(
    `update incentive_condition set state = 'CLEARING', takes_back = 100, clear_attempt = 2 where id = $1`,
    [grant.id],
  );
  const second = { ...condition, clearAttempt: 2, takesBack: minor(100n) };
  assert.equal(await postCommand(cancelBonusCommand(second, 'EXPIRED')), 'applied');
  assert.equal(await readGrantState(grant), 'PAID EXPIRED told 0');
});

/** A decided offer of a new member with an active game account, without its rows. */
async function insertDecidedOffer(limits: { quota: number | null } = { quota: null }) {
  const memberId = await insertPlainMember(database);
  const id = randomUUID();
  const code = `OFFER-${id.slice(0, 8).toUpperCase()}`;
  const name = { th: 'โบนัส', la: 'ໂບນັດ', en: 'Bonus' };
  await database.query(
    `insert into bonus_offer (code, kind, percent, percent_success, percent_fail, window_hours, quota, name, description)
     values ($1, 'BONUS', 100, 300, 1, 24, $2, $3, $3)`,
    [code, limits.quota, JSON.stringify(name)],
  );
  await database.query(
    `insert into bonus_offer_amount (code, currency, minimum_deposit, maximum, rest) values ($1, 'BAHT', 1, 100, 0)`,
    [code],
  );
  await insertMemberLock(database, memberId);
  await database.query(
    `insert into game_account (member_id, game_code, provider, username, password, state, activated_at)
     values ($1, 'pg', 'pg', $2, '', 'ACTIVE', now())`,
    [memberId, id.slice(0, 16).replaceAll('-', '')],
  );
  const commonFields = { id, memberId, currency: 'BAHT' as const, kind: 'BONUS' as const, name, reference: `B${id}` };
  const now = new Date();
  const amount = minor(100n);
  const openedGrant: OpenedGrant = {
    grant: { ...commonFields, source: `bonus:${id}`, amount, state: 'PAID', createdAt: now },
    condition: {
      ...commonFields,
      state: 'ACTIVE',
      base: minor(200n),
      own: minor(100n),
      target: minor(600n),
      floor: minor(2n),
      percentSuccess: 300,
      percentFail: 1,
      turnoverTarget: null,
      turnoverBefore: {},
      startedAt: now,
      expiresAt: null,
      play: minor(0n),
      turnover: minor(0n),
      takesBack: null,
      outstandingBefore: minor(0n),
      clearAttempt: 0,
    },
  };
  const { bets: knownBets, gate } = await snapshotReader('facts of an offer', {
    bets: betStates,
    gate: memberLockVersion,
  })(database, memberId);
  const award = { code, depositOperation: 1n };
  const command = claimOfferCommand(openedGrant, { award, bets: knownBets, gateVersion: gate.version ?? 0n });
  return { grant: openedGrant.grant, code, command };
}

/** Rows of an offer, and the free money of its member. */
async function readWritten({ id, memberId }: Grant): Promise<string> {
  const { rows } = await database.query<{ text: string }>(
    `select concat_ws(' ', (select count(*) from bonus_receipt where id = $1), g.state, c.state) as text
       from (select) one left join incentive_grant g on g.id = $1 left join incentive_condition c on c.id = $1`,
    [id],
  );
  const wallet = (await ledger.balances(memberId)).find(({ kind }) => kind === 'WALLET');
  return `${rows[0]?.text ?? ''} ${wallet?.free ?? 0n}`;
}

test('receipt, grant, condition and credit commit together; a repetition changes nothing (offer answers applied or replayed) [R-BON-03]', async () => {
  const { grant, command } = await insertDecidedOffer();
  assert.equal(await postCommand(command), 'applied');
  assert.equal(await readWritten(grant), '1 PAID ACTIVE 100');
  assert.equal(await postCommand(command), 'replayed');
  assert.equal(await readWritten(grant), '1 PAID ACTIVE 100');
});

test('while the member lock, the game account or a counted campaign is locked nothing is written (offer answers row_locked) [R-BON-03]', async () => {
  const { grant, code, command } = await insertDecidedOffer({ quota: 1 });
  const LOCK_QUERIES = [
    ['incentive_gate', 'member_id', grant.memberId],
    ['game_account', 'member_id', grant.memberId],
    ['bonus_offer', 'code', code],
  ] as const;
  for (const [table, column, value] of LOCK_QUERIES) {
    await otherClient.query('begin');
    try {
      await otherClient.query(`select from ${table} where ${column} = $1 for update`, [value]);
      assert.equal(await postCommand(command), 'row_locked', table);
    } finally {
      await otherClient.query('rollback');
    }
  }
  assert.equal(await readWritten(grant), '0 0');
});

test('a changed member lock or game, an open withdrawal, or a disabled offer is evaluated again (offer answers stale_read) [R-BON-03]', async () => {
  const changes: readonly ((offer: { memberId: string; code: string }) => [string, unknown[]])[] = [
    ({ memberId }) => ['update incentive_gate set version = version + 1 where member_id = $1', [memberId]],
    ({ memberId }) => ['update game_account set version = version + 1 where member_id = $1', [memberId]],
    ({ memberId }) => [
      `insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code,
         account_no, account_name, paid_from, state, is_held, leased_until)
       values ($1, $2, 'BAHT', 'key', '', false, 1, $3, 'SCB', '1234567890', 'X', 'X', 'HELD', false, now())`,
      [randomUUID(), memberId, randomUUID()],
    ],
    ({ code }) => ['update bonus_offer set is_on = false where code = $1', [code]],
  ];
  for (const factChange of changes) {
    const { grant, code, command } = await insertDecidedOffer();
    const [statement, values] = factChange({ memberId: grant.memberId, code });
    await database.query(statement, values);
    assert.equal(await postCommand(command), 'stale_read', statement);
    assert.equal(await readWritten(grant), '0 0', statement);
  }
});

test('a withdrawal opened since the read is evaluated again, even if it is already paid (offer answers stale_read) [R-BON-03]', async () => {
  const { grant, command } = await insertDecidedOffer();
  await insertWithdrawal(grant.memberId);
  assert.equal(await postCommand(command), 'stale_read');
  assert.equal(await readWritten(grant), '0 0');
});

/** Inserts a withdrawal whose payout has ended. */
async function insertWithdrawal(memberId: string): Promise<void> {
  const id = randomUUID();
  const to = { bank_code: 'SCB', account_no: '1234567890', account_name: 'X', paid_from: 'X' };
  const request = {
    id,
    member: memberId,
    currency: 'BAHT',
    key: id,
    hash: '',
    is_all: true,
    amount: '1',
    reference: `W${id}`,
  };
  const row = { ...request, ...to, gate: '0', lease_ms: 0 };
  const uniqueIndexes = ['withdraw_once', 'withdraw_one_pending'];
  const command = {
    kind: 'withdraw_open',
    outcomes: OPEN_OUTCOMES,
    memberId,
    claims: [memberId],
    unique: uniqueIndexes,
    row,
    groups: [],
  };
  assert.equal(await postCommand(command), 'applied');
  await database.query(
    `update withdraw set state = 'PAID', proof = 'PAID', proof_by = 'test', is_held = true, sent_at = now(), finished_at = now()
      where id = $1`,
    [id],
  );
}

test('a suspended wallet or exhausted campaign receives nothing (offer answers wallet_suspended or campaign_exhausted) [R-BON-03]', async () => {
  const suspendedOffer = await insertDecidedOffer();
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'test')`, [
    suspendedOffer.grant.memberId,
  ]);
  assert.equal(await postCommand(suspendedOffer.command), 'wallet_suspended');
  assert.equal(await readWritten(suspendedOffer.grant), '0 0');
  const usedUp = await insertDecidedOffer({ quota: 0 });
  assert.equal(await postCommand(usedUp.command), 'campaign_exhausted');
  assert.equal(await readWritten(usedUp.grant), '0 0');
});
