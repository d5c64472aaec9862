import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { validate } from 'promptparse';
import { audit } from '../../../../src/ledger/audit.ts';
import type { Outside } from '../../../../src/outside-config.ts';
import type { System, SystemOptions } from '../../../harness/system.ts';
import { assertTotalsAgree, readQrcodeRow, waitUntil } from '../qr-fixtures.ts';
import { type GatewayHelpers, gatewayHelpers } from './at-gateway.ts';
import { type GatewayFixture, unauthorizedKeyRequests } from './gateway-fixtures.ts';

// Adds the gateway of docs/add-a-gateway.md to a copy of the product, as the guide describes.
const REPOSITORY_ROOT = join(import.meta.dirname, '../../../../..');
const COPIED_PATHS = ['server/src', 'server/seed', 'server/test/harness', 'simulators/src', 'tools'];
/**
 * The copy links cluster.ts, so that the tests' PostgreSQL is shared: its address is derived from the real path of that
 * file.
 */
const LINKED_PATHS = [
  'node_modules',
  'package.json',
  'package-lock.json',
  'server/package.json',
  'server/migrations',
  'server/sql',
].concat(['server/test/harness/cluster.ts', 'simulators/package.json', 'simulators/public']);
const APPENDED_LINES = {
  'server/src/adapters/gateway/vendors.ts': "export { demo } from './demo.ts';\n",
  'simulators/src/gateways/vendors.ts': "export { demo } from './demo/definition.ts';\n",
};
const BANK_ROW = {
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
  writeOutside: (path: string, secrets: unknown, addresses: object, timeoutMs: number) => void;
};
type DemoOutside = Outside & { demo: { billerId: string; callbackKey: string } };

const demoConfigOf = (outside: Outside) => (outside as DemoOutside).demo;

/** A copy of the product with the fixture's files, their entries in `vendors.ts`, and a row of operator data. */
function copyProductWithDemo(): string {
  const copyFolder = mkdtempSync(join(tmpdir(), 'krapao-gateway-'));
  for (const folder of COPIED_PATHS)
    cpSync(join(REPOSITORY_ROOT, folder), join(copyFolder, folder), { recursive: true });
  for (const path of LINKED_PATHS) {
    rmSync(join(copyFolder, path), { force: true });
    symlinkSync(join(REPOSITORY_ROOT, path), join(copyFolder, path));
  }
  for (const workspace of ['server', 'simulators']) {
    cpSync(join(REPOSITORY_ROOT, workspace, 'test/fixtures/demo-gateway'), join(copyFolder, workspace, 'src'), {
      recursive: true,
    });
  }
  for (const [path, line] of Object.entries(APPENDED_LINES)) appendFileSync(join(copyFolder, path), line);
  const seedFile = join(copyFolder, 'server/seed/deposit.json');
  writeFileSync(seedFile, JSON.stringify([...(JSON.parse(readFileSync(seedFile, 'utf8')) as object[]), BANK_ROW]));
  return copyFolder;
}

/** Starts the copy, with the section of outside.json that `npm start` derives from the gateway's `agreement.json`. */
async function startCopy(copyFolder: string): Promise<System> {
  const { startSystem } = (await import(join(copyFolder, 'server/test/harness/system.ts'))) as SystemModule;
  const { ensureSecrets, writeOutside } = (await import(join(copyFolder, 'tools/outside.mjs'))) as OutsideTool;
  const secrets = ensureSecrets(join(copyFolder, 'secrets.json'));
  return startSystem({
    outside: (outside) => {
      const addresses = { url: outside.publicUrl, outside: new URL(outside.sms.url).origin, followHost: [] };
      writeOutside(join(copyFolder, 'outside.json'), secrets, addresses, TIMEOUT_MS);
      const { demo: demoConfig } = JSON.parse(readFileSync(join(copyFolder, 'outside.json'), 'utf8')) as DemoOutside;
      const outsideWithDemo: DemoOutside = { ...outside, demo: demoConfig };
      return outsideWithDemo;
    },
  });
}

const demo: GatewayFixture = {
  code: 'DEMO',
  name: 'demo',
  currency: 'BAHT',
  validAmounts: [120.5],
  tooSmallAmount: 9.99,
  tooLargeAmount: 50_000.01,
  otherAmounts: [],
  callNames: { create: 'create', inquire: 'inquire', cancel: null },
  parsePayload: (payload, outside) => {
    const bill = validate.billPayment(payload);
    if (bill?.billerId !== demoConfigOf(outside).billerId || bill.amount === undefined) return null;
    return { amount: bill.amount, reference: bill.ref1 ?? null };
  },
  buildCallback: (outside, reference, claim = {}) => ({
    path: `/api/callback/demo?key=${demoConfigOf(outside).callbackKey}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reference, amount: claim.amount ?? '120.50' }),
  }),
  unauthorizedCallbacks: (outside, reference) => unauthorizedKeyRequests(demo.buildCallback(outside, reference)),
  acceptedReply: '{"received":true}',
};

describe('the gateway of the guide', () => {
  let copyFolder: string;
  let system: System;
  let helpers: GatewayHelpers;
  before(async () => {
    copyFolder = copyProductWithDemo();
    system = await startCopy(copyFolder);
    helpers = gatewayHelpers(system, demo);
  });
  after(async () => {
    const violatedAudits = (await audit(system.database)).filter(({ violations }) => violations !== 0);
    await system.stop();
    rmSync(copyFolder, { recursive: true, force: true });
    assert.deepEqual(violatedAudits, []);
  });

  test("a code of the guide's gateway is created, shown, paid and credited once after its callback", async () => {
    const code = await helpers.createCode();
    assert.deepEqual(demo.parsePayload(code.payload, system.outside), { amount: 120.5, reference: code.reference });
    const { body: depositLookup } = await system.api('GET /api/lookup/deposit');
    assert.ok((depositLookup.banks as { bankCode: string }[]).some(({ bankCode }) => bankCode === demo.code));
    await helpers.payCode(code);
    await helpers.untilDeposits(code.customer, [120.5]);
    await helpers.assertPaid(code, [120.5]);
    const calls = await waitUntil(
      () => helpers.callbacksOf(code.id),
      ({ length }) => length > 0,
      'its callback',
    );
    assert.deepEqual(
      calls.map(({ status }) => status),
      [200],
    );
    await assertTotalsAgree(system, 'demo');
  });

  test("forged callbacks of the guide's gateway are refused, and one with only the key credits nothing", async () => {
    const code = await helpers.createCode();
    for (const { title, call, refusal } of demo.unauthorizedCallbacks(system.outside, code.reference)) {
      const { status, text } = await helpers.send(call);
      assert.deepEqual([status, (JSON.parse(text) as { message: string }).message], [403, refusal], title);
    }
    assert.equal((await readQrcodeRow(system, code.id)).wakes, 0);
    const claim = demo.buildCallback(system.outside, code.reference, { amount: '5000.00' });
    assert.deepEqual(await helpers.send(claim), { status: 200, text: demo.acceptedReply });
    await helpers.triggerInquiry(code.id);
    assert.deepEqual(await code.customer.deposits(), []);
    assert.equal((await readQrcodeRow(system, code.id)).state, 'PENDING');
  });
});
