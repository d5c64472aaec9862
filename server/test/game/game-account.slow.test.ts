import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isGameCredential } from '@krapao/contract/rules';
import pg from 'pg';
import type { ApiReply } from '../harness/api-client.ts';
import {
  clearProviderFaults,
  countProviderCalls,
  waitUntilResult,
  failProvider,
  openGame,
  openLaunchLink,
  outsideWithProviderTimeout,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import { waitForLockWait } from '../incentive/incentive-fixtures.ts';

let system: System;
before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
});
after(() => system?.stop());

const callAccount = (action: 'activate' | 'account' | 'resetpassword', token: string, slotCode: string) =>
  system.api(`GET /api/wallet/${action}/{slotCode}`, { token, params: { slotCode } });
const summaryOf = ({ status, body }: ApiReply) => [status, body.message, body.detail];

describe('game accounts of two providers', () => {
  for (const code of ['pg', 'askmebet'] as const) {
    test(`${code}: a game account opens once, with credentials valid at every provider [R-GAME-02]`, async () => {
      const { token, id } = await registerMember(system);
      assert.deepEqual(summaryOf(await callAccount('account', token, code)), [404, 'SLOT_NO_ACCOUNT', undefined]);
      const gameCredentials = await openGame(system, token, code);
      assert.ok(isGameCredential(gameCredentials.username) && isGameCredential(gameCredentials.password));
      assert.deepEqual(summaryOf(await callAccount('activate', token, code)), [409, 'SLOT_ALREADY_ACTIVE', undefined]);
      const shownReply = await callAccount('account', token, code);
      assert.deepEqual([shownReply.status, shownReply.body], [200, gameCredentials]);
      const { rows } = await system.database.query<{ action: string; username: string; address: string }>(
        'select action, username, address from game_reveal where member_id = $1 order by id',
        [id],
      );
      assert.deepEqual(
        rows.map(({ action }) => action),
        ['activate', 'account'],
        'every reveal is written down',
      );
      assert.ok(rows.every(({ username, address }) => username === gameCredentials.username && address !== ''));
      const storedCredentials = await system.database.query<{ text: string }>(
        `select encode(password, 'escape') as text from game_account where member_id = $1`,
        [id],
      );
      assert.ok(!storedCredentials.rows[0]?.text.includes(gameCredentials.password), 'sealed at rest');
    });

    test(`${code}: each refusal of opening an account has its code [R-GAME-02]`, async () => {
      const { token } = await registerMember(system);
      const createCall = code === 'pg' ? 'Create' : 'create';
      await failProvider(system, code, { fault: 'decline', call: createCall });
      assert.deepEqual(summaryOf(await callAccount('activate', token, code)), [502, 'SLOT_ACTIVATE_FAIL', undefined]);
      await system.database.query('update game set in_maintenance = true where code = $1', [code]);
      assert.deepEqual(summaryOf(await callAccount('activate', token, code)), [
        503,
        'GAME_ACTIVATION_FAIL',
        'MAINTENANCE',
      ]);
      await system.database.query('update game set in_maintenance = false where code = $1', [code]);
      await failProvider(system, code, { fault: 'timeout-lost', call: createCall });
      assert.deepEqual(summaryOf(await callAccount('activate', token, code)), [
        503,
        'GAME_ACTIVATION_FAIL',
        'PROVIDER_SILENT',
      ]);
      assert.equal((await callAccount('activate', token, code)).status, 200, 'after all that it opens');
    });

    test(`${code}: a player whose opening got no reply is adopted [R-GAME-02]`, async () => {
      const { token } = await registerMember(system);
      const createCall = code === 'pg' ? 'Create' : 'create';
      await failProvider(system, code, { fault: 'timeout-applied', call: createCall });
      assert.deepEqual(summaryOf(await callAccount('activate', token, code)), [
        503,
        'GAME_ACTIVATION_FAIL',
        'PROVIDER_SILENT',
      ]);
      const gameCredentials = await openGame(system, token, code);
      const link = await system.api('GET /api/autoLogin/{provider}/{username}/x', {
        token,
        params: { provider: code, username: gameCredentials.username },
      });
      assert.equal((await openLaunchLink(link.body.link)).username, gameCredentials.username);
    });

    test(`${code}: a password can be changed once a minute; a refused change keeps the old one [R-GAME-02]`, async () => {
      const { token, id } = await registerMember(system);
      const resetCall = code === 'pg' ? 'SetPassword' : 'reset-password';
      assert.deepEqual(summaryOf(await callAccount('resetpassword', token, code)), [404, 'SLOT_NO_ACCOUNT', undefined]);
      const gameCredentials = await openGame(system, token, code);
      await failProvider(system, code, { fault: 'decline', call: resetCall });
      assert.deepEqual(summaryOf(await callAccount('resetpassword', token, code)), [
        502,
        'SLOT_RESET_PASSWORD_FAIL',
        undefined,
      ]);
      assert.deepEqual((await callAccount('account', token, code)).body, gameCredentials);
      const reset = await callAccount('resetpassword', token, code);
      assert.equal(reset.status, 200);
      assert.equal(reset.body.username, gameCredentials.username);
      assert.notEqual(reset.body.password, gameCredentials.password);
      assert.deepEqual((await callAccount('account', token, code)).body, reset.body);
      const before = await countProviderCalls(system, code, resetCall);
      assert.deepEqual(summaryOf(await callAccount('resetpassword', token, code)), [
        429,
        'REQUEST_LIMIT_1MIN',
        undefined,
      ]);
      assert.equal(await countProviderCalls(system, code, resetCall), before, 'the provider is not even asked');
      await system.database.query(
        `update game_account set password_reset_at = now() - interval '61 seconds' where member_id = $1`,
        [id],
      );
      assert.equal((await callAccount('resetpassword', token, code)).status, 200);
    });

    test(`${code}: a reset without a reply is resolved before the password is needed [R-GAME-02]`, async () => {
      const { token } = await registerMember(system);
      const resetCall = code === 'pg' ? 'SetPassword' : 'reset-password';
      const gameCredentials = await openGame(system, token, code);
      await failProvider(system, code, { fault: 'timeout-applied', call: resetCall, times: 2 });
      assert.deepEqual(summaryOf(await callAccount('resetpassword', token, code)), [
        502,
        'SLOT_RESET_PASSWORD_FAIL',
        'OUTCOME_UNKNOWN',
      ]);
      const shownCredentials = (await callAccount('account', token, code)).body;
      assert.notEqual(shownCredentials.password, gameCredentials.password, 'the provider’s password');
      const link = await system.api('GET /api/autoLogin/{provider}/{username}/x', {
        token,
        params: { provider: code, username: gameCredentials.username },
      });
      assert.equal((await openLaunchLink(link.body.link)).username, gameCredentials.username);
    });
  }
});

