import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from '../../tools/install.mjs';

// The blocks of docs/deploy/cluster-operation.md and cluster.md run as printed, in a shell of the test cluster.
const START_TIMEOUT_MS = 220_000;
const OPERATION = readFileSync(join(ROOT, 'docs/deploy/cluster-operation.md'), 'utf8');
const SET_UP = readFileSync(join(ROOT, 'docs/deploy/cluster.md'), 'utf8');
const dataFolder = mkdtempSync(join(tmpdir(), 'krapao-drills-'));
const refusal = spawnSync('unshare', ['--net', '--mount', 'true']).status === 0 ? false : 'namespaces are refused';

let shell;
let output = '';

before(
  async () => {
    if (refusal) return;
    shell = spawn('npm', ['run', '--silent', 'lab', '--', 'cluster-shell'], {
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
  if (shell?.exitCode === null) {
    const exited = new Promise((resolve) => shell.once('exit', resolve));
    shell.stdin.end('exit\n');
    await exited;
  }
  rmSync(dataFolder, { recursive: true, force: true });
});

test('a switchover moves the leader and members are served after it', { skip: refusal }, async () => {
  const before = leaderIn(await run(block('State')));
  await run(block('Switchover'));
  await until(async () => {
    const list = await run(block('State'));
    return leaderIn(list) !== before && list.match(/running/g).length === 3 && list.includes('Sync Standby');
  });
  assert.match(await run(READY), /"status":"ready"/);
});

test('a node is added by the printed commands and serves', { skip: refusal }, async () => {
  await run('machine add node4 10.0.0.14');
  await run(block('Another node', 0));
  await run(block('5. Nodes', 0, SET_UP).replace('for n in 1 2 3', 'for n in 4'));
  assert.match(await run(block('Another node', 1)), /\d+ findings, \d+ faults/);
  assert.match(await run(block('Another node', 2)), /Configuration file is valid/);
  await until(async () =>
    /"status":"ready"/.test(await run(`ssh root@10.0.0.14 'curl -s http://10.0.0.14:3000/health/ready'`)),
  );
});

test('nodes are upgraded one by one to a release built beside the running one', { skip: refusal }, async () => {
  const built = await run(block('Upgrade', 0));
  assert.match(built, /^Built\.$/m);
  assert.match(built, /^\/var\/backups\/krapao\/krapao-\d{8}T\d{6}Z$/m);
  const upgraded = await run(block('Upgrade', 1));
  assert.equal(upgraded.match(/"status":"ready"/g)?.length, 3, upgraded);
  for (const n of [1, 2, 3]) assert.match(await run(`ssh root@10.0.0.1${n} readlink /opt/krapao`), /^krapao-2$/m);
});

test('the whole cluster is restored from the backup and the archives', { skip: refusal }, async () => {
  assert.match(await run(block('Restore', 0)), /server stopped/);
  await run(block('Restore', 1));
  await until(async () => (await run(block('State'))).match(/running/g)?.length === 3);
  const restored = await run(block('Restore', 2));
  assert.match(restored, /\d+ checks, 0 wrong/);
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
