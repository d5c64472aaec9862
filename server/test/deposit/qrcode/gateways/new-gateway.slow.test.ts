import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { validate } from 'promptparse';
import type { Outside } from '../../../../src/outside-config.ts';
import { audit } from '../../../../src/ledger/audit.ts';
import type { System, SystemOptions } from '../../../harness/system.ts';
import { assertTotalsAgree, rowOf, until } from '../qr-fixtures.ts';
import { type AtGateway, atGateway } from './at-gateway.ts';
import { type GatewayFixture, keyedStrangers } from './gateway-fixtures.ts';

// Adds the gateway of docs/add-a-gateway.md to a copy of the product, as the guide describes.
const ROOT = join(import.meta.dirname, '../../../../..');
const COPIED = ['server/src', 'server/seed', 'server/test/harness', 'simulators/src', 'tools'];
/** The tests' PostgreSQL is this tree's: its address is derived from the real path of cluster.ts. */
const LINKED = ['node_modules', 'package.json', 'package-lock.json', 'server/package.json', 'server/migrations'].concat(
  ['server/test/harness/cluster.ts', 'simulators/package.json', 'simulators/public'],
);
const LINES = {
  'server/src/adapters/gateway/vendors.ts': "export { demo } from './demo.ts';\n",
  'simulators/src/gateways/vendors.ts': "export { demo } from './demo/definition.ts';\n",
};
const ROW = {
  bankCode: 'DEMO',
  bankType: 'PAYMENT',
  mode: 'QR',
  nameTH: 'QR DEMO',
  nameEN: 'QR DEMO',
  accountName: '',
  accountNo: '',
  currency: 'BAHT',
  minimum: '10.00',
  maximum: '50000.00',
};

const TIMEOUT_MS = 5_000;

type SystemModule = { startSystem: (options: SystemOptions) => Promise<System> };
type OutsideTool = {
  ensureSecrets: (path: string) => unknown;
  writeOutside: (path: string, secrets: unknown, places: object, timeoutMs: number) => void;
};
type Agreed = Outside & { demo: { billerId: string; callbackKey: string } };

const agreedWith = (outside: Outside) => (outside as Agreed).demo;

/** A copy of the product with the fixture's files, their entries in `vendors.ts`, and a row of operator data. */
function productWithDemo(): string {
  const copy = mkdtempSync(join(tmpdir(), 'krapao-gateway-'));
  for (const folder of COPIED) cpSync(join(ROOT, folder), join(copy, folder), { recursive: true });
  for (const path of LINKED) {
    rmSync(join(copy, path), { force: true });
    symlinkSync(join(ROOT, path), join(copy, path));
  }
  for (const workspace of ['server', 'simulators']) {
    cpSync(join(ROOT, workspace, 'test/fixtures/demo-gateway'), join(copy, workspace, 'src'), { recursive: true });
  }
  for (const [path, line] of Object.entries(LINES)) appendFileSync(join(copy, path), line);
  const seed = join(copy, 'server/seed/deposit.json');
  writeFileSync(seed, JSON.stringify([...(JSON.parse(readFileSync(seed, 'utf8')) as object[]), ROW]));
  return copy;
}

/** Starts the copy, with the section of outside.json that `npm start` derives from the gateway's `agreement.json`. */
async function startCopy(copy: string): Promise<System> {
  const { startSystem } = (await import(join(copy, 'server/test/harness/system.ts'))) as SystemModule;
  const { ensureSecrets, writeOutside } = (await import(join(copy, 'tools/outside.mjs'))) as OutsideTool;
  const secrets = ensureSecrets(join(copy, 'secrets.json'));
  return startSystem({
    outside: (outside) => {
      const places = { url: outside.publicUrl, outside: new URL(outside.sms.url).origin, followHost: [] };
      writeOutside(join(copy, 'outside.json'), secrets, places, TIMEOUT_MS);
      const { demo: part } = JSON.parse(readFileSync(join(copy, 'outside.json'), 'utf8')) as Agreed;
      const agreed: Agreed = { ...outside, demo: part };
      return agreed;
    },
  });
}

const demo: GatewayFixture = {
  code: 'DEMO',
  name: 'demo',
  currency: 'BAHT',
  amounts: [120.5],
  tooLittle: 9.99,
  tooMuch: 50_000.01,
  otherAmounts: [],
  calls: { create: 'create', inquire: 'inquire', cancel: null },
  read: (payload, outside) => {
    const bill = validate.billPayment(payload);
    if (bill?.billerId !== agreedWith(outside).billerId || bill.amount === undefined) return null;
    return { amount: bill.amount, reference: bill.ref1 ?? null };
  },
  callback: (outside, reference, claim = {}) => ({
    path: `/api/callback/demo?key=${agreedWith(outside).callbackKey}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reference, amount: claim.amount ?? '120.50' }),
  }),
  strangers: (outside, reference) => keyedStrangers(demo.callback(outside, reference)),
  taken: '{"received":true}',
};

describe('the gateway of the guide, added by two folders, a line for each and a row', () => {
  let copy: string;
  let system: System;
  let at: AtGateway;
  before(async () => {
    copy = productWithDemo();
    system = await startCopy(copy);
    at = atGateway(system, demo);
  });
  after(async () => {
    const violated = (await audit(system.database)).filter(({ violations }) => violations !== 0);
    await system.stop();
    rmSync(copy, { recursive: true, force: true });
    assert.deepEqual(violated, []);
  });

  test('a QR of it is made, shown, paid and credited once after its callback', async () => {
    const code = await at.withCode();
    assert.deepEqual(demo.read(code.payload, system.outside), { amount: 120.5, reference: code.reference });
    const { body: offered } = await system.api('GET /api/lookup/deposit');
    assert.ok((offered.banks as { bankCode: string }[]).some(({ bankCode }) => bankCode === demo.code));
    await at.pay(code);
    await at.untilDeposits(code.who, [120.5]);
    await at.assertPaid(code, [120.5]);
    const calls = await until(
      () => at.callbacksOf(code.id),
      ({ length }) => length > 0,
      'its callback',
    );
    assert.deepEqual(
      calls.map(({ status }) => status),
      [200],
    );
    await assertTotalsAgree(system, 'demo');
  });

  test('its forged callbacks are refused, and a claim with the key alone credits nothing', async () => {
    const code = await at.withCode();
    for (const { what, call, refusal } of demo.strangers(system.outside, code.reference)) {
      const { status, text } = await at.send(call);
      assert.deepEqual([status, (JSON.parse(text) as { message: string }).message], [403, refusal], what);
    }
    assert.equal((await rowOf(system, code.id)).wakes, 0);
    const claim = demo.callback(system.outside, code.reference, { amount: '5000.00' });
    assert.deepEqual(await at.send(claim), { status: 200, text: demo.taken });
    await at.triggerInquiry(code.id);
    assert.deepEqual(await code.who.deposits(), []);
    assert.equal((await rowOf(system, code.id)).state, 'PENDING');
  });
});
