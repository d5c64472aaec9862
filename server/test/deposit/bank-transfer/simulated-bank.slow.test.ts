import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { SignJWT } from 'jose';
import { assertRefused } from '../../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { injectFault, waitForSettingsReload } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import {
  readArrivalRow,
  sortAscending,
  assertBooksAgree,
  readDepositAmounts,
  makePollsDue,
  readStatement,
} from './feed-fixtures.ts';

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
  const { status, body } = await system.simulatorsApi('POST /bank/transfer', {
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
  const { status, body } = await system.simulatorsApi('POST /wallet-app/transfer', {
    body: { to, amount, from: phone },
  });
  assert.equal(status, 200, JSON.stringify(body));
};

const waitForDeposits = (member: TestMember, amounts: number[]) =>
  waitUntil(
    () => readDepositAmounts(system, member),
    (seen) => seen.length >= amounts.length,
    'credited',
  ).then((seen) => assert.deepEqual(seen, amounts));

test('members of several banks send to both bank accounts of the operator; each is credited the sent amount [R-DEP-04]', async () => {
  const members: TestMember[] = [];
  for (const memberChoices of [
    { bankCode: 'SCB', bankAccountName: 'SOMJAI DEEMAK' },
    { bankCode: 'KBANK', bankAccountName: 'มะลิ สวนดี' },
    { bankCode: 'GSB', bankAccountNo: '020999888777', bankAccountName: 'ใจดี มีสุข' },
    { bankCode: 'TMB', bankAccountName: 'MALI SUANDEE' },
  ]) {
    members.push(await registerMember(system, memberChoices));
  }
  for (const [position, member] of members.entries()) {
    await transfer(member, SCB, `${10 + position}.50`);
    await transfer(member, KBANK, `${20 + position}.00`);
  }
  for (const [at, member] of members.entries()) {
    await waitUntil(
      async () => sortAscending(await readDepositAmounts(system, member)),
      (arrivalRows) => arrivalRows.length === 2,
      'both credited',
    );
    assert.deepEqual(sortAscending(await readDepositAmounts(system, member)), [10.5 + at, 20 + at]);
  }
});

for (const [title, fault] of [
  ['a push sent twice', { fault: 'callback-twice' }],
  ['a push sent before its feed line', { fault: 'callback-early', delayMs: 300 }],
  ['a push that is lost, or an hour late', { fault: 'callback-late', delayMs: 3_600_000 }],
  ['a forged push beside the real one', { fault: 'callback-forged' }],
  ['a validly signed push with false data', { fault: 'callback-forged', applied: true }],
  ['a feed line listed twice', { fault: 'line-twice' }],
  ['a delayed feed line', { fault: 'line-late', delayMs: 500 }],
] as const) {
  test(`a transfer with ${title} is credited once, with the sent amount [R-DEP-04]`, async () => {
    const member = await registerMember(system);
    await injectFault(system, { target: 'bank', ...fault });
    const { transRef } = await transfer(member, SCB, '60.00');
    await waitUntil(
      async () => (await makePollsDue(system), readArrivalRow(system, transRef)),
      (row) => row?.state === 'CREDITED',
      'credited',
    );
    await makePollsDue(system);
    await transfer(member, SCB, '1.00');
    await waitForDeposits(member, [60, 1]);
  });
}

test('a transfer without a push is credited within a minute by polling the feed [R-DEP-04]', async () => {
  const member = await registerMember(system);
  await injectFault(system, { target: 'bank', fault: 'callback-late', delayMs: 3_600_000 });
  const { transRef } = await transfer(member, SCB, '61.00');
  await waitForDeposits(member, [61]);
  const { rows } = await system.database.query<{ seconds: number }>(
    `select extract(epoch from now() - sent_at)::float8 as seconds from deposit_arrival where trans_ref = $1`,
    [transRef],
  );
  const { seconds = Infinity } = rows[0] ?? {};
  assert.ok(seconds < 60, `${seconds} s after it was sent`);
});

test('a transfer by the wallet app is credited to the member whose phone sent it [R-DEP-04]', async () => {
  const member = await registerMember(system);
  await sendToWallet(member.phone, '25.00');
  await waitForDeposits(member, [25]);
  const [entry] = await readStatement(system, member);
  assert.equal(entry?.from, 'WALLET_APP');
  // Two equal payments within a second are two.
  await Promise.all([sendToWallet(member.phone, '7.00'), sendToWallet(member.phone, '7.00')]);
  await waitForDeposits(member, [25, 7, 7]);
  // A sender who is not a member.
  await sendToWallet('0899999998', '9.00');
  const { rows } = await waitUntil(
    () =>
      system.database.query<{ reason: string }>(
        `select reason from deposit_arrival where amount = 900 and state = 'SUSPENSE'`,
      ),
    (result) => result.rows.length === 1,
    'in suspense',
  );
  assert.deepEqual(rows, [{ reason: 'NOBODY' }]);
});

test('a push of the wallet app is accepted only with the shared HS256 secret, for five minutes', async () => {
  const secret = new TextEncoder().encode(system.outside.walletApp?.webhookSecret);
  const now = Math.floor(Date.now() / 1000);
  const token = (key: Uint8Array, iat: number | undefined, alg = 'HS256') => {
    const unsignedJwt = new SignJWT({ event_type: 'P2P', amount: 100, sender_mobile: '0812345678' });
    return (iat === undefined ? unsignedJwt : unsignedJwt.setIssuedAt(iat)).setProtectedHeader({ alg }).sign(key);
  };
  const sendCallback = (body: unknown) => system.api('POST /api/callback/wallet-app', { body });
  for (const at of [now, now - 270])
    assert.deepEqual((await sendCallback({ message: await token(secret, at) })).body, { ok: true });
  assertRefused(await sendCallback({}), 'KEY_MISSING');
  assertRefused(await sendCallback('garbage'), 'KEY_MISSING');
  assertRefused(
    await sendCallback({ message: await token(new TextEncoder().encode('x'.repeat(32)), now) }),
    'KEY_INVALID',
  );
  // Clocks may differ by 30 s.
  for (const at of [now - 331, now - 86_400, now + 120, now + 86_400])
    assertRefused(await sendCallback({ message: await token(secret, at) }), 'KEY_INVALID');
  assertRefused(await sendCallback({ message: await token(secret, undefined) }), 'KEY_INVALID');
  const longKey = new TextEncoder().encode('y'.repeat(64));
  assertRefused(await sendCallback({ message: await token(longKey, now, 'HS512') }), 'KEY_INVALID');
  const encodeJson = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsignedToken = `${encodeJson({ alg: 'none' })}.${encodeJson({ event_type: 'P2P', iat: now })}.`;
  assertRefused(await sendCallback({ message: unsignedToken }), 'KEY_INVALID');
  const tokenHead = encodeJson({ alg: 'HS512' });
  const tokenClaims = encodeJson({ event_type: 'P2P', iat: now });
  const otherSignature = createHmac('sha512', secret).update(`${tokenHead}.${tokenClaims}`).digest('base64url');
  assertRefused(await sendCallback({ message: `${tokenHead}.${tokenClaims}.${otherSignature}` }), 'KEY_INVALID');
});

test('a feed that the operator stops and restarts is read from where it stopped [R-DEP-04]', async () => {
  const member = await registerMember(system);
  await system.database.query(
    `update deposit_account set mode = 'MANUAL' where bank_code = 'KBANK' and bank_type = 'BANK'`,
  );
  await waitForSettingsReload();
  await transfer(member, KBANK, '15.00');
  await transfer(member, SCB, '1.00');
  await waitForDeposits(member, [1]);
  await system.database.query(
    `update deposit_account set mode = 'AUTO' where bank_code = 'KBANK' and bank_type = 'BANK'`,
  );
  await waitForDeposits(member, [1, 15]);
});
