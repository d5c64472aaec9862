import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../../src/platform/database/database.ts';
import { logOperator, readSignature, selectOperatorLog } from '../../../src/platform/operator-log.ts';
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts';

test('an operator command without a name and a meaningful one-line reason changes nothing', () => {
  assert.deepEqual(readSignature('nok', ['bank', 'ticket', '12']), { by: 'nok', why: 'bank ticket 12' });
  assert.deepEqual(readSignature('nok', [' สลิปในแชท ']), { by: 'nok', why: 'สลิปในแชท' });
  assert.ok(readSignature('n'.repeat(40), ['y'.repeat(500)]));
  const reasonWords = ['bank', 'ticket'];
  for (const operatorName of [undefined, '', 'two words', 'n'.repeat(41), 'nok\n', "nok'", 'นก']) {
    assert.equal(readSignature(operatorName, reasonWords), undefined, operatorName);
  }
  for (const reasonArgs of [
    [],
    ['why'],
    ['     '],
    ['two\nlines here'],
    ['bell \u0007 rings'],
    ['line\u2028line'],
    ['y'.repeat(501)],
  ]) {
    assert.equal(readSignature('nok', reasonArgs), undefined, reasonArgs.join());
  }
});

describe('the log of what operators do', () => {
  let fresh: FreshDatabase;
  let database: Database;
  before(async () => {
    fresh = await freshDatabase();
    ({ database } = fresh);
  });
  after(() => fresh.dropDatabase());
  const recordAct = (operatorName: string, subject: string) =>
    database.tx((tx) =>
      logOperator(tx, { by: operatorName, why: 'as was agreed' }, { what: 'payouts settle PAID', subject }),
    );
  const readPrinted = async (subject?: string, limit = 100) =>
    (await selectOperatorLog(database, { subject, limit })).map((entry) => `${entry.operator} ${entry.subject}`);

  test('the operator log prints the newest entries, oldest first, or all about one subject', async () => {
    for (const [operatorName, subject] of [
      ['nok', 'W1'],
      ['lek', 'W2'],
      ['noi', 'W1'],
    ] as const)
      await recordAct(operatorName, subject);
    assert.deepEqual(await readPrinted(), ['nok W1', 'lek W2', 'noi W1']);
    assert.deepEqual(await readPrinted(undefined, 2), ['lek W2', 'noi W1']);
    assert.deepEqual(await readPrinted('W1'), ['nok W1', 'noi W1']);
    assert.deepEqual(await readPrinted('W9'), []);
  });

  test('the operator log has no entry of a command without effect', async () => {
    await assert.rejects(
      database.tx(async (tx) => {
        await logOperator(tx, { by: 'dam', why: 'as was agreed' }, { what: 'payouts settle PAID', subject: 'W3' });
        throw new Error('the rest failed');
      }),
      /the rest failed/,
    );
    assert.deepEqual(await readPrinted('W3'), []);
  });

  test('no entry of the operator log can be changed or deleted', async () => {
    await recordAct('nok', 'W4');
    const before = await readPrinted();
    for (const statement of [
      `update operator_log set operator = 'somebody'`,
      `update operator_log set reason = reason where id < 0`,
      `delete from operator_log`,
      `truncate operator_log`,
    ]) {
      await assert.rejects(database.query(statement), /the table operator_log is append-only/, statement);
    }
    assert.deepEqual(await readPrinted(), before);
  });
});
