import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import type { Operation, Verdict } from '../../src/ledger/types.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { type Answer, Model } from './model.ts';
import { operationsOf, sequences } from './sequences.ts';

const fresh = await freshDatabase();
const troubles: Error[] = [];
const onTrouble = (error: Error) => troubles.push(error);
const open = (lanes: number): Ledger =>
  createLedger({ url: fresh.url, database: fresh.database, currency: 'BAHT', lanes, onTrouble });
const [one, three] = [open(1), open(3)];
after(async () => {
  await one.close();
  await three.close();
  await fresh.drop();
});

let runs = 0;
const seen = new Map<string, number>();

function compare(answers: Answer[], verdicts: Verdict[], operations: readonly Operation[]): void {
  for (const [at, answer] of answers.entries()) {
    const verdict = verdicts[at] as Verdict;
    const { type, key } = operations[at] as Operation;
    const { operationId, state: _state, ...reply } = verdict;
    assert.deepEqual(reply, answer, `${type} ${key}`);
    assert.equal(operationId > 0n || verdict.outcome === 'conflict', true);
    const what = `${type} ${verdict.outcome} ${verdict.reason ?? ''} ${verdict.replayed}`;
    seen.set(what, (seen.get(what) ?? 0) + 1);
  }
}

async function assertBooks(ledger: Ledger, model: Model, member: string): Promise<void> {
  for (const { kind, free } of await ledger.balances(member)) assert.equal(free, model.free(member, kind), kind);
  const { lines, total } = await ledger.statement(member, { page: 1, limit: 100 });
  assert.equal(lines.length, Math.min(total, 100));
  const sum = lines.reduce((left, { amount }) => left + amount, 0n);
  if (total <= 100) assert.equal(sum, model.free(member, 'WALLET'));
}

test('one after the other, the ledger answers what the model answers', async () => {
  await fc.assert(
    fc.asyncProperty(sequences({ min: 5, max: 60 }), async (drawn) => {
      const member = `one-${(runs += 1)}`;
      const model = new Model();
      for (const group of operationsOf(drawn, member, member)) {
        compare(model.post(group), await one.post(group), group);
      }
      await assertBooks(one, model, member);
    }),
    { numRuns: 80, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(30_000)] },
  );
});

test('thousands at once, over many members and lanes: each member sees its own operations one after the other', async () => {
  for (const ledger of [one, three]) {
    await fc.assert(
      fc.asyncProperty(fc.array(sequences({ min: 10, max: 40 }), { minLength: 20, maxLength: 20 }), async (drawn) => {
        const members = drawn.map((groups) => {
          const member = `many-${(runs += 1)}`;
          return { member, groups: operationsOf(groups, member, member), model: new Model() };
        });
        const rounds = Math.max(...members.map(({ groups }) => groups.length));
        const waiting: Promise<void>[] = [];
        for (let round = 0; round < rounds; round += 1) {
          for (const { groups, model } of members) {
            const group = groups[round];
            if (!group) continue;
            const answers = model.post(group);
            waiting.push(ledger.post(group).then((verdicts) => compare(answers, verdicts, group)));
          }
        }
        await Promise.all(waiting);
        for (const { member, model } of members) await assertBooks(ledger, model, member);
      }),
      { numRuns: 6, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(30_000)] },
    );
  }
});

test('the sequences met every verdict there is', () => {
  const met = [...seen.keys()].join('\n');
  for (const reason of ['insufficient', 'not_found', 'not_pending', 'mismatch', 'linked', 'key_reused']) {
    assert.match(met, new RegExp(reason));
  }
  for (const type of ['transfer', 'hold', 'post', 'void', 'adjust', 'mark']) {
    for (const end of ['applied  false', 'applied  true', 'rejected \\w+ false', 'rejected \\w+ true', 'conflict']) {
      assert.match(met, new RegExp(`${type} ${end}`), `${type} ${end}`);
    }
  }
});

test('afterwards every audit finds nothing, and no batch ever failed', async () => {
  for (const { name, violations } of await one.audit()) assert.equal(violations, 0, name);
  assert.deepEqual(troubles, []);
});
