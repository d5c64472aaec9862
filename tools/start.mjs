// `npm start`: installs and builds what is missing, then runs the whole system until Ctrl-C.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from './child.mjs';
import { lockFolder } from './folder-lock.mjs';
import { freePort } from './free-port.mjs';
import { ensureInstalled, projectNode, ROOT, Sentence } from './install.mjs';
import { ensureSecrets, writeOutside } from './outside.mjs';
import { placesOf } from './places.mjs';
import { readyMessage } from './ready-message.mjs';
import { ensureWebBuilt } from './web-build.mjs';

// Clearing away what a crowd of calls leaves behind stops everybody for as long as there is much of it: rather often and
// little, 3 ms instead of 30 (bench/README.md).
const SERVER_FLAGS = ['--max-semi-space-size=4'];

const PARENT_POLL_MS = 1_000;

const children = [];
let lock;
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0, '', signal));
stopWithNpm();

try {
  await start();
} catch (error) {
  await stop(1, error instanceof Sentence ? error.message : error.stack);
}

async function start() {
  ensureInstalled();
  const config = readConfig();
  ensureWebBuilt();
  makeFolder(config.dataDirectory);
  lock = await lockFolder(config.dataDirectory);
  const ports = {
    port: config.port || (await freePort()),
    simulatorsPort: config.simulatorsPort || (await freePort()),
  };
  const secrets = ensureSecrets(config.secretsFile);
  const places = placesOf(config, ports);
  if (config.simulators) writeOutside(config.outsideFile, secrets, places, config.outsideTimeoutMs);
  else if (!existsSync(config.outsideFile)) {
    throw new Sentence(
      `SIMULATORS is off, so ${config.outsideFile} must say where the real outside is: docs/outside.md tells how.`,
    );
  }
  console.log('Starting …');
  const env = {
    PORT: String(ports.port),
    SIMULATORS_PORT: String(ports.simulatorsPort),
    HOST: config.host,
    OUTSIDE_FILE: config.outsideFile,
    DATA_DIR: config.dataDirectory,
  };
  const simulators = config.simulators ? run('simulators', 'simulators/src/main.ts', env, config) : undefined;
  const server = run('server', 'server/src/main.ts', env, config, SERVER_FLAGS);
  const ready = Promise.all([server.told, simulators?.printed('simulators ready')]);
  const first = await Promise.race([ready, ...children.map((child) => child.exited)]);
  if (stopping || !Array.isArray(first)) return;
  console.log(await readyMessage(config, places, ports, drawQr));
}

// Installed a moment ago perhaps, so that it can't be imported before.
async function drawQr(text) {
  const { default: qrcode } = await import('qrcode');
  return qrcode.toString(text, { type: 'terminal', small: true });
}

// Checked by the server's own rules, in its own words.
function readConfig() {
  const { status, stdout, stderr } = spawnSync(projectNode(), [join(ROOT, 'server/src/commands/show-config.ts')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Sentence(stderr.trim());
  return JSON.parse(stdout);
}

function makeFolder(path) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Sentence(`The data folder ${path} can't be made (${error.code}): set DATA_DIR to another one.`);
  }
}

function run(name, program, env, config, flags = []) {
  const child = startChild({ name, flags, program, env, logFile: join(config.dataDirectory, 'logs', `${name}.log`) });
  children.push(child);
  lock.addChild(child.pid);
  void child.exited.then(({ code, signal }) => {
    if (stopping) return;
    const how = signal ? `stopped by ${signal}` : `stopped with code ${code}`;
    void stop(
      1,
      `The ${name} ${how}, so everything else stops too. Its log is ${join(config.dataDirectory, 'logs', `${name}.log`)}.`,
    );
  });
  return child;
}

async function stop(status, why, signal) {
  if (why) console.error(why);
  if (stopping) {
    // Asked twice: whoever is in a hurry gets it; the database stops cleanly all the same.
    if (signal === 'SIGINT') for (const child of children) child.kill();
    return;
  }
  stopping = true;
  if (signal) console.log('Stopping …');
  // The server first, so that nothing is sent to an outside that is gone.
  for (const child of children.toReversed()) await child.stop();
  lock?.release();
  process.exit(status);
}

// npm passes signals on, but a kill -9 of npm itself would leave this process without anyone to stop it.
function stopWithNpm() {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && void stop(1, ''), PARENT_POLL_MS).unref();
}
