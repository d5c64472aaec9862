import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { SignJWT } from 'jose';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { misbehave, noticed } from '../../harness/operator.ts';
import { assertRefused } from '../../harness/refused.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { arrivalOf, ascending, assertBooksAgree, depositsOf, pollsDue, statementOf } from './feed-fixtures.ts';
import { until } from '../qrcode/qr-fixtures.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());
afterEach(() => assertBooksAgree(system));

const [SCB, KBANK] = [
  { bankCode: 'SCB', accountNo: '4680001234' },
  { bankCode: 'KBANK', accountNo: '1238004567' },
];

async function transfer(member: TestMember, to: object, amount: string): Promise<{ transRef: string }> {
  const { status, body } = await system.world('POST /bank/transfer', {
    body: {
      from: { bankCode: member.bankCode, accountNo: member.bankAccountNo, accountName: member.bankAccountName },
      to,
      amount,
    },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body as { transRef: string };
}

const sendToWallet = async (phone: string, amount: string): Promise<void> => {
  const to = system.outside.walletApp?.phone;
  const { status, body } = await system.world('POST /wallet-app/transfer', { body: { to, amount, from: phone } });
  assert.equal(status, 200, JSON.stringify(body));
};

const deposited = (member: TestMember, amounts: number[]) =>
  until(
    () => depositsOf(system, member),
    (seen) => seen.length >= amounts.length,
    'credited',
  ).then((seen) => assert.deepEqual(seen, amounts));

test('members of several banks send to both own accounts; each is credited what they sent [R-DEP-04]', async () => {
  const members: TestMember[] = [];
  for (const choices of [
    { bankCode: 'SCB', bankAccountName: 'SOMJAI DEEMAK' },
    { bankCode: 'KBANK', bankAccountName: 'มะลิ สวนดี' },
    { bankCode: 'GSB', bankAccountNo: '020999888777', bankAccountName: 'ใจดี มีสุข' },
    { bankCode: 'TMB', bankAccountName: 'MALI SUANDEE' },
  ]) {
    members.push(await registerMember(system, choices));
  }
  for (const [at, member] of members.entries()) {
    await transfer(member, SCB, `${10 + at}.50`);
    await transfer(member, KBANK, `${20 + at}.00`);
  }
  for (const [at, member] of members.entries()) {
    await until(
      async () => ascending(await depositsOf(system, member)),
      (seen) => seen.length === 2,
      'both credited',
    );
    assert.deepEqual(ascending(await depositsOf(system, member)), [10.5 + at, 20 + at]);
  }
});

for (const [what, fault] of [
  ['a push that comes twice', { fault: 'callback-twice' }],
  ['a push that comes before its line', { fault: 'callback-early', delayMs: 300 }],
  ['a push that is lost, or an hour late', { fault: 'callback-late', delayMs: 3_600_000 }],
  ['a forged push beside the true one', { fault: 'callback-forged' }],
  ['a rightly signed push that lies', { fault: 'callback-forged', applied: true }],
  ['a line that appears twice', { fault: 'line-twice' }],
  ['a line that appears late', { fault: 'line-late', delayMs: 500 }],
] as const) {
  test(`${what}: the transfer is credited once, with what was sent [R-DEP-04]`, async () => {
    const member = await registerMember(system);
    await misbehave(system, { target: 'bank', ...fault });
    const { transRef } = await transfer(member, SCB, '60.00');
    await until(
      async () => (await pollsDue(system), arrivalOf(system, transRef)),
      (row) => row?.state === 'CREDITED',
      'credited',
    );
    await pollsDue(system);
    await transfer(member, SCB, '1.00');
    await deposited(member, [60, 1]);
  });
}

test('a transfer without a push is credited within a minute by polling the feed [R-DEP-04]', async () => {
  const member = await registerMember(system);
  await misbehave(system, { target: 'bank', fault: 'callback-late', delayMs: 3_600_000 });
  const { transRef } = await transfer(member, SCB, '61.00');
  await deposited(member, [61]);
  const { rows } = await system.database.query<{ seconds: number }>(
    `select extract(epoch from now() - sent_at)::float8 as seconds from deposit_arrival where trans_ref = $1`,
    [transRef],
  );
  const { seconds = Infinity } = rows[0] ?? {};
  assert.ok(seconds < 60, `${seconds} s after it was sent`);
});

test('a transfer of money by the wallet app is credited to the member whose phone sent it [R-DEP-04]', async () => {
  const member = await registerMember(system);
  await sendToWallet(member.phone, '25.00');
  await deposited(member, [25]);
  const [entry] = await statementOf(system, member);
  assert.equal(entry?.from, 'WALLET_APP');
  // Two equal payments within a second are two.
  await Promise.all([sendToWallet(member.phone, '7.00'), sendToWallet(member.phone, '7.00')]);
  await deposited(member, [25, 7, 7]);
  // A person who is no member.
  await sendToWallet('0899999998', '9.00');
  const { rows } = await until(
    () =>
      system.database.query<{ reason: string }>(
        `select reason from deposit_arrival where amount = 900 and state = 'SUSPENSE'`,
      ),
    (found) => found.rows.length === 1,
    'in suspense',
  );
  assert.deepEqual(rows, [{ reason: 'NOBODY' }]);
});

test('a wallet app push is believed only with our HS256 secret, and lately', async () => {
  const secret = new TextEncoder().encode(system.outside.walletApp?.webhookSecret);
  const now = Math.floor(Date.now() / 1000);
  const token = (key: Uint8Array, iat: number | undefined, alg = 'HS256') => {
    const made = new SignJWT({ event_type: 'P2P', amount: 100, sender_mobile: '0812345678' });
    return (iat === undefined ? made : made.setIssuedAt(iat)).setProtectedHeader({ alg }).sign(key);
  };
  const send = (body: unknown) => system.api('POST /api/callback/wallet-app', { body });
  assert.deepEqual((await send({ message: await token(secret, now) })).body, { ok: true });
  assertRefused(await send({}), 'KEY_MISSING');
  assertRefused(await send('garbage'), 'KEY_MISSING');
  assertRefused(await send({ message: await token(new TextEncoder().encode('x'.repeat(32)), now) }), 'KEY_INVALID');
  assertRefused(await send({ message: await token(secret, now - 86_400) }), 'KEY_INVALID');
  assertRefused(await send({ message: await token(secret, now + 86_400) }), 'KEY_INVALID');
  assertRefused(await send({ message: await token(secret, undefined) }), 'KEY_INVALID');
  const long = new TextEncoder().encode('y'.repeat(64));
  assertRefused(await send({ message: await token(long, now, 'HS512') }), 'KEY_INVALID');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${part({ alg: 'none' })}.${part({ event_type: 'P2P', iat: now })}.`;
  assertRefused(await send({ message: unsigned }), 'KEY_INVALID');
  const head = part({ alg: 'HS512' });
  const claims = part({ event_type: 'P2P', iat: now });
  const other = createHmac('sha512', secret).update(`${head}.${claims}`).digest('base64url');
  assertRefused(await send({ message: `${head}.${claims}.${other}` }), 'KEY_INVALID');
});

test('what the operator stops watching is read again from where it stopped [R-DEP-04]', async () => {
  const member = await registerMember(system);
  await system.database.query(
    `update deposit_account set mode = 'MANUAL' where bank_code = 'KBANK' and bank_type = 'BANK'`,
  );
  await noticed();
  await transfer(member, KBANK, '15.00');
  await transfer(member, SCB, '1.00');
  await deposited(member, [1]);
  await system.database.query(
    `update deposit_account set mode = 'AUTO' where bank_code = 'KBANK' and bank_type = 'BANK'`,
  );
  await deposited(member, [1, 15]);
});
