import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLedger } from '../../src/ledger/index.ts';
import * as transfers from '../../src/modules/deposit/bank-transfer/credit-transfer.ts';
import * as qrcodes from '../../src/modules/deposit/qrcode/credit-payment.ts';
import { OPEN_OUTCOMES as QRCODE_OPEN_OUTCOMES } from '../../src/modules/deposit/qrcode/queries.ts';
import * as gifts from '../../src/modules/deposit/truelink/advance-gift.ts';
import { REFRESH_OUTCOMES } from '../../src/modules/game/refresh-games.ts';
import * as incentive from '../../src/modules/incentive/commands.ts';
import { RECEIVE_OUTCOMES } from '../../src/modules/incentive/grant.ts';
import * as transfer from '../../src/modules/transfer/commands.ts';
import * as withdraw from '../../src/modules/withdraw/commands.ts';
import { freshDatabase } from '../harness/fresh-database.ts';

/** Outcomes that each kind of command declares. */
const DECLARED_OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  arrival_credit: transfers.CREDIT_OUTCOMES,
  arrival_suspense: transfers.SUSPENSE_OUTCOMES,
  game_refresh: REFRESH_OUTCOMES,
  gift_credit: gifts.CREDIT_OUTCOMES,
  incentive_clear: incentive.CLEAR_OUTCOMES,
  incentive_end: incentive.END_OUTCOMES,
  incentive_pay: incentive.PAY_OUTCOMES,
  offer_receive: RECEIVE_OUTCOMES,
  qrcode_credit: qrcodes.CREDIT_OUTCOMES,
  transfer_close: transfer.CLOSE_OUTCOMES,
  transfer_open: transfer.OPEN_OUTCOMES,
  withdraw_close: withdraw.CLOSE_OUTCOMES,
  withdraw_hold: withdraw.HOLD_OUTCOMES,
  withdraw_open: withdraw.OPEN_OUTCOMES,
};

/** Lower-case literals in the functions that are not outcomes: an encoding, a JSON value, purposes of operations. */
const OTHER_LITERALS = new Set(['hex', 'null', 'follow_balance', 'hold_second', 'qrcode_live', 'unique_violation']);

const fresh = await freshDatabase();
const { database, url } = fresh;
const ledger = createLedger({ url, database, currency: 'BAHT' });
after(async () => {
  await ledger.close();
  await fresh.dropDatabase();
});

const { rows } = await database.query<{ name: string; text: string }>(
  `select p.proname as name, p.prosrc as text from pg_proc p where p.pronamespace = 'commands'::regnamespace`,
);
const source = new Map(rows.map(({ name, text }) => [name, text]));

/** Lower-case literals of functions and the functions that they call, without comments and JSON field names. */
function outcomeLiterals(names: readonly string[], visitedNames = new Set<string>()): string[] {
  const functionTexts = names
    .filter((name) => !visitedNames.has(name))
    .flatMap((name) => {
      visitedNames.add(name);
      const text = (source.get(name) ?? '').replaceAll(/--.*$/gm, '').replaceAll(/->>?\s*'\w+'/g, '');
      const calledFunctions = Array.from(
        text.matchAll(/\bcommands\.(\w+)\(/g),
        ([, functionName]) => functionName as string,
      );
      const ownLiterals = Array.from(text.matchAll(/'([a-z_]+)'/g), ([, literal]) => literal as string);
      return [
        ...ownLiterals.filter((literal) => !OTHER_LITERALS.has(literal)),
        ...outcomeLiterals(calledFunctions, visitedNames),
      ];
    });
  return [...new Set(functionTexts)].toSorted();
}

test('every kind of command in the database is declared', () => {
  const commandKinds = [...source.keys()]
    .filter((name) => name.endsWith('_admit'))
    .map((name) => name.replace('_admit', ''));
  assert.deepEqual(commandKinds.toSorted(), Object.keys(DECLARED_OUTCOMES).toSorted());
});

for (const [commandKind, outcomes] of Object.entries(DECLARED_OUTCOMES)) {
  test(`${commandKind}: the declared outcomes are those of its database functions`, () => {
    assert.deepEqual(outcomeLiterals([`${commandKind}_admit`, `${commandKind}_refused`]), outcomes.toSorted());
  });
}

test('qrcode_open: the declared outcomes are those of its database function', () => {
  assert.deepEqual(outcomeLiterals(['qrcode_open']), QRCODE_OPEN_OUTCOMES.toSorted());
});

test('an undeclared outcome of a command fails its caller, and no other of the call', async () => {
  await database.query(
    `create function commands.odd_admit(p_rows jsonb) returns text[] language sql as $$
       select array_agg(r.row ->> 'outcome' order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
     $$`,
  );
  const postOutcome = (outcome: string) =>
    ledger.postCommand({
      kind: 'odd',
      outcomes: ['fine'],
      memberId: undefined,
      row: { outcome },
      claims: [outcome],
      unique: [],
      groups: [],
    });
  const [invalidResult, validResult] = await Promise.allSettled([postOutcome('odd'), postOutcome('fine')]);
  assert.match(
    String(invalidResult.status === 'rejected' && invalidResult.reason),
    /command odd returned the unknown outcome "odd"/,
  );
  assert.equal(validResult.status === 'fulfilled' && validResult.value.outcome, 'fine');
});
