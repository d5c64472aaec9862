import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMember, createPlayer, moveCredit, pg, transferIn } from '../games/players.ts';
import { ask, inquire, newCode, OPERATOR, outside, payQr, PERSON } from '../harness.ts';

type PlayerRow = Record<'balance' | 'outstanding' | 'transferredIn' | 'transferredOut' | 'staked' | 'won', string> & {
  username: string;
};
type TotalsReply = {
  bank: { accountNo: string; balance: string; owner: string }[];
  gateways: { gateway: string; received: string; payments: number }[];
  games: PlayerRow[];
  sums: Record<'bank' | 'gateways' | 'payouts' | 'settled' | 'cash', string> & {
    games: Record<string, { balance: string; players: number }>;
  };
};

const toMinor = (text: string) => Number(text.replace('.', ''));
const totalsOf = async (address: string) => (await ask<TotalsReply>(address, 'GET', '/control/totals')).body;

test('no sequence of actions creates or loses money in the simulators', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await createMember(address, 'mali02', 'Secret12');
  let n = 0;
  const amount = fc.integer({ min: 1, max: 60_000_000 }).map((satang) => (satang / 100).toFixed(2));
  const randomAction = fc.oneof(
    amount.map((amountText) => async () => {
      const { qrCode } = await newCode(address, `D${++n}`, { txnAmount: amountText });
      if (qrCode) await payQr(address, qrCode);
    }),
    amount.map(
      (amountText) => () => ask(address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: amountText }),
    ),
    amount.map((amountText) => () => transferIn(address, 'mali01', `in-${++n}`, amountText)),
    amount.map(
      (amountText) => () =>
        pg(address, 'Cash/v3/TransferOut', {
          player_name: 'mali01',
          amount: amountText,
          transfer_reference: `out-${++n}`,
        }),
    ),
    amount.map((amountText) => () => moveCredit(address, 'deposit', 'mali02', amountText)),
    amount.map((amountText) => () => moveCredit(address, 'withdraw', 'mali02', amountText)),
    fc.tuple(amount, amount).map(
      ([stake, win]) =>
        () =>
          ask(address, 'POST', '/games/pg/players/mali01/play', { stake, win }),
    ),
    amount.map((stake) => () => ask(address, 'POST', '/games/askmebet/players/mali02/play', { stake, open: true })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(randomAction, { minLength: 5, maxLength: 20 }), async (actions) => {
      for (const action of actions) await action();
      const { sums, games } = await totalsOf(address);
      assert.equal(
        toMinor(sums.bank) + toMinor(sums.gateways) + toMinor(sums.payouts),
        toMinor(sums.cash) + toMinor(sums.settled),
      );
      for (const row of games) {
        assert.equal(
          toMinor(row.balance),
          toMinor(row.transferredIn) - toMinor(row.transferredOut) - toMinor(row.staked) + toMinor(row.won),
          row.username,
        );
      }
    }),
    { numRuns: 8 },
  );
  const { games } = await totalsOf(address);
  assert.ok(
    games.some(({ staked }) => toMinor(staked) > 0),
    'some round was played',
  );
});

test("the simulators' totals list every account, gateway and player", async (t) => {
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
  const newQrCode = await newCode(address, 'D1');
  await payQr(address, newQrCode.qrCode, { from: { ...PERSON, accountName: 'Another Name' } });
  assert.equal((await inquire(address, 'D1')).payerName, 'มะลิ ส');
});

test('settings shorten the lifetime of codes and redirect the callbacks, and never reveal the secret', async (t) => {
  const { address } = await outside(t);
  const changeSettings = (body: object) =>
    ask<{ callbacks: Record<string, object>; qrLifeSeconds: number }>(address, 'POST', '/control/settings', body);
  const callbacks = { kbank: { url: 'http://127.0.0.1:9/cb?key=hidden', retryMs: [5] } };
  const { body } = await changeSettings({ qrLifeSeconds: 7, callbacks });
  assert.deepEqual([body.qrLifeSeconds, body.callbacks['kbank']], [7, { url: 'http://127.0.0.1:9/cb', retryMs: [5] }]);
  assert.equal((await changeSettings({ callbacks: { nobody: { retryMs: [5] } } })).status, 400);
  assert.equal((await changeSettings({ qrLifeSeconds: 0 })).status, 400);
  assert.equal((await changeSettings({ unknown: 1 })).status, 400);
  const startedAt = Date.now();
  const newQrCode = await newCode(address, 'D1');
  const { expireDt } = newQrCode as unknown as { expireDt: string };
  const madeAt = Date.parse(expireDt) - 7000;
  assert.ok(madeAt >= startedAt && madeAt <= Date.now(), expireDt);
});
