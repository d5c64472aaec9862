import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { audit } from '../../../src/ledger/audit.ts';
import { type Ended, runCommand } from '../../harness/command.ts';
import { registerMember } from '../../harness/members.ts';
import { writeOutside } from '../../harness/outside-file.ts';
import { assertRefused } from '../../harness/refused.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { outsideWithLongTimeouts } from '../../reconcile/run-command.ts';
import { customer, fault, letTimePass, rowOf, until } from './qr-fixtures.ts';
import { queueHolds } from '../../harness/queues.ts';

const WHY = ['ticket', '123', 'of', 'the', 'gateway'];

let system: System;
let directory: string;
before(async () => {
  system = await startSystem({
    outside: (same) => ({ ...same, payonex: same.payonex && { ...same.payonex, timeoutMs: 4_000 } }),
  });
  directory = mkdtempSync(join(tmpdir(), 'krapao-taken-back-'));
  writeOutside(join(directory, 'outside.json'), outsideWithLongTimeouts(system));
});
after(async () => {
  await system.stop();
  rmSync(directory, { recursive: true, force: true });
});
afterEach(async () => {
  await system.world('DELETE /control/faults');
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

const deposits = (...words: string[]): Promise<Ended> => runCommand(system, 'deposits', words);
const gatewayLine = async (): Promise<{ status: number; line: string; output: string }> => {
  const { status, output } = await runCommand(system, 'reconcile', [], { DATA_DIR: directory, SIMULATORS: 'on' });
  return { status, output, line: output.split('\n').find((one) => one.startsWith('gateway:payonex ')) ?? '' };
};
const call = (reference: string, key = system.outside.payonex?.callbackKey ?? '') =>
  system.api(`POST /api/callback/payonex?key=${encodeURIComponent(key)}`, {
    body: { data: { referenceId: reference, status: 'REFUNDED' } },
  });

async function parkedOf(reference: string): Promise<{ id: string; reason: string; isOpen: boolean; times: number }[]> {
  const { rows } = await system.database.query<{ id: string; reason: string; isOpen: boolean; times: number }>(
    `select id::text, reason, settled_at is null as "isOpen", times from deposit_parked where reference = $1 order by id`,
    [reference],
  );
  return rows;
}

/** A member whose code is paid and credited. */
async function paid(amount: number) {
  const member = await registerMember(system);
  const who = customer(system, member, 'PAYONEX');
  const { body } = await who.create(amount);
  assert.equal((await who.pay(body.payload)).status, 200);
  await until(who.deposits, (seen) => seen.join() === String(body.amount), 'credited');
  const { reference } = await until(
    () => rowOf(system, body.qrcodeId),
    // The resolver may be faster than the gateway's callback, which arrives nevertheless.
    ({ state, wakes }) => state === 'PAID' && wakes > 0,
    'paid, and called back about',
  );
  return { ...who, member, reference, id: body.qrcodeId as string, credited: body.amount as number };
}

const refund = async (reference: string): Promise<void> => {
  const { status, body } = await system.world('POST /control/payonex/refund', { body: { referenceId: reference } });
  assert.equal(status, 200, JSON.stringify(body));
};

test('a payment that the gateway sends back after the credit is on the list, explained by reconcile, and not taken from the member [R-QR-07]', async () => {
  const who = await paid(500);
  await refund(who.reference);
  await until(
    () => parkedOf(who.reference),
    (rows) => rows.some(({ reason }) => reason === 'TAKEN_BACK'),
    'parked',
  );
  // However often it is reported.
  await Promise.all(Array.from({ length: 10 }, () => call(who.reference)));
  await until(
    () => rowOf(system, who.id),
    ({ due }) => !due,
    'nothing left to ask',
  );
  const [row, ...more] = await parkedOf(who.reference);
  assert.ok(row);
  assert.deepEqual([row.reason, row.isOpen, more], ['TAKEN_BACK', true, []]);
  assert.deepEqual(await who.deposits(), [who.credited]);
  const amount = who.credited.toFixed(2).replace('.', '\\.');
  const { status, output } = await deposits();
  assert.equal(status, 0, output);
  assert.match(
    output,
    new RegExp(
      `^ *${row.id}  PAYONEX ${who.reference}  TAKEN_BACK +\\d+ min +${amount} BAHT  code PAID, member ${who.member.id} \\(${who.member.phone}\\)  reported \\d+ times: REFUNDED `,
    ),
  );
  assert.match(output, /\n1 wait for an operator\n$/);
  await queueHolds(system, 'qrcode', 'operator', (items) => items === 1);
  const explained = new RegExp(`taken back after it was credited -${amount}$`);
  const first = await gatewayLine();
  assert.match(first.line, explained, first.output);
  assert.equal(first.status, 0, first.output);

  const closed = await deposits('close', row.id, 'nok', ...WHY);
  assert.equal(closed.status, 0, closed.output);
  assert.match((await deposits('close', row.id, 'lek', ...WHY)).output, /is already closed/);
  assert.match((await deposits()).output, /^0 wait for an operator\n$/);
  assert.match((await gatewayLine()).line, explained, 'the hole is still there');
  const { output: log } = await runCommand(system, 'operator-log', ['PAYONEX', who.reference]);
  assert.match(
    log,
    new RegExp(`nok +deposits close TAKEN_BACK +PAYONEX ${who.reference} +${WHY.join(' ')}\n1 entries`),
  );
});

test('after a callback inquiries without a reply are repeated; a forged callback is ignored [R-QR-07]', async () => {
  const who = await paid(200);
  const { wakes } = await rowOf(system, who.id);
  assertRefused(await call(who.reference, 'a wrong key'), 'KEY_INVALID');
  assert.equal((await rowOf(system, who.id)).wakes, wakes);
  await fault(system, { target: 'payonex', fault: 'error-500', call: 'transaction', times: 3 });
  await refund(who.reference);
  await until(
    async () => {
      await letTimePass(system, 'PAYONEX');
      return parkedOf(who.reference);
    },
    (rows) => rows.map(({ reason }) => reason).join() === 'TAKEN_BACK',
    'parked',
  );
  assert.deepEqual(await who.deposits(), [who.credited]);
});

test('a credited payment that is reported again changes nothing, and under another number credits nothing [R-QR-07]', async () => {
  const who = await paid(300);
  const before = (await rowOf(system, who.id)).wakes;
  await call(who.reference);
  const quiet = () =>
    until(
      () => rowOf(system, who.id),
      ({ due, wakes }) => !due && wakes > before,
      'asked',
    );
  await quiet();
  assert.deepEqual(await parkedOf(who.reference), []);
  await system.database.query(`update qrcode set transaction_number = 'another' where id = $1`, [who.id]);
  await call(who.reference);
  const [row] = await until(
    () => parkedOf(who.reference),
    (rows) => rows.length === 1,
    'parked',
  );
  assert.equal(row?.reason, 'TOLD_ANEW');
  assert.deepEqual(await who.deposits(), [who.credited]);
  for (const [words, why] of [
    [['ask', row?.id ?? '', 'nok', 'why'], /^Write `npm run krapao -- deposits`/],
    [['ask', '999999', 'nok', ...WHY], /no parked deposit with this number/],
    [['ask', '1; drop table qrcode', 'nok', ...WHY], /no parked deposit with this number/],
    [['drop', row?.id ?? '', 'nok', ...WHY], /^Write/],
  ] as const) {
    const { status, output } = await deposits(...words);
    assert.equal(status, 1);
    assert.match(output, why);
  }
  assert.equal((await deposits('ask', row?.id ?? '', 'nok', ...WHY)).status, 0);
  await until(
    () => parkedOf(who.reference),
    ([again]) => (again?.times ?? 0) > 1,
    'asked again',
  );
});
