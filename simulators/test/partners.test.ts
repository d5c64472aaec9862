import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, outside } from './harness.ts';
import { open } from './games/game-servers.ts';
import { circus, imi, pgslot, royal, slotracha, usunPartner } from './partners.ts';
import { playerBalance } from './games/players.ts';

const MALI = { username: 'mali03', password: 'Secret12' };
const BAD_AMOUNTS = ['0', '0.00', '-1', '1.005', '1e3', '', '1,000.00'];

test('imi: a reference is accepted once, and refused afterwards for any call', async (t) => {
  const { address } = await outside(t);
  assert.deepEqual((await imi(address, '/member', MALI)).body.data, { username: 'mali03' });
  assert.equal((await imi(address, '/member', { ...MALI, username: 'MALI03' })).body.code, 1003);
  const order = { username: 'mali03', amount: '12.50', transactionRef: 'r-1' };
  const { body } = await imi(address, '/deposit', order);
  assert.deepEqual([body.code, body.data.beforeBalance, body.data.afterBalance], [0, '0.00', '12.50']);
  assert.equal((await imi(address, '/deposit', order)).body.code, 1005);
  assert.equal((await imi(address, '/withdraw', order)).body.code, 1005);
  assert.equal((await imi(address, '/withdraw', { ...order, amount: '12.51', transactionRef: 'r-2' })).body.code, 1004);
  assert.equal((await imi(address, '/withdraw', { ...order, transactionRef: 'r-2' })).body.code, 0, 'r-2 did nothing');
  assert.equal(await playerBalance(address, 'imi', 'mali03'), '0.00');
  for (const amount of BAD_AMOUNTS) {
    assert.equal((await imi(address, '/deposit', { ...order, amount, transactionRef: 'r-3' })).body.code, 1001, amount);
  }
  assert.equal((await imi(address, '/deposit', { ...order, transactionRef: 'a b' })).body.code, 1001);
  assert.equal((await imi(address, '/balance', { username: 'nobody' })).body.code, 1002);
  const stranger = await ask<{ code: number }>(address, 'POST', '/games/imi/balance', MALI);
  assert.deepEqual([stranger.status, stranger.body.code], [401, 401]);
});

test('imi: a separate call returns open stakes, with a number that grows with every bet', async (t) => {
  const { address } = await outside(t);
  await imi(address, '/member', MALI);
  await imi(address, '/deposit', { username: 'mali03', amount: '100', transactionRef: 'r-1' });
  const readOutstanding = async () => (await imi(address, '/outstanding', { username: 'mali03' })).body.data;
  assert.deepEqual(await readOutstanding(), { username: 'mali03', outstanding: '0.00', lastBetId: null });
  const play = (word: string, body: object) =>
    ask<{ roundId: number }>(address, 'POST', `/games/imi/players/mali03/${word}`, body);
  const first = (await play('play', { stake: 30, open: true })).body.roundId;
  assert.deepEqual(await readOutstanding(), { username: 'mali03', outstanding: '30.00', lastBetId: first });
  const second = (await play('play', { stake: 10, win: 0 })).body.roundId;
  assert.deepEqual(await readOutstanding(), { username: 'mali03', outstanding: '30.00', lastBetId: second });
  await play('settle', { roundId: first, win: 5 });
  assert.deepEqual(await readOutstanding(), { username: 'mali03', outstanding: '0.00', lastBetId: second });
  const { balance, turnover } = (await imi(address, '/balance', { username: 'mali03' })).body.data;
  assert.deepEqual([balance, turnover], ['65.00', '40.00']);
});

