import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { listen, until, untilJoined } from '../event/member-socket.ts';
import { type Ended, runCommand } from '../harness/command.ts';
import {
  assertBooksAgree,
  behave,
  eventually,
  type GameCode,
  legStates,
  misbehave,
  openGame,
  providersWithin,
  settled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';

/** Long: unless delayed on purpose, replies must be in time on a busy machine. */
const PROVIDER_TIMEOUT_MS = 2_500;
const WHY = ['provider', 'ticket', '123'];

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: providersWithin(PROVIDER_TIMEOUT_MS) });
  ledger = ledgerOf(system);
});
afterEach(async () => {
  await behave(system);
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const transfers = (...words: string[]): Promise<Ended> => runCommand(system, 'transfers', words);
const log = async (subject: string): Promise<string[]> => {
  const { status, output } = await runCommand(system, 'operator-log', [subject]);
  assert.equal(status, 0, output);
  return output.trimEnd().split('\n').slice(0, -1);
};
const reaches = (reference: string, ...states: string[]) =>
  eventually(
    `${reference} is ${states.join()}`,
    () => legStates(system, reference),
    (found) => found.join() === states.join(),
  );
const ageOf = (reference: string, hours: number) =>
  system.database.query(
    `update transfer_leg set sent_at = now() - $2 * interval '1 hour', next_ask_at = now(), leased_until = now()
      where provider_reference = $1`,
    [reference, hours],
  );

type Lost = { member: TestMember; username: string; reference: string };

/** Moves 40 of 100 baht from the wallet or the game; pg does not reply. */
async function lose(isApplied: boolean, direction: 'in' | 'out' = 'in'): Promise<Lost> {
  const member = await registerMember(system);
  const { username } = await openGame(system, member.token, 'pg');
  await fund(ledger, member.id, '100.00');
  if (direction === 'out') await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100 });
  const call = direction === 'in' ? 'TransferIn' : 'TransferOut';
  await misbehave(system, 'pg', { fault: isApplied ? 'timeout-applied' : 'timeout-lost', call });
  await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
  const [from, to] = direction === 'in' ? ['WALLET', 'pg'] : ['pg', 'WALLET'];
  const { status, body } = await transfer(system, member.token, { from, to, amount: 40 });
  assert.equal(status, 202, JSON.stringify(body));
  await reaches(body.reference, 'UNKNOWN');
  return { member, username, reference: body.reference };
}

/** The same, aged by a day. */
async function loseForADay(isApplied: boolean, direction: 'in' | 'out' = 'in'): Promise<Lost> {
  const lost = await lose(isApplied, direction);
  await aDayLater(lost.reference, 'MANUAL');
  return lost;
}

/** Ages the UNKNOWN leg by a day: the next inquiry gets no reply. */
async function aDayLater(reference: string, ...states: string[]): Promise<void> {
  await waitForState(reference, states.indexOf('MANUAL') + 1, 25, ...states);
}

/** Ages the leg repeatedly: a pending inquiry would postpone the next one for long. */
async function waitForState(reference: string, leg: number, hours: number, ...states: string[]): Promise<void> {
  await eventually(
    `${reference} is ${states.join()}`,
    async () => {
      await ageOf(`${reference}-${leg}`, hours);
      return legStates(system, reference);
    },
    (found) => found.join() === states.join(),
  );
}

const balancesOf = async ({ member }: Lost) => {
  const { body } = await system.api('GET /api/wallet', { token: member.token });
  const slot = body.slots.find(({ code }: { code: string }) => code === 'pg');
  return { amount: body.wallet.amount, inTransit: body.wallet.inTransit, inGame: slot.amount };
};

