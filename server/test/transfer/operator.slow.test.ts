import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { openEventListener, waitUntil, waitForJoins } from '../event/member-socket.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  waitUntilResult,
  type GameCode,
  readLegStates,
  failProvider,
  openGame,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';

/** Long: unless delayed on purpose, replies must be in time on a busy machine. */
const PROVIDER_TIMEOUT_MS = 2_500;
const REASON_ARGS = ['provider', 'ticket', '123'];

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(PROVIDER_TIMEOUT_MS) });
  ledger = createTestLedger(system);
});
afterEach(async () => {
  await clearProviderFaults(system);
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const runTransfers = (...commandArgs: string[]): Promise<CommandResult> => runCommand(system, 'transfers', commandArgs);
const readOperatorLog = async (subject: string): Promise<string[]> => {
  const { status, output } = await runCommand(system, 'operator-log', [subject]);
  assert.equal(status, 0, output);
  return output.trimEnd().split('\n').slice(0, -1);
};
const waitForStates = (reference: string, ...states: string[]) =>
  waitUntilResult(
    `${reference} is ${states.join()}`,
    () => readLegStates(system, reference),
    (foundStates) => foundStates.join() === states.join(),
  );
const ageTransfer = (reference: string, hours: number) =>
  system.database.query(
    `update transfer_leg set sent_at = now() - $2 * interval '1 hour', next_inquiry_at = now(), leased_until = now()
      where provider_reference = $1`,
    [reference, hours],
  );

type LostTransfer = { member: TestMember; username: string; reference: string };

/** Moves 40 of 100 baht from the wallet or the game; pg does not reply. */
async function loseTransfer(isApplied: boolean, direction: 'in' | 'out' = 'in'): Promise<LostTransfer> {
  const member = await registerMember(system);
  const { username } = await openGame(system, member.token, 'pg');
  await fundWallet(ledger, member.id, '100.00');
  if (direction === 'out') await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100 });
  const faultyCall = direction === 'in' ? 'TransferIn' : 'TransferOut';
  await failProvider(system, 'pg', { fault: isApplied ? 'timeout-applied' : 'timeout-lost', call: faultyCall });
  await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
  const [from, to] = direction === 'in' ? ['WALLET', 'pg'] : ['pg', 'WALLET'];
  const { status, body } = await transfer(system, member.token, { from, to, amount: 40 });
  assert.equal(status, 202, JSON.stringify(body));
  await waitForStates(body.reference, 'UNKNOWN');
  return { member, username, reference: body.reference };
}

/** The same, aged by a day. */
async function loseTransferForADay(isApplied: boolean, direction: 'in' | 'out' = 'in'): Promise<LostTransfer> {
  const lostTransfer = await loseTransfer(isApplied, direction);
  await advanceOneDay(lostTransfer.reference, 'MANUAL');
  return lostTransfer;
}

/** Ages the UNKNOWN leg by a day: the next inquiry gets no reply. */
async function advanceOneDay(reference: string, ...states: string[]): Promise<void> {
  await waitForState(reference, states.indexOf('MANUAL') + 1, 25, ...states);
}

/** Ages the leg repeatedly: a pending inquiry would postpone the next one for long. */
async function waitForState(reference: string, leg: number, hours: number, ...states: string[]): Promise<void> {
  await waitUntilResult(
    `${reference} is ${states.join()}`,
    async () => {
      await ageTransfer(`${reference}-${leg}`, hours);
      return readLegStates(system, reference);
    },
    (foundStates) => foundStates.join() === states.join(),
  );
}

const readBalances = async ({ member }: LostTransfer) => {
  const { body } = await system.api('GET /api/wallet', { token: member.token });
  const slot = body.slots.find(({ code }: { code: string }) => code === 'pg');
  return { amount: body.wallet.amount, inTransit: body.wallet.inTransit, inGame: slot.amount };
};

