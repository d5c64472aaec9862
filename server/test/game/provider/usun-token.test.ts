import { strict as assert } from 'node:assert';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import { systemClock } from '../../../src/platform/time.ts';
import { gameProviders } from '../../../src/adapters/game/index.ts';
import {
  arrange,
  assertBooksAgree,
  behave,
  callsOf,
  creditOf,
  eventually,
  misbehave,
  openGame,
  providersWithin,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { baht, balanceOf, fund, ledgerOf } from '../../harness/money.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { listeningProvider } from './listening-provider.ts';

/** Long enough for a machine that is busy with other tests. */
const TIMEOUT_MS = 15_000;
const AT_ONCE = 30;
const ON_THE_WAY_MS = 1_500;

let system: System;
let ledger: Ledger;
let member: TestMember;
let usun: string;

before(async () => {
  system = await startSystem({ outside: providersWithin(TIMEOUT_MS) });
  ledger = ledgerOf(system);
  member = await registerMember(system);
  usun = (await openGame(system, member.token, 'usun')).username;
  await fund(ledger, member.id, '1000.00');
});
beforeEach(async () => {
  await behave(system);
  await order({ expiresIn: 3600, revoke: true });
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const order = async (body: { expiresIn?: number; revoke?: boolean }): Promise<void> => {
  const reply = await system.world('POST /control/games/usun/tokens', { body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
};
const logins = () => callsOf(system, 'usun', 'login');
const refresh = async (): Promise<{ isStale: boolean; amount: number }> => {
  const { body } = await system.api('GET /api/wallet/refresh/slot', { token: member.token });
  return body.slots.find(({ code }: { code: string }) => code === 'usun');
};
const put = (amount: number) => transfer(system, member.token, { from: 'WALLET', to: 'usun', amount });

describe('the token of usun', () => {
  test('one login serves every call until the token is over, and a new one the call that found it so [R-XFER-02]', async () => {
    const [made, moved] = [await logins(), await callsOf(system, 'usun', 'deposit')];
    assert.equal((await put(10)).status, 200, 'with a token that was taken back before');
    assert.equal((await put(10)).status, 200);
    assert.equal((await refresh()).isStale, false);
    assert.equal(await logins(), made + 1);
    assert.equal(await callsOf(system, 'usun', 'deposit'), moved + 2, 'no transfer was asked for twice');
    await assertBooksAgree(system, ledger, member.id, { usun });
  });

  test('a transfer whose token is taken back on the way happens once [R-XFER-02]', async () => {
    const there = baht(await creditOf(system, 'usun', usun));
    let moved = 0n;
    // On a busy machine it may arrive before its token is revoked: then it is repeated.
    await eventually(
      'logins that a transfer on the way has made',
      async () => {
        await refresh();
        const made = await logins();
        await misbehave(system, 'usun', { fault: 'slow', call: 'deposit', delayMs: ON_THE_WAY_MS });
        const before = await legsSent();
        const putting = put(25);
        await eventually('the transfer is sent', legsSent, (sent) => sent === before + 1);
        await order({ revoke: true });
        assert.equal((await putting).status, 200);
        moved += baht('250.00');
        assert.equal(baht(await creditOf(system, 'usun', usun)) - there, moved);
        return (await logins()) - made;
      },
      (made) => made === 1,
    );
    await assertBooksAgree(system, ledger, member.id, { usun });
  });
  const legsSent = async (): Promise<number> => {
    const { rows } = await system.database.query<{ sent: number }>(
      `select count(*)::int as sent from transfer_leg where sent_at is not null`,
    );
    return rows[0]?.sent ?? 0;
  };

  test('a token that expires is replaced by another [R-GAME-08]', async () => {
    await order({ expiresIn: 2 });
    const made = await logins();
    await eventually(
      'another login',
      async () => {
        assert.equal((await refresh()).isStale, false);
        return logins();
      },
      (now) => now >= made + 2,
    );
  });

  test(`of ${AT_ONCE} concurrent calls with an expired token, one logs in for all`, async () => {
    const provider = gameProviders(system.outside.games, undefined, systemClock).get('usun');
    assert.ok(provider);
    assert.equal((await provider.balance(usun)).outcome, 'done');
    await order({ revoke: true });
    const [made, over] = [await logins(), await tokensOver()];
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => provider.balance(usun)));
    assert.ok(outcomes.every(({ outcome }) => outcome === 'done'));
    assert.equal(await tokensOver(), over + AT_ONCE, 'each of them came with the old one');
    assert.equal(await logins(), made + 1);
  });
  const tokensOver = async (): Promise<number> => {
    const { body } = await system.world('GET /control/calls?target=game:usun&call=balance&limit=1000');
    return (body as { status: number }[]).filter(({ status }) => status === 401).length;
  };

  for (const fault of ['decline', 'error-500', 'garbage'] as const) {
    test(`a login that ends in ${fault}: nothing was sent, and the money is back immediately [R-XFER-02]`, async () => {
      const wallet = (await balanceOf(ledger, member.id, 'WALLET')).free;
      const moved = await callsOf(system, 'usun', 'deposit');
      await misbehave(system, 'usun', { fault, call: 'login', times: 10 });
      const reply = await put(10);
      assert.deepEqual([reply.body.message, reply.body.detail], ['TRANSFER_FAIL', 'PROVIDER_UNAVAILABLE']);
      assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, wallet);
      assert.equal(await callsOf(system, 'usun', 'deposit'), moved);
      const other = await registerMember(system);
      const opened = await system.api('GET /api/wallet/activate/usun', { token: other.token });
      assert.deepEqual(
        [opened.status, opened.body.message, opened.body.detail],
        [503, 'GAME_ACTIVATION_FAIL', 'PROVIDER_UNREACHABLE'],
      );
      await behave(system);
      await openGame(system, other.token, 'usun');
    });
  }

  test('in maintenance the login says so, and so do we [R-GAME-02]', async () => {
    await arrange(system, 'usun', { maintenance: true });
    const other = await registerMember(system);
    const opened = await system.api('GET /api/wallet/activate/usun', { token: other.token });
    assert.deepEqual(
      [opened.status, opened.body.message, opened.body.detail],
      [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE'],
    );
    await arrange(system, 'usun', { maintenance: false });
    await openGame(system, other.token, 'usun');
  });
});

describe('usun, alone', () => {
  const config = { kind: 'usun', clientId: 'client', clientSecret: 'secret-of-the-client' } as const;
  const balance = { username: 'kpmali01', balance: '5.00', outstanding: '0.00', turnover: '0.00' };
  const login = { json: { status: 'ok', data: { token: 'a.b-c', expiresIn: 3600 } } };

  test('a call without a token in time is refused, and nothing is sent', async (t) => {
    // Long enough for the login to arrive on a busy machine.
    const { provider, received, stop } = await listeningProvider(config, () => new Promise(() => {}), 1_500);
    t.after(stop);
    const outcome = await provider.balance('kpmali01');
    assert.deepEqual([outcome.outcome, outcome.outcome === 'refused' && outcome.reason], ['refused', 'unreachable']);
    assert.deepEqual(
      received.map(({ path }) => path),
      ['/api/v1/auth/login'],
    );
  });

  test('a token that is refused twice is a no, after one new login', async (t) => {
    const { provider, received, stop } = await listeningProvider(config, ({ path }) =>
      path.endsWith('login') ? login : { status: 401, json: { status: 'error', code: 'TOKEN_INVALID' } },
    );
    t.after(stop);
    const outcome = await provider.balance('kpmali01');
    assert.deepEqual([outcome.outcome, outcome.outcome === 'refused' && outcome.reason], ['refused', 'declined']);
    assert.equal(received.length, 4, 'login, call, login, call');
  });

  test('no note holds a name, a token or a secret', async (t) => {
    const secrets = ['kpmali01', 'a.b-c', 'secret-of-the-client', 'client"'];
    for (const json of [
      {},
      { status: 'error', code: 'REFUSED', message: secrets.join() },
      { status: 'ok', data: balance },
    ]) {
      const { provider, stop } = await listeningProvider(config, ({ path }) =>
        path.endsWith('login') ? login : { json },
      );
      t.after(stop);
      const outcome = JSON.stringify([await provider.setPassword({ username: 'kpother', password: 'kpmali01' })]);
      for (const secret of secrets) assert.ok(!outcome.includes(secret), outcome);
    }
  });
});