describe('an operator and the transfers that wait for one', () => {
  test('what is open is listed oldest first with all that is known, and counted [R-XFER-04]', async () => {
    const first = await loseForADay(true);
    const second = await lose(false, 'out');
    const { status, output } = await transfers();
    assert.equal(status, 0, output);
    const lines = output.trimEnd().split('\n');
    assert.deepEqual(
      lines.slice(0, -1).map((line) => line.split(/ +/, 2)),
      [
        [`${first.reference}-1`, 'MANUAL'],
        [`${second.reference}-1`, 'UNKNOWN'],
      ],
    );
    const [manual = '', unknown = ''] = lines;
    assert.match(manual, /\d+ min +40\.00 BAHT +40\.00 credits +to pg at pg, player /);
    assert.ok(
      manual.includes(`player ${first.username}  member ${first.member.id} (${first.member.phone})  asked `),
      manual,
    );
    assert.match(unknown, /from pg at pg, .* asked \d+, not found 0, 100\.00 credits before: /);
    assert.equal(lines.at(-1), '2 open, 1 wait for an operator');
    await behave(system);
    await transfers('settle', first.reference, 'applied', 'nok', ...WHY);
    await waitForState(second.reference, 1, 1, 'REVERSED');
    await settled(system);
    assert.equal((await transfers()).output, '0 open, 0 wait for an operator\n');
  });

  test('applied: the money arrives, the member gets the event immediately, and the ledger names the operator [R-XFER-04]', async () => {
    const lost = await loseForADay(true);
    const { member, username, reference } = lost;
    assert.deepEqual(await balancesOf(lost), { amount: 60, inTransit: 40, inGame: 0 });
    const listener = listen(system.url, member);
    try {
      await untilJoined(listener);
      const done = await transfers('settle', `${reference}-1`, 'applied', 'nok', ...WHY);
      assert.equal(done.status, 0, done.output);
      assert.match(done.output, new RegExp(`^${reference}-1 is settled: APPLIED, by operator:nok\\.`));
      await until(
        () => listener.events.some((event) => event.reference === reference && event.state === 'SUCCESS'),
        () => JSON.stringify(listener.events),
      );
    } finally {
      listener.socket.disconnect();
    }
    await settled(system);
    await assertBooksAgree(system, ledger, member.id, { pg: username });
    assert.deepEqual(await balancesOf(lost), { amount: 60, inTransit: 0, inGame: 40 });
    const { body } = await system.api('POST /api/statement', { token: member.token, body: {} });
    const [line] = body.statements;
    assert.deepEqual([line.reference, line.status, line.amount], [reference, 'SUCCESS', -40]);
    const { rows } = await system.database.query<{ actor: string }>(
      `select distinct actor from ledger.operation where reference = $1 and type = 'post'`,
      [reference],
    );
    assert.deepEqual(rows, [{ actor: 'operator:nok' }]);
    const entries = await log(`${reference}-1`);
    assert.equal(entries.length, 1);
    assert.match(
      entries[0] ?? '',
      new RegExp(
        `^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  nok +transfers settle APPLIED +${reference}-1  provider ticket 123$`,
      ),
    );
  });

  for (const direction of ['in', 'out'] as const) {
    test(`refused, ${direction}: the money is where it was, and the same command answers that [R-XFER-04]`, async () => {
      const lost = await loseForADay(false, direction);
      const done = await transfers('settle', lost.reference, 'refused', 'nok', ...WHY);
      assert.equal(done.status, 0, done.output);
      await settled(system);
      assert.deepEqual(await legStates(system, lost.reference), ['REVERSED']);
      await assertBooksAgree(system, ledger, lost.member.id, { pg: lost.username });
      const inWallet = direction === 'in' ? 100 : 0;
      assert.deepEqual(await balancesOf(lost), { amount: inWallet, inTransit: 0, inGame: 100 - inWallet });
      const [event] = (await ledger.eventsSince(lost.member.id, 0n)).slice(-1);
      assert.deepEqual([event?.reference, event?.state], [lost.reference, 'FAILED']);
    });
  }

  test('of operators who settle it at the same moment one is followed, and the log has that one [R-XFER-04]', async () => {
    const lost = await loseForADay(true);
    const names = ['nok', 'lek', 'noi', 'dam'];
    const ended = await Promise.all(
      names.map((name, index) =>
        transfers('settle', `${lost.reference}-1`, index % 2 === 0 ? 'applied' : 'refused', name, ...WHY),
      ),
    );
    const winners = names.filter((_, index) => ended[index]?.status === 0);
    const [winner = '', ...rest] = winners;
    assert.deepEqual([winners.length, rest], [1, []], JSON.stringify(ended));
    for (const { status, output } of ended.filter((one) => one.status !== 0)) {
      assert.equal(status, 1);
      // Another operator sees the outcome.
      assert.match(output, new RegExp(`settled already, by operator:${winner}|it is (DONE|REVERSED)`));
    }
    await settled(system);
    const entries = await log(`${lost.reference}-1`);
    assert.equal(entries.length, 1, entries.join('\n'));
    const isApplied = names.indexOf(winner) % 2 === 0;
    assert.match(entries[0] ?? '', new RegExp(`  ${winner} +transfers settle ${isApplied ? 'APPLIED' : 'REFUSED'} `));
    assert.deepEqual(await legStates(system, lost.reference), [isApplied ? 'DONE' : 'REVERSED']);
    assert.equal((await balanceOf(ledger, lost.member.id, 'WALLET')).free, isApplied ? '60.00' : '100.00');
    assert.equal((await balanceOf(ledger, lost.member.id, 'WALLET')).held, '0.00');
  });
});

