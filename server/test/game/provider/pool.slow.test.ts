import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import type { ApiReply } from '../../harness/api-client.ts';
import {
  setProviderState,
  assertBooksAgree,
  clearProviderFaults,
  countProviderCalls,
  failProvider,
  openGame,
  openLaunchLink,
  outsideWithProviderTimeout,
  transfer,
} from '../../harness/games.ts';
import { registerMember } from '../../harness/members.ts';
import { fundWallet, createTestLedger } from '../../harness/money.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { startListeningProvider } from './listening-provider.ts';

describe("accounts from a provider's pool", () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem({ outside: outsideWithProviderTimeout(15_000) });
    ledger = createTestLedger(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const activatePgslot = (token: string) => system.api('GET /api/wallet/activate/pgslot', { token });
  const readAccount = (token: string) => system.api('GET /api/wallet/account/pgslot', { token });
  const launch = (token: string, username: string) => system.api(`GET /api/autoLogin/pgslot/${username}/x`, { token });
  const summaryOf = ({ status, body }: ApiReply) => [status, body.message, body.detail];
  const countPoolPlayers = async (): Promise<number> =>
    (await system.simulatorsApi('GET /control/totals')).body.sums.games.pgslot?.players ?? 0;

  test('pool accounts: the provider chooses name and password, and the game opens with them [R-GAME-02]', async () => {
    const { token } = await registerMember(system);
    const gameCredentials = await openGame(system, token, 'pgslot');
    assert.match(gameCredentials.username, /^pgslot\d{8}$/, 'a name of theirs, not one of ours');
    assert.deepEqual((await readAccount(token)).body, gameCredentials);
    assert.equal(
      (await openLaunchLink((await launch(token, gameCredentials.username)).body.link)).username,
      gameCredentials.username,
    );
    assert.deepEqual(summaryOf(await activatePgslot(token)), [409, 'SLOT_ALREADY_ACTIVE', undefined]);
  });

  test('an empty pool opens no account; after a refill the account opens [R-GAME-02]', async () => {
    const [first, second] = [await registerMember(system), await registerMember(system)];
    await setProviderState(system, 'pgslot', { pool: 1 });
    const { username } = await openGame(system, first.token, 'pgslot');
    for (let time = 1; time <= 3; time += 1) {
      assert.deepEqual(summaryOf(await activatePgslot(second.token)), [503, 'GAME_ACTIVATION_FAIL', 'POOL_EMPTY']);
    }
    assert.deepEqual(summaryOf(await readAccount(second.token)), [404, 'SLOT_NO_ACCOUNT', undefined]);
    assert.equal((await readAccount(first.token)).body.username, username, 'who has one keeps it');
    await setProviderState(system, 'pgslot', { pool: 1 });
    const gameCredentials = await openGame(system, second.token, 'pgslot');
    assert.notEqual(gameCredentials.username, username);
    await setProviderState(system, 'pgslot', { pool: null });
  });

  test('a pool account whose reply was lost is returned again, not a second one [R-GAME-02]', async () => {
    const { token, id } = await registerMember(system);
    const before = await countPoolPlayers();
    for (const fault of ['garbage', 'error-500'] as const) {
      await failProvider(system, 'pgslot', { fault, call: 'create', applied: true });
      assert.deepEqual(summaryOf(await activatePgslot(token)), [503, 'GAME_ACTIVATION_FAIL', 'PROVIDER_SILENT']);
    }
    // No other member gets the account in between, even if it is the last one.
    await setProviderState(system, 'pgslot', { pool: 0 });
    const gameCredentials = await openGame(system, token, 'pgslot');
    await setProviderState(system, 'pgslot', { pool: null });
    assert.equal(await countPoolPlayers(), before + 1);
    assert.equal(
      (await openLaunchLink((await launch(token, gameCredentials.username)).body.link)).username,
      gameCredentials.username,
    );
    await fundWallet(ledger, id, '50.00');
    assert.equal((await transfer(system, token, { from: 'WALLET', to: 'pgslot', amount: 50 })).status, 200);
    await assertBooksAgree(system, ledger, id, { pgslot: gameCredentials.username });
  });

  test("of two members at a pool's last account one gets it [R-GAME-02]", async () => {
    const members = [await registerMember(system), await registerMember(system), await registerMember(system)];
    await clearProviderFaults(system);
    await setProviderState(system, 'pgslot', { pool: 1 });
    const replies = await Promise.all(members.map(({ token }) => activatePgslot(token)));
    await setProviderState(system, 'pgslot', { pool: null });
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 503, 503],
    );
  });

  test('a pool account opens with the password that the member has set [R-GAME-02]', async () => {
    const { token } = await registerMember(system);
    const { username, password } = await openGame(system, token, 'pgslot');
    const reset = await system.api('GET /api/wallet/resetpassword/pgslot', { token });
    assert.deepEqual([reset.status, reset.body.username], [200, username]);
    assert.notEqual(reset.body.password, password);
    const launchCount = await countProviderCalls(system, 'pgslot', 'launch');
    assert.equal((await openLaunchLink((await launch(token, username)).body.link)).username, username);
    assert.equal(await countProviderCalls(system, 'pgslot', 'launch'), launchCount + 1);
  });
});

test('a pool account that the provider gives to two members belongs to one of them [R-GAME-02]', async (t) => {
  const poolCredentials = { username: 'pgslot00000001', password: 'Secret12' };
  const { url, stop } = await startListeningProvider(
    { kind: 'pgslot', agent: 'agent', secret: 'secret' },
    ({ body }) => ({
      json: {
        status: { code: 1000 },
        data: { memberRef: (JSON.parse(body) as { memberRef: string }).memberRef, ...poolCredentials },
      },
    }),
  );
  t.after(stop);
  const system = await startSystem({
    outside: (config) => ({
      ...config,
      games: { ...config.games, pgslot: { kind: 'pgslot', url, timeoutMs: 15_000, agent: 'agent', secret: 'secret' } },
    }),
  });
  t.after(() => system.stop());
  const [first, second] = [await registerMember(system), await registerMember(system)];
  assert.deepEqual(await openGame(system, first.token, 'pgslot'), poolCredentials);
  for (let time = 1; time <= 2; time += 1) {
    const { status, body } = await system.api('GET /api/wallet/activate/pgslot', { token: second.token });
    assert.deepEqual([status, body.message, body.detail], [503, 'GAME_ACTIVATION_FAIL', 'NAMES_TAKEN']);
  }
  const account = await system.api('GET /api/wallet/account/pgslot', { token: second.token });
  assert.equal(account.body.message, 'SLOT_NO_ACCOUNT');
});