describe('an operator and waiting transfers', () => {
  test('open transfers are listed oldest first with all known facts, and counted [R-XFER-04]', async () => {
    const first = await loseTransferForADay(true);
    const second = await loseTransfer(false, 'out');
    const { status, output } = await runTransfers();
    assert.equal(status, 0, output);
    const outputLines = output.trimEnd().split('\n');
    assert.deepEqual(
      outputLines.slice(0, -1).map((outputLine) => outputLine.split(/ +/, 2)),
      [
        [`${first.reference}-1`, 'MANUAL'],
        [`${second.reference}-1`, 'UNKNOWN'],
      ],
    );
    const [manual = '', unknownLine = ''] = outputLines;
    assert.match(manual, /\d+ min +40\.00 BAHT +40\.00 credits +to pg at pg, player /);
    assert.ok(
      manual.includes(`player ${first.username}  member ${first.member.id} (${first.member.phone})  asked `),
      manual,
    );
    assert.match(unknownLine, /from pg at pg, .* asked \d+, not found 0, 100\.00 credits before: /);
    assert.equal(outputLines.at(-1), '2 open, 1 wait for an operator');
    await clearProviderFaults(system);
    await runTransfers('settle', first.reference, 'applied', 'nok', ...REASON_ARGS);
    await waitForState(second.reference, 1, 1, 'REVERSED');
    await untilSettled(system);
    assert.equal((await runTransfers()).output, '0 open, 0 wait for an operator\n');
  });

  test('a transfer settled as applied moves its money, notifies the member immediately, and the ledger names the operator [R-XFER-04]', async () => {
    const lostTransfer = await loseTransferForADay(true);
    const { member, username, reference } = lostTransfer;
    assert.deepEqual(await readBalances(lostTransfer), { amount: 60, inTransit: 40, inGame: 0 });
    const listener = openEventListener(system.url, member);
    try {
      await waitForJoins(listener);
      const settleResult = await runTransfers('settle', `${reference}-1`, 'applied', 'nok', ...REASON_ARGS);
      assert.equal(settleResult.status, 0, settleResult.output);
      assert.match(settleResult.output, new RegExp(`^${reference}-1 is settled: APPLIED, by operator:nok\\.`));
      await waitUntil(
        () => listener.events.some((event) => event.reference === reference && event.state === 'SUCCESS'),
        () => JSON.stringify(listener.events),
      );
    } finally {
      listener.socket.disconnect();
    }
    await untilSettled(system);
    await assertBooksAgree(system, ledger, member.id, { pg: username });
    assert.deepEqual(await readBalances(lostTransfer), { amount: 60, inTransit: 0, inGame: 40 });
    const { body } = await system.api('POST /api/statement', { token: member.token, body: {} });
    const [statementEntry] = body.statements;
    assert.deepEqual(
      [statementEntry.reference, statementEntry.status, statementEntry.amount],
      [reference, 'SUCCESS', -40],
    );
    const { rows } = await system.database.query<{ actor: string }>(
      `select distinct actor from ledger.operation where reference = $1 and type = 'post'`,
      [reference],
    );
    assert.deepEqual(rows, [{ actor: 'operator:nok' }]);
    const entries = await readOperatorLog(`${reference}-1`);
    assert.equal(entries.length, 1);
    assert.match(
      entries[0] ?? '',
      new RegExp(
        `^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\+07:00  nok +transfers settle APPLIED +${reference}-1  provider ticket 123$`,
      ),
    );
  });

  for (const direction of ['in', 'out'] as const) {
    test(`a transfer settled as refused (${direction}) leaves the money where it was, and a repetition returns that outcome [R-XFER-04]`, async () => {
      const lostTransfer = await loseTransferForADay(false, direction);
      const settleResult = await runTransfers('settle', lostTransfer.reference, 'refused', 'nok', ...REASON_ARGS);
      assert.equal(settleResult.status, 0, settleResult.output);
      await untilSettled(system);
      assert.deepEqual(await readLegStates(system, lostTransfer.reference), ['REVERSED']);
      await assertBooksAgree(system, ledger, lostTransfer.member.id, { pg: lostTransfer.username });
      const inWallet = direction === 'in' ? 100 : 0;
      assert.deepEqual(await readBalances(lostTransfer), { amount: inWallet, inTransit: 0, inGame: 100 - inWallet });
      const [event] = (await ledger.eventsSince(lostTransfer.member.id, 0n)).slice(-1);
      assert.deepEqual([event?.reference, event?.state], [lostTransfer.reference, 'FAILED']);
    });
  }

  test('of several operators who settle a transfer concurrently one succeeds, and the log names that one [R-XFER-04]', async () => {
    const lostTransfer = await loseTransferForADay(true);
    const names = ['nok', 'lek', 'noi', 'dam'];
    const settleResults = await Promise.all(
      names.map((name, index) =>
        runTransfers(
          'settle',
          `${lostTransfer.reference}-1`,
          index % 2 === 0 ? 'applied' : 'refused',
          name,
          ...REASON_ARGS,
        ),
      ),
    );
    const winners = names.filter((_, index) => settleResults[index]?.status === 0);
    const [winner = '', ...otherWinners] = winners;
    assert.deepEqual([winners.length, otherWinners], [1, []], JSON.stringify(settleResults));
    for (const { status, output } of settleResults.filter((result) => result.status !== 0)) {
      assert.equal(status, 1);
      // Another operator sees the outcome.
      assert.match(output, new RegExp(`settled already, by operator:${winner}|it is (DONE|REVERSED)`));
    }
    await untilSettled(system);
    const entries = await readOperatorLog(`${lostTransfer.reference}-1`);
    assert.equal(entries.length, 1, entries.join('\n'));
    const isApplied = names.indexOf(winner) % 2 === 0;
    assert.match(entries[0] ?? '', new RegExp(`  ${winner} +transfers settle ${isApplied ? 'APPLIED' : 'REFUSED'} `));
    assert.deepEqual(await readLegStates(system, lostTransfer.reference), [isApplied ? 'DONE' : 'REVERSED']);
    assert.equal((await readBalance(ledger, lostTransfer.member.id, 'WALLET')).free, isApplied ? '60.00' : '100.00');
    assert.equal((await readBalance(ledger, lostTransfer.member.id, 'WALLET')).held, '0.00');
  });
});

