import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT } from '../../tools/install.mjs';
import { ensurePackages } from '../cluster/packages.mjs';

// The blocks of docs/deploy/cluster-operation.md and cluster.md run as printed, in a shell of the test cluster.
const START_TIMEOUT_MS = 220_000;
const STOP_WAIT_MS = 30_000;
const OPERATION = readFileSync(join(ROOT, 'docs/deploy/cluster-operation.md'), 'utf8');
const SET_UP = readFileSync(join(ROOT, 'docs/deploy/cluster.md'), 'utf8');
// On the disk of the packages, which releases link.
const parentFolder = join(ROOT, 'data/drills');
mkdirSync(parentFolder, { recursive: true });
for (const name of readdirSync(parentFolder)) {
  // Of an earlier run, emptied by its reaper; not of one that runs.
  if (readdirSync(join(parentFolder, name)).length === 0) rmdirSync(join(parentFolder, name));
}
const dataFolder = mkdtempSync(join(parentFolder, 'run-'));

let shell;
let output = '';

before(
  async () => {
    ensurePackages();
    // In a network of its own, where the addresses of the pages are free.
    const command = 'ip link set lo up && exec npm run --silent lab -- cluster-shell';
    shell = spawn('unshare', ['--net', 'sh', '-c', command], {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: dataFolder },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (text) => (output += text));
    await run('true', START_TIMEOUT_MS);
  },
  { timeout: START_TIMEOUT_MS },
);
after(async () => {
  if (shell?.exitCode !== null) return;
  const exited = new Promise((resolve) => shell.once('exit', resolve));
  shell.stdin.end('exit\n');
  await Promise.race([exited, wait(STOP_WAIT_MS, undefined, { ref: false })]);
  // The cluster's own reaper removes its many files, which a busy disk may take minutes for.
  for (const stream of shell.stdio) stream.destroy();
  shell.unref();
});

test('a switchover moves the leader, after which a node is ready [R-OPS-10]', async () => {
  const before = leaderIn(await run(block('State')));
  await run(block('Switchover'));
  await until(async () => {
    const list = await run(block('State'));
    return leaderIn(list) !== before && list.match(/running/g).length === 3 && list.includes('Sync Standby');
  });
  assert.match(await run(READY), /"status":"ready"/);
});

test('with two of three database machines lost, the last one serves alone [R-OPS-10]', async () => {
  await until(async () => {
    if (/pg1 .*(Leader|Sync Standby)/.test(await run(block('State')))) return true;
    await run(block('Switchover'));
    return false;
  });
  await run('machine off pg2; machine off pg3');
  assert.match(await run(block('Two PostgreSQL machines lost', 0)), /Configuration changed/);
  await until(async () => /"status":"ready"/.test(await run(READY)));
  assert.match(await run(block('State')), /pg1 .*Leader .*running/);
});

test('lost database machines that are switched on in turn rejoin, and commits wait for a standby again [R-OPS-10]', async () => {
  for (const n of [2, 3]) {
    await run(`machine on pg${n}`);
    await run(block('Two PostgreSQL machines lost', 1).replace(/^n=2$/m, `n=${n}`));
    await until(async () => new RegExp(`pg${n} .*(running|streaming)`).test(await run(block('State'))));
  }
  await run(block('No standby left').replace('=false', '=true'));
  await until(async () => {
    const list = await run(block('State'));
    return list.match(/running/g)?.length === 3 && list.includes('Sync Standby');
  });
});

test('a node added by the printed commands serves [R-OPS-10]', async () => {
  await run('machine add node4 10.0.0.14');
  await run(block('Another node', 0));
  await run(block('5. Nodes', 0, SET_UP).replace('for n in 1 2 3', 'for n in 4'));
  assert.match(await run(block('Another node', 1)), /\d+ findings, \d+ faults/);
  assert.match(await run(block('Another node', 2)), /Configuration file is valid/);
  await until(async () =>
    /"status":"ready"/.test(await run(`ssh root@10.0.0.14 'curl -s http://10.0.0.14:3000/health/ready'`)),
  );
});

