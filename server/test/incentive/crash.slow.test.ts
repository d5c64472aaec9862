import { strict as assert } from 'node:assert';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { CHILD_ENVIRONMENT } from '../harness/child-environment.ts';
import { waitUntilResult, transfer } from '../harness/games.ts';
import { type GamingMember, gamingMemberWith } from '../harness/gaming-member.ts';
import { terminateLockWaits, countLockWaits } from '../harness/lock-waits.ts';
import { readBalance } from '../harness/money.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { waitForNoOpenWithdrawals, setPayoutDelay, withdraw } from '../withdraw/payout-fixtures.ts';
import {
  assertAuditPasses,
  bonusAward,
  readCondition,
  type IncentiveNode,
  grantAward,
  readOperationAmounts,
  openIncentiveNode,
  playRoundAt,
  waitForConditionState,
  waitForLockWait,
} from './incentive-fixtures.ts';

let system: System;
let incentiveNode: IncentiveNode;
let directory: string;
let ledgerLockClient: pg.Client;
let rowLockClient: pg.Client;
before(async () => {
  system = await startSystem();
  incentiveNode = await openIncentiveNode(system);
  directory = mkdtempSync(join(tmpdir(), 'krapao-giving-'));
  writeOutside(join(directory, 'outside.json'), system.outside);
  ledgerLockClient = new pg.Client({ connectionString: system.databaseUrl });
  rowLockClient = new pg.Client({ connectionString: system.databaseUrl });
  await Promise.all([ledgerLockClient.connect(), rowLockClient.connect()]);
  await setPayoutDelay(system, 20);
});
after(async () => {
  await Promise.all([ledgerLockClient?.end(), rowLockClient?.end()]);
  await waitForNoOpenWithdrawals(system);
  await assertAuditPasses(incentiveNode);
  await incentiveNode?.close();
  await system?.stop();
  rmSync(directory, { recursive: true, force: true });
});

function start(member: GamingMember, action: 'give' | 'clear' | 'follow'): ChildProcess {
  const programPath = join(import.meta.dirname, 'grant-process.ts');
  const processArgs = [programPath, system.databaseUrl, join(directory, 'outside.json'), member.id, action];
  return spawn(process.execPath, processArgs, { env: CHILD_ENVIRONMENT, stdio: ['ignore', 'ignore', 'inherit'] });
}
const waitForLock = (): Promise<unknown> => waitForLockWait(system);
const lockLedger = async (): Promise<void> => {
  await ledgerLockClient.query('begin');
  await ledgerLockClient.query('lock table ledger.operation in share row exclusive mode');
};
const lockRow = async (table: string, { id }: GamingMember): Promise<void> => {
  await rowLockClient.query('begin');
  await rowLockClient.query(`select from ${table} where member_id = $1 for update`, [id]);
};
/**
 * Kills the process and releases the locks that it waits for. A pending statement is then executed without its client;
 * with `isUndone` it is rolled back.
 */
async function killProcess(child: ChildProcess, { isUndone = false } = {}): Promise<void> {
  assert.equal(child.exitCode, null, 'it is still at work');
  child.kill('SIGKILL');
  await once(child, 'exit');
  if (isUndone) await terminateLockWaits(system.database);
  await Promise.all([ledgerLockClient.query('rollback'), rowLockClient.query('rollback')]);
  await waitUntilResult(
    'nothing of it waits at the database any more',
    () => countLockWaits(system.database),
    (lockWaitCount) => lockWaitCount === 0,
  );
}
/** Expires the lease of the killed process. */
const expireLease = async ({ id }: GamingMember): Promise<void> => {
  await system.database.query('update incentive_grant set leased_until = now() where member_id = $1', [id]);
  await system.database.query('update incentive_condition set look_at = now() where member_id = $1', [id]);
};
const readGrantState = async ({ id }: GamingMember): Promise<string | undefined> =>
  (await system.database.query<{ state: string }>('select state from incentive_grant where member_id = $1', [id]))
    .rows[0]?.state;
const readFreeBalance = async ({ id }: GamingMember): Promise<string> =>
  (await readBalance(incentiveNode.ledger, id, 'WALLET')).free;
const isPaidOnce = async (member: GamingMember): Promise<void> => {
  await expireLease(member);
  await waitForConditionState(system, member, 'ACTIVE');
  assert.deepEqual([await readGrantState(member), await readFreeBalance(member)], ['PAID', '200.00']);
  assert.deepEqual(await readOperationAmounts(incentiveNode, member, 'bonus'), ['10000']);
};
async function newMemberWithBonus(): Promise<GamingMember> {
  const member = await gamingMemberWith(system, incentiveNode.ledger, '100.00');
  await grantAward(incentiveNode, member, bonusAward('100', '100'));
  return member;
}

