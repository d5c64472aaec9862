import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, outside } from '../harness.ts';
import {
  amb,
  createMember,
  createPlayer,
  launchPath,
  moveCredit,
  pg,
  playerBalance,
  transferIn,
  walletOf,
} from './players.ts';

test('pg: the same reference moves money once with the same reply, and other values are refused', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  const firstTransfer = await transferIn(address, 'mali01', 'ref-1');
  const repeatedTransfer = await transferIn(address, 'MALI01', 'ref-1');
  assert.deepEqual(repeatedTransfer.body, firstTransfer.body);
  assert.equal(firstTransfer.body.data?.balanceAmount, 100);
  assert.equal((await transferIn(address, 'mali01', 'ref-1', '100.01')).body.error?.code, '3109');
  const parallelTransfers = await Promise.all(
    Array.from({ length: 10 }, () => transferIn(address, 'mali01', 'ref-2', '0.01')),
  );
  assert.equal(new Set(parallelTransfers.map(({ body }) => body.data?.transactionId)).size, 1);
  assert.equal(await playerBalance(address, 'pg', 'mali01'), '100.01');
});

test('pg: a completed transfer is found by its reference, a refused one is not', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await transferIn(address, 'mali01', 'in-1', '12.34');
  const transferOut = await pg(address, 'Cash/v3/TransferOut', {
    player_name: 'mali01',
    amount: '12.35',
    transfer_reference: 'out-1',
  });
  assert.equal(transferOut.body.error?.code, '3013');
  const findTransaction = (reference: string) =>
    pg(address, 'Cash/v3/GetSingleTransaction', { player_name: 'mali01', transfer_reference: reference });
  const foundTransaction = (await findTransaction('in-1')).body.data;
  assert.deepEqual([foundTransaction?.transactionType, foundTransaction?.transactionAmount], [1, 12.34]);
  assert.equal((await findTransaction('out-1')).body.error?.code, '3040');
  const transferAll = await pg(address, 'Cash/v3/TransferAllOut', {
    player_name: 'mali01',
    transfer_reference: 'out-2',
  });
  assert.deepEqual([transferAll.body.data?.amount, transferAll.body.data?.balanceAmount], [12.34, 0]);
});

test('pg: creating a player twice is 1305; a wrong operator, name or amount is refused', async (t) => {
  const { address } = await outside(t);
  assert.equal((await createPlayer(address, 'mali01')).body.error, null);
  assert.equal((await createPlayer(address, 'Mali01')).body.error?.code, '1305');
  assert.equal((await createPlayer(address, 'a'.repeat(17))).body.error?.code, '1034');
  assert.equal((await transferIn(address, 'nobody', 'r1')).body.error?.code, '3004');
  for (const amount of ['0', '-1', '1.005', '1e3', '']) {
    assert.equal((await transferIn(address, 'mali01', 'r1', amount)).body.error?.code, '1034');
  }
  const refusedCall = await pg(address, 'Player/v1/Create', { player_name: 'x1', secret_key: 'no' });
  assert.equal(refusedCall.body.error?.code, '1204');
});

test('pg: stakes of open rounds are outstanding and cannot be moved', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await transferIn(address, 'mali01', 'r1');
  const playRound = (body: object) =>
    ask<{ roundId: number; balance: string; outstanding: string }>(
      address,
      'POST',
      '/games/pg/players/mali01/play',
      body,
    );
  assert.deepEqual((await playRound({ stake: 10, win: 25.5 })).body.balance, '115.50');
  const open = (await playRound({ stake: '15.50', open: true })).body;
  assert.deepEqual([open.balance, open.outstanding], ['100.00', '15.50']);
  const wallet = (await walletOf(address, 'mali01')).body.data;
  assert.deepEqual([wallet?.cashBalance, wallet?.outstandingBalance, wallet?.totalBalance], [100, 15.5, 115.5]);
  const settledRound = await ask<{ balance: string; outstanding: string }>(
    address,
    'POST',
    '/games/pg/players/mali01/settle',
    { roundId: open.roundId, win: 1 },
  );
  assert.deepEqual([settledRound.body.balance, settledRound.body.outstanding], ['101.00', '0.00']);
  assert.equal((await playRound({ stake: 101.01, win: 0 })).status, 409);
});

test('askmebet: every signed call moves money, and returns the balances before and after', async (t) => {
  const { address } = await outside(t);
  assert.equal((await createMember(address, 'mali02', 'Secret12')).body.result?.username, 'mali02');
  assert.equal((await createMember(address, 'mali02', 'Secret12')).body.code, 1004);
  const firstDeposit = (await moveCredit(address, 'deposit', 'mali02', '1234.50')).body.result;
  const secondDeposit = (await moveCredit(address, 'deposit', 'mali02', '1234.50')).body.result;
  assert.deepEqual([firstDeposit?.before, firstDeposit?.after, secondDeposit?.after], ['0.00', '1,234.50', '2,469.00']);
  assert.notEqual(firstDeposit?.refId, secondDeposit?.refId);
  assert.equal((await moveCredit(address, 'withdraw', 'mali02', '9999')).body.code, 1005);
  assert.equal((await amb(address, 'GET', 'credit/amb-key/mali02')).body.result?.credit, '2,469.00');
});