test('nodes are upgraded one by one to a release built beside the running one [R-OPS-10]', async () => {
  // Its packages are there already, so that the build installs none.
  await run(
    `ssh root@10.0.0.11 'cd /opt/krapao-1 && mkdir ../krapao-2 && cp -al --parents node_modules */node_modules ../krapao-2'`,
  );
  const built = await run(block('Upgrade', 0));
  assert.match(built, /^Built\.$/m);
  assert.match(built, /^\/var\/backups\/krapao\/krapao-\d{8}T\d{6}Z$/m);
  const upgraded = await run(block('Upgrade', 1));
  assert.equal(upgraded.match(/"status":"ready"/g)?.length, 3, upgraded);
  for (const n of [1, 2, 3]) assert.match(await run(`ssh root@10.0.0.1${n} readlink /opt/krapao`), /^krapao-2$/m);
});

test("a cluster's backup is verified, and each database server removes the WAL before it [R-OPS-03]", async () => {
  // A folder of root, as whom commands of the test cluster run.
  const backedUp = await run(`ssh root@10.0.0.11 'krapao backup /var/backups/own --keep 7'`);
  assert.doesNotMatch(backedUp, /may not note/);
  const verified = await run(`ssh root@10.0.0.11 'krapao backup verify /var/backups/own'`);
  assert.match(verified, /\d+ checks, 0 wrong/);
  const leader = String(leaderIn(await run(block('State'))));
  const [install] = /^ *ssh \$to 'install .*krapao-wal-prune$/m.exec(block('3. etcd and PostgreSQL', 0, SET_UP));
  const oldest = '000000010000000000000000.gz';
  const onLeader = (command) => run(`ssh ${leader} '${command}'`);
  await onLeader(`install -o postgres /dev/null /var/lib/wal-archive/${oldest}`);
  await run(`to=${leader}; ${install}`);
  await onLeader('runuser -u postgres -- krapao-wal-prune');
  const left = await onLeader('ls /var/lib/wal-archive');
  assert.doesNotMatch(left, new RegExp(`^${oldest}$`, 'm'));
  assert.match(left, /^[\dA-F]{24}\.gz$/m);
});

test('a whole cluster is restored from backup and archives [R-OPS-10]', async () => {
  assert.match(await run(block('Restore', 0)), /server stopped/);
  await run(block('Restore', 1));
  await until(async () => (await run(block('State'))).match(/running/g)?.length === 3);
});

test('nodes serve the restored cluster with correct books [R-OPS-10]', async () => {
  const restored = await run(block('Restore', 2));
  assert.match(restored, /\d+ checks, 0 wrong/);
  assert.match(restored, /^\/var\/backups\/krapao\/krapao-\d{8}T\d{6}Z$/m);
  await until(async () => /"status":"ready"/.test(await run(READY)));
});

const READY = 'curl -s --cacert ~/krapao-keys/ca.crt https://10.0.0.10/health/ready';

/** The n-th block of a section of a page. */
function block(heading, index = 0, page = OPERATION) {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text]) => text);
  assert.ok(blocks[index], `${heading} has no block ${index}`);
  return blocks[index];
}

const leaderIn = (list) => /\| (pg\d) .*Leader/.exec(list)?.[1];

/** Types commands into the shell. @returns what they print */
async function run(commands, timeoutMs = 200_000) {
  const end = `end-${Math.random()}`;
  const start = output.length;
  shell.stdin.write(`${commands}\necho ${end}\n`);
  const deadline = Date.now() + timeoutMs;
  while (!output.includes(end, start)) {
    if (shell.exitCode !== null || Date.now() > deadline)
      throw new Error(`The shell did not finish:\n${output.slice(start)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return output.slice(start, output.indexOf(end, start));
}

async function until(isReached) {
  for (let tries = 0; tries < 60; tries += 1) {
    if (await isReached()) return;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  throw new Error(`The state was not reached:\n${output.slice(-4_000)}`);
}
