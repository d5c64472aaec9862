import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { audit } from '../../../src/ledger/audit.ts';
import { houseAccountBalance } from '../../../src/ledger/balances.ts';
import { assertRefused } from '../../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { injectFault, waitForSettingsReload, setRateLimits } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { sortAscending, readDepositAmounts, readStatement } from '../bank-transfer/feed-fixtures.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import { encryptGiftLink } from './gift-link.ts';

let system: System;
let member: TestMember;
before(async () => {
  // Two replies are lost on purpose.
  system = await startSystem({
    outside: (config) => ({ ...config, walletApp: config.walletApp && { ...config.walletApp, timeoutMs: 3_000 } }),
  });
  await setRateLimits(system, { 'truelink.member': 1_000 });
  member = await registerMember(system);
});
after(() => system.stop());
// The wallet-app account has received exactly the credited gifts.
afterEach(async () => {
  await waitUntil(
    async () => (await system.database.query('select id from truelink_gift where work_at is not null')).rows.length,
    (remaining) => remaining === 0,
    'gifts with work left',
  );
  const { body } = await system.simulatorsApi('GET /control/totals');
  const received = BigInt(String(body.walletApp.received).replace('.', ''));
  assert.equal(await houseAccountBalance(system.database, 'wallet-app', 'BAHT'), -received);
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

const makeGift = async (body: object): Promise<{ link: string; hash: string }> => {
  const giftReply = await system.simulatorsApi('POST /wallet-app/gift', { body });
  assert.equal(giftReply.status, 200, JSON.stringify(giftReply.body));
  return giftReply.body as { link: string; hash: string };
};
const sendGift = (link: string, sender = member) =>
  system.api('POST /api/wallet/truelink', { token: sender.token, body: { link: encryptGiftLink(link) } });
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
const countGiftCalls = async (call: 'verify' | 'redeem'): Promise<number> =>
  (await system.simulatorsApi(`GET /control/calls?target=wallet-app&call=${call}&limit=1000`)).body.length;
const countRedeemCalls = (): Promise<number> => countGiftCalls('redeem');

test('a gift link is redeemed once, and credits the amount of our ticket, not of the voucher [R-WAPP-02]', async () => {
  const { link, hash } = await makeGift({ amount: '3000.00', members: 2 });
  const { status, body } = await sendGift(link);
  assert.deepEqual([status, body.status, body.amount], [200, 'SUCCESS', 1500]);
  const [entry] = await readStatement(system, member);
  assert.deepEqual([entry?.amount, entry?.from, entry?.reference], [1500, 'WALLET_APP', body.reference]);
  assertRefused(await sendGift(link), 'TRUELINK_DUPLICATE');
  assertRefused(await sendGift(link, await registerMember(system)), 'TRUELINK_DUPLICATE');
  assert.deepEqual(await rowOf(hash), { state: 'CREDITED', sealed: false, amount: 150_000n });
});

test('thirty concurrent requests with one gift link by two members cause one credit [R-WAPP-02]', async () => {
  const otherMember = await registerMember(system);
  const before = [await readDepositAmounts(system, member), await readDepositAmounts(system, otherMember)];
  const redeemCount = await countRedeemCalls();
  const { link } = await makeGift({ amount: '77.00' });
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, index) => sendGift(link, index % 2 ? member : otherMember)),
  );
  for (const { status, body } of replies) {
    // A busy server may refuse some; it never redeems more than once.
    assert.ok([200, 202, 409, 429].includes(status), JSON.stringify(body));
    if (status === 409) assert.equal(body.message, 'TRUELINK_DUPLICATE');
  }
  const count = async () =>
    (await readDepositAmounts(system, member)).length + (await readDepositAmounts(system, otherMember)).length;
  const length = before.flat().length;
  await waitUntil(count, (now) => now > length, 'credited');
  assert.equal(await count(), length + 1);
  assert.equal((await countRedeemCalls()) - redeemCount, 1);
});

