import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '@krapao/contract/endpoint';
import { endpoints } from '@krapao/contract/endpoints';
import { hashPassword, verifyPassword } from '../../../src/platform/crypto/password.ts';
import { createSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { createSessionTokens } from '../../../src/platform/crypto/session-tokens.ts';
import { createPathRedactor } from '../../../src/platform/http/log.ts';
import { newReference, newToken, sixDigits, uuidV7 } from '../../../src/platform/ids.ts';
import { createSemaphore } from '../../../src/platform/jobs/concurrency.ts';
import { otherSpellings } from '../../harness/hostile-text.ts';

test('a password is stored as argon2id with its own salt, and verified', async () => {
  const [firstHash, otherHash] = await Promise.all([hashPassword('เปิดประตู 1234'), hashPassword('เปิดประตู 1234')]);
  assert.match(firstHash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(firstHash, otherHash);
  assert.equal(await verifyPassword(firstHash, 'เปิดประตู 1234'), true);
  assert.equal(await verifyPassword(firstHash, 'เปิดประตู 1235'), false);
  assert.equal(await verifyPassword(undefined, 'not the password of any member'), false);
});

test('encrypted text decrypts only unchanged, in its own context, with its own key', () => {
  const secretBox = createSecretBox(Buffer.alloc(32, 1));
  const sealedSecret = secretBox.seal('Kx7mQ2pL9', 'game_account:7');
  assert.equal(secretBox.open(sealedSecret, 'game_account:7'), 'Kx7mQ2pL9');
  assert.notDeepEqual(secretBox.seal('Kx7mQ2pL9', 'game_account:7'), sealedSecret);
  assert.throws(() => secretBox.open(sealedSecret, 'game_account:8'));
  assert.throws(() => createSecretBox(Buffer.alloc(32, 2)).open(sealedSecret, 'game_account:7'));
  for (let position = 0; position < sealedSecret.length; position += 1) {
    const changedSecret = Buffer.from(sealedSecret);
    changedSecret.writeUInt8(changedSecret.readUInt8(position) ^ 1, position);
    assert.throws(() => secretBox.open(changedSecret, 'game_account:7'), `byte ${position}`);
  }
});

test('deterministic encryption is equal for equal text and context only, and decrypts like the rest', () => {
  const secretBox = createSecretBox(Buffer.alloc(32, 1));
  const sealedSecret = secretBox.sealDeterministic('1 chat-file/a.png', 'chat-file');
  assert.deepEqual(secretBox.sealDeterministic('1 chat-file/a.png', 'chat-file'), sealedSecret);
  const nonces = [
    sealedSecret,
    secretBox.sealDeterministic('2 chat-file/a.png', 'chat-file'),
    secretBox.sealDeterministic('1 chat-file/a.png', 'chat-files'),
    secretBox.sealDeterministic('e 1 chat-file/a.png', 'chat-fil'),
  ].map((bytes) => bytes.subarray(1, 13).toString('hex'));
  assert.equal(new Set(nonces).size, nonces.length);
  assert.equal(secretBox.open(sealedSecret, 'chat-file'), '1 chat-file/a.png');
  assert.throws(() => secretBox.open(sealedSecret, 'slip-picture'));
});

test('a session token counts as issued only with the tag of its own key, in one spelling', () => {
  const tokens = createSessionTokens(Buffer.alloc(32, 1));
  const token = tokens.issue();
  assert.deepEqual([token.length, tokens.isIssued(token)], [65, true]);
  assert.equal(createSessionTokens(Buffer.alloc(32, 2)).isIssued(token), false);
  assert.equal(createSessionTokens(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)]).isIssued(token), true);
  const [secret, tag] = [token.slice(0, 43), token.slice(43)];
  const spellings = otherSpellings(tag);
  assert.ok(spellings.length >= 15, 'spare bits of the last character');
  for (const spelling of spellings) assert.equal(tokens.isIssued(secret + spelling), false, spelling);
});

test('a path parameter that carries a secret is declared as one', () => {
  const endpointList: Endpoint[] = Object.values(endpoints);
  assert.ok(endpointList.length > 50);
  for (const { path, secretParams = [] } of endpointList) {
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const secrets = params.filter((name) => /password|token|secret|otp/i.test(name));
    assert.deepEqual([...secretParams], secrets, path);
  }
});

test('a logged path shows no declared secret and no query', () => {
  const redactPath = createPathRedactor();
  redactPath.hide('/api/autoLogin/:provider/:username/:password', ['password']);
  redactPath.hide('/api/chat-file/:token', ['token']);
  const loggedPath = redactPath.of;
  assert.equal(loggedPath('/api/autoLogin/joker2/KRPA01/s3cret'), '/api/autoLogin/joker2/KRPA01/[hidden]');
  assert.equal(loggedPath('/api/AUTOLOGIN/joker2/KRPA01/s3/cret?x=1'), '/api/AUTOLOGIN/joker2/KRPA01/[hidden]');
  for (const path of [
    '/api/%61utoLogin/joker2/KRPA01/s3cret',
    '//api/autoLogin//joker2/KRPA01/s3cret',
    '/api/autoLogin/a/b/s3cret%',
    '/api/autoLogin/a/b%2Fs3cret',
    '/api/autoLogin%2Fa%2Fb%2Fs3cret',
    '/api/autoLogin/a//s3cret',
    '/api/autoLogin/a/b;s3cret',
    '/api/autoLogin/a/b/x%0As3cret',
    '/api/./autoLogin/a/b/s3cret',
    'http://localhost:3000/api/autoLogin/a/b/s3cret',
  ]) {
    assert.doesNotMatch(loggedPath(path), /s3cret/, path);
  }
  assert.equal(loggedPath('/api/autoLogin/joker2/KRPA01'), '/api/autoLogin/joker2/KRPA01');
  assert.equal(loggedPath('/api/callback/kbank?key=s3cret'), '/api/callback/kbank');
  assert.equal(loggedPath('/api/chat-file/s3cret'), '/api/chat-file/[hidden]');
  assert.throws(() => redactPath.hide('/api/:token', ['password']));
});

test('ids have their format, are in order, and do not repeat', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => uuidV7(new Date(1_700_000_000_000 + index)));
  assert.deepEqual(ids.toSorted(), ids);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(Array.from({ length: 1_000 }, newToken)).size, 1_000);
  assert.match(newToken(), /^[\w-]{43}$/);
  assert.ok(Array.from({ length: 1_000 }, sixDigits).every((digits) => /^\d{6}$/.test(digits)));
  assert.match(newReference(8), /^[A-HJKMNP-Z2-9]{8}$/);
});

test('a semaphore runs a limited number of jobs, queues a limited number, and refuses the next', async () => {
  let runningCount = 0;
  let maxRunning = 0;
  const runLimited = createSemaphore(2, 3, () => {
    throw new Error('full');
  });
  const startJob = () =>
    runLimited(async () => {
      runningCount += 1;
      maxRunning = Math.max(maxRunning, runningCount);
      await new Promise((resolve) => setTimeout(resolve, 5));
      runningCount -= 1;
    });
  const results = await Promise.allSettled(Array.from({ length: 8 }, startJob));
  assert.equal(maxRunning, 2);
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 3);
  await startJob();
});
