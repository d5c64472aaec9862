import { strict as assert } from 'node:assert';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { CHILD_ENVIRONMENT } from '../harness/child-environment.ts';
import { eventually, transfer } from '../harness/games.ts';
import { type Gamer, gamerWith } from '../harness/gamers.ts';
import { endLockWaits, lockWaits } from '../harness/lock-waits.ts';
import { balanceOf } from '../harness/money.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { nothingOpen, payoutsTake, withdraw } from '../withdraw/payout-fixtures.ts';
import {
  assertAudits,
  bonusOf,
  conditionOf,
  type Door,
  give,
  linesOf,
  openDoor,
  playAt,
  reaches,
  somebodyWaits,
} from './incentive-world.ts';

let system: System;
let door: Door;
let directory: string;
let ledgerLock: pg.Client;
let rowLock: pg.Client;
before(async () => {
  system = await startSystem();
  door = await openDoor(system);
  directory = mkdtempSync(join(tmpdir(), 'krapao-giving-'));
  writeOutside(join(directory, 'outside.json'), system.outside);
  ledgerLock = new pg.Client({ connectionString: system.databaseUrl });
  rowLock = new pg.Client({ connectionString: system.databaseUrl });
  await Promise.all([ledgerLock.connect(), rowLock.connect()]);
  await payoutsTake(system, 20);
});
after(async () => {
  await Promise.all([ledgerLock?.end(), rowLock?.end()]);
  await nothingOpen(system);
  await assertAudits(door);
  await door?.close();
  await system?.stop();
  rmSync(directory, { recursive: true, force: true });
});

function start(member: Gamer, what: 'give' | 'clear' | 'follow'): ChildProcess {
  const program = join(import.meta.dirname, 'giving-process.ts');
  const words = [program, system.databaseUrl, join(directory, 'outside.json'), member.id, what];
  return spawn(process.execPath, words, { env: CHILD_ENVIRONMENT, stdio: ['ignore', 'ignore', 'inherit'] });
}
const waits = (): Promise<unknown> => somebodyWaits(system);
const lockLedger = async (): Promise<void> => {
  await ledgerLock.query('begin');
  await ledgerLock.query('lock table ledger.operation in share row exclusive mode');
};
const lockRow = async (table: string, { id }: Gamer): Promise<void> => {
  await rowLock.query('begin');
  await rowLock.query(`select from ${table} where member_id = $1 for update`, [id]);
};
/**
 * Kills it, and releases the locks that it waits for. A statement that waits in the database is then carried out, without the
 * process that sent it; with `isUndone` it is not.
 */
async function kill(child: ChildProcess, { isUndone = false } = {}): Promise<void> {
  assert.equal(child.exitCode, null, 'it is still at work');
  child.kill('SIGKILL');
  await once(child, 'exit');
  if (isUndone) await endLockWaits(system.database);
  await Promise.all([ledgerLock.query('rollback'), rowLock.query('rollback')]);
  await eventually(
    'nothing of it waits at the database any more',
    () => lockWaits(system.database),
    (waits) => waits === 0,
  );
}
/** As if the lease of the dead were over. */
const leaseIsOver = async ({ id }: Gamer): Promise<void> => {
  await system.database.query('update incentive_grant set leased_until = now() where member_id = $1', [id]);
  await system.database.query('update incentive_condition set look_at = now() where member_id = $1', [id]);
};
const grantState = async ({ id }: Gamer): Promise<string | undefined> =>
  (await system.database.query<{ state: string }>('select state from incentive_grant where member_id = $1', [id]))
    .rows[0]?.state;
const free = async ({ id }: Gamer): Promise<string> => (await balanceOf(door.ledger, id, 'WALLET')).free;
const isPaidOnce = async (member: Gamer): Promise<void> => {
  await leaseIsOver(member);
  await reaches(system, member, 'ACTIVE');
  assert.deepEqual([await grantState(member), await free(member)], ['PAID', '200.00']);
  assert.deepEqual(await linesOf(door, member, 'bonus'), ['10000']);
};
async function withBonus(): Promise<Gamer> {
  const member = await gamerWith(system, door.ledger, '100.00');
  await give(door, member, bonusOf('100', '100'));
  return member;
}