test('a gift link is found in a shared message, without scheme or with an upper-case one, and among invisible characters [R-WAPP-02]', async () => {
  for (const sharedText of [
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
    const { link } = await makeGift({ amount: '5.00' });
    const { status, body } = await sendGift(sharedText(link));
    assert.deepEqual([status, body.status, body.amount], [200, 'SUCCESS', 5], sharedText(link));
    assertRefused(await sendGift(link), 'TRUELINK_DUPLICATE', 'SENT_BEFORE');
  }
});

test('text without a gift link is TRUELINK_INVALID, without a call to the wallet app [R-WAPP-02]', async () => {
  const callCounts = [await countGiftCalls('verify'), await countRedeemCalls()];
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
    assertRefused(await sendGift(link), 'TRUELINK_INVALID', 'NOT_A_GIFT_LINK');
  }
  const postLink = (link: unknown) => system.api('POST /api/wallet/truelink', { token: member.token, body: { link } });
  const validLink = `https://gift.truemoney.com/campaign/?v=${hash}`;
  const alteredCipher = Buffer.from(encryptGiftLink(validLink), 'base64');
  alteredCipher[20] = (alteredCipher[20] ?? 0) ^ 1;
  for (const link of [
    validLink,
    encryptGiftLink(validLink, 'another'),
    alteredCipher.toString('base64'),
    '',
    'AAAA',
    `${encryptGiftLink(validLink)}==`,
  ]) {
    assertRefused(await postLink(link), 'TRUELINK_INVALID', 'CANNOT_DECRYPT');
  }
  for (const link of [1, null, {}, 'A'.repeat(2_049)]) {
    assertRefused(await postLink(link), 'TRUELINK_INVALID', undefined, 400);
  }
  assert.deepEqual([await countGiftCalls('verify'), await countRedeemCalls()], callCounts);
});

test("a gift link that is unknown, expired, the operator's own, emptied, or under 2 baht is refused with its reason [R-WAPP-02]", async () => {
  const redeemCount = await countRedeemCalls();
  const unknownLink = `https://gift.truemoney.com/campaign/?v=${'Z'.repeat(35)}`;
  assertRefused(await sendGift(unknownLink), 'TRUELINK_INVALID', 'NOT_FOUND');
  assertRefused(await sendGift(unknownLink), 'TRUELINK_INVALID', 'NOT_FOUND');
  assertRefused(
    await sendGift((await makeGift({ amount: '10.00', expiresInSeconds: 0 })).link),
    'TRUELINK_INVALID',
    'EXPIRED',
  );
  assertRefused(
    await sendGift((await makeGift({ amount: '10.00', members: 9 })).link),
    'TRUELINK_INVALID',
    'BELOW_MINIMUM',
  );
  const ownGift = await makeGift({ amount: '10.00', from: system.outside.walletApp?.phone });
  assertRefused(await sendGift(ownGift.link), 'TRUELINK_INVALID', 'OWN');
  assert.equal(await countRedeemCalls(), redeemCount);
  const takenGift = await makeGift({ amount: '10.00' });
  await injectFault(system, { target: 'wallet-app', fault: 'decline', call: 'redeem' });
  assertRefused(await sendGift(takenGift.link), 'TRUELINK_DUPLICATE', 'OUT_OF_STOCK');
  assert.equal((await rowOf(takenGift.hash))?.state, 'FAILED');
});

for (const [title, fault, isApplied] of [
  ['took effect without a reply', { fault: 'timeout-applied' }, true],
  ['had neither effect nor reply', { fault: 'timeout-lost' }, false],
  ['got HTTP 500', { fault: 'error-500' }, false],
  ['took effect and got a garbage reply', { fault: 'garbage' }, true],
  ['was blocked by bot protection', { fault: 'blocked' }, false],
  ['took effect and got INTERNAL_ERROR', { fault: 'internal-error', applied: true }, true],
] as const) {
  test(`a redeeming call that ${title} is PROCESSING, and then credited once [R-WAPP-02]`, async () => {
    const before = await readDepositAmounts(system, member);
    const redeemCount = await countRedeemCalls();
    const { link, hash } = await makeGift({ amount: '50.00' });
    await injectFault(system, { target: 'wallet-app', call: 'redeem', ...fault });
    const { status, body } = await sendGift(link);
    assert.deepEqual([status, body.status, body.message], [202, 'PROCESSING', 'PROCESSING']);
    // The resolver may be faster than the member.
    const repeatedReply = await sendGift(link);
    assert.ok(
      repeatedReply.status === 409 || repeatedReply.body.reference === body.reference,
      JSON.stringify(repeatedReply.body),
    );
    assertRefused(await sendGift(link, await registerMember(system)), 'TRUELINK_DUPLICATE');
    const storedGift = await rowOf(hash);
    assert.ok(storedGift?.sealed === true || storedGift?.state === 'CREDITED', JSON.stringify(storedGift?.state));
    await waitUntil(
      async () => (await letTimePass(), rowOf(hash)),
      (row) => row?.state === 'CREDITED',
      'credited',
    );
    assert.deepEqual(await readDepositAmounts(system, member), [...before, 50]);
    // Redeemed again only after proof that nothing had happened.
    assert.equal((await countRedeemCalls()) - redeemCount, isApplied ? 1 : 2);
  });
}

