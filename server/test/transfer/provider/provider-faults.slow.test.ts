import { strict as assert } from 'node:assert';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { toDecimal } from '@krapao/contract/money';
import type { Ledger } from '../../../src/ledger/index.ts';
import {
  readProviderCredit,
  settleManually,
  type ProviderFault,
  readLegStates,
  failProvider,
  multiplierOf,
  openGame,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
  waitForManualTransfers,
  type TransferRequest,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { fundWallet, createTestLedger } from '../../harness/money.ts';
import { providerCallNames, ALL_PROVIDER_GAMES, WITHOUT_TRANSFER_INQUIRY } from '../../harness/provider-calls.ts';
import { startSystem, type System } from '../../harness/system.ts';

/** Correct replies must be in time on a busy machine. */
/** Also on a busy machine, twice this time passes between a timeout and a proven refusal. */
const TIMEOUT_MS = 3_000;
const DIRECTIONS = ['in', 'out'] as const;
const REPORTS_FOLDER = join(import.meta.dirname, '../../../../reports');

type Direction = (typeof DIRECTIONS)[number];
type LegEnd = 'DONE' | 'REVERSED';
type TransferCase = {
  name: string;
  faults: (Omit<ProviderFault, 'call'> & { at?: 'check' })[];
  /** The first reply to the member. */
  firstReply: 'DONE' | 'PROCESSING' | 'TRANSFER_FAIL';
  expectedEnd: LegEnd;
  /** Only for providers that accept our reference, or that support inquiries by it. */
  requiredFeature?: 'reference' | 'check';
};

const unknownOutcomeCase = (name: string, expectedEnd: LegEnd, ...faults: TransferCase['faults']): TransferCase => ({
  name,
  expectedEnd: expectedEnd,
  faults,
  firstReply: 'PROCESSING',
});

const TRANSFER_CASES: TransferCase[] = [
  { name: 'yes', faults: [], firstReply: 'DONE', expectedEnd: 'DONE' },
  { name: 'declined', faults: [{ fault: 'decline' }], firstReply: 'TRANSFER_FAIL', expectedEnd: 'REVERSED' },
  unknownOutcomeCase('timeout, done', 'DONE', { fault: 'timeout-applied' }),
  unknownOutcomeCase('timeout, not', 'REVERSED', { fault: 'timeout-lost' }),
  unknownOutcomeCase('garbage, done', 'DONE', { fault: 'garbage' }),
  unknownOutcomeCase('garbage, not', 'REVERSED', { fault: 'garbage', applied: false }),
  unknownOutcomeCase('500, done', 'DONE', { fault: 'error-500', applied: true }),
  unknownOutcomeCase('500, not', 'REVERSED', { fault: 'error-500' }),
  unknownOutcomeCase('strange, done', 'DONE', { fault: 'unlisted-code' }),
  unknownOutcomeCase('strange, not', 'REVERSED', { fault: 'unlisted-code', applied: false }),
  // In the proportion of 70 s to a timeout of one minute.
  unknownOutcomeCase('slow', 'DONE', { fault: 'slow', delayMs: (TIMEOUT_MS * 7) / 6 }),
  { ...unknownOutcomeCase('duplicate, done', 'DONE', { fault: 'duplicate-reference' }), requiredFeature: 'reference' },
  {
    ...unknownOutcomeCase('duplicate, not', 'REVERSED', { fault: 'duplicate-reference', applied: false }),
    requiredFeature: 'reference',
  },
  {
    ...unknownOutcomeCase('not found, found', 'DONE', { fault: 'timeout-applied' }, { fault: 'absent', at: 'check' }),
    requiredFeature: 'check',
  },
];

const TRANSFER_BAHT = 40.5;
const STAKE_BAHT = 100;
const END_TEXTS: Readonly<Record<string, string>> = { DONE: 'done', REVERSED: 'returned', MANUAL: 'operator' };
const firstReply = { DONE: 'SUCCESS', REVERSED: 'FAILED' } as const;

const isApplicable = ({ requiredFeature }: TransferCase, provider: string): boolean => {
  const callNames = providerCallNames(provider);
  if (requiredFeature === 'reference') return callNames.isReferenced;
  return requiredFeature === 'check' ? callNames.check !== undefined : true;
};

/** One transfer of one member at one provider, and its outcome. */
type CaseRun = {
  provider: string;
  direction: Direction;
  testCase: TransferCase;
  member: TestMember;
  username: string;
  request: TransferRequest;
};

/** Without inquiries and turnover, only a transfer into an empty account is proven automatically. */
const isForOperator = ({ provider, direction, testCase, status }: CaseRun & { status: number }): boolean =>
  WITHOUT_TRANSFER_INQUIRY.includes(provider) &&
  status === 202 &&
  !(direction === 'in' && testCase.expectedEnd === 'DONE');

let system: System;
let ledger: Ledger;
const finishedRuns: (CaseRun & { reference: string; status: number; reachedEnd: string })[] = [];
/** One member per case and direction, with an account at the provider. */
const members = new Map<string, TestMember>();

before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(TIMEOUT_MS) });
  ledger = createTestLedger(system);
  const names = DIRECTIONS.flatMap((direction) => TRANSFER_CASES.map(({ name }) => `${direction} ${name}`));
  await Promise.all(names.map(async (name) => members.set(name, await registerMember(system))));
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