describe('a process killed while it credits or measures a grant', () => {
  test('a process killed before a grant is decided credits nothing', async () => {
    const member = await gamingMemberWith(system, incentiveNode.ledger, '100.00');
    await grantAward(incentiveNode, member, {
      ...bonusAward('1', '0'),
      source: 'so that there is a gate',
      condition: null,
    });
    await lockRow('incentive_gate', member);
    const child = start(member, 'give');
    await waitForLock();
    await killProcess(child);
    assert.equal(await readFreeBalance(member), '101.00');
    assert.equal(await readCondition(system, member), undefined);
    assert.equal((await withdraw(system, member, 101)).status, 200);
  });

  test('a grant decided before a kill blocks withdrawals already, and is credited once [R-WDR-02]', async () => {
    const member = await gamingMemberWith(system, incentiveNode.ledger, '100.00');
    await lockLedger();
    const child = start(member, 'give');
    await waitUntilResult(
      'decided',
      () => readGrantState(member),
      (state) => state === 'OPEN',
    );
    await waitForLock();
    const refusedReply = await withdraw(system, member, 100);
    assert.deepEqual([refusedReply.status, refusedReply.body.message], [409, 'BONUS_CONDITION']);
    await killProcess(child, { isUndone: true });
    await isPaidOnce(member);
  });

  test('a credit that commits without its process is credited once', async () => {
    const member = await gamingMemberWith(system, incentiveNode.ledger, '100.00');
    await lockLedger();
    const child = start(member, 'give');
    await waitUntilResult(
      'decided',
      () => readGrantState(member),
      (state) => state === 'OPEN',
    );
    await waitForLock();
    await killProcess(child);
    await waitUntilResult(
      'credited',
      () => readGrantState(member),
      (state) => state === 'PAID',
    );
    await isPaidOnce(member);
  });
});

describe('a process killed while it takes money back', () => {
  for (const [crashMoment, isUndone] of [
    ['before the ledger commits', true],
    ['while the ledger commits', false],
  ] as const) {
    test(`a bonus cancelled by a process that dies ${crashMoment} is taken back once`, async () => {
      const member = await newMemberWithBonus();
      await lockLedger();
      const child = start(member, 'clear');
      await waitForConditionState(system, member, 'CLEARING');
      await waitForLock();
      await killProcess(child, { isUndone });
      await expireLease(member);
      await waitForConditionState(system, member, 'CANCELLED');
      assert.deepEqual(
        [await readFreeBalance(member), await readOperationAmounts(incentiveNode, member, 'finish_bonus')],
        ['100.00', ['-10000']],
      );
      assert.equal((await withdraw(system, member, 100)).status, 200);
    });

    test(`a condition fulfilled in a process that dies ${crashMoment} causes one notice`, async () => {
      const member = await newMemberWithBonus();
      await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 200 });
      await playRoundAt(system, member, 'pg', '10', '600');
      // The refresh stores the win before the ledger stops.
      await system.api('GET /api/wallet/refresh/slot', { token: member.token });
      await lockLedger();
      const child = start(member, 'follow');
      await waitForConditionState(system, member, 'SUCCESS');
      await waitForLock();
      await killProcess(child, { isUndone });
      await expireLease(member);
      await waitUntilResult(
        'told',
        () => readCondition(system, member),
        (result) => result?.isTold === true,
      );
      assert.deepEqual(await readOperationAmounts(incentiveNode, member, 'finish_bonus'), ['0']);
    });
  }

  test('a transfer into a game during a cancellation leaves all unchanged, and a new attempt takes money back once', async () => {
    const member = await newMemberWithBonus();
    await lockLedger();
    const child = start(member, 'clear');
    await waitForConditionState(system, member, 'CLEARING');
    await waitForLock();
    await killProcess(child);
    // The database may have executed the killed server's command after its death: then a retry changes nothing.
    const transferReply = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 150 });
    await expireLease(member);
    await waitUntilResult(
      'decided',
      () => readCondition(system, member),
      (result) => result?.state !== 'CLEARING',
    );
    const { state } = (await readCondition(system, member)) ?? {};
    assert.equal(state, transferReply.status === 200 ? 'ACTIVE' : 'CANCELLED');
    if (state === 'ACTIVE') {
      const clearOutcome = await incentiveNode.incentive.cancelBonus({ id: member.id, currency: 'BAHT' });
      assert.deepEqual(clearOutcome, { takenBack: 10_000n, kept: 10_000n });
    }
    assert.deepEqual(
      [await readFreeBalance(member), await readOperationAmounts(incentiveNode, member, 'finish_bonus')],
      ['100.00', ['-10000']],
    );
  });

  test('a second server credits what a killed one had decided', async () => {
    const member = await gamingMemberWith(system, incentiveNode.ledger, '100.00');
    await waitForNoOpenWithdrawals(system);
    // From now on no other process uses this database.
    await system.app.close();
    const otherServer = await startServerProcess(system);
    try {
      await lockLedger();
      const child = start(member, 'give');
      await waitUntilResult(
        'decided',
        () => readGrantState(member),
        (state) => state === 'OPEN',
      );
      await killProcess(child);
      await isPaidOnce(member);
    } finally {
      await otherServer.stop();
    }
  });
});
