import { strict as assert } from 'node:assert';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gameProviders } from '../../../src/adapters/game/index.ts';
import type { Ledger } from '../../../src/ledger/index.ts';
import { systemClock } from '../../../src/platform/time.ts';
import {
  setProviderState,
  assertBooksAgree,
  clearProviderFaults,
  countProviderCalls,
  readProviderCredit,
  waitUntilResult,
  failProvider,
  openGame,
  outsideWithProviderTimeout,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { parseBaht, readBalance, fundWallet, createTestLedger } from '../../harness/money.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { startListeningProvider } from './listening-provider.ts';

/** Long enough for a machine that is busy with other tests. */
const TIMEOUT_MS = 15_000;
const CONCURRENT_COUNT = 30;
const ON_THE_WAY_MS = 1_500;

let system: System;
let ledger: Ledger;
let member: TestMember;
let usunUsername: string;

before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(TIMEOUT_MS) });
  ledger = createTestLedger(system);
  member = await registerMember(system);
  usunUsername = (await openGame(system, member.token, 'usun')).username;
  await fundWallet(ledger, member.id, '1000.00');
});
beforeEach(async () => {
  await clearProviderFaults(system);
  await setUsunTokens({ expiresIn: 3600, revoke: true });
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const setUsunTokens = async (body: { expiresIn?: number; revoke?: boolean }): Promise<void> => {
  const reply = await system.simulatorsApi('POST /control/games/usun/tokens', { body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
};
const countLogins = () => countProviderCalls(system, 'usun', 'login');
const refreshSlot = async (): Promise<{ isStale: boolean; amount: number }> => {
  const { body } = await system.api('GET /api/wallet/refresh/slot', { token: member.token });
  return body.slots.find(({ code }: { code: string }) => code === 'usun');
};
const transferIn = (amount: number) => transfer(system, member.token, { from: 'WALLET', to: 'usun', amount });

describe('the token of usun', () => {
  test('usun: one login serves every call until the token expires, and the call that finds it expired renews it [R-XFER-02]', async () => {
    const [loginCount, depositCount] = [await countLogins(), await countProviderCalls(system, 'usun', 'deposit')];
    assert.equal((await transferIn(10)).status, 200, 'with a token that was taken back before');
    assert.equal((await transferIn(10)).status, 200);
    assert.equal((await refreshSlot()).isStale, false);
    assert.equal(await countLogins(), loginCount + 1);
    assert.equal(
      await countProviderCalls(system, 'usun', 'deposit'),
      depositCount + 2,
      'no transfer was asked for twice',
    );
    await assertBooksAgree(system, ledger, member.id, { usun: usunUsername });
  });

  test('usun: a transfer whose token is revoked in transit happens once [R-XFER-02]', async () => {
    const providerCredit = parseBaht(await readProviderCredit(system, 'usun', usunUsername));
    let movedSatang = 0n;
    // On a busy machine the call may arrive before its token is revoked: then the round is repeated.
    await waitUntilResult(
      'logins that a transfer on the way has made',
      async () => {
        await refreshSlot();
        const loginCount = await countLogins();
        await failProvider(system, 'usun', { fault: 'slow', call: 'deposit', delayMs: ON_THE_WAY_MS });
        const before = await countSentLegs();
        const pendingTransfer = transferIn(25);
        await waitUntilResult('the transfer is sent', countSentLegs, (sentLegs) => sentLegs === before + 1);
        await setUsunTokens({ revoke: true });
        assert.equal((await pendingTransfer).status, 200);
        movedSatang += parseBaht('250.00');
        assert.equal(parseBaht(await readProviderCredit(system, 'usun', usunUsername)) - providerCredit, movedSatang);
        return (await countLogins()) - loginCount;
      },
      (loginCount) => loginCount === 1,
    );
    await assertBooksAgree(system, ledger, member.id, { usun: usunUsername });
  });
  const countSentLegs = async (): Promise<number> => {
    const { rows } = await system.database.query<{ sent: number }>(
      `select count(*)::int as sent from transfer_leg where sent_at is not null`,
    );
    return rows[0]?.sent ?? 0;
  };

  test('usun: an expired token is replaced by another [R-GAME-08]', async () => {
    await setUsunTokens({ expiresIn: 2 });
    const loginCount = await countLogins();
    await waitUntilResult(
      'another login',
      async () => {
        assert.equal((await refreshSlot()).isStale, false);
        return countLogins();
      },
      (now) => now >= loginCount + 2,
    );
  });

  test(`usun: of ${CONCURRENT_COUNT} concurrent calls with an expired token, one logs in for all`, async () => {
    const provider = gameProviders(system.outside.games, undefined, systemClock).get('usun');
    assert.ok(provider);
    assert.equal((await provider.balance(usunUsername)).outcome, 'done');
    await setUsunTokens({ revoke: true });
    const [loginCount, expiredTokens] = [await countLogins(), await countExpiredTokens()];
    const outcomes = await Promise.all(Array.from({ length: CONCURRENT_COUNT }, () => provider.balance(usunUsername)));
    assert.ok(outcomes.every(({ outcome }) => outcome === 'done'));
    assert.equal(await countExpiredTokens(), expiredTokens + CONCURRENT_COUNT, 'each of them came with the old one');
    assert.equal(await countLogins(), loginCount + 1);
  });
  const countExpiredTokens = async (): Promise<number> => {
    const { body } = await system.simulatorsApi('GET /control/calls?target=game:usun&call=balance&limit=1000');
    return (body as { status: number }[]).filter(({ status }) => status === 401).length;
  };

  for (const fault of ['decline', 'error-500', 'garbage'] as const) {
    test(`usun: a login that ends in ${fault} sends no transfer, and the money is back immediately [R-XFER-02]`, async () => {
      const wallet = (await readBalance(ledger, member.id, 'WALLET')).free;
      const depositCount = await countProviderCalls(system, 'usun', 'deposit');
      await failProvider(system, 'usun', { fault, call: 'login', times: 10 });
      const reply = await transferIn(10);
      assert.deepEqual([reply.body.message, reply.body.detail], ['TRANSFER_FAIL', 'PROVIDER_UNAVAILABLE']);
      assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, wallet);
      assert.equal(await countProviderCalls(system, 'usun', 'deposit'), depositCount);
      const otherMember = await registerMember(system);
      const activateReply = await system.api('GET /api/wallet/activate/usun', { token: otherMember.token });
      assert.deepEqual(
        [activateReply.status, activateReply.body.message, activateReply.body.detail],
        [503, 'GAME_ACTIVATION_FAIL', 'PROVIDER_UNREACHABLE'],
      );
      await clearProviderFaults(system);
      await openGame(system, otherMember.token, 'usun');
    });
  }

  test('usun: a login refused by maintenance is reported as maintenance [R-GAME-02]', async () => {
    await setProviderState(system, 'usun', { maintenance: true });
    const otherMember = await registerMember(system);
    const activateReply = await system.api('GET /api/wallet/activate/usun', { token: otherMember.token });
    assert.deepEqual(
      [activateReply.status, activateReply.body.message, activateReply.body.detail],
      [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE'],
    );
    await setProviderState(system, 'usun', { maintenance: false });
    await openGame(system, otherMember.token, 'usun');
  });
});

describe('usun without other providers', () => {
  const config = { kind: 'usun', clientId: 'client', clientSecret: 'secret-of-the-client' } as const;
  const balance = { username: 'kpmali01', balance: '5.00', outstanding: '0.00', turnover: '0.00' };
  const login = { json: { status: 'ok', data: { token: 'a.b-c', expiresIn: 3600 } } };

  test('usun: a call without a valid token is refused, and no transfer is sent', async (t) => {
    // Long enough for the login to arrive on a busy machine.
    const { provider, receivedCalls, stop } = await startListeningProvider(config, () => new Promise(() => {}), 1_500);
    t.after(stop);
    const outcome = await provider.balance('kpmali01');
    assert.deepEqual([outcome.outcome, outcome.outcome === 'refused' && outcome.reason], ['refused', 'unreachable']);
    assert.deepEqual(
      receivedCalls.map(({ path }) => path),
      ['/api/v1/auth/login'],
    );
  });

  test('usun: after a second refusal of the token a call logs in again and then fails', async (t) => {
    const { provider, receivedCalls, stop } = await startListeningProvider(config, ({ path }) =>
      path.endsWith('login') ? login : { status: 401, json: { status: 'error', code: 'TOKEN_INVALID' } },
    );
    t.after(stop);
    const outcome = await provider.balance('kpmali01');
    assert.deepEqual([outcome.outcome, outcome.outcome === 'refused' && outcome.reason], ['refused', 'declined']);
    assert.equal(receivedCalls.length, 4, 'login, call, login, call');
  });

  test('usun: no stored note contains a name, a token or a secret', async (t) => {
    const secrets = ['kpmali01', 'a.b-c', 'secret-of-the-client', 'client"'];
    for (const json of [
      {},
      { status: 'error', code: 'REFUSED', message: secrets.join() },
      { status: 'ok', data: balance },
    ]) {
      const { provider, stop } = await startListeningProvider(config, ({ path }) =>
        path.endsWith('login') ? login : { json },
      );
      t.after(stop);
      const outcome = JSON.stringify([await provider.setPassword({ username: 'kpother', password: 'kpmali01' })]);
      for (const secret of secrets) assert.ok(!outcome.includes(secret), outcome);
    }
  });
});