async function prepareRun(provider: string, direction: Direction, testCase: TransferCase): Promise<CaseRun> {
  const member = members.get(`${direction} ${testCase.name}`) as TestMember;
  const { username } = await openGame(system, member.token, provider);
  await fundWallet(ledger, member.id, String(STAKE_BAHT));
  const legAccounts = direction === 'in' ? { from: 'WALLET', to: provider } : { from: provider, to: 'WALLET' };
  if (direction === 'out') {
    const transferReply = await transfer(system, member.token, {
      from: 'WALLET',
      to: provider,
      amount: STAKE_BAHT,
    });
    assert.equal(transferReply.status, 200, `${provider}: ${JSON.stringify(transferReply.body)}`);
  }
  const key = `matrix-${provider}-${direction}-${TRANSFER_CASES.indexOf(testCase)}`;
  return { provider, direction, testCase, member, username, request: { ...legAccounts, amount: TRANSFER_BAHT, key } };
}

async function runCase(caseRun: CaseRun): Promise<void> {
  const { provider, direction, testCase, member, request } = caseRun;
  for (const { at, ...fault } of testCase.faults) {
    await failProvider(system, provider, {
      ...fault,
      call: String(providerCallNames(provider)[at ?? direction]),
    });
  }
  const { status, body } = await transfer(system, member.token, request);
  const replySummary = `${provider} ${direction}, ${testCase.name}: ${status} ${JSON.stringify(body)}`;
  if (testCase.firstReply === 'TRANSFER_FAIL')
    assert.deepEqual([status, body.message], [502, 'TRANSFER_FAIL'], replySummary);
  // An inquiry may be answered before the reply is sent.
  else if (testCase.firstReply === 'PROCESSING' && status === 200)
    assert.equal(testCase.expectedEnd, 'DONE', replySummary);
  else
    assert.deepEqual(
      [status, body.status],
      [testCase.firstReply === 'DONE' ? 200 : 202, testCase.firstReply],
      replySummary,
    );
  finishedRuns.push({
    ...caseRun,
    status,
    reachedEnd: '',
    reference: body.reference ?? (await referenceOf(request.key ?? '')),
  });
}

async function referenceOf(key: string): Promise<string> {
  const { rows } = await system.database.query<{ reference: string }>(
    'select reference from transfer where idempotency_key = $1',
    [key],
  );
  return rows[0]?.reference ?? '';
}

// Faults are queued per call: transfers by the same call run one after the other, all others concurrently.
async function runProvider(provider: string): Promise<void> {
  const cases = TRANSFER_CASES.filter((testCase) => isApplicable(testCase, provider));
  // Transfers out need a deposit first, which must not meet the faults of transfers in.
  const homeRuns: CaseRun[] = [];
  for (const testCase of cases) homeRuns.push(await prepareRun(provider, 'out', testCase));
  const transferOut = async (): Promise<void> => {
    for (const caseRun of homeRuns) await runCase(caseRun);
  };
  const transferIn = async (): Promise<void> => {
    for (const testCase of cases) await runCase(await prepareRun(provider, 'in', testCase));
  };
  const callNames = providerCallNames(provider);
  if (callNames.in === callNames.out) await transferOut().then(transferIn);
  else await Promise.all([transferOut(), transferIn()]);
}

async function assertEnd(caseRun: (typeof finishedRuns)[number]): Promise<void> {
  const { provider, direction, testCase, member, username, request, reference } = caseRun;
  const description = `${provider} ${direction}, ${testCase.name}`;
  const isDone = testCase.expectedEnd === 'DONE';
  assert.deepEqual(await readLegStates(system, reference), [testCase.expectedEnd], description);
  const before = direction === 'in' ? 0 : STAKE_BAHT;
  const inGame = isDone ? before + (direction === 'in' ? TRANSFER_BAHT : -TRANSFER_BAHT) : before;
  const { body: wallet } = await system.api('GET /api/wallet', { token: member.token });
  const slot = wallet.slots.find(({ code }: { code: string }) => code === provider);
  assert.deepEqual([slot.amount, slot.inProgress], [inGame, null], description);
  const credits = BigInt(inGame * 100) * multiplierOf(provider);
  assert.equal(await readProviderCredit(system, provider, username), toDecimal(credits as never), description);
  // The app repeats the same key and gets its outcome.
  const repeatedReply = await transfer(system, member.token, request);
  const expectedReply = isDone ? [200, 'DONE', undefined] : [502, undefined, 'TRANSFER_FAIL'];
  assert.deepEqual(
    [repeatedReply.status, repeatedReply.body.status, repeatedReply.body.message],
    expectedReply,
    description,
  );
  const events = (await ledger.eventsSince(member.id, 0n)).filter((event) => event.reference === reference);
  assert.equal(events.at(-1)?.state, firstReply[testCase.expectedEnd], description);
}

