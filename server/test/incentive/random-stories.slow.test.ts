import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import fc from 'fast-check';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import { bets, lockBets } from '../../src/modules/game/queries.ts';
import { selectOpen } from '../../src/modules/incentive/queries.ts';
import { snapshotField } from '../../src/platform/database/batched-reads.ts';
import {
  DuplicateGrant,
  type MemberRef,
  sameInAll,
  type IncentiveModule,
  incentiveModule,
} from '../../src/modules/incentive/index.ts';
import { systemClock } from '../../src/platform/time.ts';
import { Refusal } from '../../src/platform/errors.ts';
import { freshDatabase, type FreshDatabase } from '../harness/fresh-database.ts';
import { insertPlainMember } from '../harness/plain-member.ts';

type Moving = { what: 'deposit' | 'into' | 'home' | 'win' | 'lose'; amount: bigint };
type Giving = { what: 'bonus' | 'refund'; amount: bigint; source: number; times: number };
type Step = Moving | Giving | { what: 'follow' } | { what: 'clear' };
const amount = fc.bigInt({ min: 1n, max: 30_000n });
const step = fc.oneof(
  fc.record({ what: fc.constantFrom('deposit', 'into', 'into', 'home', 'win', 'win', 'lose', 'lose'), amount }),
  // Few sources, so that one repeats, also concurrently.
  fc.record({
    what: fc.constantFrom('bonus', 'refund'),
    amount,
    source: fc.nat(3),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ what: fc.constantFrom('follow', 'follow', 'clear') }),
) as fc.Arbitrary<Step>;

/** `play`: what counts for it. `since`: all that was played since it began. */
type Open = { kind: 'BONUS' | 'REFUND'; base: bigint; own: bigint; play: bigint; since: bigint };
/** What must be true, by the plainest bookkeeping. */
type Model = {
  wallet: bigint;
  game: bigint;
  granted: bigint;
  used: Set<string>;
  /** Oldest first. */
  open: Open[];
  /** Played since the last measurement. */
  fresh: bigint;
  /** Won and lost while anything was open, and what conditions that were met and lost have asked for of that. */
  won: bigint;
  lost: bigint;
  askedToWin: bigint;
  askedToLose: bigint;
};
const newModel = (): Model => ({
  wallet: 0n,
  game: 0n,
  granted: 0n,
  used: new Set(),
  open: [],
  fresh: 0n,
  won: 0n,
  lost: 0n,
  askedToWin: 0n,
  askedToLose: 0n,
});

let fresh: FreshDatabase;
let ledger: Ledger;
let incentive: IncentiveModule;
before(async () => {
  fresh = await freshDatabase();
  const { database } = fresh;
  ledger = createLedger({ url: fresh.url, database, currency: 'BAHT' });
  incentive = incentiveModule({
    database,
    ledger,
    clock: systemClock,
    // Play is written straight into the books here: there is no provider to ask.
    game: { refresh: async () => [], bets, holdBets: lockBets },
    transfer: {
      sweepToWallet: async ({ id }) => {
        const lying = (await ledger.balances(id)).find(({ kind }) => kind === 'GAME:pg')?.free ?? 0n;
        if (lying > 0n) await move(id, 'home', lying);
        return [];
      },
      sweepMissing: async () => [],
    },
    log: { warn: () => {}, error: () => {} },
  });
  incentive.registerWithdrawals(snapshotField('select false', (is: boolean) => is));
});
after(async () => {
  await ledger?.close();
  await fresh?.drop();
});

let moved = 0;
async function move(member: string, what: Moving['what'], units: bigint): Promise<void> {
  const wallet = { member, kind: 'WALLET' } as const;
  const game = { member, kind: 'GAME:pg' } as const;
  const ways = {
    deposit: { kind: 'deposit', debit: { house: 'bank' }, credit: wallet },
    into: { kind: 'transfer', debit: wallet, credit: game },
    home: { kind: 'transfer', debit: game, credit: wallet },
    win: { kind: 'play', debit: { house: 'provider:pg' }, credit: game },
    lose: { kind: 'play', debit: game, credit: { house: 'provider:pg' } },
  } as const;
  const key = `story:${(moved += 1)}`;
  const common = { key, type: 'transfer', memberId: member, reference: key, actor: 'test' } as const;
  const [verdict] = await ledger.post({ ...common, ...ways[what], amount: minor(units) });
  assert.equal(verdict?.outcome, 'applied', what);
}

