import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLedger } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { ledgerAccountsOf } from './books.ts';

const fresh = await freshDatabase();
const { database } = fresh;
const ledger = createLedger({ url: fresh.url, database, currency: 'BAHT' });
after(async () => {
  await ledger.close();
  await fresh.dropDatabase();
});
// An attacker who tampers with entries can disable the trigger too.
await database.query('alter table ledger.entry disable trigger entry_append_only');
const operations = ledgerAccountsOf('audited');
await ledger.post(operations.deposit('a1', 9_000n));
await ledger.post([operations.hold('a2', 4_000n), operations.resolve('post', 'a2p', 'a2')]);
await ledger.post(operations.hold('a3', 1_000n));
await ledger.post(operations.adjust('a4', 1_500n));
await ledger.post(operations.pay('a5', 99_000n));

const findViolations = async (): Promise<string[]> =>
  (await ledger.audit()).filter(({ violations }) => violations > 0).map(({ name }) => name);

/** Changes ledger rows directly, runs the audit, and undoes the change. */
async function tamperAndUndo(changeSql: string, undoSql: string): Promise<string[]> {
  await database.query(changeSql);
  const foundViolations = await findViolations();
  await database.query(undoSql);
  assert.deepEqual(await findViolations(), [], `undone: ${undoSql}`);
  return foundViolations;
}

test('the audits find nothing in books written only by the ledger', async () => {
  assert.deepEqual(await findViolations(), []);
});

const WALLET_ID_SQL = `(select id from ledger.account where member_id = 'audited' and kind = 'WALLET')`;
const HOLD_ID_SQL = `(select id from ledger.operation where reference = 'a3')`;
const cases: [what: string, change: string, undo: string, found: string][] = [
  [
    'money without a source',
    `update ledger.account set posted = posted + 1 where id = ${WALLET_ID_SQL}`,
    `update ledger.account set posted = posted - 1 where id = ${WALLET_ID_SQL}`,
    'posted adds up to zero in each currency',
  ],
  [
    'an entry with another amount',
    `update ledger.entry set amount = amount + 1 where account_id = ${WALLET_ID_SQL} and seq = 1`,
    `update ledger.entry set amount = amount - 1 where account_id = ${WALLET_ID_SQL} and seq = 1`,
    'each entry continues the one before it',
  ],
  [
    'a deleted entry with renumbered followers',
    `update ledger.entry set seq = seq + 100 where account_id = ${WALLET_ID_SQL} and seq = 2`,
    `update ledger.entry set seq = seq - 100 where account_id = ${WALLET_ID_SQL} and seq = 102`,
    'each entry continues the one before it',
  ],
  [
    'a balance that differs from the last entry',
    `update ledger.account set held = held + 1 where id = ${WALLET_ID_SQL}`,
    `update ledger.account set held = held - 1 where id = ${WALLET_ID_SQL}`,
    'each account is as its last entry says',
  ],
  [
    'an open hold marked as voided',
    `update ledger.operation set state = 'voided' where id = ${HOLD_ID_SQL}`,
    `update ledger.operation set state = 'pending' where id = ${HOLD_ID_SQL}`,
    'held is the sum of the open holds',
  ],
  [
    'a hold resolved differently from its state',
    `update ledger.operation set state = 'voided' where reference = 'a2' and type = 'hold'`,
    `update ledger.operation set state = 'posted' where reference = 'a2' and type = 'hold'`,
    'each hold is resolved once, by what its state says',
  ],
  [
    'an operation whose amount was changed',
    `update ledger.operation set amount = amount + 1 where reference = 'a1'`,
    `update ledger.operation set amount = amount - 1 where reference = 'a1'`,
    'each operation has its entries, and they balance',
  ],
  [
    'a wrong count of ended holds',
    `update ledger.account set resolved = resolved + 1 where id = ${WALLET_ID_SQL}`,
    `update ledger.account set resolved = resolved - 1 where id = ${WALLET_ID_SQL}`,
    'ended holds are counted on their account',
  ],
  [
    'a rewritten reference with correct sums',
    `update ledger.operation set reference = 'forged' where reference = 'a1'`,
    `update ledger.operation set reference = 'a1' where reference = 'forged'`,
    'each batch hashes to what was written',
  ],
  [
    'a batch whose hash was recomputed, but not those after it',
    `update ledger.batch set hash = sha256(hash) where id = (select min(id) from ledger.batch)`,
    `update ledger.batch b set hash = n.previous_hash from ledger.batch n
      where b.id = (select min(id) from ledger.batch)
        and n.id = (select min(id) from ledger.batch where id > b.id and lane = b.lane)`,
    'each batch is a link of the chain of its lane',
  ],
  [
    'a removed newest batch',
    `update ledger.lane set last_batch = last_batch + 1`,
    `update ledger.lane set last_batch = last_batch - 1`,
    'each batch is a link of the chain of its lane',
  ],
  [
    'an operation written outside of the ledger',
    `insert into ledger.operation values (999999999, gen_random_uuid(), gen_random_uuid(), 1, 2, 5, null, 'transfer',
       'rejected', 'deposit', 'r', 'a', 'insufficient')`,
    `delete from ledger.operation where id = 999999999`,
    'nothing was written outside a batch',
  ],
];

for (const [title, changeSql, undoSql, expectedViolations] of cases) {
  test(`the audits find ${title}`, async () => {
    const names = await tamperAndUndo(changeSql, undoSql);
    assert.equal(names.includes(expectedViolations), true, names.join(', '));
  });
}

test('the database refuses a negative member account and a repeated key', async () => {
  await assert.rejects(
    database.query(`update ledger.account set posted = held - 1 where id = ${WALLET_ID_SQL}`),
    /account_floor/,
  );
  await assert.rejects(
    database.query(`insert into ledger.operation select id + 1, idempotency_key, request_hash, debit, credit, amount,
      pending, type, state, kind, reference, actor, reason from ledger.operation where reference = 'a1'`),
    /operation_key/,
  );
});
