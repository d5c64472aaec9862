import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, UserError } from '../../../tools/install.mjs';
import { SMALLER_LIMITS } from '../balancer.mjs';
import { BUCKET_SETTINGS } from '../nodes.mjs';
import { SMALLER_SERVERS } from '../postgres.mjs';
import { mustRun } from '../processes.mjs';
import { writeCommands } from './drill-machine.mjs';

const OPERATOR_COMMANDS = ['ssh', 'machine'];
const GIT_SETTINGS = '[user]\n\tname = Operator\n\temail = operator@example.com\n[advice]\n\tdetachedHead = false\n';

/** A release of the last commit, built as on a machine, with the packages of this clone. */
export function makeRelease(folder) {
  const release = join(folder, 'release');
  mkdirSync(release, { recursive: true });
  mustRun('sh', ['-c', 'git -C "$0" archive HEAD | tar -x -C "$1"', ROOT, release]);
  linkPackages(release);
  mustRun('npm', ['run', '--silent', 'build'], { cwd: release });
  return release;
}

/** Links the packages of this clone, on the same disk; otherwise the build installs them. */
function linkPackages(release) {
  for (const folder of ['.', ...readdirSync(ROOT)].map((name) => join(name, 'node_modules'))) {
    if (!existsSync(join(ROOT, folder))) continue;
    const { status } = spawnSync('cp', ['-al', join(ROOT, folder), join(release, folder)], { stdio: 'ignore' });
    if (status !== 0) rmSync(join(release, folder), { recursive: true, force: true });
  }
  rmSync(join(release, 'node_modules/.cache'), { recursive: true, force: true });
}

/**
 * The operator's own machine: keys in its home, a clone with the settings of the cluster, `ssh` to its machines.
 * @returns `directory` of the clone and `env` of its shell
 */
export function makeOperator(folder, { authority, passwords, secretsFile, outsideFile, publicHost }) {
  const home = join(folder, 'operator');
  const [clone, keys, programs] = ['krapao', 'krapao-keys', 'bin'].map((name) => join(home, name));
  for (const path of [keys, programs]) mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const [user, password] of Object.entries(passwords))
    writeFileSync(join(keys, `${user}.password`), `${password}\n`);
  copyFileSync(outsideFile, join(keys, 'outside.json'));
  copyFileSync(secretsFile, join(keys, 'secrets.json'));
  mustRun('sh', ['-c', 'cp "$0"/* "$1"', authority.folder, keys]);
  mustRun('sh', ['-c', 'cat "$0/balancer.crt" "$0/balancer.key" > "$0/krapao.pem"', keys]);
  writeFileSync(join(home, '.gitconfig'), GIT_SETTINGS);
  writeCommands(programs, OPERATOR_COMMANDS, folder, '');
  const env = { ...process.env, HOME: home, PATH: [programs, process.env.PATH].join(':') };
  mustRun('git', ['clone', '--quiet', ROOT, clone], { env });
  configureClone(clone, publicHost);
  mustRun('git', ['-C', clone, 'commit', '--quiet', '-am', 'Settings of our cluster'], { env });
  return { directory: clone, env };
}

/** Section 1 of docs/deploy/cluster.md, for three servers and the balancer on one machine. */
function configureClone(clone, publicHost) {
  const changes = {
    'deploy/patroni/patroni.yml': SMALLER_SERVERS,
    'deploy/haproxy/haproxy.cfg': SMALLER_LIMITS,
    'deploy/systemd/krapao.env': [[BUCKET_SETTINGS, '']],
  };
  for (const [path, pairs] of Object.entries(changes)) {
    const before = readFileSync(join(clone, path), 'utf8');
    const after = pairs.reduce((text, [from, to]) => text.replaceAll(from, to), before);
    if (after === before) throw new UserError(`${path} has none of the expected settings.`);
    writeFileSync(join(clone, path), after);
  }
  mustRun('sh', [
    '-c',
    `cd "$0" && sed -i 's/play\\.example\\.com/${publicHost}/g' deploy/*/* docs/deploy/*cluster*.md docs/deploy/monitoring.md`,
    clone,
  ]);
}