test('a wallet app that is silent before the redemption is called again, and the link is redeemed then [R-WAPP-02]', async () => {
  const redeemCount = await countRedeemCalls();
  const { link, hash } = await makeGift({ amount: '12.00' });
  await injectFault(system, { target: 'wallet-app', call: 'verify', fault: 'error-500', times: 2 });
  assert.equal((await sendGift(link)).status, 202);
  await waitUntil(
    async () => (await letTimePass(), rowOf(hash)),
    (row) => row?.state === 'CREDITED',
    'credited',
  );
  assert.equal((await countRedeemCalls()) - redeemCount, 1);
});

test('concurrent gift links of several members are redeemed one at a time, and each is credited [R-WAPP-02]', async () => {
  const newGifts = await Promise.all([5, 6, 7, 8].map((amount) => makeGift({ amount: `${amount}.00` })));
  const before = await readDepositAmounts(system, member);
  await Promise.all(newGifts.map(({ link }) => sendGift(link)));
  for (const { hash } of newGifts) {
    await waitUntil(
      () => rowOf(hash),
      (row) => row?.state === 'CREDITED',
      'credited',
    );
  }
  const addedAmounts = (await readDepositAmounts(system, member)).slice(before.length);
  assert.deepEqual(sortAscending(addedAmounts), [5, 6, 7, 8]);
});

test("without gift links by the operator's setting none is redeemed; a member who sends many has to wait a minute [R-WAPP-02]", async () => {
  const blockedMember = await registerMember(system);
  const { link, hash } = await makeGift({ amount: '9.00' });
  await system.database.query(`update deposit_wallet_app set is_enabled = false where mode = 'GIFT'`);
  await setRateLimits(system, { 'truelink.member': 2 });
  assertRefused(await sendGift(link, blockedMember), 'NO_WALLET', 'GIFT_CLOSED');
  assert.equal(await rowOf(hash), undefined);
  await system.database.query(`update deposit_wallet_app set is_enabled = true where mode = 'GIFT'`);
  await waitForSettingsReload();
  assertRefused(await sendGift('nothing', blockedMember), 'TRUELINK_INVALID');
  const ownGift = await makeGift({ amount: '9.00' });
  const blockedReply = await sendGift('nothing', blockedMember);
  assertRefused(await sendGift(ownGift.link, blockedMember), 'REQUEST_LIMIT_1MIN');
  assertRefused(blockedReply, 'REQUEST_LIMIT_1MIN');
  assert.ok(Number(blockedReply.headers.get('retry-after')) > 0);
});

test("a member's repetition of an own gift link is not counted; another member's link is", async () => {
  const [sender, otherMember] = [await registerMember(system), await registerMember(system)];
  const { link } = await makeGift({ amount: '9.00' });
  await setRateLimits(system, { 'truelink.member': 1 });
  assert.equal((await sendGift(link, sender)).status, 200);
  for (let attempt = 0; attempt < 3; attempt += 1) assertRefused(await sendGift(link, sender), 'TRUELINK_DUPLICATE');
  assertRefused(await sendGift(link, otherMember), 'TRUELINK_DUPLICATE');
  assertRefused(await sendGift(link, otherMember), 'REQUEST_LIMIT_1MIN');
});
