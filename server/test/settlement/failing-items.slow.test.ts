import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { queues } from '../../src/inventory.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { giftWork } from '../../src/modules/deposit/truelink/queries.ts';
import { failedWork, selectFailing } from '../../src/platform/jobs/failed-work.ts';
import { readDepositAmounts } from '../deposit/bank-transfer/feed-fixtures.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { OWN_SCB_ACCOUNT, sendSlip, transferWithSlip } from '../deposit/slip/slip-fixtures.ts';
import { encryptGiftLink } from '../deposit/truelink/gift-link.ts';
import { runCommand } from '../harness/command.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { openSlipDeposits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { readWithdrawalRows, withdraw } from '../withdraw/payout-fixtures.ts';

/** Tables of the four queues, with the time at which a row is due. */
const DUE_COLUMNS = {
  deposit_arrival: 'work_at',
  slip: 'work_at',
  truelink_gift: 'work_at',
  withdraw: 'next_inquiry_at',
};
const LIST_COMMANDS = [
  ['arrivals', 2],
  ['slips', 1],
  ['payouts', 1],
] as const;

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await openSlipDeposits(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

/** Makes the database refuse every update that ends this member's rows. */
async function failWorkOfMember(memberId: string): Promise<void> {
  await system.database.query(
    `create function refuse() returns trigger language plpgsql as $$
     begin
       if new.member_id = '${memberId}' and new.state::text in ('CREDITED', 'READ', 'ACCEPTED', 'PAID') then
         raise 'planted failure';
       end if;
       return new;
     end $$`,
  );
  for (const table of Object.keys(DUE_COLUMNS)) {
    await system.database.query(
      `create trigger refuse before update on ${table} for each row when (new.state is distinct from old.state) execute function refuse()`,
    );
  }
}

async function stopFailingWork(): Promise<void> {
  for (const table of Object.keys(DUE_COLUMNS)) await system.database.query(`drop trigger refuse on ${table}`);
}

/** Lets no pause last. */
async function makeItemsDue(): Promise<void> {
  for (const [table, dueColumn] of Object.entries(DUE_COLUMNS)) {
    await system.database.query(
      `update ${table} set ${dueColumn} = now() where ${dueColumn} > now() and state::text not in ('PAID', 'FAILED')`,
    );
  }
  await system.database.query('update withdraw set leased_until = now() where leased_until > now()');
}

/** Starts one item in each queue: deposits of 10.00, 20.00 and 30.00, and a withdrawal of 100.00. */
async function startItems(member: TestMember): Promise<void> {
  await fundWallet(ledger, member.id, '100.00');
  await transferWithSlip(system, member, { amount: '10.00', to: OWN_SCB_ACCOUNT });
  const { image } = await transferWithSlip(system, member, { amount: '20.00' });
  await sendSlip(system, member.token, image);
  const { body } = await system.simulatorsApi('POST /wallet-app/gift', { body: { amount: '30.00' } });
  await system.api('POST /api/wallet/truelink', {
    token: member.token,
    body: { link: encryptGiftLink(body.link as string) },
  });
  await withdraw(system, member, 100);
}

async function assertSettled(member: TestMember, description: string): Promise<void> {
  await waitUntil(
    async () => (await readDepositAmounts(system, member)).toSorted((a, b) => a - b).join(),
    (amounts) => amounts === '10,20,30,100',
    `${description}: deposits`,
  );
  await waitUntil(
    async () => (await readWithdrawalRows(system, member.id)).map(({ state }) => state).join(),
    (states) => states === 'PAID',
    `${description}: payout`,
  );
}

test('a row whose step the database refuses is listed after ten attempts, delays no other, and is settled once repaired', async () => {
  const member = await registerMember(system);
  const neighbour = await registerMember(system);
  await failWorkOfMember(member.id);
  await startItems(member);
  await startItems(neighbour);
  await assertSettled(neighbour, 'the neighbour');
  assert.deepEqual(await readDepositAmounts(system, member), [100]);
  await waitUntil(
    async () => {
      await makeItemsDue();
      const { rows } = await system.database.query<{ table_name: string }>(
        'select table_name from failed_work where attempts >= 10 order by table_name',
      );
      return rows.map((row) => row.table_name).join();
    },
    (tables) => tables === Object.keys(DUE_COLUMNS).toSorted().join(),
    'ten attempts in every queue',
  );
  for (const [name, count] of LIST_COMMANDS) {
    const { output } = await runCommand(system, name);
    assert.equal(output.match(/^FAULT \S.* tried \d+ times in \d+ min: .*planted failure/gm)?.length, count, output);
  }
  const doctor = await runCommand(system, 'doctor');
  for (const queue of ['arrival', 'slip', 'gift', 'withdraw']) {
    assert.match(doctor.output, new RegExp(`FAULT +queues: ${queue}: .* was tried \\d+ times: .*planted failure`));
    assert.match(
      String((await system.api('GET /metrics')).body),
      new RegExp(`^krapao_queue_failing_items\\{queue="${queue}"\\} 1$`, 'm'),
    );
  }
  await stopFailingWork();
  await makeItemsDue();
  await assertSettled(member, 'the member');
  await waitUntil(
    async () => (await system.database.query('select from failed_work')).rowCount,
    (count) => count === 0,
    'forgotten after the success',
  );
  assert.deepEqual(await selectFailing(system.database, queues), []);
});

test('the pause after failed attempts doubles up to five minutes, ends no lease early, and stored errors are bounded', async () => {
  const member = await registerMember(system);
  const id = '0192b3f0-0000-7000-8000-000000000001';
  await system.database.query(
    `insert into truelink_gift (id, hash_sha256, sealed_hash, member_id, reference, receiver, work_at)
     values ($1, sha256('one'), '', $2, 'NEVER', '0800000000', now() + interval '1 day')`,
    [id, member.id],
  );
  const failedWorkRun = failedWork(system.database, giftWork);
  const readPauseSeconds = async (): Promise<number> => {
    const { rows } = await system.database.query<{ seconds: number }>(
      `select extract(epoch from work_at - (select last_at from failed_work where item = $1))::float8 as seconds
         from truelink_gift where id = $1::uuid`,
      [id],
    );
    return rows[0]?.seconds ?? 0;
  };
  await failedWorkRun.record(id, new Error(`a\0b${'x'.repeat(1_000)}`));
  assert.ok((await readPauseSeconds()) > 80_000, 'the lease of a day');
  for (const expected of [4, 8, 16, 32, 64, 128, 256, 300, 300, 300]) {
    // Not due yet, so that the server does not process it first.
    await system.database.query(`update truelink_gift set work_at = now() + interval '3 s' where id = $1`, [id]);
    await failedWorkRun.record(id, new Error('away'));
    // The pause starts in a later statement than the one that sets last_at.
    const seconds = await readPauseSeconds();
    assert.ok(seconds >= expected && seconds < expected * 1.9, `${seconds} s instead of ${expected} s`);
  }
  const [failingItem] = await selectFailing(system.database, queues);
  assert.deepEqual(
    [failingItem?.queue, failingItem?.item, failingItem?.attempts, failingItem?.error],
    ['gift', 'NEVER', 11, 'away'],
  );
  // An item that ends otherwise is no longer listed.
  await system.database.query('update truelink_gift set work_at = null where id = $1', [id]);
  assert.deepEqual(await selectFailing(system.database, queues), []);
  await failedWorkRun.forget(id);
});
