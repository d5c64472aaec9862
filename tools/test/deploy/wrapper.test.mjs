import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../install.mjs';

/** Does what systemd-run does with the options of the wrapper, as this user. */
const SYSTEMD_RUN = `#!/bin/sh
while :; do
    case $1 in
    --setenv=*) export "\${1#--setenv=}" ;;
    --working-directory=*) cd "\${1#--working-directory=}" ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
[ -z "$SHOW" ] || { printf '%s|' "$KRAPAO_OPENED" "$INIT_CWD"; shift 3; printf '%s|' "$@"; exec cat; }
exec "$@"
`;

const folder = mkdtempSync(join(tmpdir(), 'krapao-wrapper-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const wrapperText = readFileSync(join(ROOT, 'deploy/systemd/krapao'), 'utf8');
writeFileSync(join(folder, 'krapao'), wrapperText.replace('root=/opt/krapao', `root=${ROOT}`), { mode: 0o755 });
writeFileSync(join(folder, 'systemd-run'), SYSTEMD_RUN, { mode: 0o755 });
writeFileSync(join(folder, 'wheel.json'), 'of the caller');
// Names that are words of commands too.
for (const name of ['wheel', 'nok', 'config']) writeFileSync(join(folder, name), `file ${name}`);

// Without npm and without another Node.
function runWrapper(args, { environment = {}, input = '' } = {}) {
  const env = { PATH: `${folder}:/usr/bin:/bin`, ...environment };
  const { stdout, stderr, status } = spawnSync(join(folder, 'krapao'), args, {
    cwd: folder,
    env,
    input,
    encoding: 'utf8',
  });
  return { output: stdout + stderr, status };
}

test('the systemd wrapper runs commands without npm, and ends with their status', () => {
  assert.doesNotMatch(wrapperText.replaceAll(/^#.*$/gm, ''), /\bnpm\b/);
  const { output, status } = runWrapper(['--help']);
  assert.match(output, /^Usage: krapao COMMAND …/);
  assert.equal(status, 0);
  assert.equal(runWrapper(['no-such-command']).status, 1);
});

test("the caller of the wrapper opens a FILE, and `-` is the caller's standard input", () => {
  const show = (args) => runWrapper(args, { environment: { SHOW: '1' }, input: 'typed' }).output;
  const expected = (opened, args, input) => [opened, folder, ...args].join('|').concat('|', input);
  const apply = (file) => ['config', 'apply', 'wheel', file, 'nok', 'new', 'prizes'];
  const reply = (file) => ['chat', 'reply', 'B1', 'nok', '--json', file];
  writeFileSync(join(folder, 'plain'), 'plain name');
  for (const args of [apply, reply]) assert.equal(show(args('plain')), expected('plain', args('plain'), 'plain name'));
  assert.equal(show(apply('wheel')), expected('wheel', apply('wheel'), 'file wheel'));
  assert.equal(show(['switches', 'stop', 'wheel', 'nok']), expected('', ['switches', 'stop', 'wheel', 'nok'], 'typed'));
  const publish = (file) => ['wheel', 'publish', file, 'nok', 'new', 'prizes'];
  assert.equal(show(publish('wheel.json')), expected('wheel.json', publish('wheel.json'), 'of the caller'));
  assert.equal(show(publish('./wheel.json')), expected('./wheel.json', publish('./wheel.json'), 'of the caller'));
  assert.equal(show(publish('-')), expected('', publish('-'), 'typed'));
  assert.equal(show(publish('missing.json')), expected('', publish('missing.json'), 'typed'));
});

test('the wrapper opens the FILE of each command that reads one', () => {
  const sources = readdirSync(join(ROOT, 'server/src/cli')).filter((name) => name !== 'document-file.ts');
  const reading = sources.filter((name) =>
    /readDocumentFile|readJsonArgument/.test(readFileSync(join(ROOT, 'server/src/cli', name), 'utf8')),
  );
  assert.deepEqual(reading.toSorted(), ['chat.ts', 'config.ts', 'wheel.ts'], 'deploy/systemd/krapao opens it too');
});

test("the systemd wrapper resolves a relative path in its caller's folder", () => {
  const args = ['outside', 'made.json', 'https://play.example.com', 'http://127.0.0.1:3100'];
  const { output, status } = runWrapper(args, { environment: { SECRETS_FILE: join(folder, 'secrets.json') } });
  assert.equal(status, 0, output);
  assert.match(readFileSync(join(folder, 'made.json'), 'utf8'), /"publicUrl": "https:\/\/play\.example\.com"/);
  const environment = { DATABASE_URL: 'postgresql://krapao@127.0.0.1:1/krapao', DATA_DIR: folder };
  for (const file of ['doctor.prom', 'gauges']) {
    runWrapper(['doctor', '--metrics', file], { environment });
    assert.match(readFileSync(join(folder, file), 'utf8'), /^krapao_doctor_faults \d+$/m);
  }
});
