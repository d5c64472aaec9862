import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { minor, toDecimal } from '@krapao/contract/money';
import type { Ledger } from '../../../src/ledger/index.ts';
import { runCommand } from '../../harness/command.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  waitUntilResult,
  settleManually,
  readLegStates,
  failProvider,
  multiplierOf,
  openBet,
  openGame,
  playRound,
  outsideWithProviderTimeout,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../../harness/money.ts';
import { providerCallNames, ALL_PROVIDER_GAMES, WITHOUT_TRANSFER_INQUIRY } from '../../harness/provider-calls.ts';
import { startSystem, type System } from '../../harness/system.ts';

/** Providers without inquiries about transfers: only balances before and after. */
const GAMES_WITHOUT_INQUIRY = ALL_PROVIDER_GAMES.filter((code) => providerCallNames(code).check === undefined);

const DEPOSIT_BAHT = 50;
const AMOUNT_BAHT = 10;

type Direction = 'in' | 'out';
type LegState = 'DONE' | 'REVERSED' | 'MANUAL';
type BetCase = {
  name: string;
  direction: Direction;
  isApplied: boolean;
  /** Balance before: zero, or {@link DEPOSIT_BAHT}. */
  isEmpty?: true;
  /**
   * exact: wins or loses the amount that makes the opposite look true · void: an earlier bet of exactly the amount
   * is returned · none: no play
   */
  playKind: 'exact' | 'void' | 'none';
};

const TRANSFER_CASES = (['in', 'out'] as const).flatMap((direction) =>
  [true, false].map((isApplied) => ({ direction, isApplied })),
);
const BET_CASES: BetCase[] = [
  ...TRANSFER_CASES.flatMap((transferCase) =>
    (['exact', 'void'] as const).map((playKind) => ({
      ...transferCase,
      playKind,
      name: `${nameOf(transferCase)}, ${playKind}`,
    })),
  ),
  ...[true, false].map((isApplied): BetCase => ({
    direction: 'in',
    isApplied,
    isEmpty: true,
    playKind: 'none',
    name: `${nameOf({ direction: 'in', isApplied })}, into nothing`,
  })),
];

function nameOf({ direction, isApplied }: Pick<BetCase, 'direction' | 'isApplied'>): string {
  return `${direction}, ${isApplied ? 'done' : 'not done'}`;
}

/** Required outcome without an operator. */
function endOf(code: string, { isApplied, playKind, isEmpty }: BetCase): LegState {
  const trueState = isApplied ? 'DONE' : 'REVERSED';
  if (playKind === 'exact') return 'MANUAL';
  if (!WITHOUT_TRANSFER_INQUIRY.includes(code)) return trueState;
  return isEmpty && isApplied ? 'DONE' : 'MANUAL';
}

type BetRun = BetCase & {
  code: string;
  member: TestMember;
  username: string;
  reference: string;
  play: () => Promise<void>;
};

