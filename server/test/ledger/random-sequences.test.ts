import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import type { Operation, Verdict } from '../../src/ledger/types.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { type ModelReply, LedgerModel } from './model.ts';
import { buildOperations, arbitrarySequences } from './sequences.ts';

const fresh = await freshDatabase();
const reportedErrors: Error[] = [];
const onTrouble = (error: Error) => reportedErrors.push(error);
const openLedger = (laneCount: number): Ledger =>
  createLedger({ url: fresh.url, database: fresh.database, currency: 'BAHT', lanes: laneCount, onTrouble });
const [singleLaneLedger, threeLaneLedger] = [openLedger(1), openLedger(3)];
after(async () => {
  await singleLaneLedger.close();
  await threeLaneLedger.close();
  await fresh.dropDatabase();
});

let runCount = 0;
const outcomeCounts = new Map<string, number>();

function compareReplies(modelReplies: ModelReply[], verdicts: Verdict[], operations: readonly Operation[]): void {
  for (const [index, modelReply] of modelReplies.entries()) {
    const verdict = verdicts[index] as Verdict;
    const { type, key } = operations[index] as Operation;
    const { operationId, state: _state, ...reply } = verdict;
    assert.deepEqual(reply, modelReply, `${type} ${key}`);
    assert.equal(operationId > 0n || verdict.outcome === 'conflict', true);
    const caseName = `${type} ${verdict.outcome} ${verdict.reason ?? ''} ${verdict.replayed}`;
    outcomeCounts.set(caseName, (outcomeCounts.get(caseName) ?? 0) + 1);
  }
}

async function assertBooks(ledger: Ledger, model: LedgerModel, member: string): Promise<void> {
  for (const { kind, free } of await ledger.balances(member)) assert.equal(free, model.free(member, kind), kind);
  const { lines, total } = await ledger.statement(member, { page: 1, limit: 100 });
  assert.equal(lines.length, Math.min(total, 100));
  const postedTotal = lines.reduce((total, { amount }) => total + amount, 0n);
  if (total <= 100) assert.equal(postedTotal, model.free(member, 'WALLET'));
}

test('in sequence the ledger returns the same outcomes as its model', async () => {
  await fc.assert(
    fc.asyncProperty(arbitrarySequences({ min: 5, max: 60 }), async (randomSequence) => {
      const member = `one-${(runCount += 1)}`;
      const model = new LedgerModel();
      for (const group of buildOperations(randomSequence, member, member)) {
        compareReplies(model.post(group), await singleLaneLedger.post(group), group);
      }
      await assertBooks(singleLaneLedger, model, member);
    }),
    { numRuns: 80, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(30_000)] },
  );
});

test("with thousands of concurrent operations over many members and lanes, each member's are applied in sequence", async () => {
  for (const ledger of [singleLaneLedger, threeLaneLedger]) {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitrarySequences({ min: 10, max: 40 }), { minLength: 20, maxLength: 20 }),
        async (randomSequences) => {
          const members = randomSequences.map((groups) => {
            const member = `many-${(runCount += 1)}`;
            return { member, groups: buildOperations(groups, member, member), model: new LedgerModel() };
          });
          const roundCount = Math.max(...members.map(({ groups }) => groups.length));
          const pendingPosts: Promise<void>[] = [];
          for (let round = 0; round < roundCount; round += 1) {
            for (const { groups, model } of members) {
              const group = groups[round];
              if (!group) continue;
              const modelReplies = model.post(group);
              pendingPosts.push(ledger.post(group).then((verdicts) => compareReplies(modelReplies, verdicts, group)));
            }
          }
          await Promise.all(pendingPosts);
          for (const { member, model } of members) await assertBooks(ledger, model, member);
        },
      ),
      { numRuns: 6, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(30_000)] },
    );
  }
});

test('the random sequences covered every outcome of the ledger', () => {
  const reachedCases = [...outcomeCounts.keys()].join('\n');
  for (const reason of ['insufficient', 'not_found', 'not_pending', 'mismatch', 'linked', 'key_reused']) {
    assert.match(reachedCases, new RegExp(reason));
  }
  for (const type of ['transfer', 'hold', 'post', 'void', 'adjust', 'mark']) {
    for (const expectedCase of [
      'applied  false',
      'applied  true',
      'rejected \\w+ false',
      'rejected \\w+ true',
      'conflict',
    ]) {
      assert.match(reachedCases, new RegExp(`${type} ${expectedCase}`), `${type} ${expectedCase}`);
    }
  }
});

test('after the random sequences every audit finds nothing, and no batch has failed', async () => {
  for (const { name, violations } of await singleLaneLedger.audit()) assert.equal(violations, 0, name);
  assert.deepEqual(reportedErrors, []);
});
