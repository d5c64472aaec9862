import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isGameCredential } from '@krapao/contract/rules';
import pg from 'pg';
import type { ApiReply } from '../harness/api-client.ts';
import { behave, callsOf, eventually, misbehave, openGame, playsAs, providersWithin } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import { somebodyWaits } from '../incentive/incentive-world.ts';

let system: System;
before(async () => {
  system = await startSystem({ outside: providersWithin(FAULTY_TIMEOUT_MS) });
});
after(() => system?.stop());

const call = (word: 'activate' | 'account' | 'resetpassword', token: string, slotCode: string) =>
  system.api(`GET /api/wallet/${word}/{slotCode}`, { token, params: { slotCode } });
const summaryOf = ({ status, body }: ApiReply) => [status, body.message, body.detail];

describe('game accounts of two providers', () => {
  for (const code of ['pg', 'askmebet'] as const) {
    test(`${code}: an account opens once, with credentials that every provider takes [R-GAME-02]`, async () => {
      const { token, id } = await registerMember(system);
      assert.deepEqual(summaryOf(await call('account', token, code)), [404, 'SLOT_NO_ACCOUNT', undefined]);
      const opened = await openGame(system, token, code);
      assert.ok(isGameCredential(opened.username) && isGameCredential(opened.password));
      assert.deepEqual(summaryOf(await call('activate', token, code)), [409, 'SLOT_ALREADY_ACTIVE', undefined]);
      const shown = await call('account', token, code);
      assert.deepEqual([shown.status, shown.body], [200, opened]);
      const { rows } = await system.database.query<{ action: string; username: string; address: string }>(
        'select action, username, address from game_reveal where member_id = $1 order by id',
        [id],
      );
      assert.deepEqual(
        rows.map(({ action }) => action),
        ['activate', 'account'],
        'every reveal is written down',
      );
      assert.ok(rows.every(({ username, address }) => username === opened.username && address !== ''));
      const stored = await system.database.query<{ text: string }>(
        `select encode(password, 'escape') as text from game_account where member_id = $1`,
        [id],
      );
      assert.ok(!stored.rows[0]?.text.includes(opened.password), 'sealed at rest');
    });

    test(`${code}: refusals of opening have their codes [R-GAME-02]`, async () => {
      const { token } = await registerMember(system);
      const word = code === 'pg' ? 'Create' : 'create';
      await misbehave(system, code, { fault: 'decline', call: word });
      assert.deepEqual(summaryOf(await call('activate', token, code)), [502, 'SLOT_ACTIVATE_FAIL', undefined]);
      await system.database.query('update game set in_maintenance = true where code = $1', [code]);
      assert.deepEqual(summaryOf(await call('activate', token, code)), [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE']);
      await system.database.query('update game set in_maintenance = false where code = $1', [code]);
      await misbehave(system, code, { fault: 'timeout-lost', call: word });
      assert.deepEqual(summaryOf(await call('activate', token, code)), [
        503,
        'GAME_ACTIVATION_FAIL',
        'PROVIDER_SILENT',
      ]);
      assert.equal((await call('activate', token, code)).status, 200, 'after all that it opens');
    });

    test(`${code}: a player that the provider opened without an answer is adopted [R-GAME-02]`, async () => {
      const { token } = await registerMember(system);
      const word = code === 'pg' ? 'Create' : 'create';
      await misbehave(system, code, { fault: 'timeout-applied', call: word });
      assert.deepEqual(summaryOf(await call('activate', token, code)), [
        503,
        'GAME_ACTIVATION_FAIL',
        'PROVIDER_SILENT',
      ]);
      const opened = await openGame(system, token, code);
      const link = await system.api('GET /api/autoLogin/{provider}/{username}/x', {
        token,
        params: { provider: code, username: opened.username },
      });
      assert.equal((await playsAs(link.body.link)).username, opened.username);
    });

    test(`${code}: a new password once a minute; a refused one leaves the old [R-GAME-02]`, async () => {
      const { token, id } = await registerMember(system);
      const word = code === 'pg' ? 'SetPassword' : 'reset-password';
      assert.deepEqual(summaryOf(await call('resetpassword', token, code)), [404, 'SLOT_NO_ACCOUNT', undefined]);
      const opened = await openGame(system, token, code);
      await misbehave(system, code, { fault: 'decline', call: word });
      assert.deepEqual(summaryOf(await call('resetpassword', token, code)), [
        502,
        'SLOT_RESET_PASSWORD_FAIL',
        undefined,
      ]);
      assert.deepEqual((await call('account', token, code)).body, opened);
      const reset = await call('resetpassword', token, code);
      assert.equal(reset.status, 200);
      assert.equal(reset.body.username, opened.username);
      assert.notEqual(reset.body.password, opened.password);
      assert.deepEqual((await call('account', token, code)).body, reset.body);
      const before = await callsOf(system, code, word);
      assert.deepEqual(summaryOf(await call('resetpassword', token, code)), [429, 'REQUEST_LIMIT_1MIN', undefined]);
      assert.equal(await callsOf(system, code, word), before, 'the provider is not even asked');
      await system.database.query(
        `update game_account set password_reset_at = now() - interval '61 seconds' where member_id = $1`,
        [id],
      );
      assert.equal((await call('resetpassword', token, code)).status, 200);
    });

    test(`${code}: a reset without an answer is made certain before the password is needed [R-GAME-02]`, async () => {
      const { token } = await registerMember(system);
      const word = code === 'pg' ? 'SetPassword' : 'reset-password';
      const opened = await openGame(system, token, code);
      await misbehave(system, code, { fault: 'timeout-applied', call: word, times: 2 });
      assert.deepEqual(summaryOf(await call('resetpassword', token, code)), [
        502,
        'SLOT_RESET_PASSWORD_FAIL',
        'OUTCOME_UNKNOWN',
      ]);
      const shown = (await call('account', token, code)).body;
      assert.notEqual(shown.password, opened.password, 'the provider’s password');
      const link = await system.api('GET /api/autoLogin/{provider}/{username}/x', {
        token,
        params: { provider: code, username: opened.username },
      });
      assert.equal((await playsAs(link.body.link)).username, opened.username);
    });
  }
});

describe('game accounts', () => {
  test('a password shown while a reset is refused is the valid one [R-GAME-02]', async () => {
    const ROUNDS = 5;
    const LOOKS = 12;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { token } = await registerMember(system);
      await openGame(system, token, 'circus');
      await misbehave(system, 'circus', { fault: 'decline', call: 'password' });
      const reset = call('resetpassword', token, 'circus');
      const looks: Promise<ApiReply>[] = [];
      for (let look = 1; look <= LOOKS; look += 1) {
        looks.push(call('account', token, 'circus'));
        // Some of them while the reset is pending.
        await wait(2);
      }
      await Promise.all([reset, ...looks]);
      await behave(system);
      const { body } = await call('account', token, 'circus');
      const { link } = (
        await system.api('GET /api/autoLogin/{provider}/{username}', {
          token,
          params: { provider: 'circus', username: body.username },
        })
      ).body;
      assert.equal(new URL(link).searchParams.get('password'), body.password);
      assert.equal((await playsAs(link)).username, body.username, `round ${round}`);
    }
  });

  test('a game that is unknown or hidden is NO_GAME everywhere [R-GAME-02]', async () => {
    const { token } = await registerMember(system);
    await system.database.query(`insert into game (code, name, category, provider, ft_wallet_slot, is_hidden)
      values ('secret', 'SECRET', 'lotto', 'pg', 1, true)`);
    for (const word of ['activate', 'account', 'resetpassword'] as const) {
      for (const code of ['nothing', 'secret', 'WALLET']) {
        assert.deepEqual(summaryOf(await call(word, token, code)), [404, 'NO_GAME', undefined], `${word} ${code}`);
      }
    }
  });

  test('an activation whose answer was lost can be repeated within a minute [R-GAME-02]', async () => {
    const { token, id } = await registerMember(system);
    const locked = new pg.Client({ connectionString: system.databaseUrl });
    await locked.connect();
    try {
      await locked.query('begin');
      await locked.query('lock table game_reveal in share row exclusive mode');
      await leaveEarly(system, token, '/api/wallet/activate/pg', () => somebodyWaits(system));
    } finally {
      await locked.end();
    }
    await eventually(
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
    const again = await call('activate', token, 'pg');
    assert.equal(again.status, 200);
    assert.deepEqual((await call('account', token, 'pg')).body, again.body);
    assert.deepEqual(summaryOf(await call('activate', token, 'pg')), [409, 'SLOT_ALREADY_ACTIVE', undefined]);
  });

  test('concurrent activations open one account with one player [R-GAME-02]', async () => {
    const { token, id } = await registerMember(system);
    await behave(system);
    const created = await callsOf(system, 'pg', 'Create');
    const replies = await Promise.all(Array.from({ length: 10 }, () => call('activate', token, 'pg')));
    const ok = replies.filter(({ status }) => status === 200);
    assert.equal(ok.length, 1);
    for (const { status } of replies) assert.ok([200, 409, 429].includes(status), String(status));
    assert.equal(await callsOf(system, 'pg', 'Create'), created + 1);
    const { rows } = await system.database.query('select 1 from game_account where member_id = $1', [id]);
    assert.equal(rows.length, 1);
  });
});

describe('launching', () => {
  let member: TestMember;
  let other: TestMember;
  before(async () => {
    [member, other] = [await registerMember(system), await registerMember(system)];
  });
  const launch = (token: string, path: string, headers: Record<string, string> = {}) =>
    system.api(`GET /api/autoLogin/${path}`, { token, headers });

  test('a link opens the game signed in as the member, whatever password the path has [R-GAME-02]', async () => {
    for (const code of ['pg', 'askmebet'] as const) {
      const { username } = await openGame(system, member.token, code);
      for (const path of [`${code}/${username}`, `${code}/${username}/not-the-password`]) {
        const reply = await launch(member.token, path);
        assert.equal(reply.status, 200, JSON.stringify(reply.body));
        const { username: player, language } = await playsAs(reply.body.link);
        assert.deepEqual([player, language], [username, 'th']);
      }
      for (const [cookie, spoken] of [
        ['language=EN', 'en'],
        ['language=LA', 'la'],
      ] as const) {
        const reply = await launch(member.token, `${code}/${username}`, { cookie: `a=b; ${cookie}` });
        assert.equal((await playsAs(reply.body.link)).language, spoken);
      }
    }
  });

  test('games of one provider have an account each, and their link opens the game of the card [R-GAME-02]', async () => {
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
      const opened = await call('activate', token, code);
      assert.equal(opened.status, 200, code);
      const { username } = opened.body;
      names.add(username);
      const { link } = (await launch(token, `${code}/${username}`)).body;
      assert.equal((await playsAs(link)).username, username);
      assert.equal(new URL((await fetch(link)).url).searchParams.get('game'), expected, code);
    }
    assert.equal(names.size, 5);
  });

  test('a game in maintenance is shown, opens no account and launches for no member [R-GAME-02]', async () => {
    const { token } = await registerMember(system);
    const { slots } = (await system.api('GET /api/wallet', { token: token })).body;
    const shown = slots.filter((slot: { inMaintenance: boolean }) => slot.inMaintenance);
    const refused = [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE'];
    assert.ok(shown.length > 0);
    for (const { code } of shown) assert.deepEqual(summaryOf(await call('activate', token, code)), refused, code);
    const { username } = await openGame(system, token, 'pg');
    await system.database.query(`update game set in_maintenance = true where code = 'pg'`);
    assert.deepEqual(summaryOf(await launch(token, `pg/${username}`)), refused);
    await system.database.query(`update game set in_maintenance = false where code = 'pg'`);
  });

  test('a launch as another member, or without an account, is refused [R-GAME-02] [R-ROLE-01]', async () => {
    const { username } = (await system.api('GET /api/wallet/account/pg', { token: member.token })).body;
    assert.deepEqual(summaryOf(await launch(other.token, `pg/${username}`)), [404, 'SLOT_NO_ACCOUNT', undefined]);
    await openGame(system, other.token, 'pg');
    assert.deepEqual(summaryOf(await launch(other.token, `pg/${username}`)), [403, 'INVALID_USER_3', undefined]);
    assert.deepEqual(summaryOf(await launch(other.token, `pg/${username}/x`)), [403, 'INVALID_USER_3', undefined]);
    assert.deepEqual(summaryOf(await launch(other.token, `nothing/${username}`)), [404, 'NO_GAME', undefined]);
  });

  test('a provider that gives no link is GAME_ACTIVATION_FAIL [R-GAME-02]', async () => {
    const { username } = (await system.api('GET /api/wallet/account/pg', { token: member.token })).body;
    await misbehave(system, 'pg', { fault: 'decline', call: 'LoginGame' });
    assert.deepEqual(summaryOf(await launch(member.token, `pg/${username}`)), [
      503,
      'GAME_ACTIVATION_FAIL',
      'LAUNCH_REFUSED',
    ]);
    await misbehave(system, 'pg', { fault: 'timeout-lost', call: 'LoginGame' });
    assert.deepEqual(summaryOf(await launch(member.token, `pg/${username}`)), [
      503,
      'GAME_ACTIVATION_FAIL',
      'PROVIDER_SILENT',
    ]);
  });

  test('calls that change something by GET need the marker, and their answers may not be cached [R-NET-06]', async () => {
    const { username } = (await system.api('GET /api/wallet/account/pg', { token: member.token })).body;
    const paths = ['activate/pg', 'resetpassword/pg', 'refresh/slot'].map((path) => `/api/wallet/${path}`);
    for (const path of [...paths, `/api/autoLogin/pg/${username}`, `/api/autoLogin/pg/${username}/x`]) {
      const bare = await system.api(`GET ${path}`, { token: member.token, marker: false });
      assert.deepEqual([bare.status, bare.body.message], [403, 'KEY_MISSING'], path);
      const asked = await system.api(`GET ${path}`, { token: member.token });
      assert.match(asked.headers.get('cache-control') ?? '', /no-store/, path);
      const head = await fetch(system.url + path, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${member.token}`, 'x-requested-with': 'XMLHttpRequest' },
      });
      assert.ok([404, 405].includes(head.status), path);
    }
  });
});

/** Sends a request and disconnects before the reply; resolves when the server has noticed. */
async function leaveEarly(
  { app, url }: System,
  token: string,
  path: string,
  moment: () => Promise<unknown>,
): Promise<void> {
  const received = once(app.http.server, 'request') as Promise<[IncomingMessage]>;
  const asked = request(url + path, {
    headers: { authorization: `Bearer ${token}`, 'x-requested-with': 'XMLHttpRequest' },
  });
  asked.on('error', () => {});
  asked.end();
  const [{ socket }] = await received;
  await moment();
  const left = once(socket, 'close');
  asked.destroy();
  await left;
}
