import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import {
  depositOperation,
  fundedMember,
  insertGames,
  payoutOperation,
  postCommand,
  readMemberRecords,
} from './commands/books.ts';
import { type CommandAct, buildAct, arbitraryActs, CommandModel } from './commands/model.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const openLedger = (): Ledger => createLedger({ url, database, currency: 'BAHT' });
const ledgers = [openLedger(), openLedger()] as const;
const seenOutcomes = new Set<string>();

before(() => insertGames(database));
after(async () => {
  await Promise.all(ledgers.map((ledger) => ledger.close()));
  await fresh.dropDatabase();
});

async function performAct(ledger: Ledger, act: CommandAct): Promise<string> {
  if ('command' in act) return (await postCommand(ledger, act.command)).outcome;
  const operation = (act.kind === 'deposit' ? depositOperation : payoutOperation)(act.member, act.amount);
  const [verdict] = await ledger.post(operation);
  return verdict?.outcome ?? '';
}

// A command that read the key before the other committed finds the account busy or changed. One that read the second
// leg before finds it not started. Callers then reload the row.
const ALTERNATIVE_OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  replayed: ['account_busy', 'stale_read', 'replayed_second_leg_refused'],
  replayed_refused: ['stale_read'],
  key_taken: ['account_busy', 'stale_read'],
};
const isExpected = (outcome: string | undefined, expected: string): boolean =>
  outcome === expected || (ALTERNATIVE_OUTCOMES[expected] ?? []).includes(outcome ?? '');

/** The model after two concurrent acts, serialized in either order. */
function modelAfterBoth(
  model: CommandModel,
  acts: readonly [CommandAct, CommandAct],
  outcomes: readonly string[],
): CommandModel {
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    const triedModel = model.copy();
    const expected = ['', ''];
    for (const position of order) expected[position] = triedModel.apply(acts[position]);
    if (expected.every((outcome, place) => isExpected(outcomes[place], outcome))) return triedModel;
  }
  return assert.fail(`${acts.map(({ kind }) => kind).join(' beside ')} answered ${outcomes.join(', ')}`);
}

async function runDrawn(
  drawnActs: ReturnType<typeof arbitraryActs> extends fc.Arbitrary<infer T> ? T : never,
): Promise<void> {
  const member = await fundedMember(database, ledgers[0], 1_000n);
  let model = new CommandModel(member, 1_000n);
  for (const { first, second, isPair, at } of drawnActs) {
    const firstAct = buildAct(model, first);
    const secondAct = isPair === 'twin' ? firstAct : isPair === 'pair' ? buildAct(model, second) : undefined;
    const [nearLedger, farLedger] = at === 0 ? ledgers : [ledgers[1], ledgers[0]];
    if (!secondAct) {
      const outcomes = await performAct(nearLedger, firstAct);
      assert.equal(outcomes, model.apply(firstAct), firstAct.kind);
      seenOutcomes.add(`${firstAct.kind} ${outcomes}`);
      continue;
    }
    const outcomes = await Promise.all([performAct(nearLedger, firstAct), performAct(farLedger, secondAct)]);
    model = modelAfterBoth(model, [firstAct, secondAct], outcomes);
    seenOutcomes.add(`${firstAct.kind} ${outcomes[0]}`).add(`${secondAct.kind} ${outcomes[1]}`);
  }
  const { money, legs, busy } = await readMemberRecords(database, ledgers[0], member);
  assert.deepEqual({ money, legs, busy }, model.expectedRecords());
}

test('random openings, closings, repetitions, concurrent duplicates, refreshes and operations over two lanes follow the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryActs(), { minLength: 6, maxLength: 6 }), async (members) => {
      await Promise.all(members.map(runDrawn));
    }),
    { seed: 20_261_123, numRuns: 25, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(15_000)] },
  );
});

test('after the random commands every outcome has occurred, and every audit finds nothing', async () => {
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
    outcomes.filter((outcome) => !seenOutcomes.has(outcome)),
    [],
  );
  for (const { name, violations } of await ledgers[0].audit()) assert.equal(violations, 0, name);
});
