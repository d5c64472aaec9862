import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './games/game-servers.ts';
import { playerBalance } from './games/players.ts';
import { ask, outside } from './harness.ts';
import { circus, imi, pgslot, royal, slotracha, usunPartner } from './partners.ts';

const MALI_CREDENTIALS = { username: 'mali03', password: 'Secret12' };
const BAD_AMOUNTS = ['0', '0.00', '-1', '1.005', '1e3', '', '1,000.00'];

test('imi: a reference is accepted once, and refused afterwards for any call', async (t) => {
  const { address } = await outside(t);
  assert.deepEqual((await imi(address, '/member', MALI_CREDENTIALS)).body.data, { username: 'mali03' });
  assert.equal((await imi(address, '/member', { ...MALI_CREDENTIALS, username: 'MALI03' })).body.code, 1003);
  const transferOrder = { username: 'mali03', amount: '12.50', transactionRef: 'r-1' };
  const { body } = await imi(address, '/deposit', transferOrder);
  assert.deepEqual([body.code, body.data.beforeBalance, body.data.afterBalance], [0, '0.00', '12.50']);
  assert.equal((await imi(address, '/deposit', transferOrder)).body.code, 1005);
  assert.equal((await imi(address, '/withdraw', transferOrder)).body.code, 1005);
  assert.equal(
    (await imi(address, '/withdraw', { ...transferOrder, amount: '12.51', transactionRef: 'r-2' })).body.code,
    1004,
  );
  assert.equal(
    (await imi(address, '/withdraw', { ...transferOrder, transactionRef: 'r-2' })).body.code,
    0,
    'r-2 did nothing',
  );
  assert.equal(await playerBalance(address, 'imi', 'mali03'), '0.00');
  for (const amount of BAD_AMOUNTS) {
    assert.equal(
      (await imi(address, '/deposit', { ...transferOrder, amount, transactionRef: 'r-3' })).body.code,
      1001,
      amount,
    );
  }
  assert.equal((await imi(address, '/deposit', { ...transferOrder, transactionRef: 'a b' })).body.code, 1001);
  assert.equal((await imi(address, '/balance', { username: 'nobody' })).body.code, 1002);
  const strangerReply = await ask<{ code: number }>(address, 'POST', '/games/imi/balance', MALI_CREDENTIALS);
  assert.deepEqual([strangerReply.status, strangerReply.body.code], [401, 401]);
});

test('imi: a separate call returns open stakes, with a number that grows with every bet', async (t) => {
  const { address } = await outside(t);
  await imi(address, '/member', MALI_CREDENTIALS);
  await imi(address, '/deposit', { username: 'mali03', amount: '100', transactionRef: 'r-1' });
  const readOutstanding = async () => (await imi(address, '/outstanding', { username: 'mali03' })).body.data;
  assert.deepEqual(await readOutstanding(), { username: 'mali03', outstanding: '0.00', lastBetId: null });
  const postPlay = (action: string, body: object) =>
    ask<{ roundId: number }>(address, 'POST', `/games/imi/players/mali03/${action}`, body);
  const firstRoundId = (await postPlay('play', { stake: 30, open: true })).body.roundId;
  assert.deepEqual(await readOutstanding(), { username: 'mali03', outstanding: '30.00', lastBetId: firstRoundId });
  const secondRoundId = (await postPlay('play', { stake: 10, win: 0 })).body.roundId;
  assert.deepEqual(await readOutstanding(), { username: 'mali03', outstanding: '30.00', lastBetId: secondRoundId });
  await postPlay('settle', { roundId: firstRoundId, win: 5 });
  assert.deepEqual(await readOutstanding(), { username: 'mali03', outstanding: '0.00', lastBetId: secondRoundId });
  const { balance, turnover } = (await imi(address, '/balance', { username: 'mali03' })).body.data;
  assert.deepEqual([balance, turnover], ['65.00', '40.00']);
});

