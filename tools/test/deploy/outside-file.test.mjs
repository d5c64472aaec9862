import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findUnknownFields } from '../../../server/src/outside-config.ts';
import { ROOT } from '../../install.mjs';
import { ensureSecrets, writeOutside } from '../../outside.mjs';

const APP_URL = 'https://play.example.com';
const OUTSIDE_URL = 'http://127.0.0.1:3100';

const folder = mkdtempSync(join(tmpdir(), 'krapao-outside-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function makeOutside(args, secretsFile = '') {
  const programPath = join(ROOT, 'server/src/cli/krapao.ts');
  const env = { PATH: process.env.PATH, INIT_CWD: folder, SECRETS_FILE: secretsFile };
  return spawnSync(process.execPath, [programPath, 'outside', ...args], { cwd: folder, env, encoding: 'utf8' });
}

function assertRefused({ status, stderr }, expectedMessage) {
  assert.match(stderr, expectedMessage);
  assert.equal(stderr.trimEnd().split('\n').length, 1, 'no stack');
  assert.equal(status, 1);
}

test('outside file and secrets are created at their configured paths, also with an empty SECRETS_FILE', () => {
  mkdirSync(join(folder, 'made'));
  const { status, stderr } = makeOutside(['made/outside.json', APP_URL, OUTSIDE_URL]);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.deepEqual(readdirSync(join(folder, 'made')).toSorted(), ['outside.json', 'secrets.json']);
  const { publicUrl, sms } = JSON.parse(readFileSync(join(folder, 'made/outside.json'), 'utf8'));
  assert.deepEqual([publicUrl, sms.url], [APP_URL, `${OUTSIDE_URL}/sms`]);
  assert.deepEqual(findUnknownFields(join(folder, 'made/outside.json')), [], 'doctor knows every field');
});

test('an outside file that cannot be created is refused with a message, and leaves no file with keys', () => {
  writeFileSync(join(folder, 'a-file'), '');
  const argsFor = (file) => [file, APP_URL, OUTSIDE_URL];
  assertRefused(makeOutside(argsFor('none/outside.json')), /none\/secrets\.json can't be written \(ENOENT\)/);
  assertRefused(makeOutside(argsFor('a-file/outside.json')), /a-file\/secrets\.json can't be written \(ENOTDIR\)/);
  for (const address of ['ftp://play.example.com', 'localhost:3000', 'play.example.com']) {
    assertRefused(
      makeOutside(['outside.json', address, OUTSIDE_URL]),
      /^APP_URL is an address with http or https, not ".*"\. Usage: krapao outside/,
    );
  }
  const brokenFile = join(folder, 'broken.json');
  for (const text of ['{"encryptionKey":', 'null', '[]']) {
    writeFileSync(brokenFile, text);
    assertRefused(makeOutside(argsFor('outside.json'), brokenFile), /broken\.json can't be read as JSON/);
    assert.equal(readFileSync(brokenFile, 'utf8'), text);
  }
  assert.deepEqual(readdirSync(folder).toSorted(), ['a-file', 'broken.json', 'made']);
});

test('a key file that cannot be renamed into place is removed', () => {
  const takenFolder = join(folder, 'taken');
  mkdirSync(takenFolder);
  const secrets = ensureSecrets(join(takenFolder, 'secrets.json'));
  const urls = { url: APP_URL, outside: OUTSIDE_URL, publicUrl: APP_URL, followHost: [] };
  assert.throws(() => writeOutside(takenFolder, secrets, urls, 1), { message: /taken can't be written \(\w+\)/ });
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('taken')),
    ['taken'],
  );
});