describe('transfers that an operator can’t settle immediately', () => {
  test('a wrong command changes nothing, leaves no entry, and says why [R-XFER-04]', async () => {
    const lost = await lose(false);
    const reference = `${lost.reference}-1`;
    // No pending inquiry: while a server holds the lease every command is refused with that reason.
    await system.database.query(
      `update transfer_leg set fence = fence + 1, leased_until = now(), next_ask_at = now() + interval '1 hour'
        where provider_reference = $1`,
      [reference],
    );
    const before = (await runCommand(system, 'operator-log')).output;
    const cases: [string[], RegExp][] = [
      [['settle', reference, 'applied', 'nok', ...WHY], /does not allow that, it is UNKNOWN/],
      [['settle', reference, 'refused', 'nok', ...WHY], /it is UNKNOWN/],
      [['ask', reference, 'nok', ...WHY], /it is UNKNOWN/],
      [['manual', reference, 'nok', ...WHY], /less than five minutes ago/],
      [['settle', `${lost.reference}-2`, 'applied', 'nok', ...WHY], /no such transfer/],
      [['manual', 'TNOBODYKNOWS', 'nok', ...WHY], /no such transfer/],
      [['settle', `${reference}' or '1'='1`, 'applied', 'nok', ...WHY], /no such transfer/],
      [['settle', reference, 'applied', 'nok'], /^Write /],
      [['settle', reference, 'perhaps', 'nok', ...WHY], /^Write /],
      [['undo', reference, 'nok', ...WHY], /^Write /],
    ];
    for (const [words, message] of cases) {
      const { status, output } = await transfers(...words);
      assert.equal(status, 1, `${words.join(' ')}: ${output}`);
      assert.match(output, message, words.join(' '));
    }
    assert.equal((await runCommand(system, 'operator-log')).output, before);
    assert.deepEqual(await legStates(system, lost.reference), ['UNKNOWN']);
    assert.deepEqual(await balancesOf(lost), { amount: 60, inTransit: 40, inGame: 0 });
    await behave(system);
    await waitForState(lost.reference, 1, 1, 'REVERSED');
    await settled(system);
    const late = await transfers('settle', reference, 'applied', 'nok', ...WHY);
    assert.match(late.output, /it is REVERSED/);
    assert.equal((await balancesOf(lost)).amount, 100);
  });

  test('one that is UNKNOWN is taken out of the hands of the server, but not out of a server that is at work on it [R-XFER-04]', async () => {
    const lost = await lose(true);
    const reference = `${lost.reference}-1`;
    // With a new fence: the pending inquiry changes nothing.
    const lease = (until: string) =>
      system.database.query(
        `update transfer_leg set sent_at = now() - interval '1 hour', leased_until = now() + $2::interval,
           fence = fence + 1, next_ask_at = now() + interval '1 hour' where provider_reference = $1`,
        [reference, until],
      );
    await lease('1 hour');
    assert.match((await transfers('manual', reference, 'nok', ...WHY)).output, /server is processing it/);
    assert.deepEqual(await legStates(system, lost.reference), ['UNKNOWN']);
    await lease('-1 second');
    const taken = await Promise.all(['nok', 'lek'].map((name) => transfers('manual', reference, name, ...WHY)));
    assert.equal(taken.filter(({ status }) => status === 0).length, 1, JSON.stringify(taken));
    assert.deepEqual(await legStates(system, lost.reference), ['MANUAL']);
    assert.match((await transfers()).output, new RegExp(`${reference} +MANUAL .*: ${WHY.join(' ')}\n`));
    // The provider would reply now, but no inquiry is sent.
    await behave(system);
    await system.database.query(`update transfer_leg set next_ask_at = now() where provider_reference = $1`, [
      reference,
    ]);
    const settling = await transfers('settle', reference, 'applied', 'lek', ...WHY);
    assert.equal(settling.status, 0, settling.output);
    await settled(system);
    await assertBooksAgree(system, ledger, lost.member.id, { pg: lost.username });
    const acts = (await log(reference)).map((line) => line.split(/ {2,}/)[2]);
    assert.deepEqual(acts, ['transfers manual', 'transfers settle APPLIED']);
  });

  for (const isApplied of [true, false]) {
    test(`inquired after a day, a provider that replies ends it: ${isApplied ? 'done' : 'not found, twice'} [R-XFER-04]`, async () => {
      const lost = await loseForADay(isApplied);
      const reference = `${lost.reference}-1`;
      // Still no reply: it goes back to the operator.
      assert.equal((await transfers('ask', reference, 'nok', ...WHY)).status, 0);
      await eventually(
        'the question was in vain',
        async () => (await transfers()).output,
        (output) => output.includes(`${reference} `) && !output.includes('to be asked again'),
      );
      assert.deepEqual(await legStates(system, lost.reference), ['MANUAL']);
      await behave(system);
      assert.equal((await transfers('ask', lost.reference, 'nok', ...WHY)).status, 0);
      await settled(system);
      assert.deepEqual(await legStates(system, lost.reference), [isApplied ? 'DONE' : 'REVERSED']);
      await assertBooksAgree(system, ledger, lost.member.id, { pg: lost.username });
      assert.equal((await log(reference)).length, 2);
    });
  }

  test('asked again at a provider that can’t be asked, it stays with the operator [R-XFER-04]', async () => {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, 'askmebet');
    await fund(ledger, member.id, '100.00');
    await misbehave(system, 'askmebet', { fault: 'timeout-lost', call: 'deposit' });
    const { reference } = (await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 10 })).body;
    await system.database.query(
      `update transfer_leg set next_ask_at = now() + interval '1 hour', leased_until = now(), fence = fence + 1,
         sent_at = now() - interval '1 hour' where provider_reference = $1`,
      [`${reference}-1`],
    );
    assert.equal((await transfers('manual', reference, 'nok', ...WHY)).status, 0);
    assert.equal((await transfers('ask', reference, 'nok', ...WHY)).status, 0);
    // The balance is unchanged: the server alone would take that for a refusal.
    await eventually(
      'the question was in vain',
      async () => (await transfers()).output,
      (output) => output.includes('this provider cannot be asked'),
    );
    assert.deepEqual(await legStates(system, reference), ['MANUAL']);
    assert.equal((await transfers('settle', reference, 'refused', 'nok', ...WHY)).status, 0);
    await settled(system);
    await assertBooksAgree(system, ledger, member.id, { askmebet: username });
  });
});

