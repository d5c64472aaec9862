import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { test } from 'node:test';
import { decryptForBrowser } from '../../../simulators/src/web-push/crypto.ts';
import { encryptForBrowser } from '../../src/adapters/push-encryption.ts';

const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64url');

// RFC 8291, appendix A.
const TEXT = 'When I grow up, I want to be a watermelon';
const BROWSER = {
  privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};
const SENDER_PRIVATE_KEY = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw';
const SALT = 'DGv6ra1nlYgDCS1FRnbzlw';
const ENCRYPTED =
  'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';

const keys = { p256dh: fromBase64(BROWSER.p256dh), auth: fromBase64(BROWSER.auth) };

test('a push message is encrypted as in the example of RFC 8291 [R-WALLET-07]', () => {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(fromBase64(SENDER_PRIVATE_KEY));
  const encrypted = encryptForBrowser(Buffer.from(TEXT), keys, { ecdh, salt: fromBase64(SALT) });
  assert.equal(encrypted.toString('base64url'), ENCRYPTED);
});

test('the simulated browser decrypts the example of RFC 8291, and each message has its own keys [R-WALLET-07]', () => {
  assert.equal(decryptForBrowser(fromBase64(ENCRYPTED), BROWSER), TEXT);
  const [first, second] = [encryptForBrowser(Buffer.from(TEXT), keys), encryptForBrowser(Buffer.from(TEXT), keys)];
  assert.equal(decryptForBrowser(first, BROWSER), TEXT);
  assert.equal(decryptForBrowser(second, BROWSER), TEXT);
  assert.notDeepEqual(first.subarray(0, 86), second.subarray(0, 86));
  assert.throws(() => decryptForBrowser(first, { ...BROWSER, auth: SALT }));
});
