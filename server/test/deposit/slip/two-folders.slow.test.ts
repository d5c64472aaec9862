import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { apiClient } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { setRateLimits, openSlipDeposits } from '../../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import { waitForSlipEnd, sendSlip, transferWithSlip, waitForSlipRow } from './slip-fixtures.ts';

let system: System;
let member: TestMember;
let servers: [ServerProcess, ServerProcess];

before(async () => {
  system = await startSystem();
  await setRateLimits(system, { 'slip.member': 1000, 'slip.member.day': 1000 });
  await openSlipDeposits(system);
  member = await registerMember(system);
  await system.app.close();
  // Each with its own data folder, without a bucket.
  servers = [await startServerProcess(system), await startServerProcess(system)];
});
after(async () => {
  for (const server of servers) await server.stop();
  await system.stop();
});

const systemAt = (server: ServerProcess) => ({ ...system, url: server.url, api: apiClient(server.url) });

/** A slip received by a server whose folder does not exist here. */
async function insertSlipOfOtherFolder(reference: string, hoursAgo: number): Promise<void> {
  await system.database.query(
    `insert into slip (id, member_id, reference, currency, state, upload_key, folder_id, created_at)
     values (gen_random_uuid(), $1, $2, 'BAHT', 'RECEIVED', $3, 'elsewhere', now() - $4 * interval '1 hour')`,
    [member.id, reference, `slip-upload/${reference.toLowerCase()}.bin`, hoursAgo],
  );
}

test('slips on two servers with separate folders are read by the server that has the file: none fails [R-SLIP-02]', async () => {
  for (const amount of [11, 12, 13, 14, 15, 16, 17]) {
    const server = servers[amount % 2] as ServerProcess;
    const { image } = await transferWithSlip(system, member, { amount: `${amount}.00` });
    const slip = await sendSlip(server, member.token, image);
    const { status, note } = await waitForSlipEnd(systemAt(servers[0]), member.token, slip);
    assert.deepEqual({ status, note }, { status: 'SUCCESS', note: null }, `${amount}`);
  }
});

test('a slip whose server is down waits for it, and after an hour for an operator, because its file may still exist', async () => {
  await insertSlipOfOtherFolder('SAWAYNOW', 0);
  await insertSlipOfOtherFolder('SAWAYLONG', 2);
  const row = await waitForSlipRow(system, 'SAWAYLONG', ({ state }) => state !== 'RECEIVED');
  assert.deepEqual({ state: row.state, reason: row.reason }, { state: 'MANUAL', reason: 'STORAGE' });
  const waitingRow = await waitForSlipRow(system, 'SAWAYNOW', () => true);
  assert.deepEqual({ state: waitingRow.state, tries: waitingRow.tries }, { state: 'RECEIVED', tries: 0 });
});

test('a second server with its own file folder is reported by name', async () => {
  await waitUntil(
    async () => servers[1].readLog(),
    (logLines) => /"own":"[^"]+\/files","other":"[^"]+\/files".*servers with separate file folders/.test(logLines),
    'the warning',
  );
});