test('askmebet: a wrong key, signature, member or amount is refused', async (t) => {
  const { address } = await outside(t);
  await createMember(address, 'mali02', 'Secret12');
  assert.equal((await amb(address, 'GET', 'credit/other/mali02')).body.code, 1002);
  assert.equal(
    (await amb(address, 'POST', 'deposit/amb-key/mali02', { amount: '1.00' }, '2.00:mali02')).body.code,
    1001,
  );
  assert.equal((await moveCredit(address, 'deposit', 'nobody', '1.00')).body.code, 1003);
  assert.equal((await moveCredit(address, 'deposit', 'mali02', '1.005')).body.code, 1006);
});

test('askmebet: the launch link needs the password and hides it from the address', async (t) => {
  const { address } = await outside(t);
  await createMember(address, 'mali02', 'Secret12');
  const open = await fetch(address + launchPath('mali02', 'Secret12'), { redirect: 'manual' });
  assert.equal(open.status, 302);
  const redirectUrl = open.headers.get('location') ?? '';
  assert.doesNotMatch(redirectUrl, /Secret12/);
  assert.equal((await fetch(address + redirectUrl)).status, 200);
  await amb(address, 'PUT', 'reset-password/amb-key/mali02', { password: 'Other123' }, 'Other123');
  assert.equal((await fetch(address + launchPath('mali02', 'Secret12'), { redirect: 'manual' })).status, 401);
});

test('a game session spins: the server draws, a repeated request returns the same round, the balance matches the ledger', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await transferIn(address, 'mali01', 'r1', '50.00');
  const login = await pg(address, 'Login/v1/LoginGame', { player_name: 'mali01', language: 'th' });
  const url = new URL(login.body.data?.url ?? '');
  assert.equal((await fetch(url)).status, 200);
  const headers = { authorization: `Bearer ${url.searchParams.get('ops') ?? ''}` };
  const spinOnce = (key: string, bet: number) =>
    ask<{ cells: number[]; win: number; balance: string; error?: string }>(
      address,
      'POST',
      '/games/pg/play/spin',
      { bet, key },
      headers,
    );
  const firstSpin = await spinOnce('round-0001', 1000);
  assert.equal(firstSpin.body.cells.length, 9);
  assert.equal(Math.round(Number(firstSpin.body.balance) * 100), 5000 - 1000 + firstSpin.body.win);
  assert.deepEqual((await spinOnce('round-0001', 1000)).body, firstSpin.body);
  assert.equal(await playerBalance(address, 'pg', 'mali01'), firstSpin.body.balance);
  assert.equal((await spinOnce('round-0002', 7)).status, 400);
  const state = await ask<{ balance: string; last: object }>(
    address,
    'GET',
    '/games/pg/play/state',
    undefined,
    headers,
  );
  const { cells, win, balance } = firstSpin.body;
  assert.deepEqual([state.body.last, state.body.balance], [{ cells, win }, balance], 'for a page that lost the answer');
  await pg(address, 'Player/v1/Kick', { player_name: 'mali01' });
  assert.equal((await spinOnce('round-0003', 100)).status, 401);
  assert.equal((await fetch(url)).status, 401);
});

test('a game code opens its game, a missing one the main game, and a wrong one none', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  const logIn = async (fields: Record<string, string>) =>
    (await pg(address, 'Login/v1/LoginGame', { player_name: 'mali01', ...fields })).body;
  const gameOf = async (fields: Record<string, string>) =>
    new URL((await logIn(fields)).data?.url ?? '').searchParams.get('game');
  assert.deepEqual(
    [await gameOf({}), await gameOf({ game_code: 'market' }), await gameOf({ game_code: 'deep' })],
    ['tiger', 'market', 'deep'],
  );
  for (const code of ['cards', '', 'constructor']) assert.equal((await logIn({ game_code: code })).error?.code, '3301');
  await createMember(address, 'mali02', 'Secret12');
  const launchLink = address + launchPath('mali02', 'Secret12');
  const openedGame = async (url: string) => new URL((await fetch(url)).url).searchParams.get('game');
  assert.deepEqual([await openedGame(launchLink), await openedGame(`${launchLink}&game=dice`)], ['sports', 'dice']);
  assert.equal((await fetch(`${launchLink}&game=market`)).status, 401);
});

test('a player without credit cannot play a round', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  const login = await pg(address, 'Login/v1/LoginGame', { player_name: 'mali01' });
  const token = new URL(login.body.data?.url ?? '').searchParams.get('ops') ?? '';
  const reply = await ask<{ error: string }>(
    address,
    'POST',
    '/games/pg/play/spin',
    { bet: 100, key: 'round-0001' },
    { authorization: `Bearer ${token}` },
  );
  assert.deepEqual([reply.status, reply.body.error], [409, 'not_enough_money']);
  assert.equal(await playerBalance(address, 'pg', 'mali01'), '0.00');
});
