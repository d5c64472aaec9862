import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import { ask, outside } from '../harness.ts';
import { drawNow, Gambler } from './lotto.ts';

type Answer = { code: number; data: { url: string; balance: number; outstanding: number; turnover: number } };

/** Calls the provider `huayhd` as its agent. */
async function huayhd(address: string, call: string, fields: object): Promise<Answer> {
  const body = { agent: 'huay', ...fields };
  const signature = pbkdf2Sync(JSON.stringify(body), 'huayhd-secret', 1000, 64, 'sha512').toString('base64');
  const headers = { 'x-signature': signature };
  return (await ask<Answer>(address, 'POST', `/games/huayhd/seamless/${call}`, body, headers)).body;
}

test('huayhd: a ticket keeps all credit in the game until its draw, then stake and payout are booked', async (t) => {
  const { address } = await outside(t);
  const username = 'mali01';
  await huayhd(address, 'create', { username, password: 'Secret12' });
  await huayhd(address, 'deposit', { username, amount: '100.00', transactionRef: 'in-1' });
  const { data } = await huayhd(address, 'launch', { username, returnUrl: 'http://wallet.example/home' });
  const mali = new Gambler(address, new URL(data.url).searchParams.get('ops') ?? '', 'huayhd');
  assert.match(await (await fetch(data.url)).text(), /assets\/lotto\/app\.js/);
  const state = (await mali.get('state')).body;
  assert.deepEqual(
    [state.username, state.balance, state.returnUrl],
    [username, '100.00', 'http://wallet.example/home'],
  );
  await mali.sold([{ kind: 'below2', number: '29', stake: 1000 }], 'in-the-books');

  const open = (await huayhd(address, 'balance', { username })).data;
  assert.deepEqual([open.balance, open.outstanding, open.turnover], [90, 10, 0]);
  const out = { username, amount: '50.00', transactionRef: 'out-1' };
  assert.equal((await huayhd(address, 'withdraw', out)).code, 4020);
  await drawNow(address, { provider: 'huayhd', game: 'lotto', result: '882917' });
  const settled = (await huayhd(address, 'balance', { username })).data;
  assert.deepEqual([settled.balance, settled.outstanding, settled.turnover], [1040, 0, 10]);
  assert.equal((await huayhd(address, 'withdraw', out)).code, 0);
});
