import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../install.mjs';

const textOf = (path) => readFileSync(join(ROOT, path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'krapao-containers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Does what podman does for the wrapper: lists the settings of the server, and runs a command with them. */
const PODMAN = `#!/bin/sh
echo "$@" >> "$LOG"
if [ "$1" = inspect ]; then printf 'SHOWN=from the server\\nDATABASE_URL=postgresql://krapao:hidden@postgres\\n'; exit; fi
while [ "$1" != localhost/krapao ]; do
    case $1 in
    --env-file) stat -c %a "$2"; set -a; sed -i "s/=\\(.*\\)/='\\1'/" "$2"; . "$2"; set +a ;;
    --env) export "$2" ;;
    esac
    shift
done
if [ "$2" = audit ]; then seq 100000 || echo 'closed pipe' >&2; exit; fi
printf '%s|' "$@" "$SHOWN" "$KRAPAO_OPENED"; cat; exit 3
`;
const KEPT_OUT = ['deploy/container/.env', 'deploy/container/backups', 'deploy/container/secrets'];

test('keys and backups beside the compose file are in neither git nor the image', () => {
  const ignoredPatterns = textOf('.dockerignore').split('\n');
  for (const path of KEPT_OUT) {
    assert.ok(ignoredPatterns.includes(path), path);
    const fileInside = path.endsWith('.env') ? path : `${path}/any`;
    assert.equal(spawnSync('git', ['check-ignore', '--quiet', fileInside], { cwd: ROOT }).status, 0, fileInside);
  }
  for (const path of ['.git', 'data', '**/node_modules']) assert.ok(ignoredPatterns.includes(path), path);
});

test('every file that the containers mount or run exists', () => {
  const compose = textOf('deploy/container/compose.yml');
  const mountedPaths = [...compose.matchAll(/(\.\.?\/[\w./-]+):\//g)].map(([, path]) => join('deploy/container', path));
  assert.ok(mountedPaths.includes('deploy/container/replication.sh'));
  assert.ok(mountedPaths.includes('deploy/prometheus'));
  for (const path of mountedPaths) assert.ok(KEPT_OUT.includes(path) || existsSync(join(ROOT, path)), path);
  const script = textOf('deploy/container/krapao');
  for (const [, path] of script.matchAll(/node ([\w/.-]+\.(?:mjs|ts))/g)) assert.ok(existsSync(join(ROOT, path)), path);
});

test('krapao COMMAND in the container lists its commands, and runs them', () => {
  const script = textOf('deploy/container/krapao').replace('cd /opt/krapao', `cd ${ROOT}`);
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` };
  const run = (command) => spawnSync('sh', ['-c', script, 'krapao', command], { env, encoding: 'utf8' });
  for (const command of ['bench', 'alerts']) {
    const { status, stderr } = run(command);
    assert.match(stderr, /^error: unknown command '\w+'\n/);
    for (const commandName of ['backup', 'doctor', 'outside'])
      assert.match(stderr, new RegExp(`^ {2}${commandName} `, 'm'));
    assert.equal(status, 1);
  }
  const outside = ['outside', 'made.json', 'https://play.example.com', 'http://127.0.0.1:3100'];
  const callerFolder = mkdtempSync(join(tmpdir(), 'krapao-container-'));
  spawnSync('sh', ['-c', script, 'krapao', ...outside], { env, cwd: callerFolder });
  assert.deepEqual(readdirSync(callerFolder).toSorted(), ['made.json', 'secrets.json'], 'in the folder of the caller');
  rmSync(callerFolder, { recursive: true });
  assert.equal(JSON.parse(run('sbom').stdout).bomFormat, 'CycloneDX');
});

test("krapao COMMAND beside the containers uses the server's settings, and shows none to other users", () => {
  const run = join(folder, 'run');
  mkdirSync(run);
  writeFileSync(join(folder, 'podman'), PODMAN, { mode: 0o755 });
  writeFileSync(join(folder, 'wheel.json'), 'of the caller');
  const script = textOf('deploy/podman/krapao').replace('-p /run', `-p ${run}`);
  writeFileSync(join(folder, 'krapao'), script);
  const log = join(folder, 'log');
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH ?? ''}`, LOG: log };
  const show = (args) =>
    spawnSync('sh', ['-c', script, 'krapao', ...args], { env, cwd: folder, input: 'typed', encoding: 'utf8' });
  const publish = (file) => ['wheel', 'publish', file, 'nok', 'two words'];
  for (const [file, opened, input] of [
    ['wheel.json', 'wheel.json', 'of the caller'],
    ['-', '', 'typed'],
    ['missing.json', '', 'typed'],
  ]) {
    const { stdout, stderr, status } = show(publish(file));
    const expected = ['localhost/krapao', ...publish(file), 'from the server', opened, input].join('|');
    assert.equal(stdout + stderr, `600\n${expected}`);
    assert.equal(status, 3);
  }
  const toHead = spawnSync('sh', ['-c', `sh ${join(folder, 'krapao')} audit | head -1`], { env, encoding: 'utf8' });
  assert.equal(toHead.stdout + toHead.stderr, '600\n', 'a reader that ends early is no error');
  assert.match(
    readFileSync(log, 'utf8'),
    /--env SERVER_URL=http:\/\/krapao_app_1:3000 /,
    'where doctor asks the server',
  );
  assert.doesNotMatch(readFileSync(log, 'utf8'), /hidden/);
  assert.deepEqual(readdirSync(run), [], 'the settings are removed');
});

test('nightly jobs in containers equal those of one machine, with the same timers', () => {
  const commandOf = (path) => /^ExecStart=\S+ (?:server\/src\/cli\/krapao\.ts )?(.*)$/m.exec(textOf(path))[1];
  const units = readdirSync(join(ROOT, 'deploy/podman')).filter((name) => name.endsWith('.service'));
  const timers = readdirSync(join(ROOT, 'deploy/systemd')).filter((name) => name.endsWith('.timer'));
  assert.deepEqual(
    units.map((name) => name.replace('.service', '.timer')),
    timers,
  );
  for (const name of units) {
    assert.equal(commandOf(`deploy/podman/${name}`), commandOf(`deploy/systemd/${name}`));
  }
});

test("the server's container has the folders of backups, archive and metrics, and reads PostgreSQL's archive", () => {
  const compose = textOf('deploy/container/compose.yml');
  const [app, postgres] = ['app', 'postgres'].map((name) => compose.split(`\n  ${name}:\n`)[1].split(/\n\n/)[0]);
  for (const line of [
    'BACKUP_FOLDER: /var/backups/krapao',
    './backups:/var/backups/krapao',
    'WAL_ARCHIVE: /wal',
    'wal:/wal',
  ])
    assert.match(app, new RegExp(`^ +(- )?${line}$`, 'm'));
  assert.match(app, /- \/var\/lib\/krapao-metrics:\/var\/lib\/krapao-metrics/);
  assert.match(postgres, /chown -R postgres:10001 \/wal .*chmod 2770 \/wal/);
  assert.match(postgres, /archive_command=umask 027; /);
  assert.match(textOf('deploy/container/Containerfile'), /groupadd --gid 10001 .*--uid 10001 --gid 10001/);
});