describe('a process that is killed while it gives, takes back, or looks how it stands', () => {
  test('before it is decided: nothing is given', async () => {
    const member = await gamerWith(system, door.ledger, '100.00');
    await give(door, member, { ...bonusOf('1', '0'), source: 'so that there is a gate', condition: null });
    await lockRow('incentive_gate', member);
    const child = start(member, 'give');
    await waits();
    await kill(child);
    assert.equal(await free(member), '101.00');
    assert.equal(await conditionOf(system, member), undefined);
    assert.equal((await withdraw(system, member, 101)).status, 200);
  });

  test('decided, before the ledger is called: withdrawals wait already, and it is given once [R-WDR-02]', async () => {
    const member = await gamerWith(system, door.ledger, '100.00');
    await lockLedger();
    const child = start(member, 'give');
    await eventually(
      'decided',
      () => grantState(member),
      (state) => state === 'OPEN',
    );
    await waits();
    const refused = await withdraw(system, member, 100);
    assert.deepEqual([refused.status, refused.body.message], [409, 'BONUS_CONDITION']);
    await kill(child, { isUndone: true });
    await isPaidOnce(member);
  });

  test('the credit commits without its process: it is given once', async () => {
    const member = await gamerWith(system, door.ledger, '100.00');
    await lockLedger();
    const child = start(member, 'give');
    await eventually(
      'decided',
      () => grantState(member),
      (state) => state === 'OPEN',
    );
    await waits();
    await kill(child);
    await eventually(
      'credited',
      () => grantState(member),
      (state) => state === 'PAID',
    );
    await isPaidOnce(member);
  });
});

describe('a process that is killed while it takes back', () => {
  for (const [moment, isUndone] of [
    ['before the ledger has it', true],
    ['the ledger commits without it', false],
  ] as const) {
    test(`giving a bonus up, ${moment}: taken back once`, async () => {
      const member = await withBonus();
      await lockLedger();
      const child = start(member, 'clear');
      await reaches(system, member, 'CLEARING');
      await waits();
      await kill(child, { isUndone });
      await leaseIsOver(member);
      await reaches(system, member, 'CANCELLED');
      assert.deepEqual([await free(member), await linesOf(door, member, 'finish_bonus')], ['100.00', ['-10000']]);
      assert.equal((await withdraw(system, member, 100)).status, 200);
    });

    test(`a condition that is met, ${moment}: one notice`, async () => {
      const member = await withBonus();
      await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 200 });
      await playAt(system, member, 'pg', '10', '600');
      // What was won is in the books before the ledger is stopped.
      await system.api('GET /api/wallet/refresh/slot', { token: member.token });
      await lockLedger();
      const child = start(member, 'follow');
      await reaches(system, member, 'SUCCESS');
      await waits();
      await kill(child, { isUndone });
      await leaseIsOver(member);
      await eventually(
        'told',
        () => conditionOf(system, member),
        (found) => found?.isTold === true,
      );
      assert.deepEqual(await linesOf(door, member, 'finish_bonus'), ['0']);
    });
  }

  test('money that goes into a game while it is taken back: all is as it was, and a new try takes it once', async () => {
    const member = await withBonus();
    await lockLedger();
    const child = start(member, 'clear');
    await reaches(system, member, 'CLEARING');
    await waits();
    await kill(child);
    // The dead one's call may have been carried out by the database after its death: then there is nothing to try again.
    const moved = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 150 });
    await leaseIsOver(member);
    await eventually(
      'decided',
      () => conditionOf(system, member),
      (found) => found?.state !== 'CLEARING',
    );
    const { state } = (await conditionOf(system, member)) ?? {};
    assert.equal(state, moved.status === 200 ? 'ACTIVE' : 'CANCELLED');
    if (state === 'ACTIVE') {
      const cleared = await door.incentive.clear({ id: member.id, currency: 'BAHT' });
      assert.deepEqual(cleared, { takenBack: 10_000n, kept: 10_000n });
    }
    assert.deepEqual([await free(member), await linesOf(door, member, 'finish_bonus')], ['100.00', ['-10000']]);
  });

  test('of two servers the other one credits what the dead one decided', async () => {
    const member = await gamerWith(system, door.ledger, '100.00');
    await nothingOpen(system);
    // From here on no other process works on this database.
    await system.app.close();
    const other = await startServerProcess(system);
    try {
      await lockLedger();
      const child = start(member, 'give');
      await eventually(
        'decided',
        () => grantState(member),
        (state) => state === 'OPEN',
      );
      await kill(child);
      await isPaidOnce(member);
    } finally {
      await other.stop();
    }
  });
});