describe('transfers that an operator can’t settle immediately', () => {
  test('an invalid transfers command changes and logs nothing, and prints the reason [R-XFER-04]', async () => {
    const lostTransfer = await loseTransfer(false);
    const reference = `${lostTransfer.reference}-1`;
    // No pending inquiry: a command waits for it.
    await system.database.query(
      `update transfer_leg set fence = fence + 1, leased_until = now(), next_inquiry_at = now() + interval '1 hour'
        where provider_reference = $1`,
      [reference],
    );
    const before = (await runCommand(system, 'operator-log')).output;
    const cases: [string[], RegExp][] = [
      [['settle', reference, 'applied', 'nok', ...REASON_ARGS], /does not allow that, it is UNKNOWN/],
      [['settle', reference, 'refused', 'nok', ...REASON_ARGS], /it is UNKNOWN/],
      [['manual', reference, 'nok', ...REASON_ARGS], /less than five minutes ago/],
      [['settle', `${lostTransfer.reference}-2`, 'applied', 'nok', ...REASON_ARGS], /no such transfer/],
      [['manual', 'TNOBODYKNOWS', 'nok', ...REASON_ARGS], /no such transfer/],
      [['settle', `${reference}' or '1'='1`, 'applied', 'nok', ...REASON_ARGS], /no such transfer/],
      [['settle', reference, 'applied', 'nok'], /^WHY needs at least five letters\. Write /],
      [
        ['settle', reference, 'perhaps', 'nok', ...REASON_ARGS],
        /^The outcome is one of applied, refused, not "perhaps"\. /,
      ],
      [['undo', reference, 'nok', ...REASON_ARGS], /^There is no action "undo"\. Write /],
    ];
    for (const [commandArgs, message] of cases) {
      const { status, output } = await runTransfers(...commandArgs);
      assert.equal(status, 1, `${commandArgs.join(' ')}: ${output}`);
      assert.match(output, message, commandArgs.join(' '));
    }
    assert.equal((await runCommand(system, 'operator-log')).output, before);
    assert.deepEqual(await readLegStates(system, lostTransfer.reference), ['UNKNOWN']);
    assert.deepEqual(await readBalances(lostTransfer), { amount: 60, inTransit: 40, inGame: 0 });
    await clearProviderFaults(system);
    await waitForState(lostTransfer.reference, 1, 1, 'REVERSED');
    await untilSettled(system);
    const lateResult = await runTransfers('settle', reference, 'applied', 'nok', ...REASON_ARGS);
    assert.match(lateResult.output, /it is REVERSED/);
    assert.equal((await readBalances(lostTransfer)).amount, 100);
  });

  test('`transfers manual` takes an UNKNOWN leg after its running inquiry, and from a lost lease after 15 s [R-XFER-04]', async () => {
    const lostTransfer = await loseTransfer(true);
    const reference = `${lostTransfer.reference}-1`;
    // With a new fence: the pending inquiry changes nothing.
    const setLease = (leaseUntil: string) =>
      system.database.query(
        `update transfer_leg set sent_at = now() - interval '1 hour', leased_until = now() + $2::interval,
           fence = fence + 1, next_inquiry_at = now() + interval '1 hour' where provider_reference = $1`,
        [reference, leaseUntil],
      );
    await setLease('1 hour');
    const startedMs = performance.now();
    const manualResults = await Promise.all(
      ['nok', 'lek'].map((name) => runTransfers('manual', reference, name, ...REASON_ARGS)),
    );
    const waitedMs = performance.now() - startedMs;
    assert.ok(waitedMs > 14_000 && waitedMs < 20_000, String(waitedMs));
    assert.equal(manualResults.filter(({ status }) => status === 0).length, 1, JSON.stringify(manualResults));
    assert.deepEqual(await readLegStates(system, lostTransfer.reference), ['MANUAL']);
    assert.match((await runTransfers()).output, new RegExp(`${reference} +MANUAL .*: ${REASON_ARGS.join(' ')}\n`));
    // The provider would reply now, but no inquiry is sent.
    await clearProviderFaults(system);
    await system.database.query(`update transfer_leg set next_inquiry_at = now() where provider_reference = $1`, [
      reference,
    ]);
    const settleResult = await runTransfers('settle', reference, 'applied', 'lek', ...REASON_ARGS);
    assert.equal(settleResult.status, 0, settleResult.output);
    await untilSettled(system);
    await assertBooksAgree(system, ledger, lostTransfer.member.id, { pg: lostTransfer.username });
    const loggedActs = (await readOperatorLog(reference)).map((logLine) => logLine.split(/ {2,}/)[2]);
    assert.deepEqual(loggedActs, ['transfers manual', 'transfers settle APPLIED']);
  });

  for (const isApplied of [true, false]) {
    test(`a leg inquired again after a day ends when its provider replies: ${isApplied ? 'done' : 'not found, twice'} [R-XFER-04]`, async () => {
      const lostTransfer = await loseTransferForADay(isApplied);
      const reference = `${lostTransfer.reference}-1`;
      // Still no reply: it goes back to the operator.
      assert.equal((await runTransfers('inquire', reference, 'nok', ...REASON_ARGS)).status, 0);
      await waitUntilResult(
        'the question was in vain',
        async () => (await runTransfers()).output,
        (output) => output.includes(`${reference} `) && !output.includes('to be asked again'),
      );
      assert.deepEqual(await readLegStates(system, lostTransfer.reference), ['MANUAL']);
      await clearProviderFaults(system);
      assert.equal((await runTransfers('inquire', lostTransfer.reference, 'nok', ...REASON_ARGS)).status, 0);
      await untilSettled(system);
      assert.deepEqual(await readLegStates(system, lostTransfer.reference), [isApplied ? 'DONE' : 'REVERSED']);
      await assertBooksAgree(system, ledger, lostTransfer.member.id, { pg: lostTransfer.username });
      assert.equal((await readOperatorLog(reference)).length, 2);
    });
  }

  test('a leg inquired again at a provider without status inquiries still waits for the operator [R-XFER-04]', async () => {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, 'askmebet');
    await fundWallet(ledger, member.id, '100.00');
    await failProvider(system, 'askmebet', { fault: 'timeout-lost', call: 'deposit' });
    const { reference } = (await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 10 })).body;
    await system.database.query(
      `update transfer_leg set next_inquiry_at = now() + interval '1 hour', leased_until = now(), fence = fence + 1,
         sent_at = now() - interval '1 hour' where provider_reference = $1`,
      [`${reference}-1`],
    );
    assert.equal((await runTransfers('manual', reference, 'nok', ...REASON_ARGS)).status, 0);
    assert.equal((await runTransfers('inquire', reference, 'nok', ...REASON_ARGS)).status, 0);
    // The balance is unchanged: the server alone would treat that as a refusal.
    await waitUntilResult(
      'the question was in vain',
      async () => (await runTransfers()).output,
      (output) => output.includes('this provider cannot be asked'),
    );
    assert.deepEqual(await readLegStates(system, reference), ['MANUAL']);
    assert.equal((await runTransfers('settle', reference, 'refused', 'nok', ...REASON_ARGS)).status, 0);
    await untilSettled(system);
    await assertBooksAgree(system, ledger, member.id, { askmebet: username });
  });
});

