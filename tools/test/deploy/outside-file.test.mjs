import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../install.mjs';
import { ensureSecrets, writeOutside } from '../../outside.mjs';

const APP = 'https://play.example.com';
const OUTSIDE = 'http://127.0.0.1:3100';

const folder = mkdtempSync(join(tmpdir(), 'krapao-outside-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function makeOutside(words, secretsFile = '') {
  const program = join(ROOT, 'server/src/cli/krapao.ts');
  const env = { PATH: process.env.PATH, INIT_CWD: folder, SECRETS_FILE: secretsFile };
  return spawnSync(process.execPath, [program, 'outside', ...words], { cwd: folder, env, encoding: 'utf8' });
}

function assertRefused({ status, stderr }, sentence) {
  assert.match(stderr, sentence);
  assert.equal(stderr.trimEnd().split('\n').length, 1, 'no stack');
  assert.equal(status, 1);
}

test('an outside file and its secrets are made where they are asked for, also with an empty SECRETS_FILE', () => {
  mkdirSync(join(folder, 'made'));
  const { status, stderr } = makeOutside(['made/outside.json', APP, OUTSIDE]);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.deepEqual(readdirSync(join(folder, 'made')).toSorted(), ['outside.json', 'secrets.json']);
  const { publicUrl, sms } = JSON.parse(readFileSync(join(folder, 'made/outside.json'), 'utf8'));
  assert.deepEqual([publicUrl, sms.url], [APP, `${OUTSIDE}/sms`]);
});

test('what can not be made is refused with a sentence, and leaves no file with keys', () => {
  writeFileSync(join(folder, 'a-file'), '');
  const words = (file) => [file, APP, OUTSIDE];
  assertRefused(makeOutside(words('none/outside.json')), /none\/secrets\.json can't be written \(ENOENT\)/);
  assertRefused(makeOutside(words('a-file/outside.json')), /a-file\/secrets\.json can't be written \(ENOTDIR\)/);
  for (const address of ['ftp://play.example.com', 'localhost:3000', 'play.example.com']) {
    assertRefused(makeOutside(['outside.json', address, OUTSIDE]), /^Usage: npm run krapao -- outside/);
  }
  const broken = join(folder, 'broken.json');
  for (const text of ['{"encryptionKey":', 'null', '[]']) {
    writeFileSync(broken, text);
    assertRefused(makeOutside(words('outside.json'), broken), /broken\.json can't be read as JSON/);
    assert.equal(readFileSync(broken, 'utf8'), text);
  }
  assert.deepEqual(readdirSync(folder).toSorted(), ['a-file', 'broken.json', 'made']);
});

test('a file with keys that can not get its name is removed', () => {
  const taken = join(folder, 'taken');
  mkdirSync(taken);
  const secrets = ensureSecrets(join(taken, 'secrets.json'));
  const places = { url: APP, outside: OUTSIDE, publicUrl: APP, followHost: [] };
  assert.throws(() => writeOutside(taken, secrets, places, 1), { message: /taken can't be written \(\w+\)/ });
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('taken')),
    ['taken'],
  );
});
