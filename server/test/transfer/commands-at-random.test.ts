import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { deposit, fundedMember, insertGames, payout, posted, written } from './commands/books.ts';
import { type Act, actOf, drawnActs, CommandModel } from './commands/model.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const open = (): Ledger => createLedger({ url, database, currency: 'BAHT' });
const ledgers = [open(), open()] as const;
const seen = new Set<string>();

before(() => insertGames(database));
after(async () => {
  await Promise.all(ledgers.map((ledger) => ledger.close()));
  await fresh.drop();
});

async function perform(ledger: Ledger, act: Act): Promise<string> {
  if ('command' in act) return (await posted(ledger, act.command)).outcome;
  const operation = (act.kind === 'deposit' ? deposit : payout)(act.member, act.amount);
  const [verdict] = await ledger.post(operation);
  return verdict?.outcome ?? '';
}

// A call that read the key before the other committed finds the account busy or changed instead; one that read the
// second leg before finds it not started. Callers then reload the row.
const ALTERNATIVES: Readonly<Record<string, readonly string[]>> = {
  replayed: ['account_busy', 'stale_read', 'replayed_second_leg_refused'],
  replayed_refused: ['stale_read'],
  key_taken: ['account_busy', 'stale_read'],
};
const isExpected = (outcome: string | undefined, expected: string): boolean =>
  outcome === expected || (ALTERNATIVES[expected] ?? []).includes(outcome ?? '');

/** The model after two concurrent acts, serialized in either order. */
function afterBoth(model: CommandModel, acts: readonly [Act, Act], outcomes: readonly string[]): CommandModel {
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    const tried = model.copy();
    const expected = ['', ''];
    for (const place of order) expected[place] = tried.apply(acts[place]);
    if (expected.every((outcome, place) => isExpected(outcomes[place], outcome))) return tried;
  }
  return assert.fail(`${acts.map(({ kind }) => kind).join(' beside ')} answered ${outcomes.join(', ')}`);
}

async function live(drawn: ReturnType<typeof drawnActs> extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const member = await fundedMember(database, ledgers[0], 1_000n);
  let model = new CommandModel(member, 1_000n);
  for (const { first, second, isPair, at } of drawn) {
    const one = actOf(model, first);
    const other = isPair === 'twin' ? one : isPair === 'pair' ? actOf(model, second) : undefined;
    const [near, far] = at === 0 ? ledgers : [ledgers[1], ledgers[0]];
    if (!other) {
      const outcomes = await perform(near, one);
      assert.equal(outcomes, model.apply(one), one.kind);
      seen.add(`${one.kind} ${outcomes}`);
      continue;
    }
    const outcomes = await Promise.all([perform(near, one), perform(far, other)]);
    model = afterBoth(model, [one, other], outcomes);
    seen.add(`${one.kind} ${outcomes[0]}`).add(`${other.kind} ${outcomes[1]}`);
  }
  const { money, legs, busy } = await written(database, ledgers[0], member);
  assert.deepEqual({ money, legs, busy }, model.written());
}

test('openings, closings, repeats, twins, refreshes and bare operations over two lanes do what a model does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(drawnActs(), { minLength: 6, maxLength: 6 }), async (members) => {
      await Promise.all(members.map(live));
    }),
    { seed: 20_261_123, numRuns: 25, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(15_000)] },
  );
});

test('every outcome that members can cause occurred, and every audit finds nothing', async () => {
  const outcomes = [
    ...['applied', 'replayed', 'insufficient_funds', 'replayed_refused', 'key_taken', 'account_busy', 'stale_read'].map(
      (outcome) => `open ${outcome}`,
    ),
    ...['applied', 'replayed', 'replayed_second_leg_refused', 'closed_differently', 'lease_lost'].map(
      (outcome) => `close ${outcome}`,
    ),
    ...['applied', 'stale_read'].map((outcome) => `refresh ${outcome}`),
    'payout applied',
    'payout rejected',
    'deposit applied',
  ];
  assert.deepEqual(
    outcomes.filter((outcome) => !seen.has(outcome)),
    [],
  );
  for (const { name, violations } of await ledgers[0].audit()) assert.equal(violations, 0, name);
});
