import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import { ask, outside } from '../harness.ts';
import { drawNow, LottoPlayer } from './lotto.ts';

type HuayhdReply = { code: number; data: { url: string; balance: number; outstanding: number; turnover: number } };

/** Calls the provider `huayhd` as its agent. */
async function callHuayhd(address: string, call: string, fields: object): Promise<HuayhdReply> {
  const body = { agent: 'huay', ...fields };
  const signature = pbkdf2Sync(JSON.stringify(body), 'huayhd-secret', 1000, 64, 'sha512').toString('base64');
  const headers = { 'x-signature': signature };
  return (await ask<HuayhdReply>(address, 'POST', `/games/huayhd/seamless/${call}`, body, headers)).body;
}

test('huayhd: a ticket keeps all credit in the game until its draw, then stake and payout are booked', async (t) => {
  const { address } = await outside(t);
  const username = 'mali01';
  await callHuayhd(address, 'create', { username, password: 'Secret12' });
  await callHuayhd(address, 'deposit', { username, amount: '100.00', transactionRef: 'in-1' });
  const { data } = await callHuayhd(address, 'launch', { username, returnUrl: 'http://wallet.example/home' });
  const mali = new LottoPlayer(address, new URL(data.url).searchParams.get('ops') ?? '', 'huayhd');
  assert.match(await (await fetch(data.url)).text(), /assets\/lotto\/app\.js/);
  const state = (await mali.get('state')).body;
  assert.deepEqual(
    [state.username, state.balance, state.returnUrl],
    [username, '100.00', 'http://wallet.example/home'],
  );
  await mali.sold([{ kind: 'below2', number: '29', stake: 1000 }], 'in-the-books');

  const open = (await callHuayhd(address, 'balance', { username })).data;
  assert.deepEqual([open.balance, open.outstanding, open.turnover], [90, 10, 0]);
  const withdrawal = { username, amount: '50.00', transactionRef: 'out-1' };
  assert.equal((await callHuayhd(address, 'withdraw', withdrawal)).code, 4020);
  await drawNow(address, { provider: 'huayhd', game: 'lotto', result: '882917' });
  const settledBalance = (await callHuayhd(address, 'balance', { username })).data;
  assert.deepEqual([settledBalance.balance, settledBalance.outstanding, settledBalance.turnover], [1040, 0, 10]);
  assert.equal((await callHuayhd(address, 'withdraw', withdrawal)).code, 0);
});
