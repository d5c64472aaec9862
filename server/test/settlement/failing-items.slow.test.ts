import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { failedWork, selectFailing } from '../../src/platform/jobs/failed-work.ts';
import { giftWork } from '../../src/modules/deposit/truelink/queries.ts';
import { queues } from '../../src/inventory.ts';
import { depositsOf } from '../deposit/bank-transfer/feed-fixtures.ts';
import { until } from '../deposit/qrcode/qr-fixtures.ts';
import { OUR_SCB, sendSlip, transferBy } from '../deposit/slip/slip-fixtures.ts';
import { encrypt } from '../deposit/truelink/gift-link.ts';
import { runCommand } from '../harness/command.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { takeSlipsNow } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { rowsOf, withdraw } from '../withdraw/payout-fixtures.ts';

/** Tables of the four queues, with the time at which a row is due. */
const TABLES = { deposit_arrival: 'work_at', slip: 'work_at', truelink_gift: 'work_at', withdraw: 'next_ask_at' };
const LISTS = [
  ['arrivals', 2],
  ['slips', 1],
  ['payouts', 1],
] as const;

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
  await takeSlipsNow(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

/** The database refuses every step of this member's rows that ends them. */
async function refuseSteps(memberId: string): Promise<void> {
  await system.database.query(
    `create function refuse() returns trigger language plpgsql as $$
     begin
       if new.member_id = '${memberId}' and new.state::text in ('CREDITED', 'READ', 'ACCEPTED', 'PAID') then
         raise 'planted failure';
       end if;
       return new;
     end $$`,
  );
  for (const table of Object.keys(TABLES)) {
    await system.database.query(
      `create trigger refuse before update on ${table} for each row when (new.state is distinct from old.state) execute function refuse()`,
    );
  }
}

async function admitSteps(): Promise<void> {
  for (const table of Object.keys(TABLES)) await system.database.query(`drop trigger refuse on ${table}`);
}

/** Lets no pause last. */
async function letTimePass(): Promise<void> {
  for (const [table, due] of Object.entries(TABLES)) {
    await system.database.query(
      `update ${table} set ${due} = now() where ${due} > now() and state::text not in ('PAID', 'FAILED')`,
    );
  }
  await system.database.query('update withdraw set leased_until = now() where leased_until > now()');
}

/** Starts one item in each queue: 10.00, 20.00 and 30.00 in, and the 100.00 that the member has out. */
async function startItems(member: TestMember): Promise<void> {
  await fund(ledger, member.id, '100.00');
  await transferBy(system, member, { amount: '10.00', to: OUR_SCB });
  const { image } = await transferBy(system, member, { amount: '20.00' });
  await sendSlip(system, member.token, image);
  const { body } = await system.world('POST /wallet-app/gift', { body: { amount: '30.00' } });
  await system.api('POST /api/wallet/truelink', { token: member.token, body: { link: encrypt(body.link as string) } });
  await withdraw(system, member, 100);
}

async function assertSettled(member: TestMember, what: string): Promise<void> {
  await until(
    async () => (await depositsOf(system, member)).toSorted((one, other) => one - other).join(),
    (amounts) => amounts === '10,20,30,100',
    `${what}: deposits`,
  );
  await until(
    async () => (await rowsOf(system, member.id)).map(({ state }) => state).join(),
    (states) => states === 'PAID',
    `${what}: payout`,
  );
}

test('a row whose step the database refuses is listed with its error after ten attempts, delays no other, and is settled once the cause is gone', async () => {
  const member = await registerMember(system);
  const neighbour = await registerMember(system);
  await refuseSteps(member.id);
  await startItems(member);
  await startItems(neighbour);
  await assertSettled(neighbour, 'the neighbour');
  assert.deepEqual(await depositsOf(system, member), [100]);
  await until(
    async () => {
      await letTimePass();
      const { rows } = await system.database.query<{ table_name: string }>(
        'select table_name from failed_work where attempts >= 10 order by table_name',
      );
      return rows.map((row) => row.table_name).join();
    },
    (tables) => tables === Object.keys(TABLES).toSorted().join(),
    'ten attempts in every queue',
  );
  for (const [name, count] of LISTS) {
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
  await admitSteps();
  await letTimePass();
  await assertSettled(member, 'the member');
  await until(
    async () => (await system.database.query('select from failed_work')).rowCount,
    (count) => count === 0,
    'forgotten after the success',
  );
  assert.deepEqual(await selectFailing(system.database, queues), []);
});

test('the pause after a failed attempt doubles up to five minutes, never ends a lease early, and errors are bounded', async () => {
  const member = await registerMember(system);
  const id = '0192b3f0-0000-7000-8000-000000000001';
  await system.database.query(
    `insert into truelink_gift (id, hash_sha256, sealed_hash, member_id, reference, receiver, work_at)
     values ($1, sha256('one'), '', $2, 'NEVER', '0800000000', now() + interval '1 day')`,
    [id, member.id],
  );
  const failed = failedWork(system.database, giftWork);
  const pause = async (): Promise<number> => {
    const { rows } = await system.database.query<{ seconds: number }>(
      `select extract(epoch from work_at - (select last_at from failed_work where item = $1))::float8 as seconds
         from truelink_gift where id = $1::uuid`,
      [id],
    );
    return rows[0]?.seconds ?? 0;
  };
  await failed.record(id, new Error(`a\0b${'x'.repeat(1_000)}`));
  assert.ok((await pause()) > 80_000, 'the lease of a day');
  for (const expected of [4, 8, 16, 32, 64, 128, 256, 300, 300, 300]) {
    // Not due yet, so that the server does not process it first.
    await system.database.query(`update truelink_gift set work_at = now() + interval '3 s' where id = $1`, [id]);
    await failed.record(id, new Error('away'));
    // The pause begins in a later statement than the one that sets last_at.
    const seconds = await pause();
    assert.ok(seconds >= expected && seconds < expected * 1.9, `${seconds} s instead of ${expected} s`);
  }
  const [listed] = await selectFailing(system.database, queues);
  assert.deepEqual([listed?.queue, listed?.item, listed?.attempts, listed?.error], ['gift', 'NEVER', 11, 'away']);
  // What ends in another way is no fault any more.
  await system.database.query('update truelink_gift set work_at = null where id = $1', [id]);
  assert.deepEqual(await selectFailing(system.database, queues), []);
  await failed.forget(id);
});