describe('an operator and transfers from game to game', () => {
  test('from game to game: the second half that is refused rests in the wallet, by the reference alone [R-XFER-04]', async () => {
    const { member, players } = await twoGames('askmebet');
    await misbehave(system, 'pg', { fault: 'timeout-lost', call: 'TransferIn' });
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const request = { from: 'askmebet', to: 'pg', amount: 20, key: 'second-half-settled' };
    const { reference } = (await transfer(system, member.token, request)).body;
    await reaches(reference, 'DONE', 'UNKNOWN');
    await aDayLater(reference, 'DONE', 'MANUAL');
    assert.match((await transfers('settle', `${reference}-1`, 'refused', 'nok', ...WHY)).output, /it is DONE/);
    const done = await transfers('settle', reference, 'refused', 'nok', ...WHY);
    assert.match(done.output, new RegExp(`^${reference}-2 is settled: REFUSED`));
    await settled(system);
    assert.deepEqual(await legStates(system, reference), ['DONE', 'REVERSED']);
    const again = await transfer(system, member.token, request);
    assert.deepEqual([again.status, again.body], [502, { message: 'TRANSFER_FAIL', detail: 'RESTS_IN_WALLET' }]);
    assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, '20.00');
    await assertBooksAgree(system, ledger, member.id, players);
  });

  test('from game to game: the first half that is settled as applied rests in the wallet [R-XFER-04]', async () => {
    const { member, players } = await twoGames('pg');
    await misbehave(system, 'pg', { fault: 'timeout-applied', call: 'TransferOut' });
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const request = { from: 'pg', to: 'askmebet', amount: 20, key: 'first-half-settled' };
    const { reference } = (await transfer(system, member.token, request)).body;
    await aDayLater(reference, 'MANUAL', 'REVERSED');
    const done = await transfers('settle', reference, 'applied', 'nok', ...WHY);
    assert.match(done.output, new RegExp(`^${reference}-1 is settled: APPLIED`));
    await settled(system);
    assert.deepEqual(await legStates(system, reference), ['DONE', 'REVERSED']);
    const again = await transfer(system, member.token, request);
    assert.deepEqual([again.status, again.body.detail], [502, 'RESTS_IN_WALLET']);
    assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, '20.00');
    await assertBooksAgree(system, ledger, member.id, players);
  });

  /** 50 baht at one of two games, nothing in the wallet and in the other. */
  async function twoGames(first: GameCode) {
    const member = await registerMember(system);
    const players: Partial<Record<GameCode, string>> = {};
    for (const code of ['pg', 'askmebet'] as const)
      players[code] = (await openGame(system, member.token, code)).username;
    await fund(ledger, member.id, '50.00');
    await transfer(system, member.token, { from: 'WALLET', to: first, amount: 50 });
    return { member, players };
  }
});
