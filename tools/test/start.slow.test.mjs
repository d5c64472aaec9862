import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import jsQR from 'jsqr';
import { ROOT } from '../install.mjs';
import { readyMessage } from '../start/ready-message.mjs';
import { terminalQr } from '../start/terminal-qr.mjs';
import { networkAddresses, urlsOf } from '../start/urls.mjs';
import { ensureWebBuilt } from '../web-build.mjs';

const START_PATH = join(ROOT, 'tools/start.mjs');
const READY_MS = 180_000;
const READY_MESSAGE =
  /^Krapao is ready: http:\/\/localhost:(\d+) \(app\) · http:\/\/localhost:(\d+) \(the outside world and your phone\)$/m;

let rootFolder;

function launchStart(name, environment = {}, command = [process.execPath, START_PATH]) {
  const child = spawn(command[0], command.slice(1), {
    cwd: ROOT,
    // A separate process group, which receives the signals of its terminal.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      PORT: '0',
      SIMULATORS_PORT: '0',
      DATA_DIR: join(rootFolder, name),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  return { child, readOutput: () => text };
}

async function startAndWait(name, environment, command) {
  const { child, readOutput } = launchStart(name, environment, command);
  for (let waitedMs = 0; waitedMs < READY_MS && !READY_MESSAGE.test(readOutput()); waitedMs += 50) {
    assert.equal(child.exitCode, null, readOutput());
    await wait(50);
  }
  const [, port, simulatorsPort] = READY_MESSAGE.exec(readOutput()) ?? assert.fail(readOutput());
  const { launcher, children } = JSON.parse(readFileSync(join(rootFolder, name, 'running.json'), 'utf8'));
  const database = Number(readFileSync(join(rootFolder, name, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    child,
    readOutput,
    url: `http://127.0.0.1:${port}`,
    simulatorsUrl: `http://127.0.0.1:${simulatorsPort}`,
    launcher: launcher.pid,
    pids: [...children.map(({ pid }) => pid), database],
  };
}

async function refusedStart(name, environment, ...args) {
  const { child, readOutput } = launchStart(name, environment, [process.execPath, START_PATH, ...args]);
  const [code] = await once(child, 'close');
  assert.equal(code, 1, readOutput());
  assert.doesNotMatch(readOutput(), /^\s+at /m, 'a sentence, not a stack');
  return readOutput();
}

async function endSystem(system, signal) {
  system.child.kill(signal);
  return assertEnded(system);
}

async function assertEnded(system) {
  if (system.child.exitCode === null && system.child.signalCode === null) await once(system.child, 'exit');
  return system.child.exitCode;
}

/** Like Ctrl-C: sent to the terminal's whole process group. */
const signalGroup = (system, signal) => process.kill(-system.child.pid, signal);

async function untilSaid(system, expectedText) {
  for (let waitedMs = 0; waitedMs < READY_MS && !system.readOutput().includes(expectedText); waitedMs += 50)
    await wait(50);
  assert.ok(system.readOutput().includes(expectedText), system.readOutput());
}

async function untilDraining(system) {
  let readyReply = await fetch(`${system.url}/health/ready`);
  while (readyReply.status === 200) readyReply = await fetch(`${system.url}/health/ready`);
  assert.equal(readyReply.status, 404);
}

/** Log messages of the end of the last run. */
const endOf = (name) => {
  const lines = readFileSync(join(rootFolder, name, 'logs/server.log'), 'utf8')
    .trim()
    .split('\n');
  const messages = lines.map((line) => JSON.parse(line).msg);
  const lastMessages = messages.slice(messages.lastIndexOf('ready'));
  return lastMessages.filter((message) => ['draining', 'stopped'].includes(message));
};

const isDatabaseClean = (name) =>
  readFileSync(join(rootFolder, name, 'postgres.log'), 'utf8')
    .trim()
    .endsWith('database system is shut down');

const isRunning = (pid) => {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // The file may vanish at this very moment.
    return false;
  }
};

async function assertGone(pids) {
  for (let waitedMs = 0; waitedMs < 20_000 && pids.some(isRunning); waitedMs += 50) await wait(50);
  assert.deepEqual(pids.filter(isRunning), []);
}

// Concurrent: each has its own data folder and ports, and mostly waits.
describe('npm start', { concurrency: 3 }, () => {
  before(() => {
    // Built once, before several concurrent starts would build it.
    ensureWebBuilt();
    rootFolder = mkdtempSync(join(tmpdir(), 'krapao-start-'));
  });
  after(() => rmSync(rootFolder, { recursive: true, force: true }));

  declareStarts();
  declareStops();
  declareSettings();
});

function declareStarts() {
  test('npm start starts and stops every process, keeps secrets private, and finds its data again', async () => {
    const firstSystem = await startAndWait('whole');
    assert.equal((await fetch(`${firstSystem.url}/health/ready`)).status, 200);
    assert.match(await (await fetch(`${firstSystem.url}/login`)).text(), /<!doctype html>/i);
    assert.equal((await fetch(firstSystem.simulatorsUrl)).status, 200);
    for (const file of ['secrets.json', 'outside.json'])
      assert.equal(statSync(join(rootFolder, 'whole', file)).mode & 0o077, 0, file);
    const secrets = readFileSync(join(rootFolder, 'whole/secrets.json'), 'utf8');
    const banks = await (await fetch(`${firstSystem.url}/api/lookup/banks`)).text();
    assert.equal(await endSystem(firstSystem, 'SIGINT'), 0);
    await assertGone(firstSystem.pids);
    const secondSystem = await startAndWait('whole');
    assert.equal(readFileSync(join(rootFolder, 'whole/secrets.json'), 'utf8'), secrets);
    assert.equal(await (await fetch(`${secondSystem.url}/api/lookup/banks`)).text(), banks);
    assert.equal(await endSystem(secondSystem, 'SIGTERM'), 0);
    await assertGone(secondSystem.pids);
  });

  test('after kill -9 of the launcher no process remains, and the next start works', async () => {
    const firstSystem = await startAndWait('killed');
    await endSystem(firstSystem, 'SIGKILL');
    const secondSystem = await startAndWait('killed');
    assert.deepEqual(firstSystem.pids.filter(isRunning), []);
    assert.equal((await fetch(`${secondSystem.url}/health/ready`)).status, 200);
    await endSystem(secondSystem, 'SIGTERM');
    await assertGone(secondSystem.pids);
  });

  test('after kill -9 of npm no process remains', async () => {
    const system = await startAndWait('orphaned', { DRAIN_MS: '0' }, ['npm', 'start']);
    assert.notEqual(system.launcher, system.child.pid);
    await endSystem(system, 'SIGKILL');
    await assertGone([system.launcher, ...system.pids]);
    assert.deepEqual(endOf('orphaned'), ['draining', 'stopped']);
    assert.ok(isDatabaseClean('orphaned'));
  });
}

function declareStops() {
  test('Ctrl-C stops without a drain, or ends the drain of a SIGTERM', async () => {
    // Exceeds the timeout of this test.
    const environment = { DRAIN_MS: '60000' };
    const firstSystem = await startAndWait('typed', environment, ['npm', 'start']);
    signalGroup(firstSystem, 'SIGINT');
    assert.equal(await assertEnded(firstSystem), 0, firstSystem.readOutput());
    await assertGone([firstSystem.launcher, ...firstSystem.pids]);
    assert.deepEqual(endOf('typed'), ['stopped']);
    assert.doesNotMatch(firstSystem.readOutput(), /Stopping at once/, 'npm passes it on: that is no second one');

    const secondSystem = await startAndWait('typed', environment, ['npm', 'start']);
    secondSystem.child.kill('SIGTERM');
    await untilDraining(secondSystem);
    signalGroup(secondSystem, 'SIGINT');
    assert.equal(await assertEnded(secondSystem), 0, secondSystem.readOutput());
    await assertGone([secondSystem.launcher, ...secondSystem.pids]);
    assert.deepEqual(endOf('typed'), ['draining', 'stopped']);
    assert.doesNotMatch(secondSystem.readOutput(), /Stopping at once/);
    assert.ok(isDatabaseClean('typed'));
  });

  test('a second Ctrl-C forces the stop, and the database still stops cleanly', async () => {
    const system = await startAndWait('forced');
    const [, server] = system.pids;
    // The stopped process can't reply to the first signal.
    process.kill(server, 'SIGSTOP');
    signalGroup(system, 'SIGINT');
    await untilSaid(system, 'Stopping …');
    while (!system.readOutput().includes('Stopping at once')) {
      signalGroup(system, 'SIGINT');
      await wait(50);
    }
    await assertEnded(system);
    await assertGone([system.launcher, ...system.pids]);
    assert.deepEqual(endOf('forced'), []);
    assert.ok(isDatabaseClean('forced'));
  });

  test("a long drain is waited for by the launcher, after the launcher's death, and by the next start", async () => {
    const [signalledSystem, aloneSystem] = await Promise.all([
      // Exceeds the duration of a stop without a drain.
      startAndWait('asked', { DRAIN_MS: '21000' }),
      startAndWait('alone', { DRAIN_MS: '26000' }),
    ]);
    signalledSystem.child.kill('SIGTERM');
    aloneSystem.child.kill('SIGKILL');
    await Promise.all([untilDraining(signalledSystem), untilDraining(aloneSystem)]);
    for (const system of [signalledSystem, aloneSystem])
      assert.equal((await fetch(`${system.url}/api/lookup/info`)).status, 200);
    const nextSystem = await startAndWait('alone', { DRAIN_MS: '0' });
    assert.match(nextSystem.readOutput(), /^Waiting for an earlier start that is still stopping …$/m);
    assert.deepEqual(aloneSystem.pids.filter(isRunning), []);
    const log = readFileSync(join(rootFolder, 'alone/logs/server.log'), 'utf8');
    assert.match(log, /"draining".*\n.*"stopped"/s);
    assert.equal(await endSystem(nextSystem, 'SIGTERM'), 0);
    await assertGone(nextSystem.pids);
    assert.equal(await assertEnded(signalledSystem), 0);
    assert.deepEqual(endOf('asked'), ['draining', 'stopped']);
    assert.ok(isDatabaseClean('asked') && isDatabaseClean('alone'));
  });
}

function declareSettings() {
  test('LOG_TO=stdout prints the log for a collector, and writes no file', async () => {
    const system = await startAndWait('printed', { LOG_TO: 'stdout', DRAIN_MS: '0' });
    assert.equal(await endSystem(system, 'SIGTERM'), 0);
    await assertGone(system.pids);
    await untilSaid(system, '"msg":"stopped"}');
    assert.match(system.readOutput(), /^\{.*"msg":"ready"\}$/m);
    assert.ok(!existsSync(join(rootFolder, 'printed/logs')));
  });

  test('a process that ends unexpectedly ends the others, with a message that names it', async () => {
    const system = await startAndWait('part');
    process.kill(system.pids[0], 'SIGKILL');
    await once(system.child, 'close');
    assert.equal(system.child.exitCode, 1);
    assert.match(system.readOutput(), /The simulators stopped by SIGKILL, so everything else stops too\./);
    await assertGone(system.pids);
  });

  test('npm start refuses arguments, because settings are environment variables', async () => {
    assert.match(
      await refusedStart('words', {}, '--port', '4000'),
      /takes no --port: settings come from the environment/,
    );
    assert.equal(existsSync(join(rootFolder, 'words')), false);
  });

  test('a data folder in use, a taken port and an invalid variable stop the start with a message', async () => {
    const system = await startAndWait('busy');
    assert.match(await refusedStart('busy'), /The data folder .* is in use by another start \(process \d+\)/);
    assert.equal((await fetch(`${system.url}/health/ready`)).status, 200);
    const takenPort = new URL(system.url).port;
    assert.match(
      await refusedStart('other', { PORT: takenPort }),
      new RegExp(`Port ${takenPort} is already taken: .* set PORT`),
    );
    const takenOutside = new URL(system.simulatorsUrl).port;
    assert.match(
      await refusedStart('other', { SIMULATORS_PORT: takenOutside }),
      new RegExp(`SIMULATORS_PORT ${takenOutside}`),
    );
    await endSystem(system, 'SIGTERM');
    assert.match(await refusedStart('other', { VARIANT: 'laos' }), /VARIANT must be th or lao, not "laos"\./);
    assert.match(await refusedStart('other', { DATABASE_URL: 'localhost' }), /DATABASE_URL must look like/);
    writeFileSync(join(rootFolder, 'file'), '');
    assert.match(await refusedStart('file'), /The data folder .*file can't be made/);
    assert.match(
      await refusedStart('production', { SIMULATORS: 'off' }),
      /SIMULATORS is off, so .*outside\.json must describe/,
    );
  });

  test('with HOST=0.0.0.0 npm start prints its network address with a QR, and is reachable there', async () => {
    const quietSystem = await startAndWait('quiet');
    assert.match(quietSystem.readOutput(), /Only this machine can open it\. .*HOST=0\.0\.0\.0 npm start/);
    assert.doesNotMatch(quietSystem.readOutput(), /▄/);
    const open = await startAndWait('open', { HOST: '0.0.0.0' });
    const [, app, phone] = /^On a phone: (\S+) \(app\) · (\S+) \(the outside/m.exec(open.readOutput()) ?? [];
    const [address] = networkAddresses();
    if (address === undefined) assert.match(open.readOutput(), /in no network/);
    else {
      assert.equal(app, `http://${address}:${new URL(open.url).port}`);
      assert.equal(phone, `http://${address}:${new URL(open.simulatorsUrl).port}`);
      assert.ok(open.readOutput().includes(await terminalQr(app)));
      const { website } = await (await fetch(`${app}/api/lookup/info`)).json();
      assert.equal(website, app);
      assert.equal((await (await fetch(`${phone}/phone/links`)).json()).app, app);
      await assert.rejects(
        fetch(`http://${address}:${new URL(quietSystem.url).port}/login`),
        'not on addresses that were not configured',
      );
      await assert.rejects(fetch(`http://${address}:${new URL(quietSystem.simulatorsUrl).port}/`));
    }
    await Promise.all([endSystem(quietSystem, 'SIGTERM'), endSystem(open, 'SIGTERM')]);
  });

  test('PUBLIC_URL and SIMULATORS_URL are used for every caller and host', async () => {
    const [PUBLIC_URL, SIMULATORS_URL] = ['https://play.example.com', 'https://phone.example.com'];
    const system = await startAndWait('public', { PUBLIC_URL, SIMULATORS_URL });
    assert.ok(system.readOutput().includes(`On a phone: ${PUBLIC_URL} (app) · ${SIMULATORS_URL} (the outside`));
    assert.equal((await (await fetch(`${system.url}/api/lookup/info`)).json()).website, PUBLIC_URL);
    assert.equal((await (await fetch(`${system.simulatorsUrl}/phone/links`)).json()).app, PUBLIC_URL);
    const securityPolicy = (await fetch(`${system.url}/login`)).headers.get('content-security-policy');
    assert.match(securityPolicy, /form-action 'self' https:\/\/phone\.example\.com[ ;]/);
    assert.match(securityPolicy, /connect-src 'self' wss:\/\/phone\.example\.com;/);
    await endSystem(system, 'SIGTERM');
    assert.match(
      await refusedStart('wrong', { PUBLIC_URL: 'play' }),
      /PUBLIC_URL must be where browsers reach the app/,
    );
    assert.match(await refusedStart('wrong', { HOST: '203.0.113.7' }), /HOST is not an address of this machine/);
  });

  test('npm start reports a used port', async () => {
    const portHolder = createServer().listen(0, '127.0.0.1');
    await once(portHolder, 'listening');
    const { port } = portHolder.address();
    assert.match(await refusedStart('held', { PORT: String(port) }), new RegExp(`Port ${port} is already taken`));
    portHolder.close();
  });
}

describe('what the ready message says', () => {
  const ports = { port: 3000, simulatorsPort: 3100 };
  const shownAddresses = (config, addresses) =>
    readyMessage({ simulators: true, ...config }, urlsOf(config, ports), ports, async (text) => `[${text}]`, addresses);

  test('the ready message lists the likeliest network first, the others after the QR', async () => {
    const text = await shownAddresses({ host: '0.0.0.0' }, ['192.168.1.7', '10.8.0.2']);
    assert.match(text, /^Krapao is ready: http:\/\/localhost:3000 \(app\) · http:\/\/localhost:3100 /);
    assert.match(
      text,
      /On a phone: http:\/\/192\.168\.1\.7:3000 .*\n\[http:\/\/192\.168\.1\.7:3000\]\n.*10\.8\.0\.2:3000$/,
    );
    const innerAddresses = [{ family: 'IPv4', internal: false, address: '172.17.0.1' }];
    const outerAddresses = [{ family: 'IPv4', internal: false, address: '203.0.113.9' }];
    const homeAddresses = [{ family: 'IPv4', internal: false, address: '192.168.1.7' }];
    assert.deepEqual(networkAddresses({ docker0: innerAddresses, eth0: outerAddresses, wlan0: homeAddresses }), [
      '192.168.1.7',
      '203.0.113.9',
    ]);
  });

  test('the QR in the terminal decodes to the address with an independent reader', async () => {
    const lines = (await terminalQr('http://192.168.1.7:3000'))
      .split('\n')
      // Colour codes are at both ends.
      .map((line) => line.slice(line.indexOf('m') + 1, line.lastIndexOf('\u001B')));
    const [scale, width, height] = [4, lines[0].length, lines.length * 2];
    const pixels = new Uint8ClampedArray(width * scale * height * scale * 4).fill(255);
    for (let y = 0; y < height * scale; y += 1) {
      for (let x = 0; x < width * scale; x += 1) {
        const row = Math.floor(y / scale);
        const character = lines[Math.floor(row / 2)][Math.floor(x / scale)];
        if (character !== '█' && character !== (row % 2 === 0 ? '▀' : '▄')) continue;
        pixels.fill(0, (y * width * scale + x) * 4, (y * width * scale + x) * 4 + 3);
      }
    }
    assert.equal(jsQR.default(pixels, width * scale, height * scale)?.data, 'http://192.168.1.7:3000');
  });

  test('with one listening address, the ready message uses it for every link', async () => {
    const { url, outside, publicUrl } = urlsOf({ host: '192.168.1.7' }, ports);
    assert.deepEqual([url, outside, publicUrl], ['http://192.168.1.7:3000', 'http://192.168.1.7:3100', url]);
    assert.match(await shownAddresses({ host: '192.168.1.7' }, []), /^Krapao is ready: http:\/\/192\.168\.1\.7:3000 /);
    assert.match(await shownAddresses({ host: '0.0.0.0' }, []), /in no network/);
  });
});