test('imi and pgslot: a login call needs the right password and an existing game', async (t) => {
  const { address } = await outside(t);
  await imi(address, '/member', MALI_CREDENTIALS);
  const loginRequest = { ...MALI_CREDENTIALS, productId: 'SPORT', language: 'en', returnUrl: 'http://127.0.0.1:9/' };
  const { url } = (await imi(address, '/logIn', loginRequest)).body.data;
  assert.equal((await open(address, new URL(url).pathname + new URL(url).search)).status, 200);
  assert.doesNotMatch(url, /Secret12/);
  assert.equal((await imi(address, '/logIn', { ...loginRequest, password: 'Other123' })).body.code, 1006);
  assert.equal((await imi(address, '/logIn', { ...loginRequest, productId: 'CASINO' })).body.code, 1007);
  assert.equal((await imi(address, '/logIn', { ...loginRequest, gameCode: 'tiger' })).body.code, 1007);
  assert.equal((await imi(address, '/logIn', { ...loginRequest, username: 'nobody' })).body.code, 1002);
  const account = (await pgslot(address, '/create', { memberRef: 'mali03' })).body.data;
  const launchBody = { username: account.username, password: account.password, language: 'th', returnUrl: '' };
  assert.match((await pgslot(address, '/launch', launchBody)).body.data.url, /\/games\/pgslot\/play\//);
  assert.equal((await pgslot(address, '/launch', { ...launchBody, password: 'Other123' })).body.status.code, 1407);
  assert.equal((await pgslot(address, '/launch', { ...launchBody, gameCode: 'tiger' })).body.status.code, 1407);
});

test('usun: every call needs a login token; tokens expire and can be revoked', async (t) => {
  const { address } = await outside(t);
  const wrongCredentials = { clientId: 'usun', clientSecret: 'other' };
  const refusedLogin = await ask<{ code: string }>(address, 'POST', '/games/usun/api/v1/auth/login', wrongCredentials);
  assert.deepEqual([refusedLogin.status, refusedLogin.body.code], [401, 'INVALID_CLIENT']);
  const strangerReply = await ask<{ code: string }>(address, 'POST', '/games/usun/api/v1/players', MALI_CREDENTIALS);
  assert.deepEqual([strangerReply.status, strangerReply.body.code], [401, 'TOKEN_INVALID']);
  const firstPartner = await usunPartner(address);
  const secondPartner = await usunPartner(address);
  assert.equal((await firstPartner('POST', '', MALI_CREDENTIALS)).status, 200);
  assert.deepEqual(
    (await secondPartner('POST', '', MALI_CREDENTIALS)).body.code,
    'PLAYER_EXISTS',
    'both tokens are good',
  );
  await ask(address, 'POST', '/control/games/usun/tokens', { revoke: true });
  for (const partnerCall of [firstPartner, secondPartner]) {
    const expiredReply = await partnerCall('POST', '/mali03/deposit', { amount: '5.00' });
    assert.deepEqual([expiredReply.status, expiredReply.body.code], [401, 'TOKEN_EXPIRED']);
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
  const transferOrder = { user: 'mali03', amount: '10.00', transaction_uuid: 'u-1' };
  const alteredReply = await circus(address, '/v2/transfer/in', transferOrder, { ...transferOrder, amount: '99.00' });
  assert.deepEqual(alteredReply.body, { status: 'RS_ERROR_INVALID_SIGNATURE' });
  const unsignedReply = await ask<{ status: string }>(address, 'POST', '/games/circus/v2/transfer/in', transferOrder);
  assert.equal(unsignedReply.body.status, 'RS_ERROR_INVALID_SIGNATURE');
  const operator = await circus(address, '/v2/transfer/in', { ...transferOrder, operator_id: 'other' });
  assert.equal(operator.body.status, 'RS_ERROR_INVALID_PARTNER');
  const firstReply = (await circus(address, '/v2/transfer/in', transferOrder)).body;
  assert.deepEqual([firstReply.status, firstReply.balance], ['RS_OK', '10.00']);
  assert.deepEqual((await circus(address, '/v2/transfer/in', transferOrder)).body, firstReply);
  for (const otherOrder of [
    { ...transferOrder, amount: '10.01' },
    { ...transferOrder, user: 'mali04' },
  ]) {
    assert.equal((await circus(address, '/v2/transfer/in', otherOrder)).body.status, 'RS_ERROR_DUPLICATE_TRANSACTION');
  }
  const withdrawalOrder = { ...transferOrder, amount: '10.01', transaction_uuid: 'u-2' };
  assert.equal((await circus(address, '/v2/transfer/out', withdrawalOrder)).body.status, 'RS_ERROR_NOT_ENOUGH_MONEY');
  assert.equal(await playerBalance(address, 'circus', 'mali03'), '10.00');
});

test('slotracha: one call moves in both directions, returns no balance, and accepts only its two types', async (t) => {
  const { address } = await outside(t);
  await slotracha(address, '/member', MALI_CREDENTIALS);
  const transferOrder = { username: 'mali03', amount: '10.00' };
  const { body } = await slotracha(address, '/transfer', { ...transferOrder, type: 2 });
  assert.deepEqual(body, { success: true, data: { ...transferOrder, type: 2 } });
  for (const type of [1, 0, 4, '', null]) {
    const wrongTypeReply = await slotracha(address, '/transfer', { ...transferOrder, type });
    assert.deepEqual([wrongTypeReply.status, wrongTypeReply.body.error], [422, 'invalid'], String(type));
  }
  const excessiveReply = await slotracha(address, '/transfer', { ...transferOrder, amount: '10.01', type: 3 });
  assert.deepEqual([excessiveReply.status, excessiveReply.body.error], [409, 'credit_too_low']);
  await slotracha(address, '/transfer', { ...transferOrder, amount: '4.00', type: 3 });
  assert.equal((await slotracha(address, '/credit', { username: 'mali03' })).body.data.credit, '6.00');
  const strangerReply = await ask<{ error: string }>(address, 'POST', '/games/slotracha/credit', MALI_CREDENTIALS);
  assert.deepEqual([strangerReply.status, strangerReply.body.error], [401, 'unauthenticated']);
});

test('pgslot: the exact body must be signed; the pool assigns one account to a memberRef', async (t) => {
  const { address } = await outside(t);
  const forgedReply = await pgslot(address, '/create', { memberRef: 'mali03' }, { memberRef: 'mali04' });
  assert.equal(forgedReply.body.status.code, 1401);
  const firstAccount = (await pgslot(address, '/create', { memberRef: 'mali03' })).body.data;
  assert.deepEqual((await pgslot(address, '/create', { memberRef: 'mali03' })).body.data, firstAccount);
  const { username } = firstAccount;
  await pgslot(address, '/password', { username, password: 'Other123' });
  const repeatedAccount = (await pgslot(address, '/create', { memberRef: 'mali03' })).body.data;
  assert.deepEqual(repeatedAccount, { ...firstAccount, password: null }, 'a password set since is unknown');
  await ask(address, 'POST', '/control/settings', { games: { pgslot: { pool: 0 } } });
  assert.equal((await pgslot(address, '/create', { memberRef: 'mali05' })).body.status.code, 1405);
  assert.equal((await pgslot(address, '/create', { memberRef: 'mali03' })).body.status.code, 1000);
  const { data } = (await pgslot(address, '/deposit', { username, amount: '7.25' })).body;
  assert.deepEqual(data.balance, { before: '0.00', after: '7.25' });
  assert.equal((await pgslot(address, '/withdraw', { username, amount: '7.26' })).body.status.code, 1406);
});

test('royal: the exact form must be signed, with all its fields', async (t) => {
  const { address } = await outside(t);
  assert.deepEqual((await royal(address, '/create', MALI_CREDENTIALS)).body, { error: 0, username: 'mali03' });
  assert.equal((await royal(address, '/create', MALI_CREDENTIALS)).body.error, 5);
  const transferOrder = { username: 'mali03', amount: '10.00' };
  assert.equal((await royal(address, '/deposit', transferOrder, { ...transferOrder, amount: '99.00' })).body.error, 1);
  assert.equal((await royal(address, '/deposit', transferOrder, { ...transferOrder, more: 'x' })).body.error, 1);
  assert.equal((await royal(address, '/deposit', { ...transferOrder, agent: 'other' })).body.error, 2);
  const { body } = await royal(address, '/deposit', transferOrder);
  assert.deepEqual([body.error, body.before, body.after], [0, '0.00', '10.00']);
  assert.equal((await royal(address, '/withdraw', { ...transferOrder, amount: '10.01' })).body.error, 6);
  for (const amount of BAD_AMOUNTS) {
    assert.equal((await royal(address, '/deposit', { ...transferOrder, amount })).body.error, 3, amount);
  }
  assert.equal((await royal(address, '/balance', { username: 'nobody' })).body.error, 4);
});

test('game provider simulators refuse malformed bodies in the format of each protocol', async (t) => {
  const { address } = await outside(t);
  const pageText = async (path: string) => {
    const response = await fetch(`${address}/games/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer slotracha-token' },
      body: '{"username":',
    });
    return response.json();
  };
  assert.deepEqual(await pageText('slotracha/member'), { success: false, error: 'invalid' });
  assert.deepEqual(await pageText('circus/v2/player/create'), { status: 'RS_ERROR_INVALID_SIGNATURE' });
  assert.equal(((await pageText('usun/api/v1/auth/login')) as { code: string }).code, 'BAD_REQUEST');
});
