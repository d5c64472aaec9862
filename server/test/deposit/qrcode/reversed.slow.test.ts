import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { audit } from '../../../src/ledger/audit.ts';
import { assertRefused } from '../../harness/assert-refused.ts';
import { type CommandResult, runCommand } from '../../harness/command.ts';
import { registerMember } from '../../harness/members.ts';
import { writeOutside } from '../../harness/outside-file.ts';
import { waitForQueueItems } from '../../harness/queues.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { outsideWithLongTimeouts } from '../../reconcile/run-command.ts';
import { qrCustomer, injectFault, makeInquiriesDue, readQrcodeRow, waitUntil } from './qr-fixtures.ts';

const REASON_ARGS = ['ticket', '123', 'of', 'the', 'gateway'];

let system: System;
let directory: string;
before(async () => {
  system = await startSystem({
    outside: (config) => ({ ...config, payonex: config.payonex && { ...config.payonex, timeoutMs: 4_000 } }),
  });
  directory = mkdtempSync(join(tmpdir(), 'krapao-taken-back-'));
  writeOutside(join(directory, 'outside.json'), outsideWithLongTimeouts(system));
});
after(async () => {
  await system.stop();
  rmSync(directory, { recursive: true, force: true });
});
afterEach(async () => {
  await system.simulatorsApi('DELETE /control/faults');
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

const runDeposits = (...commandArgs: string[]): Promise<CommandResult> => runCommand(system, 'deposits', commandArgs);
const readGatewayLine = async (): Promise<{ status: number; gatewayLine: string; output: string }> => {
  const { status, output } = await runCommand(system, 'reconcile', [], { DATA_DIR: directory, SIMULATORS: 'on' });
  return {
    status,
    output,
    gatewayLine: output.split('\n').find((outputLine) => outputLine.startsWith('gateway:payonex ')) ?? '',
  };
};
const sendCallback = (reference: string, key = system.outside.payonex?.callbackKey ?? '') =>
  system.api(`POST /api/callback/payonex?key=${encodeURIComponent(key)}`, {
    body: { data: { referenceId: reference, status: 'REFUNDED' } },
  });

async function readParkedRows(
  reference: string,
): Promise<{ id: string; reason: string; isOpen: boolean; times: number }[]> {
  const { rows } = await system.database.query<{ id: string; reason: string; isOpen: boolean; times: number }>(
    `select id::text, reason, settled_at is null as "isOpen", times from deposit_parked where reference = $1 order by id`,
    [reference],
  );
  return rows;
}

/** A member with a paid and credited code. */
async function paidCode(amount: number) {
  const member = await registerMember(system);
  const customer = qrCustomer(system, member, 'PAYONEX');
  const { body } = await customer.create(amount);
  assert.equal((await customer.pay(body.payload)).status, 200);
  await waitUntil(customer.deposits, (amounts) => amounts.join() === String(body.amount), 'credited');
  const { reference } = await waitUntil(
    () => readQrcodeRow(system, body.qrcodeId),
    // The resolver may be faster than the gateway's callback, which arrives nevertheless.
    ({ state, wakes }) => state === 'PAID' && wakes > 0,
    'paid, and called back about',
  );
  return { ...customer, member, reference, id: body.qrcodeId as string, credited: body.amount as number };
}

const reverseByGateway = async (reference: string): Promise<void> => {
  const { status, body } = await system.simulatorsApi('POST /control/payonex/refund', {
    body: { referenceId: reference },
  });
  assert.equal(status, 200, JSON.stringify(body));
};

test('a payment that the gateway reverses after the credit is listed, explained by reconcile, and stays with the member [R-QR-07]', async () => {
  const paidCustomer = await paidCode(500);
  await reverseByGateway(paidCustomer.reference);
  await waitUntil(
    () => readParkedRows(paidCustomer.reference),
    (rows) => rows.some(({ reason }) => reason === 'TAKEN_BACK'),
    'parked',
  );
  // Repeated reports have no further effect.
  await Promise.all(Array.from({ length: 10 }, () => sendCallback(paidCustomer.reference)));
  await waitUntil(
    () => readQrcodeRow(system, paidCustomer.id),
    ({ due }) => !due,
    'nothing left to ask',
  );
  const [row, ...otherRows] = await readParkedRows(paidCustomer.reference);
  assert.ok(row);
  assert.deepEqual([row.reason, row.isOpen, otherRows], ['TAKEN_BACK', true, []]);
  assert.deepEqual(await paidCustomer.deposits(), [paidCustomer.credited]);
  const amount = paidCustomer.credited.toFixed(2).replace('.', '\\.');
  const { status, output } = await runDeposits();
  assert.equal(status, 0, output);
  assert.match(
    output,
    new RegExp(
      `^ *${row.id}  PAYONEX ${paidCustomer.reference}  TAKEN_BACK +\\d+ min +${amount} BAHT  code PAID, member ${paidCustomer.member.id} \\(${paidCustomer.member.phone}\\)  reported \\d+ times: REFUNDED `,
    ),
  );
  assert.match(output, /\n1 wait for an operator\n$/);
  await waitForQueueItems(system, 'qrcode', 'operator', (items) => items === 1);
  const expectedLine = new RegExp(`taken back after it was credited -${amount}$`);
  const first = await readGatewayLine();
  assert.match(first.gatewayLine, expectedLine, first.output);
  assert.equal(first.status, 0, first.output);

  const closeResult = await runDeposits('close', row.id, 'nok', ...REASON_ARGS);
  assert.equal(closeResult.status, 0, closeResult.output);
  assert.match((await runDeposits('close', row.id, 'lek', ...REASON_ARGS)).output, /is already closed/);
  assert.match((await runDeposits()).output, /^0 wait for an operator\n$/);
  assert.match((await readGatewayLine()).gatewayLine, expectedLine, 'the hole is still there');
  const { output: log } = await runCommand(system, 'operator-log', ['PAYONEX', paidCustomer.reference]);
  assert.match(
    log,
    new RegExp(
      `nok +deposits close TAKEN_BACK +PAYONEX ${paidCustomer.reference} +${REASON_ARGS.join(' ')}\n1 entries`,
    ),
  );
});

test('a forged callback starts no inquiry; after a genuine one, failed inquiries repeat until a reply [R-QR-07]', async () => {
  const paidCustomer = await paidCode(200);
  const { wakes } = await readQrcodeRow(system, paidCustomer.id);
  assertRefused(await sendCallback(paidCustomer.reference, 'a wrong key'), 'KEY_INVALID');
  assert.equal((await readQrcodeRow(system, paidCustomer.id)).wakes, wakes);
  await injectFault(system, { target: 'payonex', fault: 'error-500', call: 'transaction', times: 3 });
  await reverseByGateway(paidCustomer.reference);
  await waitUntil(
    async () => {
      await makeInquiriesDue(system, 'PAYONEX');
      return readParkedRows(paidCustomer.reference);
    },
    (rows) => rows.map(({ reason }) => reason).join() === 'TAKEN_BACK',
    'parked',
  );
  assert.deepEqual(await paidCustomer.deposits(), [paidCustomer.credited]);
});

test('a credited payment reported again changes nothing, and under another number credits nothing [R-QR-07]', async () => {
  const paidCustomer = await paidCode(300);
  const before = (await readQrcodeRow(system, paidCustomer.id)).wakes;
  await sendCallback(paidCustomer.reference);
  const readQuietly = () =>
    waitUntil(
      () => readQrcodeRow(system, paidCustomer.id),
      ({ due, wakes }) => !due && wakes > before,
      'asked',
    );
  await readQuietly();
  assert.deepEqual(await readParkedRows(paidCustomer.reference), []);
  await system.database.query(`update qrcode set transaction_number = 'another' where id = $1`, [paidCustomer.id]);
  await sendCallback(paidCustomer.reference);
  const [row] = await waitUntil(
    () => readParkedRows(paidCustomer.reference),
    (rows) => rows.length === 1,
    'parked',
  );
  assert.equal(row?.reason, 'TOLD_ANEW');
  assert.deepEqual(await paidCustomer.deposits(), [paidCustomer.credited]);
  for (const [commandArgs, expectedReason] of [
    [['inquire', row?.id ?? '', 'nok', 'why'], /^WHY needs at least five letters\. Write `krapao deposits`/],
    [['inquire', '999999', 'nok', ...REASON_ARGS], /no parked deposit with this number/],
    [['ask', '1; drop table qrcode', 'nok', ...REASON_ARGS], /no parked deposit with this number/],
    [['drop', row?.id ?? '', 'nok', ...REASON_ARGS], /^There is no action "drop"\. Write/],
  ] as const) {
    const { status, output } = await runDeposits(...commandArgs);
    assert.equal(status, 1);
    assert.match(output, expectedReason);
  }
  assert.equal((await runDeposits('inquire', row?.id ?? '', 'nok', ...REASON_ARGS)).status, 0);
  await waitUntil(
    () => readParkedRows(paidCustomer.reference),
    ([row]) => (row?.times ?? 0) > 1,
    'asked again',
  );
});