describe('game accounts', () => {
  test('a password shown after a refused reset is the valid one [R-GAME-02]', async () => {
    const ROUNDS = 5;
    const READS_PER_ROUND = 12;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { token } = await registerMember(system);
      await openGame(system, token, 'circus');
      await failProvider(system, 'circus', { fault: 'decline', call: 'password' });
      const reset = callAccount('resetpassword', token, 'circus');
      const readReplies: Promise<ApiReply>[] = [];
      for (let readNumber = 1; readNumber <= READS_PER_ROUND; readNumber += 1) {
        readReplies.push(callAccount('account', token, 'circus'));
        // Some of the requests arrive while the reset is pending.
        await wait(2);
      }
      await Promise.all([reset, ...readReplies]);
      await clearProviderFaults(system);
      const { body } = await callAccount('account', token, 'circus');
      const { link } = (
        await system.api('GET /api/autoLogin/{provider}/{username}', {
          token,
          params: { provider: 'circus', username: body.username },
        })
      ).body;
      assert.equal(new URL(link).searchParams.get('password'), body.password);
      assert.equal((await openLaunchLink(link)).username, body.username, `round ${round}`);
    }
  });

  test('a game that is unknown or hidden is NO_GAME everywhere [R-GAME-02]', async () => {
    const { token } = await registerMember(system);
    await system.database.query(`insert into game (code, name, category, provider, credits_per_unit, is_hidden)
      values ('secret', 'SECRET', 'lotto', 'pg', 1, true)`);
    for (const action of ['activate', 'account', 'resetpassword'] as const) {
      for (const code of ['nothing', 'secret', 'WALLET']) {
        assert.deepEqual(
          summaryOf(await callAccount(action, token, code)),
          [404, 'NO_GAME', undefined],
          `${action} ${code}`,
        );
      }
    }
  });

  test('an activation whose reply was lost can be repeated within a minute [R-GAME-02]', async () => {
    const { token, id } = await registerMember(system);
    const lockingClient = new pg.Client({ connectionString: system.databaseUrl });
    await lockingClient.connect();
    try {
      await lockingClient.query('begin');
      await lockingClient.query('lock table game_reveal in share row exclusive mode');
      await abortRequest(system, token, '/api/wallet/activate/pg', () => waitForLockWait(system));
    } finally {
      await lockingClient.end();
    }
    await waitUntilResult(
      'the account is open, and the server knows that its answer was lost',
      async () =>
        (
          await system.database.query<{ isLost: boolean }>(
            `select reply_lost_at is not null as "isLost" from game_account where member_id = $1 and state = 'ACTIVE'`,
            [id],
          )
        ).rows[0]?.isLost,
      (isLost) => isLost === true,
    );
    const repeatedReply = await callAccount('activate', token, 'pg');
    assert.equal(repeatedReply.status, 200);
    assert.deepEqual((await callAccount('account', token, 'pg')).body, repeatedReply.body);
    assert.deepEqual(summaryOf(await callAccount('activate', token, 'pg')), [409, 'SLOT_ALREADY_ACTIVE', undefined]);
  });

  test('concurrent activations open one account with one player [R-GAME-02]', async () => {
    const { token, id } = await registerMember(system);
    await clearProviderFaults(system);
    const createCount = await countProviderCalls(system, 'pg', 'Create');
    const replies = await Promise.all(Array.from({ length: 10 }, () => callAccount('activate', token, 'pg')));
    const acceptedReplies = replies.filter(({ status }) => status === 200);
    assert.equal(acceptedReplies.length, 1);
    for (const { status } of replies) assert.ok([200, 409, 429].includes(status), String(status));
    assert.equal(await countProviderCalls(system, 'pg', 'Create'), createCount + 1);
    const { rows } = await system.database.query('select 1 from game_account where member_id = $1', [id]);
    assert.equal(rows.length, 1);
  });
});

