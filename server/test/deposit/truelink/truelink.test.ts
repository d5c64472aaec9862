import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { audit } from '../../../src/ledger/audit.ts';
import { houseBalance } from '../../../src/ledger/balances.ts';
import { ascending, depositsOf, statementOf } from '../bank-transfer/feed-fixtures.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { misbehave, noticed, setLimits } from '../../harness/operator.ts';
import { assertRefused } from '../../harness/refused.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { encrypt } from './gift-link.ts';
import { until } from '../qrcode/qr-fixtures.ts';

let system: System;
let member: TestMember;
before(async () => {
  // Two replies are lost on purpose.
  system = await startSystem({
    outside: (same) => ({ ...same, walletApp: same.walletApp && { ...same.walletApp, timeoutMs: 3_000 } }),
  });
  await setLimits(system, { 'truelink.member': 1_000 });
  member = await registerMember(system);
});
after(() => system.stop());
// The wallet-app account has received exactly the credited gifts.
afterEach(async () => {
  await until(
    async () => (await system.database.query('select id from truelink_gift where work_at is not null')).rows.length,
    (left) => left === 0,
    'gifts with work left',
  );
  const { body } = await system.world('GET /control/totals');
  const received = BigInt(String(body.walletApp.received).replace('.', ''));
  assert.equal(await houseBalance(system.database, 'wallet-app', 'BAHT'), -received);
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

const gift = async (body: object): Promise<{ link: string; hash: string }> => {
  const made = await system.world('POST /wallet-app/gift', { body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return made.body as { link: string; hash: string };
};
const send = (link: string, who = member) =>
  system.api('POST /api/wallet/truelink', { token: who.token, body: { link: encrypt(link) } });
const rowOf = async (hash: string) => {
  const { rows } = await system.database.query<{ state: string; sealed: boolean; amount: bigint | null }>(
    'select state, sealed_hash is not null as sealed, amount from truelink_gift where hash_sha256 = $1',
    [createHash('sha256').update(hash).digest()],
  );
  return rows[0];
};
/** Makes all scheduled inquiries due. */
const letTimePass = () =>
  system.database.query(
    `update truelink_gift set work_at = now(), redeemed_at = redeemed_at - interval '1 minute' where work_at is not null`,
  );
/** Counts only calls about gifts: the history is polled continuously. */
const giftCalls = async (call: 'verify' | 'redeem'): Promise<number> =>
  (await system.world(`GET /control/calls?target=wallet-app&call=${call}&limit=1000`)).body.length;
const redeemCalls = (): Promise<number> => giftCalls('redeem');

test('a gift link is redeemed once, and what our ticket holds is credited, not what the voucher holds [R-WAPP-02]', async () => {
  const { link, hash } = await gift({ amount: '3000.00', members: 2 });
  const { status, body } = await send(link);
  assert.deepEqual([status, body.status, body.amount], [200, 'SUCCESS', 1500]);
  const [entry] = await statementOf(system, member);
  assert.deepEqual([entry?.amount, entry?.from, entry?.reference], [1500, 'WALLET_APP', body.reference]);
  assertRefused(await send(link), 'TRUELINK_DUPLICATE');
  assertRefused(await send(link, await registerMember(system)), 'TRUELINK_DUPLICATE');
  assert.deepEqual(await rowOf(hash), { state: 'CREDITED', sealed: false, amount: 150_000n });
});

test('thirty posts of one link by two members at the same moment are one credit [R-WAPP-02]', async () => {
  const other = await registerMember(system);
  const before = [await depositsOf(system, member), await depositsOf(system, other)];
  const calls = await redeemCalls();
  const { link } = await gift({ amount: '77.00' });
  const replies = await Promise.all(Array.from({ length: 30 }, (_, at) => send(link, at % 2 ? member : other)));
  for (const { status, body } of replies) {
    // A busy server may refuse some; it never redeems more than once.
    assert.ok([200, 202, 409, 429].includes(status), JSON.stringify(body));
    if (status === 409) assert.equal(body.message, 'TRUELINK_DUPLICATE');
  }
  const count = async () => (await depositsOf(system, member)).length + (await depositsOf(system, other)).length;
  const length = before.flat().length;
  await until(count, (now) => now > length, 'credited');
  assert.equal(await count(), length + 1);
  assert.equal((await redeemCalls()) - calls, 1);
});

test('a gift link is found in a shared message, without or with a scheme in capitals, and among invisible characters [R-WAPP-02]', async () => {
  for (const shared of [
    (link: string) => `  ${link}\n`,
    (link: string) => link.replace('https://', 'Https://'),
    (link: string) => link.replace('https://gift.truemoney.com', 'HTTPS://GIFT.TrueMoney.com'),
    (link: string) => link.replace('https://', ''),
    (link: string) => `\u200b${link.replace('.com', '.\u200bcom')}\ufeff`,
    (link: string) => `${link.slice(0, -9)}\u200b${link.slice(-9)}`,
    (link: string) => `ส่งซองของขวัญให้คุณ\nกดรับได้ที่ ${link} ภายใน 3 วัน\nดาวน์โหลด https://example.com/app?v=1`,
    (link: string) => `ซองของขวัญ${link}รับเลย`,
    (link: string) => `A gift for you (${link}).`,
    (link: string) => `Gift for you${link}`,
    (link: string) => `“${link.replace('https://', '')}”`,
    (link: string) => `${link}&utm_source=share, ${link}`,
  ]) {
    const { link } = await gift({ amount: '5.00' });
    const { status, body } = await send(shared(link));
    assert.deepEqual([status, body.status, body.amount], [200, 'SUCCESS', 5], shared(link));
    assertRefused(await send(link), 'TRUELINK_DUPLICATE', 'SENT_BEFORE');
  }
});

test('what isn’t a gift link is TRUELINK_INVALID, without a call to the wallet app [R-WAPP-02]', async () => {
  const calls = [await giftCalls('verify'), await redeemCalls()];
  const hash = 'a'.repeat(35);
  for (const link of [
    `http://gift.truemoney.com/campaign/?v=${hash}`,
    `https://gift.truemoney.com.evil.example/campaign/?v=${hash}`,
    `https://evil.example/?v=${hash}`,
    `https://gift.truemoney.com@evil.example/?v=${hash}`,
    `https://user@gift.truemoney.com/campaign/?v=${hash}`,
    `https://gift.truemoney.com:8443/campaign/?v=${hash}`,
    `https://ｇift.truemoney.com/campaign/?v=${hash}`,
    `https:\\\\gift.truemoney.com/campaign/?v=${hash}`,
    `https://gift.truemoney.com./campaign/?v=${hash}`,
    `https://xgift.truemoney.com/campaign/?v=${hash}`,
    `https://x.gift.truemoney.com/campaign/?v=${hash}`,
    `https://gift-truemoney.com/campaign/?v=${hash}`,
    `https://gіft.truemoney.com/campaign/?v=${hash}`,
    `https://แgift.truemoney.com/campaign/?v=${hash}`,
    `แgift.truemoney.com/campaign/?v=${hash}`,
    `evil.example/gift.truemoney.com/campaign/?v=${hash}`,
    `https://evil.example/https://gift.truemoney.com/campaign/?v=${hash}`,
    `https://evil.example/?to=https://gift.truemoney.com/campaign/?v=${hash}`,
    `https://evil.example/#(https://gift.truemoney.com/campaign/?v=${hash})`,
    `javascript:gift.truemoney.com/campaign/?v=${hash}`,
    `ftp://gift.truemoney.com/campaign/?v=${hash}`,
    `https://gift.truemoney.com/campaign/?v=${hash} https://gift.truemoney.com/campaign/?v=${'b'.repeat(35)}`,
    `https://gift.truemoney.com/campaign/?v=${hash}&v=${hash}`,
    'https://gift.truemoney.com/campaign/?v=short',
    `https://gift.truemoney.com/campaign/?v=${'a'.repeat(65)}`,
    'https://gift.truemoney.com/campaign/?v=..%2F..%2Fverify',
    'https://gift.truemoney.com/campaign/',
    'javascript:alert(1)',
    hash,
  ]) {
    assertRefused(await send(link), 'TRUELINK_INVALID', 'NOT_A_GIFT_LINK');
  }
  const post = (link: unknown) => system.api('POST /api/wallet/truelink', { token: member.token, body: { link } });
  const right = `https://gift.truemoney.com/campaign/?v=${hash}`;
  const altered = Buffer.from(encrypt(right), 'base64');
  altered[20] = (altered[20] ?? 0) ^ 1;
  for (const link of [
    right,
    encrypt(right, 'another'),
    altered.toString('base64'),
    '',
    'AAAA',
    `${encrypt(right)}==`,
  ]) {
    assertRefused(await post(link), 'TRUELINK_INVALID', 'CANNOT_DECRYPT');
  }
  for (const link of [1, null, {}, 'A'.repeat(2_049)]) {
    assertRefused(await post(link), 'TRUELINK_INVALID', undefined, 400);
  }
  assert.deepEqual([await giftCalls('verify'), await redeemCalls()], calls);
});

test('a link that is unknown, expired, our own, emptied by others, or holds under 2 baht is refused by name [R-WAPP-02]', async () => {
  const calls = await redeemCalls();
  const unknown = `https://gift.truemoney.com/campaign/?v=${'Z'.repeat(35)}`;
  assertRefused(await send(unknown), 'TRUELINK_INVALID', 'NOT_FOUND');
  assertRefused(await send(unknown), 'TRUELINK_INVALID', 'NOT_FOUND');
  assertRefused(await send((await gift({ amount: '10.00', expiresInSeconds: 0 })).link), 'TRUELINK_INVALID', 'EXPIRED');
  assertRefused(await send((await gift({ amount: '10.00', members: 9 })).link), 'TRUELINK_INVALID', 'BELOW_MINIMUM');
  const ours = await gift({ amount: '10.00', from: system.outside.walletApp?.phone });
  assertRefused(await send(ours.link), 'TRUELINK_INVALID', 'OWN');
  assert.equal(await redeemCalls(), calls);
  const taken = await gift({ amount: '10.00' });
  await misbehave(system, { target: 'wallet-app', fault: 'decline', call: 'redeem' });
  assertRefused(await send(taken.link), 'TRUELINK_DUPLICATE', 'OUT_OF_STOCK');
  assert.equal((await rowOf(taken.hash))?.state, 'FAILED');
});

for (const [what, fault, isApplied] of [
  ['was carried out, but its answer was lost', { fault: 'timeout-applied' }, true],
  ['was never answered and never carried out', { fault: 'timeout-lost' }, false],
  ['was answered with 500', { fault: 'error-500' }, false],
  ['was carried out and answered with garbage', { fault: 'garbage' }, true],
  ['was kept out by the shield', { fault: 'blocked' }, false],
  ['was answered INTERNAL_ERROR, though it was done', { fault: 'internal-error', applied: true }, true],
] as const) {
  test(`a redeeming call that ${what} is PROCESSING, and then credited once [R-WAPP-02]`, async () => {
    const before = await depositsOf(system, member);
    const calls = await redeemCalls();
    const { link, hash } = await gift({ amount: '50.00' });
    await misbehave(system, { target: 'wallet-app', call: 'redeem', ...fault });
    const { status, body } = await send(link);
    assert.deepEqual([status, body.status, body.message], [202, 'PROCESSING', 'PROCESSING']);
    // The resolver may be faster than the member.
    const again = await send(link);
    assert.ok(again.status === 409 || again.body.reference === body.reference, JSON.stringify(again.body));
    assertRefused(await send(link, await registerMember(system)), 'TRUELINK_DUPLICATE');
    const kept = await rowOf(hash);
    assert.ok(kept?.sealed === true || kept?.state === 'CREDITED', JSON.stringify(kept?.state));
    await until(
      async () => (await letTimePass(), rowOf(hash)),
      (row) => row?.state === 'CREDITED',
      'credited',
    );
    assert.deepEqual(await depositsOf(system, member), [...before, 50]);
    // Redeemed again only after proof that nothing had happened.
    assert.equal((await redeemCalls()) - calls, isApplied ? 1 : 2);
  });
}

test('a wallet app that doesn’t answer before anything is redeemed is asked again, and the link is redeemed then [R-WAPP-02]', async () => {
  const calls = await redeemCalls();
  const { link, hash } = await gift({ amount: '12.00' });
  await misbehave(system, { target: 'wallet-app', call: 'verify', fault: 'error-500', times: 2 });
  assert.equal((await send(link)).status, 202);
  await until(
    async () => (await letTimePass(), rowOf(hash)),
    (row) => row?.state === 'CREDITED',
    'credited',
  );
  assert.equal((await redeemCalls()) - calls, 1);
});

test('concurrent links of several members are redeemed one at a time, and each is credited [R-WAPP-02]', async () => {
  const gifts = await Promise.all([5, 6, 7, 8].map((amount) => gift({ amount: `${amount}.00` })));
  const before = await depositsOf(system, member);
  await Promise.all(gifts.map(({ link }) => send(link)));
  for (const { hash } of gifts) {
    await until(
      () => rowOf(hash),
      (row) => row?.state === 'CREDITED',
      'credited',
    );
  }
  const added = (await depositsOf(system, member)).slice(before.length);
  assert.deepEqual(ascending(added), [5, 6, 7, 8]);
});

test('where the operator takes no gifts, none is redeemed; a member who sends many has to wait a minute [R-WAPP-02]', async () => {
  const busy = await registerMember(system);
  const { link, hash } = await gift({ amount: '9.00' });
  await system.database.query(`update deposit_wallet_app set is_enabled = false where mode = 'GIFT'`);
  await setLimits(system, { 'truelink.member': 2 });
  assertRefused(await send(link, busy), 'NO_WALLET', 'GIFT_CLOSED');
  assert.equal(await rowOf(hash), undefined);
  await system.database.query(`update deposit_wallet_app set is_enabled = true where mode = 'GIFT'`);
  await noticed();
  assertRefused(await send('nothing', busy), 'TRUELINK_INVALID');
  const own = await gift({ amount: '9.00' });
  const blocked = await send('nothing', busy);
  assertRefused(await send(own.link, busy), 'REQUEST_LIMIT_1MIN');
  assertRefused(blocked, 'REQUEST_LIMIT_1MIN');
  assert.ok(Number(blocked.headers.get('retry-after')) > 0);
});

test('a member’s own link again is not counted; another member’s is', async () => {
  const [sender, other] = [await registerMember(system), await registerMember(system)];
  const { link } = await gift({ amount: '9.00' });
  await setLimits(system, { 'truelink.member': 1 });
  assert.equal((await send(link, sender)).status, 200);
  for (let again = 0; again < 3; again += 1) assertRefused(await send(link, sender), 'TRUELINK_DUPLICATE');
  assertRefused(await send(link, other), 'TRUELINK_DUPLICATE');
  assertRefused(await send(link, other), 'REQUEST_LIMIT_1MIN');
});