describe('every provider, in both directions, with every fault', () => {
  test("each transfer with any provider fault ends in its correct outcome, as the member's reply says [R-XFER-02] [R-XFER-04]", async () => {
    await Promise.all(ALL_PROVIDER_GAMES.map(runProvider));
    const manual = await waitForManualTransfers(system);
    for (const caseRun of finishedRuns) caseRun.reachedEnd = (await readLegStates(system, caseRun.reference)).join();
    assert.deepEqual(
      manual.map(({ reference }) => reference).toSorted(),
      finishedRuns
        .filter(isForOperator)
        .map(({ reference }) => reference)
        .toSorted(),
    );
    for (const { reference, testCase } of finishedRuns.filter(isForOperator)) {
      await settleManually(system, reference, testCase.expectedEnd === 'DONE');
    }
    await untilSettled(system);
    await Promise.all(
      ALL_PROVIDER_GAMES.map(async (provider) => {
        for (const testRun of finishedRuns.filter((run) => run.provider === provider)) await assertEnd(testRun);
      }),
    );
    writeTable();
  });

  test("each member's wallet and games add up, and the statement has each transfer's final state [R-XFER-04]", async () => {
    for (const [name, { id, token }] of members) {
      const ownRuns = finishedRuns.filter(({ member }) => member.id === id);
      const { body } = await system.api('GET /api/wallet', { token });
      const inGames = body.slots.reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
      assert.deepEqual([body.wallet.amount + inGames, body.wallet.inTransit], [ownRuns.length * STAKE_BAHT, 0], name);
      const { statements } = (await system.api('POST /api/statement', { token, body: { page: 1, limit: 100 } })).body;
      for (const { provider, direction, testCase, reference } of ownRuns.filter(
        ({ testCase }) => testCase.firstReply !== 'DONE',
      )) {
        const statementEntry = statements.find((statement: { reference: string }) => statement.reference === reference);
        // A refused transfer out never held anything in the wallet.
        if (!statementEntry && direction === 'out' && testCase.expectedEnd === 'REVERSED') continue;
        assert.equal(
          statementEntry?.status,
          firstReply[testCase.expectedEnd],
          `${provider} ${direction}, ${testCase.name}`,
        );
      }
    }
  });

  test("after all provider faults no money is created or lost: the books equal the providers' balances [R-XFER-04]", async () => {
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
    assert.deepEqual(await ledger.openHolds(new Date(Date.now() + 60_000)), []);
    const { sums } = (await system.simulatorsApi('GET /control/totals')).body;
    for (const provider of ALL_PROVIDER_GAMES) {
      const providerRuns = finishedRuns.filter((caseRun) => caseRun.provider === provider);
      const credits = providerRuns.reduce((total, { direction, testCase }) => {
        const movedBaht = testCase.expectedEnd === 'DONE' ? TRANSFER_BAHT : 0;
        return total + (direction === 'in' ? movedBaht : STAKE_BAHT - movedBaht);
      }, 0);
      const heldSatang = BigInt(credits * 100) * multiplierOf(provider);
      assert.equal(sums.games[provider].balance, toDecimal(heldSatang as never), provider);
    }
  });

  /** Report: the first reply and the outcome of each case. */
  function writeTable(): void {
    const reportCell = (provider: string, direction: Direction, testCase: TransferCase): string => {
      const caseRun = finishedRuns.find(
        (testRun) => testRun.provider === provider && testRun.direction === direction && testRun.testCase === testCase,
      );
      if (!caseRun) return '-';
      const endText = caseRun.status === 502 ? 'refused' : (END_TEXTS[caseRun.reachedEnd] ?? caseRun.reachedEnd);
      return `${caseRun.status === 202 ? '… ' : ''}${endText}`;
    };
    const width = Math.max(...TRANSFER_CASES.map(({ name }) => name.length)) + 2;
    const reportHead = ' '.repeat(14) + TRANSFER_CASES.map(({ name }) => name.padEnd(width)).join('');
    const reportLines = ALL_PROVIDER_GAMES.flatMap((provider) =>
      DIRECTIONS.map((direction) => {
        const reportCells = TRANSFER_CASES.map((testCase) => reportCell(provider, direction, testCase).padEnd(width));
        return `${provider.padEnd(10)}${direction.padEnd(4)}${reportCells.join('')}`;
      }),
    );
    mkdirSync(REPORTS_FOLDER, { recursive: true });
    writeFileSync(
      join(REPORTS_FOLDER, 'provider-faults.txt'),
      `${[reportHead, ...reportLines].map((reportLine) => reportLine.trimEnd()).join('\n')}\n`,
    );
  }
});
