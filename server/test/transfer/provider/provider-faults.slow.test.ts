import { strict as assert } from 'node:assert';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import {
  creditOf,
  findOut,
  type Fault,
  legStates,
  misbehave,
  multiplierOf,
  openGame,
  providersWithin,
  settled,
  transfer,
  waitsForOperator,
  type Wish,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { fund, ledgerOf } from '../../harness/money.ts';
import { callNamesOf, everyProvider, TELLS_NOTHING } from '../../harness/provider-calls.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { toDecimal } from '@krapao/contract/money';

/** A busy machine must not make an honest answer late. */
/** Twice as long must pass between what was given up and what is taken for not done, on a busy machine too. */
const TIMEOUT_MS = 3_000;
const DIRECTIONS = ['in', 'out'] as const;
const REPORT = join(import.meta.dirname, '../../../../reports');

type Direction = (typeof DIRECTIONS)[number];
type End = 'DONE' | 'REVERSED';
type Case = {
  name: string;
  faults: (Omit<Fault, 'call'> & { at?: 'check' })[];
  /** The first answer to the member. */
  told: 'DONE' | 'PROCESSING' | 'TRANSFER_FAIL';
  ends: End;
  /** Only for providers that take our reference, or that can be asked about it. */
  needs?: 'reference' | 'check';
};

const unknown = (name: string, ends: End, ...faults: Case['faults']): Case => ({
  name,
  ends,
  faults,
  told: 'PROCESSING',
});

const CASES: Case[] = [
  { name: 'yes', faults: [], told: 'DONE', ends: 'DONE' },
  { name: 'declined', faults: [{ fault: 'decline' }], told: 'TRANSFER_FAIL', ends: 'REVERSED' },
  unknown('timeout, done', 'DONE', { fault: 'timeout-applied' }),
  unknown('timeout, not', 'REVERSED', { fault: 'timeout-lost' }),
  unknown('garbage, done', 'DONE', { fault: 'garbage' }),
  unknown('garbage, not', 'REVERSED', { fault: 'garbage', applied: false }),
  unknown('500, done', 'DONE', { fault: 'error-500', applied: true }),
  unknown('500, not', 'REVERSED', { fault: 'error-500' }),
  unknown('strange, done', 'DONE', { fault: 'unlisted-code' }),
  unknown('strange, not', 'REVERSED', { fault: 'unlisted-code', applied: false }),
  // As 70 seconds are to a minute of patience.
  unknown('slow', 'DONE', { fault: 'slow', delayMs: (TIMEOUT_MS * 7) / 6 }),
  { ...unknown('duplicate, done', 'DONE', { fault: 'duplicate-reference' }), needs: 'reference' },
  { ...unknown('duplicate, not', 'REVERSED', { fault: 'duplicate-reference', applied: false }), needs: 'reference' },
  {
    ...unknown('not found, found', 'DONE', { fault: 'timeout-applied' }, { fault: 'absent', at: 'check' }),
    needs: 'check',
  },
];

const AMOUNT = 40.5;
const STAKE = 100;
const WORDS: Readonly<Record<string, string>> = { DONE: 'done', REVERSED: 'returned', MANUAL: 'operator' };
const told = { DONE: 'SUCCESS', REVERSED: 'FAILED' } as const;

const fits = ({ needs }: Case, provider: string): boolean => {
  const calls = callNamesOf(provider);
  if (needs === 'reference') return calls.isReferenced;
  return needs === 'check' ? calls.check !== undefined : true;
};

/** One transfer of one member at one provider, and what it came to. */
type Run = { provider: string; direction: Direction; wanted: Case; member: TestMember; username: string; wish: Wish };

/** Without any report, only what comes to an account that was empty is proven by itself. */
const isForOperator = ({ provider, direction, wanted, status }: Run & { status: number }): boolean =>
  TELLS_NOTHING.includes(provider) && status === 202 && !(direction === 'in' && wanted.ends === 'DONE');

let system: System;
let ledger: Ledger;
const runs: (Run & { reference: string; status: number; cameTo: string })[] = [];
/** One for each case and direction, with an account everywhere. */
const members = new Map<string, TestMember>();

before(async () => {
  system = await startSystem({ outside: providersWithin(TIMEOUT_MS) });
  ledger = ledgerOf(system);
  const names = DIRECTIONS.flatMap((direction) => CASES.map(({ name }) => `${direction} ${name}`));
  await Promise.all(names.map(async (name) => members.set(name, await registerMember(system))));
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

async function prepare(provider: string, direction: Direction, wanted: Case): Promise<Run> {
  const member = members.get(`${direction} ${wanted.name}`) as TestMember;
  const { username } = await openGame(system, member.token, provider);
  await fund(ledger, member.id, String(STAKE));
  const ways = direction === 'in' ? { from: 'WALLET', to: provider } : { from: provider, to: 'WALLET' };
  if (direction === 'out') {
    const put = await transfer(system, member.token, { from: 'WALLET', to: provider, amount: STAKE });
    assert.equal(put.status, 200, `${provider}: ${JSON.stringify(put.body)}`);
  }
  const key = `matrix-${provider}-${direction}-${CASES.indexOf(wanted)}`;
  return { provider, direction, wanted, member, username, wish: { ...ways, amount: AMOUNT, key } };
}

async function carryOut(run: Run): Promise<void> {
  const { provider, direction, wanted, member, wish } = run;
  for (const { at, ...fault } of wanted.faults) {
    await misbehave(system, provider, { ...fault, call: String(callNamesOf(provider)[at ?? direction]) });
  }
  const { status, body } = await transfer(system, member.token, wish);
  const said = `${provider} ${direction}, ${wanted.name}: ${status} ${JSON.stringify(body)}`;
  if (wanted.told === 'TRANSFER_FAIL') assert.deepEqual([status, body.message], [502, 'TRANSFER_FAIL'], said);
  // One that can be asked may have told before the answer left.
  else if (wanted.told === 'PROCESSING' && status === 200) assert.equal(wanted.ends, 'DONE', said);
  else assert.deepEqual([status, body.status], [wanted.told === 'DONE' ? 200 : 202, wanted.told], said);
  runs.push({ ...run, status, cameTo: '', reference: body.reference ?? (await referenceOf(wish.key ?? '')) });
}

async function referenceOf(key: string): Promise<string> {
  const { rows } = await system.database.query<{ reference: string }>(
    'select reference from transfer where idempotency_key = $1',
    [key],
  );
  return rows[0]?.reference ?? '';
}

// Faults are in line by call, so whatever goes by the same call goes one after the other; everything else at once.
async function walk(provider: string): Promise<void> {
  const cases = CASES.filter((wanted) => fits(wanted, provider));
  // What comes home has been put in before: that must not meet what goes wrong on the way in.
  const home: Run[] = [];
  for (const wanted of cases) home.push(await prepare(provider, 'out', wanted));
  const out = async (): Promise<void> => {
    for (const run of home) await carryOut(run);
  };
  const into = async (): Promise<void> => {
    for (const wanted of cases) await carryOut(await prepare(provider, 'in', wanted));
  };
  const calls = callNamesOf(provider);
  if (calls.in === calls.out) await out().then(into);
  else await Promise.all([out(), into()]);
}

async function assertEnd(run: (typeof runs)[number]): Promise<void> {
  const { provider, direction, wanted, member, username, wish, reference } = run;
  const what = `${provider} ${direction}, ${wanted.name}`;
  const isDone = wanted.ends === 'DONE';
  assert.deepEqual(await legStates(system, reference), [wanted.ends], what);
  const before = direction === 'in' ? 0 : STAKE;
  const inGame = isDone ? before + (direction === 'in' ? AMOUNT : -AMOUNT) : before;
  const { body: wallet } = await system.api('GET /api/wallet', { token: member.token });
  const slot = wallet.slots.find(({ code }: { code: string }) => code === provider);
  assert.deepEqual([slot.amount, slot.inProgress], [inGame, null], what);
  const credits = BigInt(inGame * 100) * multiplierOf(provider);
  assert.equal(await creditOf(system, provider, username), toDecimal(credits as never), what);
  // The app sends the same key again, and gets its outcome.
  const again = await transfer(system, member.token, wish);
  const answer = isDone ? [200, 'DONE', undefined] : [502, undefined, 'TRANSFER_FAIL'];
  assert.deepEqual([again.status, again.body.status, again.body.message], answer, what);
  const events = (await ledger.eventsSince(member.id, 0n)).filter((one) => one.reference === reference);
  assert.equal(events.at(-1)?.state, told[wanted.ends], what);
}

describe('every provider, in both directions, whatever goes wrong', () => {
  test('each transfer ends in its one right outcome, and the member’s answer says so [R-XFER-02] [R-XFER-04]', async () => {
    await Promise.all(everyProvider.map(walk));
    const manual = await waitsForOperator(system);
    for (const run of runs) run.cameTo = (await legStates(system, run.reference)).join();
    assert.deepEqual(
      manual.map(({ reference }) => reference).toSorted(),
      runs
        .filter(isForOperator)
        .map(({ reference }) => reference)
        .toSorted(),
    );
    for (const { reference, wanted } of runs.filter(isForOperator)) {
      await findOut(system, reference, wanted.ends === 'DONE');
    }
    await settled(system);
    await Promise.all(
      everyProvider.map(async (provider) => {
        for (const run of runs.filter((one) => one.provider === provider)) await assertEnd(run);
      }),
    );
    writeTable();
  });

  test('what each member sees adds up, and is in the statement as it ended [R-XFER-04]', async () => {
    for (const [name, { id, token }] of members) {
      const mine = runs.filter(({ member }) => member.id === id);
      const { body } = await system.api('GET /api/wallet', { token });
      const inGames = body.slots.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
      assert.deepEqual([body.wallet.amount + inGames, body.wallet.inTransit], [mine.length * STAKE, 0], name);
      const { statements } = (await system.api('POST /api/statement', { token, body: { page: 1, limit: 100 } })).body;
      for (const { provider, direction, wanted, reference } of mine.filter(({ wanted }) => wanted.told !== 'DONE')) {
        const line = statements.find((one: { reference: string }) => one.reference === reference);
        // A refusal on the way home never held anything in the wallet.
        if (!line && direction === 'out' && wanted.ends === 'REVERSED') continue;
        assert.equal(line?.status, told[wanted.ends], `${provider} ${direction}, ${wanted.name}`);
      }
    }
  });

  test('no money was made or lost: the books are right, and the providers hold what they say [R-XFER-04]', async () => {
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
    assert.deepEqual(await ledger.openHolds(new Date(Date.now() + 60_000)), []);
    const { sums } = (await system.world('GET /control/totals')).body;
    for (const provider of everyProvider) {
      const mine = runs.filter((run) => run.provider === provider);
      const credits = mine.reduce((sum, { direction, wanted }) => {
        const moved = wanted.ends === 'DONE' ? AMOUNT : 0;
        return sum + (direction === 'in' ? moved : STAKE - moved);
      }, 0);
      const held = BigInt(credits * 100) * multiplierOf(provider);
      assert.equal(sums.games[provider].balance, toDecimal(held as never), provider);
    }
  });

  /** What was seen above, for a person: the first answer, and how it ended. */
  function writeTable(): void {
    const cell = (provider: string, direction: Direction, wanted: Case): string => {
      const run = runs.find((one) => one.provider === provider && one.direction === direction && one.wanted === wanted);
      if (!run) return '-';
      const end = run.status === 502 ? 'refused' : (WORDS[run.cameTo] ?? run.cameTo);
      return `${run.status === 202 ? '… ' : ''}${end}`;
    };
    const width = Math.max(...CASES.map(({ name }) => name.length)) + 2;
    const head = ' '.repeat(14) + CASES.map(({ name }) => name.padEnd(width)).join('');
    const lines = everyProvider.flatMap((provider) =>
      DIRECTIONS.map((direction) => {
        const cells = CASES.map((wanted) => cell(provider, direction, wanted).padEnd(width));
        return `${provider.padEnd(10)}${direction.padEnd(4)}${cells.join('')}`;
      }),
    );
    mkdirSync(REPORT, { recursive: true });
    writeFileSync(
      join(REPORT, 'provider-faults.txt'),
      `${[head, ...lines].map((line) => line.trimEnd()).join('\n')}\n`,
    );
  }
});