describe('launching', () => {
  let member: TestMember;
  let otherMember: TestMember;
  before(async () => {
    [member, otherMember] = [await registerMember(system), await registerMember(system)];
  });
  const launch = (token: string, path: string, headers: Record<string, string> = {}) =>
    system.api(`GET /api/autoLogin/${path}`, { token, headers });

  test('a launch link opens the game signed in as the member, with any characters in the password [R-GAME-02]', async () => {
    for (const code of ['pg', 'askmebet'] as const) {
      const { username } = await openGame(system, member.token, code);
      for (const path of [`${code}/${username}`, `${code}/${username}/not-the-password`]) {
        const reply = await launch(member.token, path);
        assert.equal(reply.status, 200, JSON.stringify(reply.body));
        const { username: player, language } = await openLaunchLink(reply.body.link);
        assert.deepEqual([player, language], [username, 'th']);
      }
      for (const [cookie, expectedLanguage] of [
        ['language=EN', 'en'],
        ['language=LA', 'la'],
      ] as const) {
        const reply = await launch(member.token, `${code}/${username}`, { cookie: `a=b; ${cookie}` });
        assert.equal((await openLaunchLink(reply.body.link)).language, expectedLanguage);
      }
    }
  });

  test('each game of one provider has its own account, and its link opens that game [R-GAME-02]', async () => {
    const { token } = await registerMember(system);
    const main: Record<string, string> = {
      pg: 'tiger',
      canal: 'market',
      jewels: 'deep',
      askmebet: 'sports',
      ninedice: 'dice',
    };
    const names = new Set<string>();
    for (const [code, expected] of Object.entries(main)) {
      const activateReply = await callAccount('activate', token, code);
      assert.equal(activateReply.status, 200, code);
      const { username } = activateReply.body;
      names.add(username);
      const { link } = (await launch(token, `${code}/${username}`)).body;
      assert.equal((await openLaunchLink(link)).username, username);
      assert.equal(new URL((await fetch(link)).url).searchParams.get('game'), expected, code);
    }
    assert.equal(names.size, 5);
  });

  test('a game in maintenance is shown, opens no account and launches for no member [R-GAME-02]', async () => {
    const { token } = await registerMember(system);
    const { slots } = (await system.api('GET /api/wallet', { token })).body;
    const maintainedSlots = slots.filter((slot: { inMaintenance: boolean }) => slot.inMaintenance);
    const maintenanceRefusal = [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE'];
    assert.ok(maintainedSlots.length > 0);
    for (const { code } of maintainedSlots)
      assert.deepEqual(summaryOf(await callAccount('activate', token, code)), maintenanceRefusal, code);
    const { username } = await openGame(system, token, 'pg');
    await system.database.query(`update game set in_maintenance = true where code = 'pg'`);
    assert.deepEqual(summaryOf(await launch(token, `pg/${username}`)), maintenanceRefusal);
    await system.database.query(`update game set in_maintenance = false where code = 'pg'`);
  });

  test('a launch as another member, or without an account, is refused [R-GAME-02] [R-ROLE-01]', async () => {
    const { username } = (await system.api('GET /api/wallet/account/pg', { token: member.token })).body;
    assert.deepEqual(summaryOf(await launch(otherMember.token, `pg/${username}`)), [404, 'SLOT_NO_ACCOUNT', undefined]);
    await openGame(system, otherMember.token, 'pg');
    assert.deepEqual(summaryOf(await launch(otherMember.token, `pg/${username}`)), [403, 'INVALID_USER_3', undefined]);
    assert.deepEqual(summaryOf(await launch(otherMember.token, `pg/${username}/x`)), [
      403,
      'INVALID_USER_3',
      undefined,
    ]);
    assert.deepEqual(summaryOf(await launch(otherMember.token, `nothing/${username}`)), [404, 'NO_GAME', undefined]);
  });

  test('a provider without a launch link is GAME_ACTIVATION_FAIL [R-GAME-02]', async () => {
    const { username } = (await system.api('GET /api/wallet/account/pg', { token: member.token })).body;
    await failProvider(system, 'pg', { fault: 'decline', call: 'LoginGame' });
    assert.deepEqual(summaryOf(await launch(member.token, `pg/${username}`)), [
      503,
      'GAME_ACTIVATION_FAIL',
      'LAUNCH_REFUSED',
    ]);
    await failProvider(system, 'pg', { fault: 'timeout-lost', call: 'LoginGame' });
    assert.deepEqual(summaryOf(await launch(member.token, `pg/${username}`)), [
      503,
      'GAME_ACTIVATION_FAIL',
      'PROVIDER_SILENT',
    ]);
  });

  test('GET calls that change state need X-Requested-With, and their replies are not cached [R-NET-06]', async () => {
    const { username } = (await system.api('GET /api/wallet/account/pg', { token: member.token })).body;
    const unsafePaths = ['activate/pg', 'resetpassword/pg', 'refresh/slot'].map((path) => `/api/wallet/${path}`);
    for (const path of [...unsafePaths, `/api/autoLogin/pg/${username}`, `/api/autoLogin/pg/${username}/x`]) {
      const unmarkedReply = await system.api(`GET ${path}`, { token: member.token, hasMarkerHeader: false });
      assert.deepEqual([unmarkedReply.status, unmarkedReply.body.message], [403, 'KEY_MISSING'], path);
      const getReply = await system.api(`GET ${path}`, { token: member.token });
      assert.match(getReply.headers.get('cache-control') ?? '', /no-store/, path);
      const headReply = await fetch(system.url + path, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${member.token}`, 'x-requested-with': 'XMLHttpRequest' },
      });
      assert.ok([404, 405].includes(headReply.status), path);
    }
  });
});

/** Sends a request and disconnects before the reply; resolves when the server has noticed. */
async function abortRequest(
  { app, url }: System,
  token: string,
  path: string,
  waitForMoment: () => Promise<unknown>,
): Promise<void> {
  const received = once(app.http.server, 'request') as Promise<[IncomingMessage]>;
  const pendingRequest = request(url + path, {
    headers: { authorization: `Bearer ${token}`, 'x-requested-with': 'XMLHttpRequest' },
  });
  pendingRequest.on('error', () => {});
  pendingRequest.end();
  const [{ socket }] = await received;
  await waitForMoment();
  const socketClosed = once(socket, 'close');
  pendingRequest.destroy();
  await socketClosed;
}
