import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openGame } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { setSettings, waitForSettingsReload } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

type Slot = { code: string; isFavourite: boolean; launchedAt: string | null; closedUntil: string | null };

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());

async function slotOf({ token }: TestMember, code: string): Promise<Slot> {
  const { body } = await system.api('GET /api/wallet', { token });
  return body.slots.find((slot: Slot) => slot.code === code);
}

const favourite = ({ token }: TestMember, method: 'PUT' | 'DELETE', slotCode: string) =>
  system.api(`${method} /api/wallet/favourite/{slotCode}`, { token, params: { slotCode } });

test('a favourite belongs to its member, and can be set and removed repeatedly, also without an account [R-WALLET-04]', async () => {
  const [member, other] = [await registerMember(system), await registerMember(system)];
  const replies = await Promise.all([1, 2, 3].map(() => favourite(member, 'PUT', 'pg')));
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await slotOf(member, 'pg')).isFavourite, true);
  assert.equal((await slotOf(other, 'pg')).isFavourite, false);
  assert.equal((await favourite(other, 'DELETE', 'pg')).status, 200);
  assert.equal((await slotOf(member, 'pg')).isFavourite, true);
  for (let time = 0; time < 2; time += 1) assert.equal((await favourite(member, 'DELETE', 'pg')).status, 200);
  assert.equal((await slotOf(member, 'pg')).isFavourite, false);
  for (const code of ['nothing', 'x'.repeat(33), '%00', 'WALLET'])
    assert.equal((await favourite(member, 'PUT', code)).body.message, 'NO_GAME', code);
});

test('a launch is remembered as the last time the game was played [R-WALLET-04]', async () => {
  const member = await registerMember(system);
  const { username, password } = await openGame(system, member.token, 'pg');
  assert.equal((await slotOf(member, 'pg')).launchedAt, null);
  const before = Date.now();
  const launch = await system.api('GET /api/autoLogin/{provider}/{username}/{password}', {
    token: member.token,
    params: { provider: 'pg', username, password },
  });
  assert.equal(launch.status, 200);
  const { launchedAt } = await slotOf(member, 'pg');
  assert.ok(Date.parse(launchedAt ?? '') >= before - 1_000);
});

test('a game in maintenance reports until when; an open one does not [R-WALLET-04]', async () => {
  const member = await registerMember(system);
  const until = '2030-01-01T11:00:00.000Z';
  await system.database.query(`update game set closed_until = $1 where code in ('pg', 'royal')`, [until]);
  await system.database.query(`update game set in_maintenance = code = 'royal' where code in ('pg', 'royal')`);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.equal((await slotOf(member, 'royal')).closedUntil, until);
  assert.equal((await slotOf(member, 'pg')).closedUntil, null);
  await system.database.query(`update game set in_maintenance = false, closed_until = null`);
});

test('popular games are those that twenty members opened within a week, most popular first [R-WALLET-04]', async () => {
  const { database } = system;
  const members = await Promise.all(Array.from({ length: 21 }, () => registerMember(system)));
  const launched = (game: string, ids: readonly string[], age: string) =>
    database.query(
      `insert into game_account (member_id, game_code, provider, username, password, state, activated_at, launched_at)
       select id::uuid, $1, $1, substr(md5(id || $1), 1, 12), '', 'ACTIVE', now(), now() - $3::interval from unnest($2::text[]) id
       on conflict (member_id, game_code) do update set launched_at = excluded.launched_at`,
      [game, ids, age],
    );
  const ids = members.map(({ id }) => id);
  await launched('joker2', ids.slice(0, 20), '1 day');
  await launched('naga', ids, '6 days');
  await launched('saming', ids, '8 days');
  await launched('circus', ids.slice(0, 19), '1 day');
  const { body } = await system.api('GET /api/lookup/popular');
  assert.deepEqual(body.games, ['naga', 'joker2']);
});

test('the search data has names of games and providers in every language, without hidden games, whatever the setting [R-WALLET-04]', async () => {
  const gameNames = async (): Promise<{ code: string; provider: string; names: string[] }[]> =>
    (await system.api('GET /api/lookup/games')).body.games;
  const entryOf = async (gameCode: string) => (await gameNames()).find(({ code }) => code === gameCode);
  const canal = await entryOf('canal');
  assert.equal(canal?.provider, 'PG');
  for (const name of ['Evening on the Canal', 'ตลาดน้ำยามค่ำ', 'ຕະຫຼາດນ້ຳຍາມຄ່ຳ', 'PG', 'pg', 'พีจี', 'ພີຈີ'])
    assert.ok(canal.names.includes(name), name);

  const { rows } = await system.database.query<{ value: object }>(
    `select value from operator_data_setting where name = 'gameProviders'`,
  );
  try {
    for (const value of ['none', { pg: { name: '' } }, { pg: [] }, null]) {
      await setSettings(system, { gameProviders: value });
      assert.equal((await entryOf('canal'))?.provider, 'pg', JSON.stringify(value));
    }
  } finally {
    await setSettings(system, { gameProviders: rows[0]?.value });
  }
  const total = (await gameNames()).length;
  await system.database.query(`update game set is_hidden = true where code = 'canal'`);
  await waitForSettingsReload();
  assert.equal(await entryOf('canal'), undefined);
  assert.equal((await gameNames()).length, total - 1);
  await system.database.query(`update game set is_hidden = false where code = 'canal'`);
  await waitForSettingsReload();
});
