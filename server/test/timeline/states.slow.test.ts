import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as states from '@krapao/contract/states';
import { openGame } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import { NO_MONEY, SEEN, type Seen, store, type Table } from './stored-rows.ts';

let system: System;
let member: TestMember;
let other: TestMember;
before(async () => {
  system = await startSystem();
  [member, other] = [await registerMember(system), await registerMember(system)];
  for (const game of ['pg', 'joker2']) await openGame(system, member.token, game);
});
after(() => system.stop());

type Step = { name: string; at: string | null; isDone: boolean };

const pendingKeys = async ({ token }: TestMember): Promise<{ key: string; state: string }[]> => {
  const { status, body } = await system.api('GET /api/pending', { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body.items;
};

const moneyOf = ({ token }: TestMember, key: string) => system.api('GET /api/money/{key}', { token, params: { key } });

test('every state table of states.ts is shown to members or listed as not money', () => {
  const tables = Object.keys(states).filter((name) => name.endsWith('Transitions'));
  const known = [...Object.keys(SEEN).map((name) => `${name}Transitions`), ...Object.keys(NO_MONEY)];
  assert.deepEqual(tables.toSorted(), known.toSorted());
  for (const [table, seen] of Object.entries(SEEN)) {
    const transitions = (states as unknown as Record<string, object>)[`${table}Transitions`] ?? {};
    assert.deepEqual(Object.keys(seen).toSorted(), Object.keys(transitions).toSorted(), table);
  }
});

test('more than twenty open items are returned as the newest twenty and a count [R-WALLET-02]', async () => {
  const stored = [];
  for (let made = 0; made < 23; made += 1) stored.push(await store(system, 'gift', 'UNKNOWN', member.id));
  for (const [index, { reference }] of stored.entries()) {
    await system.database.query(
      `update truelink_gift set created_at = now() - $2 * interval '1 minute' where reference = $1`,
      [reference, index],
    );
  }
  const { body } = await system.api('GET /api/pending', { token: member.token });
  assert.equal(body.more, 3);
  assert.deepEqual(
    body.items.map(({ key }: { key: string }) => key),
    stored.slice(0, 20).map(({ reference }) => reference),
  );
  for (const { clear } of stored) await clear();
});

for (const [table, seen] of Object.entries(SEEN) as [Table, Record<string, Seen>][]) {
  for (const [state, expected] of Object.entries(seen)) {
    test(`a ${table} in ${state} is ${expected.isPending ? 'pending' : 'not pending'}, and its timeline names its steps [R-WALLET-02] [R-WALLET-05]`, async () => {
      const { reference, clear } = await store(system, table, state, member.id);
      try {
        const items = await pendingKeys(member);
        assert.deepEqual(
          items.map(({ key }) => key),
          expected.isPending ? [reference] : [],
        );
        const { status, body } = await moneyOf(member, reference);
        assert.equal(status, 200, JSON.stringify(body));
        const steps = (body.steps as Step[]).map(({ name, isDone }) => (isDone ? name : `(${name})`));
        assert.deepEqual({ isPending: expected.isPending, status: body.status, reason: body.reason, steps }, expected);
        assert.deepEqual([body.key, body.reference], [reference, reference]);
        // An open step has no time; every finished one has its stored time, except a credit that the ledger would time.
        for (const { name, at, isDone } of body.steps as Step[]) {
          if (!isDone) assert.equal(at, null, name);
          else if (table !== 'qrcode' || name !== 'credited') assert.ok(at, name);
        }
        if (body.status !== 'PROCESSING') assert.deepEqual([body.expectedBy, body.isLate], [null, false]);
        assert.doesNotMatch(JSON.stringify(body), /1234567890/, 'account numbers are masked');
        const foreign = await moneyOf(other, reference);
        assert.deepEqual(
          [foreign.status, foreign.body.message],
          [(await moneyOf(other, 'NOSUCHKEY')).status, 'NO_DATA'],
        );
        assert.deepEqual(await pendingKeys(other), []);
      } finally {
        await clear();
      }
    });
  }
}
