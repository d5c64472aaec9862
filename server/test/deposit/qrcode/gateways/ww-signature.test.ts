import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkSignature } from '../../../../src/adapters/gateway/ww.ts';

const SECRET = Buffer.from('a key of thirty-two random bytes').toString('base64');
const NOW = new Date('2026-11-21T08:00:00.500Z');
const STAMP = Math.floor(NOW.getTime() / 1_000);
const BODY = '{"payment":{"merchantReference":"D1"}}';

const sign = (body: string, stamp: number | string, secret = SECRET) =>
  createHmac('sha256', Buffer.from(secret, 'base64')).update(`${stamp}.${body}`).digest('hex');
const check = (signature: string | string[] | undefined, stamp: string | string[] | undefined, body = BODY) =>
  checkSignature(
    { query: {}, headers: { 'ww-signature': signature, 'ww-signature-timestamp': stamp }, body },
    SECRET,
    NOW,
  );

test('a fresh signature of the raw body is right, and nothing else about it may change [R-QR-07]', () => {
  const good = sign(BODY, STAMP);
  assert.equal(check(good, String(STAMP)), undefined);
  for (let at = 0; at < good.length; at += 1) {
    const other = good.slice(0, at) + (good[at] === '0' ? '1' : '0') + good.slice(at + 1);
    assert.equal(check(other, String(STAMP)), 'KEY_INVALID');
  }
  assert.equal(check(good, String(STAMP), `${BODY} `), 'KEY_INVALID');
  assert.equal(check(good.toUpperCase(), String(STAMP)), undefined, 'the case of hex says nothing');
  assert.equal(check(sign(BODY, STAMP, 'b3RoZXI='), String(STAMP)), 'KEY_INVALID');
});

test('while a secret is changed one fitting signature of several is enough', () => {
  const [old, good] = [sign(BODY, STAMP, 'b2xk'), sign(BODY, STAMP)];
  for (const several of [`${old},${good}`, `${good},${old}`, `${old}, ${good}`]) {
    assert.equal(check(several, String(STAMP)), undefined);
  }
  assert.equal(check(`${old},${old}`, String(STAMP)), 'KEY_INVALID');
});

test('a callback more than five minutes away is too old, or too new [R-QR-07]', () => {
  for (const [seconds, verdict] of [
    [-300, undefined],
    [300, undefined],
    [-301, 'KEY_INVALID'],
    [301, 'KEY_INVALID'],
    [-86_400, 'KEY_INVALID'],
  ] as const) {
    const stamp = STAMP + seconds;
    assert.equal(check(sign(BODY, stamp), String(stamp)), verdict, String(seconds));
  }
});

test('what is missing is missing, and what is malformed or comes twice is invalid', () => {
  const good = sign(BODY, STAMP);
  assert.equal(check(undefined, String(STAMP)), 'KEY_MISSING');
  assert.equal(check(good, undefined), 'KEY_MISSING');
  assert.equal(check('', ''), 'KEY_MISSING');
  assert.equal(check([good, good], String(STAMP)), 'KEY_INVALID');
  assert.equal(check(good, [String(STAMP), String(STAMP)]), 'KEY_INVALID');
  for (const stamp of ['now', '-1', `${STAMP}.5`, ` ${STAMP}`, '1e9', 'NaN', '9'.repeat(40)]) {
    assert.equal(check(sign(BODY, stamp), stamp), 'KEY_INVALID', stamp);
  }
});

test('no header whatsoever makes it throw, or pass', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (signature, stamp) => {
      assert.equal(check(signature, stamp), 'KEY_INVALID');
    }),
  );
});