describe('an operator and transfers from game to game', () => {
  test('a refused second leg between games leaves the money in the wallet, by its reference alone [R-XFER-04]', async () => {
    const { member, players } = await openTwoGames('askmebet');
    await failProvider(system, 'pg', { fault: 'timeout-lost', call: 'TransferIn' });
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const request = { from: 'askmebet', to: 'pg', amount: 20, key: 'second-half-settled' };
    const { reference } = (await transfer(system, member.token, request)).body;
    await waitForStates(reference, 'DONE', 'UNKNOWN');
    await advanceOneDay(reference, 'DONE', 'MANUAL');
    assert.match(
      (await runTransfers('settle', `${reference}-1`, 'refused', 'nok', ...REASON_ARGS)).output,
      /it is DONE/,
    );
    const settleResult = await runTransfers('settle', reference, 'refused', 'nok', ...REASON_ARGS);
    assert.match(settleResult.output, new RegExp(`^${reference}-2 is settled: REFUSED`));
    await untilSettled(system);
    assert.deepEqual(await readLegStates(system, reference), ['DONE', 'REVERSED']);
    const repeatedReply = await transfer(system, member.token, request);
    assertRefused(repeatedReply, 'TRANSFER_FAIL', 'RESTS_IN_WALLET');
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '20.00');
    await assertBooksAgree(system, ledger, member.id, players);
  });

  test('a first leg between games settled as applied leaves the money in the wallet [R-XFER-04]', async () => {
    const { member, players } = await openTwoGames('pg');
    await failProvider(system, 'pg', { fault: 'timeout-applied', call: 'TransferOut' });
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const request = { from: 'pg', to: 'askmebet', amount: 20, key: 'first-half-settled' };
    const { reference } = (await transfer(system, member.token, request)).body;
    await advanceOneDay(reference, 'MANUAL', 'REVERSED');
    const settleResult = await runTransfers('settle', reference, 'applied', 'nok', ...REASON_ARGS);
    assert.match(settleResult.output, new RegExp(`^${reference}-1 is settled: APPLIED`));
    await untilSettled(system);
    assert.deepEqual(await readLegStates(system, reference), ['DONE', 'REVERSED']);
    const repeatedReply = await transfer(system, member.token, request);
    assert.deepEqual([repeatedReply.status, repeatedReply.body.detail], [502, 'RESTS_IN_WALLET']);
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '20.00');
    await assertBooksAgree(system, ledger, member.id, players);
  });

  /** 50 baht at one of two games, nothing in the wallet and in the other. */
  async function openTwoGames(first: GameCode) {
    const member = await registerMember(system);
    const players: Partial<Record<GameCode, string>> = {};
    for (const code of ['pg', 'askmebet'] as const)
      players[code] = (await openGame(system, member.token, code)).username;
    await fundWallet(ledger, member.id, '50.00');
    await transfer(system, member.token, { from: 'WALLET', to: first, amount: 50 });
    return { member, players };
  }
});