test('imi and pgslot: a login call needs the right password and an existing game', async (t) => {
  const { address } = await outside(t);
  await imi(address, '/member', MALI);
  const loginRequest = { ...MALI, productId: 'SPORT', language: 'en', returnUrl: 'http://127.0.0.1:9/' };
  const { url } = (await imi(address, '/logIn', loginRequest)).body.data;
  assert.equal((await open(address, new URL(url).pathname + new URL(url).search)).status, 200);
  assert.doesNotMatch(url, /Secret12/);
  assert.equal((await imi(address, '/logIn', { ...loginRequest, password: 'Other123' })).body.code, 1006);
  assert.equal((await imi(address, '/logIn', { ...loginRequest, productId: 'CASINO' })).body.code, 1007);
  assert.equal((await imi(address, '/logIn', { ...loginRequest, gameCode: 'tiger' })).body.code, 1007);
  assert.equal((await imi(address, '/logIn', { ...loginRequest, username: 'nobody' })).body.code, 1002);
  const account = (await pgslot(address, '/create', { memberRef: 'mali03' })).body.data;
  const launch = { username: account.username, password: account.password, language: 'th', returnUrl: '' };
  assert.match((await pgslot(address, '/launch', launch)).body.data.url, /\/games\/pgslot\/play\//);
  assert.equal((await pgslot(address, '/launch', { ...launch, password: 'Other123' })).body.status.code, 1407);
  assert.equal((await pgslot(address, '/launch', { ...launch, gameCode: 'tiger' })).body.status.code, 1407);
});

test('usun: every call needs a login token; tokens expire and can be revoked', async (t) => {
  const { address } = await outside(t);
  const wrong = { clientId: 'usun', clientSecret: 'other' };
  const refused = await ask<{ code: string }>(address, 'POST', '/games/usun/api/v1/auth/login', wrong);
  assert.deepEqual([refused.status, refused.body.code], [401, 'INVALID_CLIENT']);
  const stranger = await ask<{ code: string }>(address, 'POST', '/games/usun/api/v1/players', MALI);
  assert.deepEqual([stranger.status, stranger.body.code], [401, 'TOKEN_INVALID']);
  const partner = await usunPartner(address);
  const other = await usunPartner(address);
  assert.equal((await partner('POST', '', MALI)).status, 200);
  assert.deepEqual((await other('POST', '', MALI)).body.code, 'PLAYER_EXISTS', 'both tokens are good');
  await ask(address, 'POST', '/control/games/usun/tokens', { revoke: true });
  for (const one of [partner, other]) {
    const over = await one('POST', '/mali03/deposit', { amount: '5.00' });
    assert.deepEqual([over.status, over.body.code], [401, 'TOKEN_EXPIRED']);
  }
  assert.equal(await playerBalance(address, 'usun', 'mali03'), '0.00');
  const now = await usunPartner(address);
  const { data } = (await now('POST', '/mali03/deposit', { amount: '5.00' })).body;
  assert.deepEqual([data.amount, data.before, data.after], ['5.00', '0.00', '5.00']);
  for (const amount of BAD_AMOUNTS) {
    assert.equal((await now('POST', '/mali03/deposit', { amount })).body.code, 'BAD_REQUEST', amount);
  }
  assert.equal((await now('POST', '/mali03/withdraw', { amount: '5.01' })).body.code, 'LOW_BALANCE');
  assert.equal((await now('GET', '/nobody/balance')).body.code, 'NO_PLAYER');
});

test('circus: the exact body must be signed; a reference moves money once', async (t) => {
  const { address } = await outside(t);
  const player = { user: 'mali03', password: 'Secret12' };
  assert.equal((await circus(address, '/v2/player/create', player)).body.status, 'RS_OK');
  const order = { user: 'mali03', amount: '10.00', transaction_uuid: 'u-1' };
  const more = await circus(address, '/v2/transfer/in', order, { ...order, amount: '99.00' });
  assert.deepEqual(more.body, { status: 'RS_ERROR_INVALID_SIGNATURE' });
  const unsigned = await ask<{ status: string }>(address, 'POST', '/games/circus/v2/transfer/in', order);
  assert.equal(unsigned.body.status, 'RS_ERROR_INVALID_SIGNATURE');
  const operator = await circus(address, '/v2/transfer/in', { ...order, operator_id: 'other' });
  assert.equal(operator.body.status, 'RS_ERROR_INVALID_PARTNER');
  const first = (await circus(address, '/v2/transfer/in', order)).body;
  assert.deepEqual([first.status, first.balance], ['RS_OK', '10.00']);
  assert.deepEqual((await circus(address, '/v2/transfer/in', order)).body, first);
  for (const other of [
    { ...order, amount: '10.01' },
    { ...order, user: 'mali04' },
  ]) {
    assert.equal((await circus(address, '/v2/transfer/in', other)).body.status, 'RS_ERROR_DUPLICATE_TRANSACTION');
  }
  const out = { ...order, amount: '10.01', transaction_uuid: 'u-2' };
  assert.equal((await circus(address, '/v2/transfer/out', out)).body.status, 'RS_ERROR_NOT_ENOUGH_MONEY');
  assert.equal(await playerBalance(address, 'circus', 'mali03'), '10.00');
});

test('slotracha: one call moves in both directions, returns no balance, and accepts only its two types', async (t) => {
  const { address } = await outside(t);
  await slotracha(address, '/member', MALI);
  const order = { username: 'mali03', amount: '10.00' };
  const { body } = await slotracha(address, '/transfer', { ...order, type: 2 });
  assert.deepEqual(body, { success: true, data: { ...order, type: 2 } });
  for (const type of [1, 0, 4, '', null]) {
    const wrong = await slotracha(address, '/transfer', { ...order, type });
    assert.deepEqual([wrong.status, wrong.body.error], [422, 'invalid'], String(type));
  }
  const much = await slotracha(address, '/transfer', { ...order, amount: '10.01', type: 3 });
  assert.deepEqual([much.status, much.body.error], [409, 'credit_too_low']);
  await slotracha(address, '/transfer', { ...order, amount: '4.00', type: 3 });
  assert.equal((await slotracha(address, '/credit', { username: 'mali03' })).body.data.credit, '6.00');
  const stranger = await ask<{ error: string }>(address, 'POST', '/games/slotracha/credit', MALI);
  assert.deepEqual([stranger.status, stranger.body.error], [401, 'unauthenticated']);
});

test('pgslot: the exact body must be signed; the pool assigns one account to a memberRef', async (t) => {
  const { address } = await outside(t);
  const forged = await pgslot(address, '/create', { memberRef: 'mali03' }, { memberRef: 'mali04' });
  assert.equal(forged.body.status.code, 1401);
  const first = (await pgslot(address, '/create', { memberRef: 'mali03' })).body.data;
  assert.deepEqual((await pgslot(address, '/create', { memberRef: 'mali03' })).body.data, first);
  const { username } = first;
  await pgslot(address, '/password', { username, password: 'Other123' });
  const again = (await pgslot(address, '/create', { memberRef: 'mali03' })).body.data;
  assert.deepEqual(again, { ...first, password: null }, 'a password set since is unknown');
  await ask(address, 'POST', '/control/settings', { games: { pgslot: { pool: 0 } } });
  assert.equal((await pgslot(address, '/create', { memberRef: 'mali05' })).body.status.code, 1405);
  assert.equal((await pgslot(address, '/create', { memberRef: 'mali03' })).body.status.code, 1000);
  const { data } = (await pgslot(address, '/deposit', { username, amount: '7.25' })).body;
  assert.deepEqual(data.balance, { before: '0.00', after: '7.25' });
  assert.equal((await pgslot(address, '/withdraw', { username, amount: '7.26' })).body.status.code, 1406);
});

test('royal: the exact form must be signed, with all its fields', async (t) => {
  const { address } = await outside(t);
  assert.deepEqual((await royal(address, '/create', MALI)).body, { error: 0, username: 'mali03' });
  assert.equal((await royal(address, '/create', MALI)).body.error, 5);
  const order = { username: 'mali03', amount: '10.00' };
  assert.equal((await royal(address, '/deposit', order, { ...order, amount: '99.00' })).body.error, 1);
  assert.equal((await royal(address, '/deposit', order, { ...order, more: 'x' })).body.error, 1);
  assert.equal((await royal(address, '/deposit', { ...order, agent: 'other' })).body.error, 2);
  const { body } = await royal(address, '/deposit', order);
  assert.deepEqual([body.error, body.before, body.after], [0, '0.00', '10.00']);
  assert.equal((await royal(address, '/withdraw', { ...order, amount: '10.01' })).body.error, 6);
  for (const amount of BAD_AMOUNTS) {
    assert.equal((await royal(address, '/deposit', { ...order, amount })).body.error, 3, amount);
  }
  assert.equal((await royal(address, '/balance', { username: 'nobody' })).body.error, 4);
});

test('malformed bodies are refused in the format of each protocol', async (t) => {
  const { address } = await outside(t);
  const said = async (path: string) => {
    const response = await fetch(`${address}/games/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer slotracha-token' },
      body: '{"username":',
    });
    return response.json();
  };
  assert.deepEqual(await said('slotracha/member'), { success: false, error: 'invalid' });
  assert.deepEqual(await said('circus/v2/player/create'), { status: 'RS_ERROR_INVALID_SIGNATURE' });
  assert.equal(((await said('usun/api/v1/auth/login')) as { code: string }).code, 'BAD_REQUEST');
});
