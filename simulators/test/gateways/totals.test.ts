import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ask, inquire, newCode, OPERATOR, outside, payQr, PERSON } from '../harness.ts';
import { createMember, createPlayer, moveCredit, pg, transferIn } from '../games/players.ts';

type PlayerRow = Record<'balance' | 'outstanding' | 'transferredIn' | 'transferredOut' | 'staked' | 'won', string> & {
  username: string;
};
type Totals = {
  bank: { accountNo: string; balance: string; owner: string }[];
  gateways: { gateway: string; received: string; payments: number }[];
  games: PlayerRow[];
  sums: Record<'bank' | 'gateways' | 'payouts' | 'settled' | 'cash', string> & {
    games: Record<string, { balance: string; players: number }>;
  };
};

const minor = (text: string) => Number(text.replace('.', ''));
const totalsOf = async (address: string) => (await ask<Totals>(address, 'GET', '/control/totals')).body;

test('no sequence of actions creates or loses money outside', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await createMember(address, 'mali02', 'Secret12');
  let n = 0;
  const amount = fc.integer({ min: 1, max: 60_000_000 }).map((satang) => (satang / 100).toFixed(2));
  const act = fc.oneof(
    amount.map((sum) => async () => {
      const { qrCode } = await newCode(address, `D${++n}`, { txnAmount: sum });
      if (qrCode) await payQr(address, qrCode);
    }),
    amount.map((sum) => () => ask(address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: sum })),
    amount.map((sum) => () => transferIn(address, 'mali01', `in-${++n}`, sum)),
    amount.map(
      (sum) => () =>
        pg(address, 'Cash/v3/TransferOut', { player_name: 'mali01', amount: sum, transfer_reference: `out-${++n}` }),
    ),
    amount.map((sum) => () => moveCredit(address, 'deposit', 'mali02', sum)),
    amount.map((sum) => () => moveCredit(address, 'withdraw', 'mali02', sum)),
    fc.tuple(amount, amount).map(
      ([stake, win]) =>
        () =>
          ask(address, 'POST', '/games/pg/players/mali01/play', { stake, win }),
    ),
    amount.map((stake) => () => ask(address, 'POST', '/games/askmebet/players/mali02/play', { stake, open: true })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 20 }), async (acts) => {
      for (const one of acts) await one();
      const { sums, games } = await totalsOf(address);
      assert.equal(
        minor(sums.bank) + minor(sums.gateways) + minor(sums.payouts),
        minor(sums.cash) + minor(sums.settled),
      );
      for (const row of games) {
        assert.equal(
          minor(row.balance),
          minor(row.transferredIn) - minor(row.transferredOut) - minor(row.staked) + minor(row.won),
          row.username,
        );
      }
    }),
    { numRuns: 8 },
  );
  const { games } = await totalsOf(address);
  assert.ok(
    games.some(({ staked }) => minor(staked) > 0),
    'some round was played',
  );
});

test('totals list every account, gateway and player', async (t) => {
  const { address } = await outside(t);
  await payQr(address, (await newCode(address, 'D1', { txnAmount: '10.25' })).qrCode);
  await createPlayer(address, 'mali01');
  const { bank, gateways, games, sums } = await totalsOf(address);
  assert.deepEqual(
    bank.map(({ owner, balance }) => [owner, balance]),
    [
      ['operator', '10000010.25'],
      ['person', '999989.75'],
    ],
  );
  assert.deepEqual(
    gateways.filter(({ payments }) => payments > 0),
    [{ gateway: 'kbank', currency: 'BAHT', received: '10.25', payments: 1, unmatched: '0.00', fee: '0.00' }],
  );
  assert.deepEqual(
    games.map(({ username, balance }) => [username, balance]),
    [['mali01', '0.00']],
  );
  assert.equal(sums.games['pg']?.players, 1);
});

test('an account keeps the name that it was opened with, whatever name a payer enters later', async (t) => {
  const { address } = await outside(t);
  await ask(address, 'POST', '/bank/accounts', PERSON);
  const made = await newCode(address, 'D1');
  await payQr(address, made.qrCode, { from: { ...PERSON, accountName: 'Another Name' } });
  assert.equal((await inquire(address, 'D1')).payerName, 'มะลิ ส');
});

test('settings shorten the lifetime of codes and redirect the callbacks, and never reveal the secret', async (t) => {
  const { address } = await outside(t);
  const set = (body: object) =>
    ask<{ callbacks: Record<string, object>; qrLifeSeconds: number }>(address, 'POST', '/control/settings', body);
  const callbacks = { kbank: { url: 'http://127.0.0.1:9/cb?key=hidden', retryMs: [5] } };
  const { body } = await set({ qrLifeSeconds: 7, callbacks });
  assert.deepEqual([body.qrLifeSeconds, body.callbacks['kbank']], [7, { url: 'http://127.0.0.1:9/cb', retryMs: [5] }]);
  assert.equal((await set({ callbacks: { nobody: { retryMs: [5] } } })).status, 400);
  assert.equal((await set({ qrLifeSeconds: 0 })).status, 400);
  assert.equal((await set({ unknown: 1 })).status, 400);
  const before = Date.now();
  const made = await newCode(address, 'D1');
  const { expireDt } = made as unknown as { expireDt: string };
  const madeAt = Date.parse(expireDt) - 7000;
  assert.ok(madeAt >= before && madeAt <= Date.now(), expireDt);
});