const upTo = (most: bigint, requested: bigint): bigint => (requested < most ? requested : most);
const met = new Set<string>();

async function takeStep(member: string, model: Model, one: Step): Promise<void> {
  const holder = { id: member, currency: 'BAHT' } as const;
  if (one.what === 'follow') {
    await incentive.follow(holder, 'en');
    settle(model);
  } else if (one.what === 'clear') {
    const cleared = await incentive.clear(holder).catch((error: unknown) => {
      assert.ok(error instanceof Refusal && error.code === 'NO_DATA', String(error));
    });
    clear(model, cleared);
  } else if ('source' in one) await giveAtOnce(holder, model, one);
  else await money(member, model, one);
}

async function giveAtOnce(holder: MemberRef, model: Model, one: Giving): Promise<void> {
  const kind = one.what === 'bonus' ? 'BONUS' : 'REFUND';
  const own = kind === 'BONUS' ? upTo(model.wallet + model.game, one.amount) : 0n;
  const condition = { own: minor(own), percentSuccess: 250, percentFail: 20, turnoverTimes: null, expiresAt: null };
  const source = `${kind}:${one.source}`;
  const award = { kind, source, name: sameInAll(source), amount: minor(one.amount), condition } as const;
  const results = await Promise.allSettled(
    Array.from({ length: one.times }, () => incentive.grant(holder, async () => award)),
  );
  // Each gift measures the other conditions first.
  settle(model);
  const may = !model.used.has(source) && !(kind === 'BONUS' && model.open.some((other) => other.kind === 'BONUS'));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, may ? 1 : 0, source);
  for (const other of results) {
    if (other.status === 'fulfilled') continue;
    const { reason } = other;
    assert.ok(reason instanceof DuplicateGrant || reason.code === 'BONUS_ALREADY_ACTIVE', String(reason));
    met.add('given before');
  }
  if (!may) return;
  model.used.add(source);
  model.wallet += one.amount;
  model.granted += one.amount;
  model.open.push({ kind, base: own + one.amount, own, play: 0n, since: 0n });
}

async function money(member: string, model: Model, { what, amount: requested }: Moving): Promise<void> {
  const units =
    what === 'into'
      ? upTo(model.wallet, requested)
      : what === 'deposit' || what === 'win'
        ? requested
        : upTo(model.game, requested);
  if (units === 0n) return;
  await move(member, what, units);
  if (what === 'deposit' || what === 'home') model.wallet += units;
  if (what === 'into') model.wallet -= units;
  if (what === 'into' || what === 'win') model.game += units;
  if (what === 'home' || what === 'lose') model.game -= units;
  if (model.open.length > 0 && (what === 'win' || what === 'lose')) notePlay(model, what === 'win' ? units : -units);
}

function notePlay(model: Model, play: bigint): void {
  model.fresh += play;
  if (play > 0n) model.won += play;
  else model.lost -= play;
  for (const open of model.open) open.since += play;
}

const targetOf = ({ base }: Open): bigint => (base * 250n + 99n) / 100n;
const floorOf = ({ base }: Open): bigint => (base * 20n) / 100n;

/** What is played counts for the oldest; what that does not need to end counts for the next, as far as it is new enough. */
function settle(model: Model): void {
  const total = model.wallet + model.game;
  let [play, ended] = [model.fresh, 0];
  model.fresh = 0n;
  for (let oldest = model.open[0]; oldest; oldest = model.open[0]) {
    oldest.play += play;
    const current = oldest.base + oldest.play;
    const [target, floor] = [targetOf(oldest), floorOf(oldest)];
    if (current >= target) {
      met.add('SUCCESS');
      model.askedToWin += target - oldest.base;
      play = current - target;
    } else if (upTo(current, total) <= floor) {
      met.add('FAILED');
      // With no more than that in all it is lost whatever was played.
      if (current <= floor) model.askedToLose += oldest.base - floor;
      play = current < floor ? current - floor : 0n;
    } else break;
    if ((ended += 1) > 1) met.add('several by what each needs');
    model.open.shift();
    const since = model.open[0]?.since ?? 0n;
    play = play > 0n ? upTo(play, since > 0n ? since : 0n) : -upTo(-play, since < 0n ? -since : 0n);
  }
  assert.ok(model.askedToWin <= model.won, 'nothing is met by what another has used');
  assert.ok(model.askedToLose <= model.lost, 'nothing is lost by what another has used');
}

