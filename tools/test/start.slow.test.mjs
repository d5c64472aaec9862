import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jsQR from 'jsqr';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT } from '../install.mjs';
import { networkAddresses, placesOf } from '../start/places.mjs';
import { readyMessage } from '../start/ready-message.mjs';
import { terminalQr } from '../start/terminal-qr.mjs';
import { ensureWebBuilt } from '../web-build.mjs';

const START = join(ROOT, 'tools/start.mjs');
const READY_MS = 180_000;
const READY =
  /^Krapao is ready: http:\/\/localhost:(\d+) \(app\) · http:\/\/localhost:(\d+) \(the outside world and your phone\)$/m;

let root;

function launch(name, environment = {}, command = [process.execPath, START]) {
  const child = spawn(command[0], command.slice(1), {
    cwd: ROOT,
    // A process group of its own, which gets what is typed at its terminal.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      PORT: '0',
      SIMULATORS_PORT: '0',
      DATA_DIR: join(root, name),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  return { child, said: () => text };
}

async function started(name, environment, command) {
  const { child, said } = launch(name, environment, command);
  for (let waited = 0; waited < READY_MS && !READY.test(said()); waited += 50) {
    assert.equal(child.exitCode, null, said());
    await wait(50);
  }
  const [, port, simulatorsPort] = READY.exec(said()) ?? assert.fail(said());
  const { launcher, children } = JSON.parse(readFileSync(join(root, name, 'running.json'), 'utf8'));
  const database = Number(readFileSync(join(root, name, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    child,
    said,
    url: `http://127.0.0.1:${port}`,
    simulatorsUrl: `http://127.0.0.1:${simulatorsPort}`,
    launcher: launcher.pid,
    pids: [...children.map(({ pid }) => pid), database],
  };
}

async function refusal(name, environment, ...words) {
  const { child, said } = launch(name, environment, [process.execPath, START, ...words]);
  const [code] = await once(child, 'close');
  assert.equal(code, 1, said());
  assert.doesNotMatch(said(), /^\s+at /m, 'a sentence, not a stack');
  return said();
}

async function end(system, signal) {
  system.child.kill(signal);
  return ended(system);
}

async function ended(system) {
  if (system.child.exitCode === null && system.child.signalCode === null) await once(system.child, 'exit');
  return system.child.exitCode;
}

/** Like Ctrl-C: sent to the terminal's whole process group. */
const type = (system, signal) => process.kill(-system.child.pid, signal);

async function untilSaid(system, words) {
  for (let waited = 0; waited < READY_MS && !system.said().includes(words); waited += 50) await wait(50);
  assert.ok(system.said().includes(words), system.said());
}

async function untilDraining(system) {
  let ready = await fetch(`${system.url}/health/ready`);
  while (ready.status === 200) ready = await fetch(`${system.url}/health/ready`);
  assert.equal(ready.status, 404);
}

/** The end of the last run, from its log. */
const endOf = (name) => {
  const lines = readFileSync(join(root, name, 'logs/server.log'), 'utf8')
    .trim()
    .split('\n');
  const messages = lines.map((line) => JSON.parse(line).msg);
  const last = messages.slice(messages.lastIndexOf('ready'));
  return last.filter((message) => ['draining', 'stopped'].includes(message));
};

const isDatabaseClean = (name) =>
  readFileSync(join(root, name, 'postgres.log'), 'utf8')
    .trim()
    .endsWith('database system is shut down');

const isRunning = (pid) => {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // Gone, perhaps at this very moment.
    return false;
  }
};

async function assertGone(pids) {
  for (let waited = 0; waited < 20_000 && pids.some(isRunning); waited += 50) await wait(50);
  assert.deepEqual(pids.filter(isRunning), []);
}

// Concurrent: each has its own data folder and ports, and mostly waits.
describe('npm start', { concurrency: 3 }, () => {
  before(() => {
    // Once, before several starts at a time would.
    ensureWebBuilt();
    root = mkdtempSync(join(tmpdir(), 'krapao-start-'));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  declareStarts();
  declareStops();
  declareSettings();
});

function declareStarts() {
  test('starts every process, keeps its secrets unreadable for others, stops every process, and finds the data again', async () => {
    const first = await started('whole');
    assert.equal((await fetch(`${first.url}/health/ready`)).status, 200);
    assert.match(await (await fetch(`${first.url}/login`)).text(), /<!doctype html>/i);
    assert.equal((await fetch(first.simulatorsUrl)).status, 200);
    for (const file of ['secrets.json', 'outside.json'])
      assert.equal(statSync(join(root, 'whole', file)).mode & 0o077, 0, file);
    const secrets = readFileSync(join(root, 'whole/secrets.json'), 'utf8');
    const banks = await (await fetch(`${first.url}/api/lookup/banks`)).text();
    assert.equal(await end(first, 'SIGINT'), 0);
    await assertGone(first.pids);
    const second = await started('whole');
    assert.equal(readFileSync(join(root, 'whole/secrets.json'), 'utf8'), secrets);
    assert.equal(await (await fetch(`${second.url}/api/lookup/banks`)).text(), banks);
    assert.equal(await end(second, 'SIGTERM'), 0);
    await assertGone(second.pids);
  });

  test('kill -9 of the launcher leaves nothing running, and the next start is whole', async () => {
    const first = await started('killed');
    await end(first, 'SIGKILL');
    const second = await started('killed');
    assert.deepEqual(first.pids.filter(isRunning), []);
    assert.equal((await fetch(`${second.url}/health/ready`)).status, 200);
    await end(second, 'SIGTERM');
    await assertGone(second.pids);
  });

  test('kill -9 of npm leaves nothing running', async () => {
    const system = await started('orphaned', { DRAIN_MS: '0' }, ['npm', 'start']);
    assert.notEqual(system.launcher, system.child.pid);
    await end(system, 'SIGKILL');
    await assertGone([system.launcher, ...system.pids]);
    assert.deepEqual(endOf('orphaned'), ['draining', 'stopped']);
    assert.ok(isDatabaseClean('orphaned'));
  });
}

function declareStops() {
  test('Ctrl-C stops without a drain, or ends the drain of a SIGTERM', async () => {
    // Longer than the timeout of this test.
    const environment = { DRAIN_MS: '60000' };
    const first = await started('typed', environment, ['npm', 'start']);
    type(first, 'SIGINT');
    assert.equal(await ended(first), 0, first.said());
    await assertGone([first.launcher, ...first.pids]);
    assert.deepEqual(endOf('typed'), ['stopped']);
    assert.doesNotMatch(first.said(), /Stopping at once/, 'npm passes it on: that is no second one');

    const second = await started('typed', environment, ['npm', 'start']);
    second.child.kill('SIGTERM');
    await untilDraining(second);
    type(second, 'SIGINT');
    assert.equal(await ended(second), 0, second.said());
    await assertGone([second.launcher, ...second.pids]);
    assert.deepEqual(endOf('typed'), ['draining', 'stopped']);
    assert.doesNotMatch(second.said(), /Stopping at once/);
    assert.ok(isDatabaseClean('typed'));
  });

  test('a second Ctrl-C forces, and the database stops cleanly all the same', async () => {
    const system = await started('forced');
    const [, server] = system.pids;
    // It can't answer the first one.
    process.kill(server, 'SIGSTOP');
    type(system, 'SIGINT');
    await untilSaid(system, 'Stopping …');
    while (!system.said().includes('Stopping at once')) {
      type(system, 'SIGINT');
      await wait(50);
    }
    await ended(system);
    await assertGone([system.launcher, ...system.pids]);
    assert.deepEqual(endOf('forced'), []);
    assert.ok(isDatabaseClean('forced'));
  });

  test('a long drain is waited for: by the launcher, without it, and by the next start', async () => {
    const [asked, alone] = await Promise.all([
      // Longer than a stop may take without a drain.
      started('asked', { DRAIN_MS: '21000' }),
      started('alone', { DRAIN_MS: '26000' }),
    ]);
    asked.child.kill('SIGTERM');
    alone.child.kill('SIGKILL');
    await Promise.all([untilDraining(asked), untilDraining(alone)]);
    for (const system of [asked, alone]) assert.equal((await fetch(`${system.url}/api/lookup/info`)).status, 200);
    const next = await started('alone', { DRAIN_MS: '0' });
    assert.match(next.said(), /^Waiting for an earlier start that is still stopping …$/m);
    assert.deepEqual(alone.pids.filter(isRunning), []);
    const log = readFileSync(join(root, 'alone/logs/server.log'), 'utf8');
    assert.match(log, /"draining".*\n.*"stopped"/s);
    assert.equal(await end(next, 'SIGTERM'), 0);
    await assertGone(next.pids);
    assert.equal(await ended(asked), 0);
    assert.deepEqual(endOf('asked'), ['draining', 'stopped']);
    assert.ok(isDatabaseClean('asked') && isDatabaseClean('alone'));
  });
}

function declareSettings() {
  test('LOG_TO=stdout prints the log, for a log collector, and writes no file', async () => {
    const system = await started('printed', { LOG_TO: 'stdout', DRAIN_MS: '0' });
    assert.equal(await end(system, 'SIGTERM'), 0);
    await assertGone(system.pids);
    await untilSaid(system, '"msg":"stopped"}');
    assert.match(system.said(), /^\{.*"msg":"ready"\}$/m);
    assert.ok(!existsSync(join(root, 'printed/logs')));
  });

  test('a process that dies ends the others, with a sentence that names it', async () => {
    const system = await started('part');
    process.kill(system.pids[0], 'SIGKILL');
    await once(system.child, 'close');
    assert.equal(system.child.exitCode, 1);
    assert.match(system.said(), /The simulators stopped by SIGKILL, so everything else stops too\./);
    await assertGone(system.pids);
  });

  test('what it would ignore stops the start: settings are not arguments', async () => {
    assert.match(await refusal('words', {}, '--port', '4000'), /takes no --port: settings come from the environment/);
    assert.equal(existsSync(join(root, 'words')), false);
  });

  test('a data folder in use, a taken port and a wrong variable stop the start with a sentence', async () => {
    const system = await started('busy');
    assert.match(await refusal('busy'), /The data folder .* is in use by another start \(process \d+\)/);
    assert.equal((await fetch(`${system.url}/health/ready`)).status, 200);
    const taken = new URL(system.url).port;
    assert.match(await refusal('other', { PORT: taken }), new RegExp(`Port ${taken} is already taken: .* set PORT`));
    const takenOutside = new URL(system.simulatorsUrl).port;
    assert.match(
      await refusal('other', { SIMULATORS_PORT: takenOutside }),
      new RegExp(`SIMULATORS_PORT ${takenOutside}`),
    );
    await end(system, 'SIGTERM');
    assert.match(await refusal('other', { VARIANT: 'laos' }), /VARIANT must be th or lao, not "laos"\./);
    assert.match(await refusal('other', { DATABASE_URL: 'localhost' }), /DATABASE_URL must look like/);
    writeFileSync(join(root, 'file'), '');
    assert.match(await refusal('file'), /The data folder .*file can't be made/);
    assert.match(
      await refusal('production', { SIMULATORS: 'off' }),
      /SIMULATORS is off, so .*outside\.json must describe/,
    );
  });

  test('with HOST=0.0.0.0 it prints the address in the network with a QR, and answers there', async () => {
    const quiet = await started('quiet');
    assert.match(quiet.said(), /Only this machine can open it\. .*HOST=0\.0\.0\.0 npm start/);
    assert.doesNotMatch(quiet.said(), /▄/);
    const open = await started('open', { HOST: '0.0.0.0' });
    const [, app, phone] = /^On a phone: (\S+) \(app\) · (\S+) \(the outside/m.exec(open.said()) ?? [];
    const [address] = networkAddresses();
    if (address === undefined) assert.match(open.said(), /in no network/);
    else {
      assert.equal(app, `http://${address}:${new URL(open.url).port}`);
      assert.equal(phone, `http://${address}:${new URL(open.simulatorsUrl).port}`);
      assert.ok(open.said().includes(await terminalQr(app)));
      const { website } = await (await fetch(`${app}/api/lookup/info`)).json();
      assert.equal(website, app);
      assert.equal((await (await fetch(`${phone}/phone/links`)).json()).app, app);
      await assert.rejects(
        fetch(`http://${address}:${new URL(quiet.url).port}/login`),
        'not on addresses that were not configured',
      );
      await assert.rejects(fetch(`http://${address}:${new URL(quiet.simulatorsUrl).port}/`));
    }
    await Promise.all([end(quiet, 'SIGTERM'), end(open, 'SIGTERM')]);
  });

  test('PUBLIC_URL and SIMULATORS_URL are used for every caller and host', async () => {
    const [PUBLIC_URL, SIMULATORS_URL] = ['https://play.example.com', 'https://phone.example.com'];
    const system = await started('public', { PUBLIC_URL, SIMULATORS_URL });
    assert.ok(system.said().includes(`On a phone: ${PUBLIC_URL} (app) · ${SIMULATORS_URL} (the outside`));
    assert.equal((await (await fetch(`${system.url}/api/lookup/info`)).json()).website, PUBLIC_URL);
    assert.equal((await (await fetch(`${system.simulatorsUrl}/phone/links`)).json()).app, PUBLIC_URL);
    const policy = (await fetch(`${system.url}/login`)).headers.get('content-security-policy');
    assert.match(policy, /form-action 'self' https:\/\/phone\.example\.com[ ;]/);
    assert.match(policy, /connect-src 'self' wss:\/\/phone\.example\.com;/);
    await end(system, 'SIGTERM');
    assert.match(await refusal('wrong', { PUBLIC_URL: 'play' }), /PUBLIC_URL must be where browsers reach the app/);
    assert.match(await refusal('wrong', { HOST: '203.0.113.7' }), /HOST is not an address of this machine/);
  });

  test('a used port is reported', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address();
    assert.match(await refusal('held', { PORT: String(port) }), new RegExp(`Port ${port} is already taken`));
    holder.close();
  });
}

describe('what the ready message says', () => {
  const ports = { port: 3000, simulatorsPort: 3100 };
  const shown = (config, addresses) =>
    readyMessage(
      { simulators: true, ...config },
      placesOf(config, ports),
      ports,
      async (text) => `[${text}]`,
      addresses,
    );

  test('the likeliest network first, the others after the code', async () => {
    const text = await shown({ host: '0.0.0.0' }, ['192.168.1.7', '10.8.0.2']);
    assert.match(text, /^Krapao is ready: http:\/\/localhost:3000 \(app\) · http:\/\/localhost:3100 /);
    assert.match(
      text,
      /On a phone: http:\/\/192\.168\.1\.7:3000 .*\n\[http:\/\/192\.168\.1\.7:3000\]\n.*10\.8\.0\.2:3000$/,
    );
    const inner = [{ family: 'IPv4', internal: false, address: '172.17.0.1' }];
    const outer = [{ family: 'IPv4', internal: false, address: '203.0.113.9' }];
    const home = [{ family: 'IPv4', internal: false, address: '192.168.1.7' }];
    assert.deepEqual(networkAddresses({ docker0: inner, eth0: outer, wlan0: home }), ['192.168.1.7', '203.0.113.9']);
  });

  test('the code on the screen is read as the address, by a reader that is not ours', async () => {
    const lines = (await terminalQr('http://192.168.1.7:3000'))
      .split('\n')
      // Colours stand at both ends.
      .map((line) => line.slice(line.indexOf('m') + 1, line.lastIndexOf('\u001B')));
    const [zoom, width, height] = [4, lines[0].length, lines.length * 2];
    const pixels = new Uint8ClampedArray(width * zoom * height * zoom * 4).fill(255);
    for (let y = 0; y < height * zoom; y += 1) {
      for (let x = 0; x < width * zoom; x += 1) {
        const row = Math.floor(y / zoom);
        const character = lines[Math.floor(row / 2)][Math.floor(x / zoom)];
        if (character !== '█' && character !== (row % 2 === 0 ? '▀' : '▄')) continue;
        pixels.fill(0, (y * width * zoom + x) * 4, (y * width * zoom + x) * 4 + 3);
      }
    }
    assert.equal(jsQR.default(pixels, width * zoom, height * zoom)?.data, 'http://192.168.1.7:3000');
  });

  test('a single listening address is used everywhere', async () => {
    const { url, outside, publicUrl } = placesOf({ host: '192.168.1.7' }, ports);
    assert.deepEqual([url, outside, publicUrl], ['http://192.168.1.7:3000', 'http://192.168.1.7:3100', url]);
    assert.match(await shown({ host: '192.168.1.7' }, []), /^Krapao is ready: http:\/\/192\.168\.1\.7:3000 /);
    assert.match(await shown({ host: '0.0.0.0' }, []), /in no network/);
  });
});
