import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  waitUntilResult,
  readLegStates,
  failProvider,
  openGame,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
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

describe('an operator during a running inquiry', () => {
  test('the outcome of a running inquiry precedes `transfers manual`, and is applied once [R-XFER-04]', async () => {
    const lostTransfer = await loseTransfer(true);
    const reference = `${lostTransfer.reference}-1`;
    await clearProviderFaults(system);
    await failProvider(system, 'pg', { fault: 'slow', delayMs: 1_500, call: 'GetSingleTransaction' });
    await ageTransfer(reference, 1);
    await waitUntilResult(
      'the running inquiry',
      async () =>
        (
          await system.database.query(
            // On a busy machine the inquiry may have ended before it is seen.
            `select from transfer_leg where provider_reference = $1 and (leased_until > now() or state = 'DONE')`,
            [reference],
          )
        ).rowCount,
      (count) => count === 1,
    );
    const manualResult = await runTransfers('manual', reference, 'nok', ...REASON_ARGS);
    assert.match(manualResult.output, /does not allow that, it is DONE\./);
    await untilSettled(system);
    await assertBooksAgree(system, ledger, lostTransfer.member.id, { pg: lostTransfer.username });
    assert.deepEqual(await readOperatorLog(reference), []);
  });

  test('`transfers inquire` inquires an UNKNOWN leg within seconds instead of five minutes [R-XFER-04]', async () => {
    const lostTransfer = await loseTransfer(true);
    const reference = `${lostTransfer.reference}-1`;
    await system.database.query(
      `update transfer_leg set next_inquiry_at = now() + interval '5 minutes', leased_until = now(), fence = fence + 1
        where provider_reference = $1`,
      [reference],
    );
    await clearProviderFaults(system);
    assert.equal((await runTransfers('inquire', reference, 'nok', ...REASON_ARGS)).status, 0);
    await waitForStates(lostTransfer.reference, 'DONE');
    await untilSettled(system);
  });

  test('settle waits for an inquiry that an operator requested, and its outcome wins [R-XFER-04]', async () => {
    const lostTransfer = await loseTransfer(true);
    const reference = `${lostTransfer.reference}-1`;
    await ageTransfer(reference, 1);
    assert.equal((await runTransfers('manual', reference, 'nok', ...REASON_ARGS)).status, 0);
    await clearProviderFaults(system);
    // Requested, but no server asks for the next two seconds.
    await system.database.query(
      `update transfer_leg set is_inquiry_requested = true, next_inquiry_at = now() + interval '2 seconds'
        where provider_reference = $1`,
      [reference],
    );
    const settleResult = await runTransfers('settle', reference, 'refused', 'nok', ...REASON_ARGS);
    assert.match(settleResult.output, /does not allow that, it is DONE\./);
    await assertBooksAgree(system, ledger, lostTransfer.member.id, { pg: lostTransfer.username });
  });
});