describe('bets of exactly the amount of an open transfer', () => {
  let system: System;
  let ledger: Ledger;
  const betRuns: BetRun[] = [];

  before(async () => {
    // No timeouts: outcomes are unknown only because of the replies.
    system = await startSystem({ outside: outsideWithProviderTimeout(10_000) });
    ledger = createTestLedger(system);
    // The resolver inquires only after the member has played.
    await system.database.query(`
      create function look_later() returns trigger language plpgsql as $$
        begin new.next_inquiry_at := 'infinity'; return new; end $$;
      create trigger look_later before update on transfer_leg for each row
        when (old.state = 'SENT' and new.state = 'UNKNOWN') execute function look_later()`);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  async function beginRun(code: string, member: TestMember, testCase: BetCase): Promise<void> {
    const { direction, isApplied, playKind, isEmpty } = testCase;
    const { username } = await openGame(system, member.token, code);
    await fundWallet(ledger, member.id, String(DEPOSIT_BAHT + AMOUNT_BAHT));
    if (!isEmpty) {
      const transferReply = await transfer(system, member.token, {
        from: 'WALLET',
        to: code,
        amount: DEPOSIT_BAHT,
      });
      assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
    }
    const toCredits = (baht: number): string => toDecimal(minor(BigInt(baht * 100) * multiplierOf(code)));
    const voidBet = playKind === 'void' ? await openBet(system, code, username, toCredits(AMOUNT_BAHT)) : undefined;
    await failProvider(system, code, {
      fault: 'garbage',
      applied: isApplied,
      call: providerCallNames(code)[direction],
    });
    const legAccounts = direction === 'in' ? { from: 'WALLET', to: code } : { from: code, to: 'WALLET' };
    const { status, body } = await transfer(system, member.token, { ...legAccounts, amount: AMOUNT_BAHT });
    assert.equal(status, 202, `${code} ${testCase.name}: ${JSON.stringify(body)}`);
    // A win hides money that left or never arrived; a loss hides the opposite.
    const isWon = isApplied === (direction === 'out');
    const playExactRound = () =>
      playRound(system, code, username, toCredits(AMOUNT_BAHT), toCredits(isWon ? 2 * AMOUNT_BAHT : 0));
    const playNothing = () => Promise.resolve();
    const playRoundOfCase = playKind === 'exact' ? playExactRound : (voidBet ?? playNothing);
    betRuns.push({ ...testCase, code, member, username, reference: body.reference, play: playRoundOfCase });
  }

  test('bets of exactly the amount never count as the transfer, at providers without status inquiries, in both directions [R-XFER-04]', async () => {
    const members = new Map<BetCase, TestMember>();
    for (const testCase of BET_CASES) members.set(testCase, await registerMember(system));
    // Faults are queued per call: one after the other at each provider.
    await Promise.all(
      GAMES_WITHOUT_INQUIRY.map(async (code) => {
        for (const [testCase, member] of members) await beginRun(code, member, testCase);
      }),
    );
    await clearProviderFaults(system);
    assert.equal(betRuns.length, GAMES_WITHOUT_INQUIRY.length * BET_CASES.length);
    for (const run of betRuns) await run.play();
    await system.database.query(
      `update transfer_leg set next_inquiry_at = now(), sent_at = now() - interval '1 hour' where state = 'UNKNOWN'`,
    );
    for (const run of betRuns) {
      const description = `${run.code} ${run.name}`;
      const [state] = await waitUntilResult(
        description,
        () => readLegStates(system, run.reference),
        ([now]) => now !== 'UNKNOWN',
      );
      assert.equal(state, endOf(run.code, run), description);
    }
  });

  test('an operator sees balance and stakes before and after an unknown transfer [R-XFER-04]', async () => {
    const { status, output } = await runCommand(system, 'transfers', []);
    assert.equal(status, 0, output);
    const outputLines = output.split('\n');
    const manualRuns = betRuns.filter((run) => endOf(run.code, run) === 'MANUAL');
    assert.ok(manualRuns.length >= GAMES_WITHOUT_INQUIRY.length * TRANSFER_CASES.length);
    for (const { code, name, reference } of manualRuns) {
      const listLine = outputLines.find((outputLine) => outputLine.startsWith(`${reference}-1 `)) ?? '';
      const knownDetail = WITHOUT_TRANSFER_INQUIRY.includes(code)
        ? /, [\d.]+ credits before, [\d.]+ when last seen: the provider does not tell whether rounds were settled$/
        : /, [\d.]+ credits before, [\d.]+ when last seen, turnover 0\.00 before, [1-9][\d.]+ when last seen: rounds were settled meanwhile$/;
      assert.match(listLine, knownDetail, `${code} ${name}`);
    }
    assert.equal(outputLines.at(-2), `${manualRuns.length} open, ${manualRuns.length} wait for an operator`);
  });

  test("after an operator's settlement no money is created or lost [R-XFER-04]", async () => {
    assert.equal(betRuns.length, GAMES_WITHOUT_INQUIRY.length * BET_CASES.length);
    for (const run of betRuns.filter((testRun) => endOf(testRun.code, testRun) === 'MANUAL')) {
      const held = await readBalance(ledger, run.member.id, run.direction === 'in' ? 'WALLET' : `GAME:${run.code}`);
      assert.ok(BigInt(held.held.replace('.', '')) >= BigInt(AMOUNT_BAHT * 100), 'until then the money is held');
      await settleManually(system, run.reference, run.isApplied);
    }
    for (const { reference, isApplied, code, name } of betRuns) {
      await waitUntilResult(
        `${code} ${name}`,
        () => readLegStates(system, reference),
        ([now]) => now === (isApplied ? 'DONE' : 'REVERSED'),
      );
    }
    for (const member of new Set(betRuns.map((testRun) => testRun.member))) {
      const memberRuns = betRuns.filter((testRun) => testRun.member === member);
      const { status } = await system.api('GET /api/wallet/refresh/slot', { token: member.token });
      assert.equal(status, 200);
      await assertBooksAgree(
        system,
        ledger,
        member.id,
        Object.fromEntries(memberRuns.map((testRun) => [testRun.code, testRun.username])),
      );
      const movedBaht = memberRuns.reduce((total, { direction, isApplied, isEmpty }) => {
        const remainingBaht = isEmpty ? DEPOSIT_BAHT + AMOUNT_BAHT : AMOUNT_BAHT;
        return total + remainingBaht + (isApplied ? (direction === 'in' ? -AMOUNT_BAHT : AMOUNT_BAHT) : 0);
      }, 0);
      assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: `${movedBaht}.00`, held: '0.00' });
    }
    assert.deepEqual(await ledger.openHolds(new Date(Date.now() + 60_000)), []);
  });
});
