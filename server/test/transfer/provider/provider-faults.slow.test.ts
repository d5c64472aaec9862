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

/** Correct replies must be in time on a busy machine. */
/** On a busy machine too, twice this must pass between a timeout and a proven refusal. */
const TIMEOUT_MS = 3_000;
const DIRECTIONS = ['in', 'out'] as const;
const REPORT = join(import.meta.dirname, '../../../../reports');

type Direction = (typeof DIRECTIONS)[number];
type End = 'DONE' | 'REVERSED';
type Case = {
  name: string;
  faults: (Omit<Fault, 'call'> & { at?: 'check' })[];
  /** The first reply to the member. */
  firstReply: 'DONE' | 'PROCESSING' | 'TRANSFER_FAIL';
  ends: End;
  /** Only for providers that accept our reference, or that support inquiries by it. */
  needs?: 'reference' | 'check';
};

const unknown = (name: string, ends: End, ...faults: Case['faults']): Case => ({
  name,
  ends,
  faults,
  firstReply: 'PROCESSING',
});

const CASES: Case[] = [
  { name: 'yes', faults: [], firstReply: 'DONE', ends: 'DONE' },
  { name: 'declined', faults: [{ fault: 'decline' }], firstReply: 'TRANSFER_FAIL', ends: 'REVERSED' },
  unknown('timeout, done', 'DONE', { fault: 'timeout-applied' }),
  unknown('timeout, not', 'REVERSED', { fault: 'timeout-lost' }),
  unknown('garbage, done', 'DONE', { fault: 'garbage' }),
  unknown('garbage, not', 'REVERSED', { fault: 'garbage', applied: false }),
  unknown('500, done', 'DONE', { fault: 'error-500', applied: true }),
  unknown('500, not', 'REVERSED', { fault: 'error-500' }),
  unknown('strange, done', 'DONE', { fault: 'unlisted-code' }),
  unknown('strange, not', 'REVERSED', { fault: 'unlisted-code', applied: false }),
  // In proportion, like 70 s with a timeout of one minute.
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
const firstReply = { DONE: 'SUCCESS', REVERSED: 'FAILED' } as const;

const fits = ({ needs }: Case, provider: string): boolean => {
  const calls = callNamesOf(provider);
  if (needs === 'reference') return calls.isReferenced;
  return needs === 'check' ? calls.check !== undefined : true;
};

/** One transfer of one member at one provider, and its outcome. */
type Run = {
  provider: string;
  direction: Direction;
  testCase: Case;
  member: TestMember;
  username: string;
  request: Wish;
};

/** Without inquiries and turnover, only a transfer into an empty account is proven automatically. */
const isForOperator = ({ provider, direction, testCase, status }: Run & { status: number }): boolean =>
  TELLS_NOTHING.includes(provider) && status === 202 && !(direction === 'in' && testCase.ends === 'DONE');

let system: System;
let ledger: Ledger;
const runs: (Run & { reference: string; status: number; cameTo: string })[] = [];
/** One member per case and direction, with an account at the provider. */
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

async function prepare(provider: string, direction: Direction, testCase: Case): Promise<Run> {
  const member = members.get(`${direction} ${testCase.name}`) as TestMember;
  const { username } = await openGame(system, member.token, provider);
  await fund(ledger, member.id, String(STAKE));
  const ways = direction === 'in' ? { from: 'WALLET', to: provider } : { from: provider, to: 'WALLET' };
  if (direction === 'out') {
    const put = await transfer(system, member.token, { from: 'WALLET', to: provider, amount: STAKE });
    assert.equal(put.status, 200, `${provider}: ${JSON.stringify(put.body)}`);
  }
  const key = `matrix-${provider}-${direction}-${CASES.indexOf(testCase)}`;
  return { provider, direction, testCase, member, username, request: { ...ways, amount: AMOUNT, key } };
}

async function carryOut(run: Run): Promise<void> {
  const { provider, direction, testCase, member, request } = run;
  for (const { at, ...fault } of testCase.faults) {
    await misbehave(system, provider, { ...fault, call: String(callNamesOf(provider)[at ?? direction]) });
  }
  const { status, body } = await transfer(system, member.token, request);
  const said = `${provider} ${direction}, ${testCase.name}: ${status} ${JSON.stringify(body)}`;
  if (testCase.firstReply === 'TRANSFER_FAIL') assert.deepEqual([status, body.message], [502, 'TRANSFER_FAIL'], said);
  // An inquiry may be answered before the reply is sent.
  else if (testCase.firstReply === 'PROCESSING' && status === 200) assert.equal(testCase.ends, 'DONE', said);
  else assert.deepEqual([status, body.status], [testCase.firstReply === 'DONE' ? 200 : 202, testCase.firstReply], said);
  runs.push({ ...run, status, cameTo: '', reference: body.reference ?? (await referenceOf(request.key ?? '')) });
}

async function referenceOf(key: string): Promise<string> {
  const { rows } = await system.database.query<{ reference: string }>(
    'select reference from transfer where idempotency_key = $1',
    [key],
  );
  return rows[0]?.reference ?? '';
}

// Faults are queued per call: transfers by the same call run one after the other, all others concurrently.
async function walk(provider: string): Promise<void> {
  const cases = CASES.filter((testCase) => fits(testCase, provider));
  // Transfers out need a deposit first, which must not meet the faults of transfers in.
  const home: Run[] = [];
  for (const testCase of cases) home.push(await prepare(provider, 'out', testCase));
  const out = async (): Promise<void> => {
    for (const run of home) await carryOut(run);
  };
  const into = async (): Promise<void> => {
    for (const testCase of cases) await carryOut(await prepare(provider, 'in', testCase));
  };
  const calls = callNamesOf(provider);
  if (calls.in === calls.out) await out().then(into);
  else await Promise.all([out(), into()]);
}

async function assertEnd(run: (typeof runs)[number]): Promise<void> {
  const { provider, direction, testCase, member, username, request, reference } = run;
  const what = `${provider} ${direction}, ${testCase.name}`;
  const isDone = testCase.ends === 'DONE';
  assert.deepEqual(await legStates(system, reference), [testCase.ends], what);
  const before = direction === 'in' ? 0 : STAKE;
  const inGame = isDone ? before + (direction === 'in' ? AMOUNT : -AMOUNT) : before;
  const { body: wallet } = await system.api('GET /api/wallet', { token: member.token });
  const slot = wallet.slots.find(({ code }: { code: string }) => code === provider);
  assert.deepEqual([slot.amount, slot.inProgress], [inGame, null], what);
  const credits = BigInt(inGame * 100) * multiplierOf(provider);
  assert.equal(await creditOf(system, provider, username), toDecimal(credits as never), what);
  // The app repeats the same key and gets its outcome.
  const again = await transfer(system, member.token, request);
  const answer = isDone ? [200, 'DONE', undefined] : [502, undefined, 'TRANSFER_FAIL'];
  assert.deepEqual([again.status, again.body.status, again.body.message], answer, what);
  const events = (await ledger.eventsSince(member.id, 0n)).filter((one) => one.reference === reference);
  assert.equal(events.at(-1)?.state, firstReply[testCase.ends], what);
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
    for (const { reference, testCase } of runs.filter(isForOperator)) {
      await findOut(system, reference, testCase.ends === 'DONE');
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
      const own = runs.filter(({ member }) => member.id === id);
      const { body } = await system.api('GET /api/wallet', { token });
      const inGames = body.slots.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
      assert.deepEqual([body.wallet.amount + inGames, body.wallet.inTransit], [own.length * STAKE, 0], name);
      const { statements } = (await system.api('POST /api/statement', { token, body: { page: 1, limit: 100 } })).body;
      for (const { provider, direction, testCase, reference } of own.filter(
        ({ testCase }) => testCase.firstReply !== 'DONE',
      )) {
        const line = statements.find((one: { reference: string }) => one.reference === reference);
        // A refused transfer out never held anything in the wallet.
        if (!line && direction === 'out' && testCase.ends === 'REVERSED') continue;
        assert.equal(line?.status, firstReply[testCase.ends], `${provider} ${direction}, ${testCase.name}`);
      }
    }
  });

  test('no money was made or lost: the books are right, and the providers hold what they say [R-XFER-04]', async () => {
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
    assert.deepEqual(await ledger.openHolds(new Date(Date.now() + 60_000)), []);
    const { sums } = (await system.world('GET /control/totals')).body;
    for (const provider of everyProvider) {
      const own = runs.filter((run) => run.provider === provider);
      const credits = own.reduce((sum, { direction, testCase }) => {
        const moved = testCase.ends === 'DONE' ? AMOUNT : 0;
        return sum + (direction === 'in' ? moved : STAKE - moved);
      }, 0);
      const held = BigInt(credits * 100) * multiplierOf(provider);
      assert.equal(sums.games[provider].balance, toDecimal(held as never), provider);
    }
  });

  /** Report: the first reply and the outcome of each case. */
  function writeTable(): void {
    const cell = (provider: string, direction: Direction, testCase: Case): string => {
      const run = runs.find(
        (one) => one.provider === provider && one.direction === direction && one.testCase === testCase,
      );
      if (!run) return '-';
      const end = run.status === 502 ? 'refused' : (WORDS[run.cameTo] ?? run.cameTo);
      return `${run.status === 202 ? '… ' : ''}${end}`;
    };
    const width = Math.max(...CASES.map(({ name }) => name.length)) + 2;
    const head = ' '.repeat(14) + CASES.map(({ name }) => name.padEnd(width)).join('');
    const lines = everyProvider.flatMap((provider) =>
      DIRECTIONS.map((direction) => {
        const cells = CASES.map((testCase) => cell(provider, direction, testCase).padEnd(width));
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
