import { strict as assert } from 'node:assert';
import { afterEach, after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { insertOffer } from '../bonus/bonus-fixtures.ts';
import { qrCustomer, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { openGame } from '../harness/games.ts';
import { logIn, registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet, parseBaht } from '../harness/money.ts';
import { SilentProxy } from '../harness/silent-proxy.ts';
import { startSystem, type System } from '../harness/system.ts';
import { newBrowser, subscribeBrowser, waitForPushes } from '../notification/push-fixtures.ts';

/** Longer than a test waits: what waits for a silent gateway never ends in time. */
const KBANK_TIMEOUT_MS = 60_000;
const OPEN_CODES = 40;
const SILENT_MEMBERS = 10;
const BROWSERS = 10;

const proxy = new SilentProxy();
let system: System;
let ledger: Ledger;
before(async () => {
  const throughProxy = await proxy.open('kbank', 'push', 'pg');
  system = await startSystem({
    outside: (outside) => {
      const { kbank, ww, ...routed } = throughProxy(outside);
      assert.ok(kbank && ww);
      const lostCallbacks = `${outside.publicUrl}/api/callback/lost`;
      return {
        ...routed,
        kbank: { ...kbank, timeoutMs: KBANK_TIMEOUT_MS },
        ww: { ...ww, callbackUrl: lostCallbacks },
      };
    },
  });
  ledger = createTestLedger(system);
});
afterEach(() => {
  proxy.isSilent = () => false;
  proxy.unanswered.length = 0;
});
after(async () => {
  await proxy.close();
  await ledger?.close();
  await system?.stop();
});

/** Credits a deposit of 300 baht to each member, with a chosen bonus that is due. @returns references of the deposits */
async function createDueBonuses(code: string, members: readonly TestMember[]): Promise<string[]> {
  const deposits = members.map(({ id }) => ({ id, key: `test:bonus:${id}`, reference: `B${id.slice(-12)}` }));
  for (const { id, key, reference } of deposits) {
    const [verdict] = await ledger.post({
      key,
      type: 'transfer',
      kind: 'deposit',
      memberId: id,
      currency: 'BAHT',
      debit: { houseAccount: 'bank' },
      credit: { member: id, kind: 'WALLET' },
      amount: parseBaht('300'),
      reference,
      actor: 'test',
    });
    assert.equal(verdict?.outcome, 'applied');
  }
  await system.database.query(
    `insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
     select key, id, 'BAHT', $4, reference from unnest($1::text[], $2::uuid[], $3::text[]) d (key, id, reference)`,
    [deposits.map(({ key }) => key), deposits.map(({ id }) => id), deposits.map(({ reference }) => reference), code],
  );
  return deposits.map(({ reference }) => reference);
}

/** Opens withdrawals of 300 baht whose sweep another process left, after its lease. @returns their references */
async function createDueSweeps(members: readonly TestMember[]): Promise<string[]> {
  const references = members.map(({ id }) => `WSWEEP${id.slice(-12)}`);
  await system.database.query(
    `insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
       account_name, paid_from, leased_until)
     select gen_random_uuid(), id, 'BAHT', reference, '', true, 30000, reference, 'SCB', '1112223334', 'X', 'SCB-4680001234', now()
       from unnest($1::uuid[], $2::text[]) w (id, reference)`,
    [members.map(({ id }) => id), references],
  );
  return references;
}

/** Subscribes a new browser whose push service is reached through the proxy. @returns its endpoint */
async function subscribeThroughProxy(session: Pick<TestMember, 'token'>): Promise<string> {
  const browser = await newBrowser(system, session);
  const endpoint = browser.endpoint.replace(new URL(browser.endpoint).origin, proxy.url);
  return (await subscribeBrowser(system, session, { ...browser, endpoint })).endpoint;
}

test('a payment with a lost callback is credited while another gateway with 40 codes is silent [R-OPS-07]', async () => {
  const member = await registerMember(system);
  const customer = qrCustomer(system, member, 'WW');
  const { body } = await customer.create(100);
  proxy.isSilent = (path) => path.startsWith('/kbank');
  await system.database.query(
    `insert into qrcode (id, member_id, gateway, reference, currency, amount, state, payload, pay_amount, expires_at, inquire_at)
     select gen_random_uuid(), gen_random_uuid(), 'KBANK', 'SILENT' || n, 'BAHT', 10000, 'PENDING', 'x', 10000,
       now() + interval '10 minutes', now() from generate_series(1, $1::int) n`,
    [OPEN_CODES],
  );
  await waitUntil(
    () => Promise.resolve(proxy.unanswered.length),
    (count) => count >= 8,
    'inquiries at the silent gateway',
  );
  const paid = await customer.pay(body.payload);
  assert.equal(paid.status, 200, JSON.stringify(paid.body));
  await waitUntil(customer.deposits, (amounts) => amounts.length === 1, 'the credit at the other gateway');
  assert.equal(proxy.unanswered.length, 8, 'concurrent inquiries at the silent gateway');
  await system.database.query(`delete from qrcode where reference like 'SILENT%'`);
});

test('a push message to one member is not delayed by ten silent browsers of another [R-OPS-07]', async () => {
  const [silent, other] = [await registerMember(system), await registerMember(system)];
  const silentPaths: string[] = [];
  for (let browser = 0; browser < BROWSERS; browser += 1) {
    const session = browser === 0 ? silent : { token: await logIn(system, silent.phone, silent.password) };
    silentPaths.push(new URL(await subscribeThroughProxy(session)).pathname);
  }
  const endpoint = await subscribeThroughProxy(other);
  proxy.isSilent = (path) => silentPaths.includes(path);
  await fundWallet(ledger, silent.id, '10');
  await waitUntil(
    () => Promise.resolve(proxy.unanswered.length),
    (count) => count >= 2,
    'messages to silent browsers',
  );
  await fundWallet(ledger, other.id, '10');
  await waitForPushes(system, endpoint, 1);
  assert.ok(new Set(proxy.unanswered).size < BROWSERS, `${proxy.unanswered.length} messages without a reply`);
});

test('a chosen bonus is not delayed by bonuses that wait for a silent game [R-OPS-07]', async () => {
  const code = await insertOffer(system);
  const members = await Promise.all(Array.from({ length: SILENT_MEMBERS }, () => registerMember(system)));
  for (const { token } of members) await openGame(system, token, 'pg');
  const other = await registerMember(system);
  proxy.isSilent = (path) => path.includes('GetPlayerWallet');
  await createDueBonuses(code, members);
  await waitUntil(
    () => Promise.resolve(proxy.unanswered.length),
    (count) => count >= 4,
    'inquiries at the silent game',
  );
  const [reference = ''] = await createDueBonuses(code, [other]);
  const state = await waitUntil(
    async () => {
      const { rows } = await system.database.query<{ state: string }>(
        'select state from deposit_bonus where deposit = $1',
        [reference],
      );
      return rows[0]?.state;
    },
    (current) => current !== 'DUE',
    'the bonus of the other member',
  );
  assert.equal(state, 'RECEIVED');
  assert.ok(proxy.unanswered.length < SILENT_MEMBERS, `${proxy.unanswered.length} inquiries without a reply`);
});

test('money for a withdrawal is held without waiting for withdrawals from a silent game [R-OPS-07]', async () => {
  await waitUntil(
    async () => (await system.database.query(`select 1 from deposit_bonus where state = 'DUE'`)).rowCount,
    (count) => count === 0,
    'the bonuses of the silent game',
  );
  const members = await Promise.all(Array.from({ length: SILENT_MEMBERS }, () => registerMember(system)));
  for (const { token } of members) await openGame(system, token, 'pg');
  const other = await registerMember(system);
  await openGame(system, other.token, 'askmebet');
  await fundWallet(ledger, other.id, '300');
  proxy.isSilent = (path) => path.includes('GetPlayerWallet');
  await createDueSweeps(members);
  await waitUntil(
    () => Promise.resolve(proxy.unanswered.length),
    (count) => count >= 8,
    'inquiries at the silent game',
  );
  const [reference = ''] = await createDueSweeps([other]);
  await waitUntil(
    async () => {
      const { rows } = await system.database.query<{ isHeld: boolean }>(
        'select is_held as "isHeld" from withdraw where reference = $1',
        [reference],
      );
      return rows[0]?.isHeld;
    },
    (isHeld) => isHeld === true,
    'the money of the other member',
  );
  assert.ok(proxy.unanswered.length < SILENT_MEMBERS, `${proxy.unanswered.length} inquiries without a reply`);
});
