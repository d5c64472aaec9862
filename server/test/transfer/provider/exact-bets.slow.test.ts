import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { minor, toDecimal } from '@krapao/contract/money';
import type { Ledger } from '../../../src/ledger/index.ts';
import { runCommand } from '../../harness/command.ts';
import {
  assertBooksAgree,
  behave,
  eventually,
  findOut,
  legStates,
  misbehave,
  multiplierOf,
  openBet,
  openGame,
  play,
  providersWithin,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../../harness/money.ts';
import { callNamesOf, everyProvider, TELLS_NOTHING } from '../../harness/provider-calls.ts';
import { startSystem, type System } from '../../harness/system.ts';

/** Providers without inquiries about transfers: only balances before and after. */
const BLIND = everyProvider.filter((code) => callNamesOf(code).check === undefined);

const PUT = 50;
const AMOUNT = 10;

type Direction = 'in' | 'out';
type State = 'DONE' | 'REVERSED' | 'MANUAL';
type Case = {
  name: string;
  direction: Direction;
  isApplied: boolean;
  /** Balance before: zero, or {@link PUT}. */
  isEmpty?: true;
  /**
   * exact: wins or loses the amount that makes the opposite look true · void: an earlier bet of exactly the amount
   * is returned · none: no play
   */
  plays: 'exact' | 'void' | 'none';
};

const WAYS = (['in', 'out'] as const).flatMap((direction) =>
  [true, false].map((isApplied) => ({ direction, isApplied })),
);
const CASES: Case[] = [
  ...WAYS.flatMap((way) =>
    (['exact', 'void'] as const).map((plays) => ({ ...way, plays, name: `${nameOf(way)}, ${plays}` })),
  ),
  ...[true, false].map((isApplied): Case => ({
    direction: 'in',
    isApplied,
    isEmpty: true,
    plays: 'none',
    name: `${nameOf({ direction: 'in', isApplied })}, into nothing`,
  })),
];

function nameOf({ direction, isApplied }: Pick<Case, 'direction' | 'isApplied'>): string {
  return `${direction}, ${isApplied ? 'done' : 'not done'}`;
}

/** Required outcome without an operator. */
function endOf(code: string, { isApplied, plays, isEmpty }: Case): State {
  const truth = isApplied ? 'DONE' : 'REVERSED';
  if (plays === 'exact') return 'MANUAL';
  if (!TELLS_NOTHING.includes(code)) return truth;
  return isEmpty && isApplied ? 'DONE' : 'MANUAL';
}

type Run = Case & { code: string; member: TestMember; username: string; reference: string; play: () => Promise<void> };

describe('bets of exactly the amount while a transfer is open', () => {
  let system: System;
  let ledger: Ledger;
  const runs: Run[] = [];

  before(async () => {
    // No timeouts: outcomes are unknown only because of the replies.
    system = await startSystem({ outside: providersWithin(10_000) });
    ledger = ledgerOf(system);
    // The resolver inquires only after the member has played.
    await system.database.query(`
      create function look_later() returns trigger language plpgsql as $$
        begin new.next_ask_at := 'infinity'; return new; end $$;
      create trigger look_later before update on transfer_leg for each row
        when (old.state = 'SENT' and new.state = 'UNKNOWN') execute function look_later()`);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  async function begin(code: string, member: TestMember, testCase: Case): Promise<void> {
    const { direction, isApplied, plays, isEmpty } = testCase;
    const { username } = await openGame(system, member.token, code);
    await fund(ledger, member.id, String(PUT + AMOUNT));
    if (!isEmpty) {
      const put = await transfer(system, member.token, { from: 'WALLET', to: code, amount: PUT });
      assert.equal(put.status, 200, JSON.stringify(put.body));
    }
    const credits = (baht: number): string => toDecimal(minor(BigInt(baht * 100) * multiplierOf(code)));
    const voidBet = plays === 'void' ? await openBet(system, code, username, credits(AMOUNT)) : undefined;
    await misbehave(system, code, { fault: 'garbage', applied: isApplied, call: callNamesOf(code)[direction] });
    const ways = direction === 'in' ? { from: 'WALLET', to: code } : { from: code, to: 'WALLET' };
    const { status, body } = await transfer(system, member.token, { ...ways, amount: AMOUNT });
    assert.equal(status, 202, `${code} ${testCase.name}: ${JSON.stringify(body)}`);
    // A win hides money that left or never arrived; a loss hides the opposite.
    const isWon = isApplied === (direction === 'out');
    const exact = () => play(system, code, username, credits(AMOUNT), credits(isWon ? 2 * AMOUNT : 0));
    const nothing = () => Promise.resolve();
    const toPlay = plays === 'exact' ? exact : (voidBet ?? nothing);
    runs.push({ ...testCase, code, member, username, reference: body.reference, play: toPlay });
  }

  test('are never taken for the transfer, at any provider that cannot be asked, in both directions [R-XFER-04]', async () => {
    const members = new Map<Case, TestMember>();
    for (const testCase of CASES) members.set(testCase, await registerMember(system));
    // Faults are queued per call: one after the other at each provider.
    await Promise.all(
      BLIND.map(async (code) => {
        for (const [testCase, member] of members) await begin(code, member, testCase);
      }),
    );
    await behave(system);
    assert.equal(runs.length, BLIND.length * CASES.length);
    for (const run of runs) await run.play();
    await system.database.query(
      `update transfer_leg set next_ask_at = now(), sent_at = now() - interval '1 hour' where state = 'UNKNOWN'`,
    );
    for (const run of runs) {
      const what = `${run.code} ${run.name}`;
      const [state] = await eventually(
        what,
        () => legStates(system, run.reference),
        ([now]) => now !== 'UNKNOWN',
      );
      assert.equal(state, endOf(run.code, run), what);
    }
  });

  test('an operator sees the balance, and what was staked, before and after [R-XFER-04]', async () => {
    const { status, output } = await runCommand(system, 'transfers', []);
    assert.equal(status, 0, output);
    const lines = output.split('\n');
    const left = runs.filter((run) => endOf(run.code, run) === 'MANUAL');
    assert.ok(left.length >= BLIND.length * WAYS.length);
    for (const { code, name, reference } of left) {
      const line = lines.find((one) => one.startsWith(`${reference}-1 `)) ?? '';
      const known = TELLS_NOTHING.includes(code)
        ? /, [\d.]+ credits before, [\d.]+ when last seen: the provider does not tell whether rounds were settled$/
        : /, [\d.]+ credits before, [\d.]+ when last seen, turnover 0\.00 before, [1-9][\d.]+ when last seen: rounds were settled meanwhile$/;
      assert.match(line, known, `${code} ${name}`);
    }
    assert.equal(lines.at(-2), `${left.length} open, ${left.length} wait for an operator`);
  });

  test('when an operator has found out, nothing was made or lost [R-XFER-04]', async () => {
    assert.equal(runs.length, BLIND.length * CASES.length);
    for (const run of runs.filter((one) => endOf(one.code, one) === 'MANUAL')) {
      const held = await balanceOf(ledger, run.member.id, run.direction === 'in' ? 'WALLET' : `GAME:${run.code}`);
      assert.ok(BigInt(held.held.replace('.', '')) >= BigInt(AMOUNT * 100), 'until then the money is held');
      await findOut(system, run.reference, run.isApplied);
    }
    for (const { reference, isApplied, code, name } of runs) {
      await eventually(
        `${code} ${name}`,
        () => legStates(system, reference),
        ([now]) => now === (isApplied ? 'DONE' : 'REVERSED'),
      );
    }
    for (const member of new Set(runs.map((run) => run.member))) {
      const own = runs.filter((run) => run.member === member);
      const { status } = await system.api('GET /api/wallet/refresh/slot', { token: member.token });
      assert.equal(status, 200);
      await assertBooksAgree(system, ledger, member.id, Object.fromEntries(own.map((run) => [run.code, run.username])));
      const moved = own.reduce((sum, { direction, isApplied, isEmpty }) => {
        const stays = isEmpty ? PUT + AMOUNT : AMOUNT;
        return sum + stays + (isApplied ? (direction === 'in' ? -AMOUNT : AMOUNT) : 0);
      }, 0);
      assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: `${moved}.00`, held: '0.00' });
    }
    assert.deepEqual(await ledger.openHolds(new Date(Date.now() + 60_000)), []);
  });
});