function clear(model: Model, cleared: { takenBack: bigint; kept: bigint } | void): void {
  settle(model);
  const bonus = model.open.find(({ kind }) => kind === 'BONUS');
  if (!bonus) return assert.equal(cleared, undefined);
  const total = model.wallet + model.game;
  const left = bonus.base + bonus.play - bonus.own;
  const takenBack = upTo(total, left > 0n ? left : 0n);
  assert.deepEqual(cleared, { takenBack, kept: total - takenBack });
  Object.assign(model, { wallet: total - takenBack, game: 0n, granted: model.granted - takenBack });
  model.open = model.open.filter((open) => open !== bonus);
  met.add('CANCELLED');
}

async function assertAgrees(member: string, model: Model): Promise<void> {
  const balances = await ledger.balances(member);
  const posted = (kind: string) => balances.find((one) => one.kind === kind)?.posted ?? 0n;
  assert.deepEqual([posted('WALLET'), posted('GAME:pg')], [model.wallet, model.game]);
  const open = await selectOpen(fresh.database, member);
  const bonuses = (of: readonly { kind: string }[]): number => of.filter(({ kind }) => kind === 'BONUS').length;
  assert.deepEqual([open.length, bonuses(open)], [model.open.length, bonuses(model.open)]);
  const { lines } = await ledger.statement(member, { page: 1, limit: 100 });
  const granted = lines.filter(({ kind }) => kind === 'bonus' || kind === 'finish_bonus');
  assert.equal(
    granted.reduce((sum, line) => sum + line.amount, 0n),
    model.granted,
  );
}

/** Met, asked for again, lost, and given up. */
const everyEnding: Step[] = [
  { what: 'bonus', amount: 10_000n, source: 0, times: 3 },
  { what: 'into', amount: 20_000n },
  { what: 'win', amount: 30_000n },
  { what: 'follow' },
  { what: 'bonus', amount: 10_000n, source: 0, times: 2 },
  { what: 'bonus', amount: 10_000n, source: 1, times: 2 },
  { what: 'lose', amount: 16_000n },
  { what: 'follow' },
  { what: 'bonus', amount: 10_000n, source: 2, times: 1 },
  { what: 'clear' },
];

/** Three of 100.00, met at 250.00 and lost at 20.00: a win for two of them, and a loss for the third. */
const severalAtOnce: Step[] = [
  { what: 'refund', amount: 10_000n, source: 0, times: 1 },
  { what: 'refund', amount: 10_000n, source: 1, times: 1 },
  { what: 'into', amount: 20_000n },
  { what: 'lose', amount: 7_999n },
  { what: 'follow' },
  { what: 'refund', amount: 10_000n, source: 2, times: 1 },
  { what: 'win', amount: 22_998n },
  { what: 'follow' },
  { what: 'win', amount: 15_001n },
  { what: 'follow' },
  { what: 'lose', amount: 8_000n },
  { what: 'follow' },
];

test('over random stories money is given once for each source, is never free while a condition is open, and play counts for one condition only', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }), async (steps) => {
      const member = await insertPlainMember(fresh.database);
      const model = newModel();
      for (const one of [{ what: 'deposit', amount: 10_000n } as const, ...steps]) {
        await takeStep(member, model, one);
        await assertAgrees(member, model);
      }
    }),
    {
      numRuns: 25,
      examples: [[everyEnding], [severalAtOnce]],
      endOnFailure: true,
      plugins: [fc.interruptAfterTimeLimit(60_000)],
    },
  );
  assert.deepEqual([...met].toSorted(), [
    'CANCELLED',
    'FAILED',
    'SUCCESS',
    'given before',
    'several by what each needs',
  ]);
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
});
