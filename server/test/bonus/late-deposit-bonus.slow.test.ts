import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { announceTransfer } from '../deposit/bank-transfer/feed-fixtures.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { OWN_SCB_ACCOUNT } from '../deposit/slip/slip-fixtures.ts';
import { runCommand } from '../harness/command.ts';
import { clearProviderFaults, failProvider, openGame, transfer } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { countReceived, insertOffer } from './bonus-fixtures.ts';
import {
  createQrWith,
  payerOf,
  payQrcode,
  readChosenBonus,
  readWallet,
  referenceOf,
  waitForChosenBonus,
} from './chosen-bonus.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

test('a transfer that an operator assigns days after its announcement was released is credited with the chosen bonus [R-BON-03]', async () => {
  const code = await insertOffer(system);
  const member = await registerMember(system);
  const { body: notice } = await announceTransfer(system, member, { amount: 260, bankCode: 'SCB', bonus: code });
  const from = { bankCode: 'KBANK', accountNo: '9990001112', accountName: 'A FRIEND' };
  const transfer = { from, to: OWN_SCB_ACCOUNT, amount: notice.payAmount.toFixed(2) };
  assert.equal((await system.simulatorsApi('POST /bank/transfer', { body: transfer })).status, 200);
  const [arrival] = await waitUntil(
    async () =>
      (
        await system.database.query<{ id: string; bank: string; reference: string }>(
          `select id, sending_bank as bank, trans_ref as reference from deposit_arrival
            where amount = $1 and state = 'SUSPENSE' and member_id is null`,
          [Math.round(notice.payAmount * 100)],
        )
      ).rows,
    (rows) => rows.length === 1,
    'the transfer is in suspense',
  );
  const daysAgo = `- interval '3 days'`;
  await system.database.query(
    `update deposit_announcement set created_at = created_at ${daysAgo}, expires_at = expires_at ${daysAgo},
            release_at = release_at ${daysAgo} where reference = $1`,
    [notice.reference],
  );
  await system.database.query(`update deposit_arrival set sent_at = sent_at ${daysAgo} where id = $1`, [arrival?.id]);
  const settled = await runCommand(system, 'arrivals', [
    'settle',
    arrival?.bank ?? '',
    arrival?.reference ?? '',
    member.phone,
    'nok',
    'the member named the friend',
  ]);
  assert.equal(settled.status, 0, settled.output);
  const bonus = await waitForChosenBonus(system, member, notice.reference);
  assert.deepEqual([bonus?.state, bonus?.amount], ['RECEIVED', notice.payAmount]);
  assert.equal(await readWallet(system, member), 2 * notice.payAmount);
  assert.equal(await countReceived(system, member.id), 1);
});

test('an announcement released before the transfer was sent has no bonus, and its timeline promises none [R-BON-03]', async () => {
  const code = await insertOffer(system);
  const member = await registerMember(system);
  const { body: notice } = await announceTransfer(system, member, { amount: 270, bankCode: 'SCB', bonus: code });
  await system.database.query(
    `update deposit_announcement set expires_at = now(), release_at = now() where reference = $1`,
    [notice.reference],
  );
  const transfer = { from: payerOf(member), to: OWN_SCB_ACCOUNT, amount: notice.payAmount.toFixed(2) };
  assert.equal((await system.simulatorsApi('POST /bank/transfer', { body: transfer })).status, 200);
  await waitUntil(
    () => readWallet(system, member),
    (amount) => amount === notice.payAmount,
    'the transfer is credited',
  );
  assert.equal(await readChosenBonus(system, member, notice.reference), null);
  assert.equal(await countReceived(system, member.id), 0);
});

test('the timeline names a chosen bonus by its code, and why it was not received, after its offer was deleted [R-BON-03] [R-WALLET-05]', async () => {
  const code = await insertOffer(system);
  const member = await registerMember(system);
  const { body: qr } = await createQrWith(system, member, 300, { bonus: code });
  const reference = await referenceOf(system, qr.qrcodeId);
  await system.database.query('delete from bonus_offer_amount where code = $1', [code]);
  await system.database.query('delete from bonus_offer where code = $1', [code]);
  assert.deepEqual(
    (({ name, state }) => [name, state])((await readChosenBonus(system, member, reference)) ?? { name: '', state: '' }),
    [code, 'PENDING'],
  );
  await payQrcode(system, member, qr.payload);
  const bonus = await waitForChosenBonus(system, member, reference);
  assert.deepEqual([bonus?.name, bonus?.state, bonus?.reason], [code, 'REFUSED', 'NO_PROMOTION']);
  assert.equal(await readWallet(system, member), 300);
});

test("a chosen bonus waits 15 minutes for a silent game that may hold money, and is then refused with the game's name [R-BON-03]", async () => {
  const code = await insertOffer(system, { rest: 20_00n });
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, '10.00');
  await openGame(system, member.token, 'pg');
  await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 10 });
  const { body: qr } = await createQrWith(system, member, 300, { bonus: code });
  await failProvider(system, 'pg', { fault: 'error-500', call: 'GetPlayerWallet', times: 1_000 });
  await payQrcode(system, member, qr.payload);
  /** State after an attempt: a postponed one is due within five seconds, a running one later. */
  const waitForAttempt = async (): Promise<string | undefined> => {
    const attempted = await waitUntil(
      async () => {
        const { rows } = await system.database.query<{ state: string; dueInSeconds: number }>(
          `select state, coalesce(extract(epoch from work_at - now()), 0)::float8 as "dueInSeconds" from deposit_bonus
            where member_id = $1`,
          [member.id],
        );
        return rows[0];
      },
      (row) => row !== undefined && (row.state !== 'DUE' || (row.dueInSeconds > 0 && row.dueInSeconds <= 5)),
      'an attempt',
    );
    return attempted?.state;
  };
  const attemptAtAge = async (seconds: number): Promise<string | undefined> => {
    await system.database.query(
      `update deposit_bonus set credited_at = now() - make_interval(secs => $2), work_at = now() where member_id = $1`,
      [member.id, seconds],
    );
    return waitForAttempt();
  };
  assert.equal(await waitForAttempt(), 'DUE');
  assert.equal(await attemptAtAge(840), 'DUE');
  assert.equal(await attemptAtAge(900), 'REFUSED');
  const bonus = await readChosenBonus(system, member, await referenceOf(system, qr.qrcodeId));
  assert.deepEqual([bonus?.reason, bonus?.detail], ['BONUS_REMAINING', 'GAMES_SILENT']);
  await clearProviderFaults(system, 'pg');
});
